"""Composed decoding: fragment by fragment, the graphs of all fragments united at the end."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Self

import numpy as np

from partwise.encoders.functions import Functions
from partwise.errors import DataError, PartwiseError, TooCostlyError
from partwise.graph.alignment import (
    SAME,
    AlignedCorpus,
    Incidence,
    Mentions,
    align_all,
    attributes_of,
    complete,
)
from partwise.graph.classes.words import WordClasses
from partwise.graph.config import GraphParserConfig
from partwise.graph.grammar.decomposition import (
    ConstituencyParser,
    Decomposition,
    Fragment,
    Node,
    PlacedFragment,
    Slot,
    units,
)
from partwise.graph.grammar.phrases import Constituent
from partwise.graph.grammar.tokens import TaggedTokens
from partwise.graph.grounding.fragments import (
    Item,
    fragment_sequence,
    relation_numbers,
    training_items,
)
from partwise.graph.grounding.sequences import (
    DECODER,
    IMPLICATIONS,
    Array,
    DecodedSequence,
    NodeSequence,
    PredictedGraph,
    decode,
    indexes,
)
from partwise.graph.induction.rules import induce_rules, keep_supported
from partwise.graph.preference import RuleChains
from partwise.graph.strategy import DecodingStrategy
from partwise.graph.vocabulary import GraphLabels, GraphVocabulary
from partwise.interface.budget import TOO_COSTLY, Budget, Work
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple

SAID = 5_000
"""How many joins of a chart of spans take as long as one thing that a fragment says."""
SURE = 1.0 - 1e-7
"""No probability is taken to be higher."""
JUST = 0.5 + 1e-6
"""The probability of what is said only because something must be."""
LEAST = 1e-12
"""No probability is taken to be lower."""


class _Merged:
    """Nodes that are one (disjoint sets), and the names of what they are."""

    def __init__(self, entities: Mapping[Node, str]) -> None:
        self.entities = entities
        self.parent: dict[Slot, Slot] = {}

    def find(self, unit: Slot) -> Slot:
        while (parent := self.parent.get(unit, unit)) != unit:
            unit = parent
        return unit

    def unite(self, one: Slot, other: Slot) -> None:
        first, second = self.find(one), self.find(other)
        if first != second:
            # Entities stay on top: the set has their names.
            lower, upper = (second, first) if first[0] < 0 else (first, second)
            self.parent[lower] = upper

    def names(self, unit: Slot) -> tuple[str, ...]:
        """Entities, or one provisional variable."""
        top = self.find(unit)
        if top[0] < 0:
            return tuple(dict.fromkeys(self.entities[node] for node in top))
        return (f"?{top[0]}",)


def connect_probabilities(probabilities: Array, labels: GraphLabels) -> Array:
    """A fragment's probabilities, with its graph made connected by the likeliest missing links."""
    links = probabilities[:, :, : len(labels.relations)]
    size = len(probabilities)
    best, connected, part = links.max(2), probabilities, list(range(size))
    pairs = itertools.permutations(range(size), 2)
    for one, other in sorted(pairs, key=lambda pair: -best[pair]):
        if part[one] == part[other]:
            continue
        if best[one, other] <= 0.5:
            connected = connected.copy()
            connected[one, other, int(links[one, other].argmax())] = JUST
        part = [part[one] if number == part[other] else number for number in part]
    return connected


@dataclass
class Assembler:
    """Unites the graphs of a question's fragments; a node bears what some say and no edge implies.

    Attributes:
        probabilities: of each fragment, ``[N, N, labels]``: of each label from slot to slot.
        implied: ``[attributes, 4 * relations]``, as `Implications` has it.
        sources: for each triple the fragment and the pair of slots that say it most, and how
            probably.
    """

    question: Decomposition
    probabilities: Sequence[Array]
    labels: GraphLabels
    implied: Array
    work: Work = field(default_factory=Work)
    sources: dict[Triple, tuple[int, tuple[int, int], float]] = field(default_factory=dict)
    log_probability: float = 0.0

    def graph(self, shared: Collection[str] = ()) -> PredictedGraph:
        """The graph; coordinated phrases of the categories `shared` stand for one node."""
        self.merged = _Merged(self.question.entities)
        fragments = list(zip(self.question.fragments, self.probabilities, strict=True))
        for placed, mine in fragments:
            pairs = _same(placed, mine, self.labels.numbers[SAME], shared)
            for one, other in self.work.each(pairs, SAID):
                self.merged.unite(one, other)
        mentions: dict[str, Mentions[tuple[int, int]]] = defaultdict(Mentions)
        edges: set[Triple] = set()
        for number, (placed, mine) in enumerate(fragments):
            for triple, (start, end) in self.work.each(self._edges(number, placed, mine), SAID):
                edges.add(triple)
                mentions[triple.subject].edges.add(Incidence(triple.predicate, True, start == 0))
                mentions[triple.object].edges.add(Incidence(triple.predicate, False, end == 0))
            for slot, nodes in enumerate(placed.slots):
                for unit in units(nodes):
                    for name in self.work.each(self.merged.names(unit), SAID):
                        mentions[name].places.append((number, slot))
        asked = {name: self._attributes(name, where) for name, where in mentions.items()}
        return PredictedGraph(
            edges,
            set(self.sources) - edges,
            max(asked, key=lambda name: asked[name], default=None),
            math.exp(self.log_probability),
            {triple: (number, pair) for triple, (number, pair, _) in self.sources.items()},
        )

    def _say(self, triple: Triple, number: int, pair: tuple[int, int], probability: float) -> None:
        if triple not in self.sources or probability > self.sources[triple][2]:
            self.sources[triple] = number, pair, probability

    def _count(self, probabilities: Array) -> None:
        """Add the log-probability of the likelier outcome of each label."""
        sure = np.maximum(probabilities, 1.0 - probabilities)
        self.log_probability += float(np.log(np.maximum(sure, LEAST)).sum())

    def _edges(
        self, number: int, placed: PlacedFragment, probabilities: Array
    ) -> Iterator[tuple[Triple, tuple[int, int]]]:
        """What a fragment says, each triple as often as it says it, and between which slots."""
        relations = self.labels.relations
        slots = [[self.merged.names(unit) for unit in units(slot)] for slot in placed.slots]
        for pair in itertools.permutations(range(len(slots)), 2):
            mine = probabilities[pair][: len(relations)]
            self._count(mine)
            for label in np.nonzero(mine > 0.5)[0]:
                if relations[label] == SAME:
                    continue
                for left, right in itertools.product(slots[pair[0]], slots[pair[1]]):
                    for one, other in itertools.product(left, right):
                        # Two slots that turned out to be one node: nothing relates to itself.
                        if one != other:
                            triple = Triple(one, relations[label], other)
                            self._say(triple, number, pair, float(mine[label]))
                            yield triple, pair

    def _attributes(self, name: str, mentions: Mentions[tuple[int, int]]) -> float:
        """Say a node's attributes (noisy-or of mentions); how likely it is what is asked for."""
        # Nodes of one slot that are one are mentioned there once.
        places = list(dict.fromkeys(mentions.places))
        mine = np.stack([self.probabilities[number][slot, slot] for number, slot in places])
        silent = np.log1p(-np.minimum(mine, SURE)).sum(0)
        unsaid = 1.0 - self.implied[:, relation_numbers(mentions.edges, self.labels)]
        borne = (1.0 - np.exp(silent[self.labels.plus])) * unsaid.prod(1)
        self._count(borne)
        for label in np.nonzero(borne > 0.5)[0]:
            strengths = mine[:, self.labels.plus][:, label]
            first = int(strengths.argmax())
            number, slot = places[first]
            triple = Triple(name, *self.labels.attributes[label])
            self._say(triple, number, (slot, slot), float(strengths[first]))
        return 1.0 - math.exp(float(silent[self.labels.answer]))


def _same(
    placed: PlacedFragment, probabilities: Array, same: int, shared: Collection[str]
) -> Iterator[tuple[Slot, Slot]]:
    """Units of a fragment that are one node."""
    for one, other in itertools.combinations(range(len(placed.slots)), 2):
        if max(probabilities[one, other, same], probabilities[other, one, same]) > 0.5:
            yield from itertools.product(units(placed.slots[one]), units(placed.slots[other]))
    for name, nodes in zip(placed.fragment.slots, placed.slots, strict=True):
        first, *rest = units(nodes)
        if name in shared:
            yield from ((first, more) for more in rest)


BATCH = 512
"""Fragments decoded together."""
FRAGMENT = 400_000
"""How many joins of a chart of spans take as long as decoding a fragment."""
Trees = list[tuple[Constituent, Decomposition]]
NO_RULES = "no phrase rules fit the question"
NO_LEARNED_RULES = (
    "no phrase rules can be learned from {} questions: too few are alike; "
    "use composition=flat, or declare the domain's phrase rules"
)
NO_ALIGNMENT = "no tree of its phrases explains its graph"


class ComposedStrategy(DecodingStrategy[Item]):
    """Questions decomposed by phrase rules; `aligned` is None for a parser from a folder."""

    networks = (DECODER, IMPLICATIONS)

    def __init__(
        self,
        domain: GraphDomain,
        config: GraphParserConfig,
        vocabularies: GraphVocabulary,
        aligned: AlignedCorpus | None = None,
    ) -> None:
        super().__init__(domain, config, vocabularies)
        self.parser = ConstituencyParser(vocabularies.rules, config.trees)
        self.aligned = aligned

    @classmethod
    def learned(
        cls,
        domain: GraphDomain,
        config: GraphParserConfig,
        examples: Sequence[tuple[Example[QueryGraph], TaggedTokens]],
        classes: WordClasses | None = None,
    ) -> Self:
        """Align the phrases of training questions with their graphs. Raises DataError if rules are
        to be learned, and the questions show none."""
        given = () if classes is not None else domain.phrases
        rules = given or _induce(domain, examples, classes)
        parser = ConstituencyParser(rules, config.trees)
        every = [
            (example, _trees(parser, tokens, Budget().start())) for example, tokens in examples
        ]
        parsed = [(example, trees) for example, trees in every if trees]
        without = [(example, trees) for example, trees in every if not trees]
        aligned = align_all(
            [([question for _, question in trees], example.meaning) for example, trees in parsed]
        )
        chosen = list(zip(parsed, aligned.chosen, strict=True))
        used = [trees[tree][0] for (_, trees), tree in chosen if tree is not None]
        if not given:
            rules, used = keep_supported(rules, used)
        if config.paradigm_completion:
            aligned.fragments.update(complete(aligned.fragments))
        predicates = (name for c in aligned.fragments.values() for _, (name, _) in c.labels)
        attributes = attributes_of(example.meaning for example, _ in parsed)
        vocabularies = GraphVocabulary(
            *indexes([fragment_sequence(fragment) for fragment in aligned.fragments]),
            GraphLabels(tuple(sorted({*predicates, SAME})), attributes, answers=True),
            aligned.preference,
            aligned.shared,
            rules,
            RuleChains.learn(used),
            classes,
        )
        strategy = cls(domain, config, vocabularies, aligned)
        strategy.unusable = [(e, NO_RULES if trees == [] else TOO_COSTLY) for e, trees in without]
        strategy.unusable += [(e, NO_ALIGNMENT) for (e, _), tree in chosen if tree is None]
        return strategy

    def items(self) -> list[Item]:
        if self.aligned is None:
            raise PartwiseError("a parser that is read from a folder keeps no training questions")
        return training_items(self.aligned, self.vocabularies.labels, self.config.tempering)

    @property
    def sequences(self) -> list[NodeSequence[int]]:
        """The fragments of training, by number."""
        fragments = self.aligned.fragments if self.aligned else ()
        return [self.numbered(fragment_sequence(fragment)) for fragment in fragments]

    def parse(
        self,
        functions: Functions,
        questions: Sequence[TaggedTokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
        budget: Budget | None = None,
    ) -> list[Prediction[QueryGraph]]:
        """The united graph of each question's likeliest tree."""
        works = [Work() if budget is None else budget.start() for _ in questions]
        asked = list(zip(questions, works, strict=True))
        trees = [_trees(self.parser, tokens, work, FRAGMENT) for tokens, work in asked]
        decoded = self._decode(functions, [q for some in trees for _, q in some or ()])
        unsaid, explained = functions(IMPLICATIONS)[0], functions if explain else None
        parses: list[Prediction[QueryGraph]] = []
        for (tokens, work), some in zip(asked, trees, strict=True):
            reason = _no_tree(tokens) if some == [] else TOO_COSTLY
            with suppress(TooCostlyError):
                if some:
                    question, graph = self._best(some, decoded, unsaid, work)
                    parts = [(decoded[part.fragment], part.tokens) for part in question.fragments]
                    parses.append(self.prediction(tokens, graph, parts, explained, work))
                    continue
            parses.append(Prediction(tokens.question.text, tokens.question.words, reason=reason))
        return parses

    def _decode(
        self, functions: Functions, questions: Sequence[Decomposition]
    ) -> dict[Fragment, DecodedSequence]:
        """The fragments of questions, each decoded once."""
        placed = (part for question in questions for part in question.fragments)
        needed = list(dict.fromkeys(part.fragment for part in placed))
        sequences = [self.numbered(fragment_sequence(fragment)) for fragment in needed]
        labels = self.vocabularies.labels
        return {
            fragment: sequence._replace(
                probabilities=connect_probabilities(sequence.probabilities, labels)
            )
            for fragment, sequence in zip(needed, decode(functions, sequences, BATCH), strict=True)
        }

    def _best(
        self, trees: Trees, decoded: Mapping[Fragment, DecodedSequence], unsaid: Array, work: Work
    ) -> tuple[Decomposition, PredictedGraph]:
        """The tree with the most plausible graph, and this graph."""
        known, graphs = self.vocabularies, []
        for tree, question in trees:
            probabilities = [decoded[part.fragment].probabilities for part in question.fragments]
            assembler = Assembler(question, probabilities, known.labels, unsaid, work)
            graph = assembler.graph(known.shared)
            score = 0.0
            if known.preference is not None:
                score += known.preference.score(graph.edges, graph.attributes)
            if known.chains is not None:
                score += known.chains.score(tree)
            graphs.append((score, question, graph))
        _, question, graph = max(graphs, key=itemgetter(0))
        return question, graph


def _induce(
    domain: GraphDomain,
    examples: Sequence[tuple[Example[QueryGraph], TaggedTokens]],
    classes: WordClasses | None,
) -> tuple[str, ...]:
    """Phrase rules that training questions show; a `DataError` if they show none."""
    words = domain.words if classes is None else classes.words
    questions = [tokens for _, tokens in examples]
    rules = induce_rules(questions, [example.meaning for example, _ in examples], words)
    if not rules:
        raise DataError(NO_LEARNED_RULES.format(len(questions)))
    return rules


def _trees(
    parser: ConstituencyParser, tokens: TaggedTokens, work: Work, cost: int = 0
) -> Trees | None:
    """The trees of a question; None if they cost too much, each of their fragments `cost` more."""
    with suppress(TooCostlyError):
        trees = parser.trees(tokens, work)
        fragments = {part.fragment for _, question in trees for part in question.fragments}
        work.spend(cost * len(fragments))
        return trees
    return None


def _no_tree(tokens: TaggedTokens) -> str:
    unknown = [
        text
        for text, classes in zip(tokens.texts, tokens.classes, strict=True)
        if classes == {text} and text.isalpha() and len(text) > 3
    ]
    hint = f"; unknown to its word lists, perhaps: {', '.join(unknown[:5])}" if unknown else ""
    return NO_RULES + hint
