"""What flat and composed decoding have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.errors import QueryError
from partwise.graph.config import GraphParserConfig
from partwise.graph.grammar.chart import Constituent
from partwise.graph.grammar.tagging import Tagger, Tokens
from partwise.graph.grounding.batch import NodeSequence, collate
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.relevance import relevance
from partwise.graph.result import GraphParse
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.canonical import expected_head, with_filters
from partwise.language.query.graph import ENTITY, QueryGraph, Triple
from partwise.language.query.naming import Naming

Item = TypeVar("Item")
Unusable = list[tuple[Example[QueryGraph], str]]
"""Training examples that cannot be used, with the reason."""
Array = NDArray[np.floating]


class Source(NamedTuple):
    """Where a triple comes from.

    Attributes:
        pair: the nodes of the sequence.
        attention: ``[N, N, L]``, of the sequence.
        positions: for each position its tokens.
    """

    sequence: NodeSequence
    pair: tuple[int, int]
    attention: Array
    positions: Sequence[Sequence[int]]


class PredictedGraph(NamedTuple):
    """A graph whose variables have provisional names; `answer` is the node that is asked for."""

    edges: set[Triple]
    attributes: set[Triple]
    answer: str | None
    probability: float
    sources: Mapping[Triple, Source]


class DecodingStrategy(ABC, Generic[Item]):
    """How questions become sequences, and how what is decoded becomes a graph."""

    def __init__(
        self, domain: GraphDomain, config: GraphParserConfig, vocabularies: GraphVocabulary
    ) -> None:
        self.domain, self.config, self.vocabularies = domain, config, vocabularies

    @abstractmethod
    def items(self) -> Sequence[Item]:
        """What to train on; what `loss` takes batches of."""

    @abstractmethod
    def length(self, item: Item) -> int:
        """Size of an item; items of like size share a batch."""

    @abstractmethod
    def loss(self, network: GroundedDecoder, batch: Sequence[Item]) -> Tensor:
        """The loss of a batch of items."""

    @abstractmethod
    def parse(
        self,
        network: nn.Module,
        questions: Sequence[Tokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
    ) -> list[GraphParse]:
        """Graphs of questions.

        Args:
            variables: their numbers of variables, where a protocol gives them.
            explain: whether words are weighed by what they add to each label, and not by
                attention alone; slower.
        """

    def result(
        self,
        tokens: Tokens,
        graph: PredictedGraph,
        explained: nn.Module | None,
        tree: Constituent | None = None,
    ) -> GraphParse:
        """A graph with canonical names, and the words that each of its triples rests on.

        Args:
            explained: the network whose labels explain the words; None for attention alone.
        """
        words, whole = tokens.question, self.config.protocol == "full"
        try:
            final, names = canonical_graph(words.text, self.domain, graph, whole)
        except QueryError as error:
            return GraphParse(words, tree=tree, tokens=tokens, reason=str(error))
        grounding = {}
        for triple, source in graph.sources.items():
            shares = source.attention[source.pair]
            if explained is not None:
                label = self.vocabularies.labels.number(triple.predicate, triple.object)
                shares = relevance(explained, source.sequence, source.pair, label)
            renamed = triple._replace(
                subject=names.get(triple.subject, triple.subject),
                object=names.get(triple.object, triple.object),
            )
            grounding[renamed] = word_weights(shares, source.positions, tokens)
        return GraphParse(words, final, graph.probability, grounding, tree, tokens)


def decode(
    network: nn.Module, sequences: Sequence[NodeSequence], size: int
) -> Iterator[tuple[Array, Array | None]]:
    """Probabilities, ``[N, N, labels]``, and attention, ``[N, N, L]``, of each sequence.

    Args:
        size: of batches.
    """
    for begin in range(0, len(sequences), size):
        batch = sequences[begin : begin + size]
        decoded = network(collate(batch))
        probabilities = torch.sigmoid(decoded.logits).cpu().numpy()
        attention = None if decoded.attention is None else decoded.attention.cpu().numpy()
        for row, sequence in enumerate(batch):
            n = len(sequence.nodes)
            yield probabilities[row, :n, :n], None if attention is None else attention[row]


def usable(
    domain: GraphDomain, config: GraphParserConfig, examples: Iterable[Example[QueryGraph]]
) -> tuple[list[tuple[Example[QueryGraph], Tokens]], Unusable]:
    """The examples that can be learned from with their tokens, and the others."""
    tagger = Tagger(domain)
    fit: list[tuple[Example[QueryGraph], Tokens]] = []
    unusable: Unusable = []
    for example in examples:
        tokens = tagger(example.question)
        reason = unfit(tokens, example.meaning, config)
        if reason is None:
            fit.append((example, tokens))
        else:
            unusable.append((example, reason))
    return fit, unusable


def unfit(tokens: Tokens, graph: QueryGraph | None, config: GraphParserConfig) -> str | None:
    """Why a question cannot be parsed, or its graph not be learned."""
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


def canonical_graph(
    question: str, domain: GraphDomain, predicted: PredictedGraph, whole: bool = True
) -> tuple[QueryGraph, dict[str, str]]:
    """A graph with its head, its filters and canonical names.

    Args:
        whole: whether the head and the filters are wanted too; else the edges only.

    Returns:
        The graph, and the final names of provisional ones.

    Raises:
        QueryError: if nothing is said at all, or of what is asked for.
    """
    edges, attributes, answer = predicted.edges, predicted.attributes, predicted.answer
    if not edges and not attributes:
        raise QueryError("nothing is said of anything in the question")
    head = expected_head(question, domain.asking) if whole else "ask"
    ends = {end for s, _, o in edges for end in (s, o)} | {s for s, _, _ in attributes}
    provisional = sorted(end for end in ends if end.startswith("?"))
    if head == "select":
        if answer is None or answer not in provisional:
            raise QueryError("nothing is said of what is asked for")
        provisional.remove(answer)
        provisional.insert(0, answer)
    names = {name: f"?x{number}" for number, name in enumerate(provisional)}
    graph = QueryGraph("ask", frozenset(edges), frozenset(attributes)).renamed(names)
    graph = QueryGraph(head, graph.edges, graph.attributes)
    if whole:
        graph = with_filters(graph, domain.differing)
    final = Naming(graph).best()
    return graph.renamed(final), {old: final.get(name, name) for old, name in names.items()}


def word_weights(
    shares: Array, tokens: Sequence[Sequence[int]], question: Tokens
) -> tuple[float, ...]:
    """Attention over positions as weights of the question's words.

    Args:
        shares: ``[positions]``; those past `tokens` are of no word.
        tokens: for each position its tokens.
    """
    weights = np.zeros(len(question.question))
    for share, some in zip(shares, tokens, strict=False):
        words = [w for token in some for w in range(*question.spans[token])]
        if words:
            weights[words] += float(share) / len(words)
    total = max(1.0, float(weights.sum()))
    return tuple(float(weight) / total for weight in weights)
