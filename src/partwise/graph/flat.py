"""Flat decoding: the whole question at once, as in the paper."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from partwise.errors import PartwiseError
from partwise.graph.alignment.corpus import attributes_of
from partwise.graph.classes.word_classes import WordClasses
from partwise.graph.config import GraphParserConfig
from partwise.graph.grammar.tagging import TaggedTokens
from partwise.graph.grounding.batch import NodeSequence, collate, indexes
from partwise.graph.grounding.constrain import Constraints
from partwise.graph.grounding.flat import FlatQuestion, graph_of, read_flat, targets
from partwise.graph.grounding.labels import GraphLabels
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.predicted import Array, PredictedGraph, decode
from partwise.graph.strategy import DecodingStrategy
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import Budget, Work
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import ANSWER, QueryGraph, canonical
from partwise.language.query_graph import ENTITY as PLACEHOLDER

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
    """Questions as sequences of groups, with variables appended.

    Attributes:
        examples: training questions, of which `items` are made; none for a parser that is read
            from a folder.
    """

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
        """Vocabularies from training questions, and the strategy with these questions."""
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
        """The training questions."""
        return [self.item(example) for example in self.examples]

    def item(self, example: Example[QueryGraph]) -> FlatItem:
        """A question with its wanted graph."""
        tokens, graph = self.tagger(example.question), example.meaning
        given = given_variables(graph) if self.config.protocol == "paper" else None
        question = self._read(tokens, given)
        wanted = targets(question, numbered(graph, tokens), self.vocabularies.labels)
        namings = orders(question, len(graph.variables), graph.head == "select")
        return FlatItem(self.numbered(question.sequence), np.argwhere(wanted), namings, example)

    def _read(self, tokens: TaggedTokens, variables: int | None) -> FlatQuestion:
        classes = self.vocabularies.classes
        unspaced = classes is not None and classes.unspaced
        return read_flat(tokens, self.config, variables, unspaced)

    def length(self, item: FlatItem) -> int:
        """Positions of its sequence."""
        return len(item.sequence.tags)

    def loss(self, network: GroundedDecoder, batch: Sequence[FlatItem]) -> Tensor:
        """Minus the joint log-likelihood of the graphs (equation 2), a question on average."""
        together = collate([item.sequence for item in batch])
        logits = network(together).logits
        numbers = logits.detach().cpu().numpy()
        places = [np.insert(item.best(numbers[row]), 0, row, 1) for row, item in enumerate(batch)]
        wanted = torch.zeros_like(logits)
        wanted[tuple(torch.from_numpy(np.concatenate(places)).T.to(logits.device))] = 1.0
        nodes = together.nodes.to(logits.device)
        pairs = nodes[:, :, None] & nodes[:, None, :]
        known = pairs[..., None].repeat(1, 1, 1, self.vocabularies.labels.size)
        own = torch.eye(logits.shape[1], dtype=torch.bool, device=logits.device)
        known[..., self.vocabularies.labels.plus] &= own[None, :, :, None]
        losses = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        return (losses * known).sum() / len(batch)

    def parse(
        self,
        network: nn.Module,
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
        order = sorted(range(len(read)), key=lambda number: len(read[number].groups))
        decoded = decode(network, [self.numbered(read[n].sequence) for n in order], BATCH)
        explained, parses = network if explain else None, {}
        for number, one in zip(order, decoded, strict=True):
            question = read[number]
            graph = self._graph(question, one.probabilities)
            parts = [(one, question.groups)]
            work = Work() if budget is None else budget.start()
            parses[number] = self.prediction(question.tokens, graph, parts, explained, work)
        return [parses[number] for number in range(len(read))]

    def _graph(self, question: FlatQuestion, probabilities: Array) -> PredictedGraph:
        labels = self.vocabularies.labels
        predicted = self._predicted(question, probabilities)
        edges, attributes, pairs = graph_of(question, predicted, labels)
        sure = np.log(np.maximum(np.where(predicted, probabilities, 1.0 - probabilities), 1e-12))
        own = np.arange(len(sure))
        whole = sure[:, :, : len(labels.relations)].sum() + sure[own, own][:, labels.plus].sum()
        sources = {triple: (0, pair) for triple, pair in pairs.items()}
        return PredictedGraph(edges, attributes, ANSWER, float(np.exp(float(whole))), sources)

    def _predicted(self, question: FlatQuestion, probabilities: Array) -> NDArray[np.bool_]:
        if self.constraints is None:
            return np.asarray(probabilities > 0.5)
        asked = ANSWER if self.head(question.tokens.question.text) == "select" else None
        needed = [names[0][0] != "?" or names[0] == asked for names in question.members]
        return self.constraints.said(probabilities, needed)


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
    rest = range(start + len(free), size)
    namings = [[*range(start), *order, *rest] for order in itertools.permutations(free)]
    return np.array(namings, dtype=np.intp)


def given_variables(graph: QueryGraph) -> int:
    """How many variables the paper's protocol appends."""
    ends = {end for s, _, o in graph.edges for end in (s, o) if end.startswith("?")}
    return len(ends)


def numbered(graph: QueryGraph, tokens: TaggedTokens) -> QueryGraph:
    """The graph with its variables numbered by the question, not by its entities' numbers.

    Entities are renamed in the order of their mention before the canonical numbering, so that
    equal questions number variables alike whatever their entities are called.
    """
    mentioned = dict.fromkeys(text for text in tokens.texts if PLACEHOLDER.fullmatch(text))
    order = {text: f"M{number}" for number, text in enumerate(mentioned)}
    back = {new: old for old, new in order.items()}
    return canonical(graph.renamed(order)).renamed(back)
