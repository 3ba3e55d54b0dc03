"""Flat decoding: the whole question as one sequence, as in Gai et al. 2021.

Groups of tokens are its positions; entities and appended variables are its nodes. Decoding may be
constrained: kinds fit, what must be used is, and the graph is connected.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from partwise.encoders.functions import Functions
from partwise.errors import PartwiseError
from partwise.graph.alignment import attributes_of, components
from partwise.graph.classes.words import WordClasses
from partwise.graph.config import DECLARED, GraphParserConfig
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens, TokenGroup, group
from partwise.graph.grounding.sequences import (
    Array,
    NodeSequence,
    PredictedGraph,
    decode,
    indexes,
)
from partwise.graph.strategy import DecodingStrategy
from partwise.graph.vocabulary import NIL, SEPARATOR, GraphLabels, GraphVocabulary, variable_tag
from partwise.interface.budget import Budget, Work
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import ANY, GraphDomain, Kinds
from partwise.language.query_graph import ANSWER, QueryGraph, Triple, canonical
from partwise.language.query_graph import ENTITY as PLACEHOLDER

ENTITY_WORD = "<entity>"
PART = "#"
"""Before a character of a word: it is not the word of this character."""


@dataclass(frozen=True)
class FlatQuestion:
    """A question as a sequence.

    Attributes:
        groups: the tokens of its first positions; a separator and variables come after.
        members: for each node the entities that it stands for; a variable stands for itself.
        sequence: its words are those of each group, and their characters in a script without
            blanks; entities are all one word, so that numbers tell nothing.
    """

    tokens: TaggedTokens
    groups: tuple[tuple[int, ...], ...]
    members: tuple[tuple[str, ...], ...]
    sequence: NodeSequence[str]


def read_flat(
    tokens: TaggedTokens,
    config: GraphParserConfig,
    variables: int | None = None,
    unspaced: bool = False,
) -> FlatQuestion:
    """Groups and nodes of a question. `variables`: how many are appended, if not as the
    configuration says; `unspaced`: the script writes no blanks, so that a word has its characters'
    vectors beside its own."""
    # A learned list word stands in lists alone; a declared comma may part clauses.
    learned = config.word_classes != DECLARED
    groups = group(tokens, config.grouping, config.phrases, open_=learned)
    nodes = _nodes(tokens, groups, config.group_nodes)
    count, start = config.variables if variables is None else variables, len(groups) + 1
    names = [variable_tag(number) for number in range(count)]
    tail = [SEPARATOR, *names, *[NIL] * config.nil]
    rest = ((),) * len(tail)
    words = (_words(tokens, unit, unspaced) for unit in groups)
    sequence = NodeSequence(
        (*(unit.tag for unit in groups), *tail),
        (*words, *rest),
        (*(positions for _, positions in nodes), *((start + n,) for n in range(count))),
    )
    members = (*(entities for entities, _ in nodes), *((name,) for name in names))
    return FlatQuestion(tokens, tuple(unit.tokens for unit in groups), members, sequence)


def _nodes(
    tokens: TaggedTokens, groups: Sequence[TokenGroup], together: bool
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The entities of each node, and the groups that mention them. With `together`, those that are
    mentioned in the same groups alone are one node."""
    mentions: dict[str, list[int]] = {}
    for position, unit in enumerate(groups):
        for token in unit.tokens if unit.tag == ENTITY else ():
            mentions.setdefault(tokens.texts[token], []).append(position)
    nodes: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for entity, positions in mentions.items():
        alone = "" if together else entity
        nodes.setdefault((alone, tuple(positions)), []).append(entity)
    return [(tuple(entities), positions) for (_, positions), entities in nodes.items()]


def _words(tokens: TaggedTokens, unit: TokenGroup, unspaced: bool) -> tuple[str, ...]:
    if unit.tag == ENTITY:
        return (ENTITY_WORD,) * len(unit.tokens)
    words: list[str] = []
    for word in (tokens.texts[token] for token in unit.tokens):
        several = unspaced and len(word) > 1 and not word.isascii()
        words += [word, *(f"{PART}{character}" for character in word if several)]
    return tuple(words)


def targets(question: FlatQuestion, graph: QueryGraph, labels: GraphLabels) -> NDArray[np.bool_]:
    """``[N, N, labels]``: what a gold graph, its variables numbered as the sequence's, says."""
    place = {name: node for node, names in enumerate(question.members) for name in names}
    attributes = {pair: number for number, pair in enumerate(labels.attributes, labels.plus.start)}
    wanted = np.zeros((len(question.members),) * 2 + (labels.size,), dtype=bool)
    for s, p, o in graph.edges:
        if p in labels.numbers and s in place and o in place:
            wanted[place[s], place[o], labels.numbers[p]] = True
    for s, p, o in graph.attributes:
        if (p, o) in attributes and s in place:
            wanted[place[s], place[s], attributes[p, o]] = True
    return wanted


def graph_of(
    question: FlatQuestion, predicted: NDArray[np.bool_], labels: GraphLabels
) -> tuple[set[Triple], set[Triple], Mapping[Triple, tuple[int, int]]]:
    """Edges and attributes of what is predicted, and the pair of nodes that each comes from."""
    edges: dict[Triple, tuple[int, int]] = {}
    attributes: dict[Triple, tuple[int, int]] = {}
    for one, other, label in np.argwhere(predicted).tolist():
        if label < labels.plus.start:
            ends = [(labels.relations[label], name) for name in question.members[other]]
            made = edges
        else:
            ends = [labels.attributes[label - labels.plus.start]] if one == other else []
            made = attributes
        made |= {Triple(name, *end): (one, other) for name in question.members[one] for end in ends}
    return set(edges), set(attributes), edges | attributes


Said = NDArray[np.bool_]
"""``[N, N, labels]``: what is said of each pair of nodes."""


class Constraints:
    """What a domain demands of the ends of its labels.

    Attributes:
        kinds: of nodes; None, which comes first, fits everything.
        votes: ``[2, labels, kinds]``: 1 if a node of a kind can be the subject (or the object) of
            a label, -1 if not, 0 where any kind can.
    """

    def __init__(self, domain: GraphDomain, labels: GraphLabels) -> None:
        self.relations = len(labels.relations)
        relations = {r.predicate: (r.subject, r.object) for r in domain.relations}
        attributes = {(a.predicate, a.constant): a.kinds for a in domain.attributes}
        ends = [
            *(relations.get(name, (ANY, ANY)) for name in labels.relations),
            *((attributes.get(pair, ANY),) * 2 for pair in labels.attributes),
        ]
        self.kinds = [None, *sorted({kind for pair in ends for end in pair for kind in end})]
        votes = [
            [_vote(kind, pair[side]) for pair in ends for kind in self.kinds] for side in (0, 1)
        ]
        self.votes = np.array(votes).reshape(2, len(ends), len(self.kinds))

    def said(self, probabilities: Array, needed: Collection[bool]) -> Said:
        """What is said of each pair of nodes, if each node that is needed must be used."""
        probabilities = probabilities[:, :, : self.votes.shape[1]]
        allowed = self.allowed(self.best_kinds(probabilities))
        own = np.eye(len(allowed), dtype=bool)
        # Attributes are of single nodes; what two nodes say of them was never learned.
        allowed[~own, self.relations :] = False
        said = (probabilities > 0.5) & allowed
        open_ = np.where(allowed & ~own[..., None], probabilities, 0.0)[:, :, : self.relations]
        self._use_all(said, open_, needed)
        self._connect(said, open_)
        return said

    def best_kinds(self, probabilities: Array) -> NDArray[np.intp]:
        """For each node the number of the kind that most of its likely labels speak for."""
        strong = np.where(probabilities > 0.5, probabilities, 0.0).astype(float)
        own, start, (subject, object_) = np.arange(len(strong)), self.relations, self.votes
        attributes, edges = strong[own, own, start:], strong[..., :start]
        edges[own, own] = 0.0
        votes = edges.sum(1) @ subject[:start] + edges.sum(0) @ object_[:start]
        best: NDArray[np.intp] = (votes + attributes @ subject[start:]).argmax(1)
        return best

    def allowed(self, kinds: Sequence[int] | NDArray[np.intp]) -> Said:
        """Which labels nodes of these kinds can have."""
        subjects, objects = (self.votes[:, :, kinds] >= 0.0).transpose(0, 2, 1)
        allowed: Said = subjects[:, None] & objects[None]
        return allowed

    def _use_all(self, said: Said, open_: Array, needed: Collection[bool]) -> None:
        """Give a bare node its likeliest edge to what is there, or else to any node."""
        for node, is_needed in enumerate(needed):
            used = _uses(said)
            if is_needed and not used[node]:
                others = [other for other in range(len(said)) if other != node]
                there = np.logical_or(used, list(needed))
                ends = [other for other in others if there[other]] or others
                _say_likeliest(said, open_, [p for o in ends for p in ((node, o), (o, node))])

    def _connect(self, said: Said, open_: Array) -> None:
        """Join parts that do not hang together by the likeliest edge between them."""
        while True:
            subjects, objects = np.nonzero(said[:, :, : self.relations].any(2))
            edges = zip(subjects.tolist(), objects.tolist(), strict=True)
            parts = components(np.nonzero(_uses(said))[0].tolist(), edges)
            of = {node: number for number, part in enumerate(parts) for node in part}
            pairs = [(a, b) for a, b in itertools.permutations(of, 2) if of[a] != of[b]]
            if not _say_likeliest(said, open_, pairs):
                return


def _vote(kind: str | None, fits: Kinds) -> float:
    if kind is None or not fits:
        return 0.0
    return 1.0 if kind in fits else -1.0


def _uses(said: Said) -> NDArray[np.bool_]:
    return np.logical_or(said.any((1, 2)), said.any((0, 2)))


def _say_likeliest(said: Said, open_: Array, pairs: Sequence[tuple[int, int]]) -> bool:
    """Say the likeliest edge of some pairs of nodes, if any can be."""
    pair = max(pairs, key=lambda p: float(open_[p].max(initial=0.0)), default=None)
    if pair is None or not open_[pair].any():
        return False
    said[(*pair, int(open_[pair].argmax()))] = True
    return True


BATCH = 256
"""Questions decoded together."""
MOST_ALIKE = 4
"""Up to so many variables all namings are tried; of more, the canonical one is wanted."""


@dataclass(frozen=True, eq=False)
class FlatItem:
    """A training question.

    Attributes:
        wanted: ``[K, 3]``: first node, second node, label.
        orders: ``[P, N]``: for each naming of the variables, where each node goes.
        example: what it was made of, for others to be made from it.
    """

    sequence: NodeSequence[int]
    wanted: NDArray[np.intp]
    orders: NDArray[np.intp]
    example: Example[QueryGraph]

    def best(self, logits: Array) -> NDArray[np.intp]:
        """What is wanted, its variables named as the network finds it likeliest now."""
        if len(self.orders) == 1:
            return self.wanted
        first, second, label = self.wanted.T
        moved = self.orders[:, first], self.orders[:, second]
        order = self.orders[int(logits[moved[0], moved[1], label].sum(1).argmax())]
        return np.stack([order[first], order[second], label], 1)


class FlatStrategy(DecodingStrategy[FlatItem]):
    """Questions as sequences of groups, with variables appended. A parser that is read from a
    folder has no `examples`."""

    def __init__(
        self, domain: GraphDomain, config: GraphParserConfig, vocabularies: GraphVocabulary
    ) -> None:
        super().__init__(domain, config, vocabularies)
        self.constraints = Constraints(domain, vocabularies.labels) if config.constrained else None
        self.examples: Sequence[Example[QueryGraph]] = ()

    @classmethod
    def learned(
        cls,
        domain: GraphDomain,
        config: GraphParserConfig,
        examples: Sequence[tuple[Example[QueryGraph], TaggedTokens]],
        classes: WordClasses | None = None,
    ) -> Self:
        graphs = [example.meaning for example, _ in examples]
        unspaced = classes is not None and classes.unspaced
        relations = {edge.predicate for graph in graphs for edge in graph.edges}
        attributes = attributes_of(graphs) if config.protocol == "full" else ()
        strategy = cls(
            domain,
            config,
            GraphVocabulary(
                *indexes([read_flat(t, config, None, unspaced).sequence for _, t in examples]),
                GraphLabels(tuple(sorted(relations)), attributes),
                classes=classes,
            ),
        )
        strategy.examples = [example for example, _ in examples]
        return strategy

    def items(self) -> list[FlatItem]:
        return [self.item(example) for example in self.examples]

    def item(self, example: Example[QueryGraph]) -> FlatItem:
        tokens, graph = self.tagger(example.question), example.meaning
        given = count_given_variables(graph) if self.config.protocol == "paper" else None
        question = self._read(tokens, given)
        wanted = targets(question, numbered(graph, tokens), self.vocabularies.labels)
        namings = orders(question, len(graph.variables), graph.head == "select")
        return FlatItem(self.numbered(question.sequence), np.argwhere(wanted), namings, example)

    def _read(self, tokens: TaggedTokens, variables: int | None) -> FlatQuestion:
        classes = self.vocabularies.classes
        unspaced = classes is not None and classes.unspaced
        return read_flat(tokens, self.config, variables, unspaced)

    def length(self, item: FlatItem) -> int:
        return len(item.sequence.tags)

    def parse(
        self,
        functions: Functions,
        questions: Sequence[TaggedTokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
        budget: Budget | None = None,
    ) -> list[Prediction[QueryGraph]]:
        """The likeliest graphs: each label on its own, unless decoding is constrained."""
        if self.config.protocol == "paper" and variables is None:
            raise PartwiseError(
                "under the paper's protocol the number of variables is given with each question; "
                "train with protocol=full to parse questions alone"
            )
        given = variables or itertools.repeat(None)
        read = [self._read(one, n) for one, n in zip(questions, given, strict=False)]
        decoded = decode(functions, [self.numbered(one.sequence) for one in read], BATCH)
        explained, parses = functions if explain else None, []
        for question, sequence in zip(read, decoded, strict=True):
            work = Work() if budget is None else budget.start()
            graph, part = self._graph(question, sequence.probabilities), (sequence, question.groups)
            parses.append(self.prediction(question.tokens, graph, [part], explained, work))
        return parses

    def _graph(self, question: FlatQuestion, probabilities: Array) -> PredictedGraph:
        labels = self.vocabularies.labels
        predicted = self._predict(question, probabilities)
        edges, attributes, pairs = graph_of(question, predicted, labels)
        sure = np.log(np.maximum(np.where(predicted, probabilities, 1.0 - probabilities), 1e-12))
        own = np.arange(len(sure))
        whole = sure[:, :, : len(labels.relations)].sum() + sure[own, own][:, labels.plus].sum()
        sources = {triple: (0, pair) for triple, pair in pairs.items()}
        return PredictedGraph(edges, attributes, ANSWER, float(np.exp(float(whole))), sources)

    def _predict(self, question: FlatQuestion, probabilities: Array) -> NDArray[np.bool_]:
        if self.constraints is None:
            return np.asarray(probabilities > 0.5)
        asked = ANSWER if self.head(question.tokens.question.text) == "select" else None
        needed = [names[0][0] != "?" or names[0] == asked for names in question.members]
        return self.constraints.said(probabilities, needed)


def orders(question: FlatQuestion, variables: int, fixed: bool) -> NDArray[np.intp]:
    """All ways to name so many variables of a graph, the canonical one first. A variable that is
    asked for (`fixed`) keeps its name."""
    size = len(question.members)
    first = next((n for n, names in enumerate(question.members) if names[0][0] == "?"), size)
    start = first + fixed
    free = list(range(start, min(first + variables, size)))
    if len(free) > MOST_ALIKE:
        return np.arange(size)[None]
    rest = range(start + len(free), size)
    namings = [[*range(start), *order, *rest] for order in itertools.permutations(free)]
    return np.array(namings, dtype=np.intp)


def count_given_variables(graph: QueryGraph) -> int:
    """How many variables the paper's protocol appends."""
    return len({end for s, _, o in graph.edges for end in (s, o) if end.startswith("?")})


def numbered(graph: QueryGraph, tokens: TaggedTokens) -> QueryGraph:
    """The graph with its variables numbered by the order in which the question names entities."""
    mentioned = dict.fromkeys(text for text in tokens.texts if PLACEHOLDER.fullmatch(text))
    order = {text: f"M{number}" for number, text in enumerate(mentioned)}
    back = {new: old for old, new in order.items()}
    return canonical(graph.rename(order)).rename(back)
