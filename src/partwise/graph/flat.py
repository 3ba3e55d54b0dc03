"""Flat reading: the whole question at once, as in the paper."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from partwise.errors import PartwiseError, QueryError
from partwise.graph.config import GraphParserConfig
from partwise.graph.grounding.batch import Grounded, collate
from partwise.graph.grounding.constrain import Constraints
from partwise.graph.grounding.flat import (
    FlatQuestion,
    encode,
    graph_of,
    read_flat,
    tags_of,
    targets,
    words_of,
)
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.relevance import relevance
from partwise.graph.grounding.vocabulary import Labels, Vocabulary
from partwise.graph.phrases.tagging import Tagger, Tokens
from partwise.graph.reading import Unusable, finished, word_weights
from partwise.graph.result import GraphParse
from partwise.graph.vocabularies import Vocabularies
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.canonical import canonical, expected_head
from partwise.language.query.graph import ANSWER, ENTITY, QueryGraph

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

    sequence: Grounded
    wanted: NDArray[np.intp]
    orders: NDArray[np.intp]
    example: Example[QueryGraph] | None = None

    def best(self, logits: NDArray[np.floating]) -> NDArray[np.intp]:
        """What is wanted, its variables named as the network finds it likeliest now."""
        first, second, label = self.wanted.T
        if len(self.orders) == 1:
            return self.wanted
        moved = self.orders[:, first], self.orders[:, second]
        order = self.orders[int(logits[moved[0], moved[1], label].sum(1).argmax())]
        return np.stack([order[first], order[second], label], 1)


class FlatReading:
    """Reads questions as sequences of groups, with variables appended.

    Args:
        examples: training questions, of which `items` are made; none for a parser that is read
            from a folder.
    """

    def __init__(
        self,
        domain: GraphDomain,
        config: GraphParserConfig,
        vocabularies: Vocabularies,
        examples: Sequence[Example[QueryGraph]] = (),
    ) -> None:
        self.domain, self.config, self.vocabularies = domain, config, vocabularies
        self.constraints = Constraints(domain, vocabularies.labels) if config.constrained else None
        self.examples = examples

    @staticmethod
    def learn(
        domain: GraphDomain, config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[FlatReading, Unusable]:
        """Vocabularies from training questions, and a reading of these questions."""
        tagger = Tagger(domain)
        usable: list[Example[QueryGraph]] = []
        unusable: Unusable = []
        tags: set[str] = set()
        words: set[str] = set()
        for example in examples:
            tokens = tagger(example.question)
            reason = unfit(tokens, example.meaning, config)
            if reason is not None:
                unusable.append((example, reason))
                continue
            question = read_flat(tokens, config)
            tags.update(tags_of(question, config))
            words.update(word for some in words_of(question) for word in some)
            usable.append(example)
        whole = config.protocol == "full"
        graphs = [example.meaning for example in usable]
        labels = Labels(
            tuple(sorted({edge.predicate for graph in graphs for edge in graph.edges})),
            tuple(sorted({(a.predicate, a.object) for g in graphs for a in g.attributes}))
            if whole
            else (),
        )
        known = Vocabularies(Vocabulary.of(tags), Vocabulary.of(words), labels)
        return FlatReading(domain, config, known, usable), unusable

    def items(self) -> list[FlatItem]:
        """The training questions."""
        tagger = Tagger(self.domain)
        return [self.item(tagger, example) for example in self.examples]

    def item(self, tagger: Tagger, example: Example[QueryGraph]) -> FlatItem:
        """A question with its wanted graph."""
        tokens, graph = tagger(example.question), example.meaning
        question = read_flat(tokens, self.config, self._given(graph))
        wanted = targets(question, numbered(graph, tokens), self.vocabularies.labels)
        return FlatItem(
            self._encode(question),
            np.argwhere(wanted),
            orders(question, len(graph.variables), graph.head == "select"),
            example,
        )

    def _given(self, graph: QueryGraph) -> int | None:
        return given_variables(graph) if self.config.protocol == "paper" else None

    def _encode(self, question: FlatQuestion) -> Grounded:
        return encode(question, self.config, self.vocabularies.tags, self.vocabularies.words)

    def length(self, item: FlatItem) -> int:
        """Positions of its sequence."""
        return len(item.sequence.tags)

    def loss(self, network: GroundedDecoder, batch: Sequence[FlatItem]) -> Tensor:
        """Minus the joint log-likelihood of the graphs (equation 2), a question on average."""
        together = collate([item.sequence for item in batch])
        logits = network(together).logits
        size, labels = logits.shape[1], self.vocabularies.labels
        quiet = logits.detach().cpu().numpy()
        places = [
            np.insert(item.best(quiet[row]), 0, row, axis=1) for row, item in enumerate(batch)
        ]
        wanted = torch.zeros_like(logits)
        where = torch.from_numpy(np.concatenate(places)).T.to(logits.device)
        wanted[where[0], where[1], where[2], where[3]] = 1.0
        nodes = together.nodes.to(logits.device)
        pairs = nodes[:, :, None] & nodes[:, None, :]
        known = pairs[..., None].repeat(1, 1, 1, labels.size)
        own = torch.eye(size, dtype=torch.bool, device=logits.device)
        known[..., labels.plus] &= own[None, :, :, None]
        losses = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        return (losses * known).sum() / len(batch)

    def parse(
        self,
        network: nn.Module,
        questions: Sequence[Tokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
    ) -> list[GraphParse]:
        """The likeliest graphs: each label on its own, unless decoding is constrained."""
        if self.config.protocol == "paper" and variables is None:
            raise PartwiseError(
                "under the paper's protocol the number of variables is given with each question; "
                "train with protocol=full to parse questions alone"
            )
        read = [
            read_flat(tokens, self.config, None if variables is None else variables[number])
            for number, tokens in enumerate(questions)
        ]
        order = sorted(range(len(read)), key=lambda number: len(read[number].groups))
        found: dict[int, GraphParse] = {}
        for begin in range(0, len(order), BATCH):
            numbers = order[begin : begin + BATCH]
            decoded = network(collate([self._encode(read[number]) for number in numbers]))
            chances = torch.sigmoid(decoded.logits).cpu().numpy()
            attention = None if decoded.attention is None else decoded.attention.cpu().numpy()
            for row, number in enumerate(numbers):
                mine = None if attention is None else attention[row]
                found[number] = self._one(
                    read[number], chances[row], mine, network if explain else None
                )
        return [found[number] for number in range(len(read))]

    def _one(
        self,
        question: FlatQuestion,
        chances: NDArray[np.floating],
        attention: NDArray[np.floating] | None,
        explained: nn.Module | None,
    ) -> GraphParse:
        size, labels = len(question.members), self.vocabularies.labels
        chances = chances[:size, :size]
        said = self._said(question, chances)
        edges, attributes, pairs = graph_of(question, said, labels)
        words = question.tokens.question
        whole = self.config.protocol == "full"
        try:
            graph, names = finished(words.text, self.domain, edges, attributes, ANSWER, whole)
        except QueryError as error:
            return GraphParse(words, tokens=question.tokens, reason=str(error))
        groups = [group.tokens for group in question.groups]
        grounding = {
            triple._replace(
                subject=names.get(triple.subject, triple.subject),
                object=names.get(triple.object, triple.object),
            ): word_weights(
                attention[pair]
                if explained is None
                else relevance(
                    explained,
                    self._encode(question),
                    pair,
                    labels.number(triple.predicate, triple.object),
                ),
                groups,
                question.tokens,
            )
            for triple, pair in pairs.items()
            if attention is not None
        }
        probability = float(np.exp(_log_likelihood(chances, said, labels)))
        return GraphParse(words, graph, probability, grounding, tokens=question.tokens)

    def _said(self, question: FlatQuestion, chances: NDArray[np.floating]) -> NDArray[np.bool_]:
        if self.constraints is None:
            return np.asarray(chances > 0.5)
        text = question.tokens.question.text
        asked = ANSWER if expected_head(text, self.domain.asking) == "select" else None
        needed = [names[0][0] != "?" or names[0] == asked for names in question.members]
        return self.constraints.said(chances, needed)


def orders(question: FlatQuestion, variables: int, fixed: bool) -> NDArray[np.intp]:
    """All ways to name the variables of a graph; the first is the canonical one.

    Args:
        variables: how many the graph has; the others of the sequence stand idle.
        fixed: whether the first is what is asked for, and keeps its name.
    """
    size = len(question.members)
    first = next((n for n, names in enumerate(question.members) if names[0][0] == "?"), size)
    start = first + fixed
    free = list(range(start, min(first + variables, size)))
    if len(free) > MOST_ALIKE:
        return np.arange(size)[None]
    found = [
        [*range(start), *order, *range(start + len(free), size)]
        for order in itertools.permutations(free)
    ]
    return np.array(found, dtype=np.intp)


def unfit(tokens: Tokens, graph: QueryGraph | None, config: GraphParserConfig) -> str | None:
    """Why a question cannot be read, or its graph not be learned."""
    if len(tokens) == 0:
        return "the question has no words"
    if len(tokens.question) > config.max_words:
        return f"the question has {len(tokens.question)} words; at most {config.max_words} are read"
    if graph is None:
        return None
    missing = sorted({e for e in graph.entities if ENTITY.fullmatch(e)} - set(tokens.texts))
    if missing:
        return f"the question does not mention {', '.join(missing)}"
    if config.composition == "flat" and len(graph.variables) > config.variables:
        return f"the graph has {len(graph.variables)} variables; {config.variables} are predicted"
    return None


def given_variables(graph: QueryGraph) -> int:
    """How many variables the paper's protocol appends."""
    ends = {end for s, _, o in graph.edges for end in (s, o) if end.startswith("?")}
    return len(ends)


def numbered(graph: QueryGraph, tokens: Tokens) -> QueryGraph:
    """The graph with its variables numbered by the question, not by its entities' numbers.

    Entities are renamed in the order of their mention before the canonical numbering, so that
    equal questions number variables alike whatever their entities are called.
    """
    order: dict[str, str] = {}
    for text in tokens.texts:
        if ENTITY.fullmatch(text) and text not in order:
            order[text] = f"M{len(order)}"
    back = {new: old for old, new in order.items()}
    return canonical(graph.renamed(order)).renamed(back)


def _log_likelihood(
    chances: NDArray[np.floating], said: NDArray[np.bool_], labels: Labels
) -> float:
    right = np.log(np.maximum(np.where(said, chances, 1.0 - chances), 1e-12))
    own = np.arange(len(right))
    edges = right[:, :, : len(labels.relations)].sum()
    return float(edges + right[own, own][:, labels.plus].sum())
