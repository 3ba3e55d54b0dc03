"""Sequences with nodes, batches of them, what a network says of them, and the graphs of that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from partwise.encoders.functions import Functions
from partwise.errors import QueryError
from partwise.graph.grammar.tokens import TaggedTokens
from partwise.graph.vocabulary import PAD, NameIndex
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import Head, QueryGraph, Triple, VariableNames, with_filters

T = TypeVar("T", str, int)
Numbers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class NodeSequence(Generic[T]):
    """What the decoder reads: a sequence of positions, and nodes that are mentioned there.

    Tags and words are names at first, and then numbers.

    Attributes:
        tags: one for each position.
        words: those that each position stands for, several where they are coordinated.
        nodes: for each node the positions of its mentions.
    """

    tags: tuple[T, ...]
    words: tuple[tuple[T, ...], ...]
    nodes: Numbers

    def numbered(self: NodeSequence[str], tags: NameIndex, words: NameIndex) -> NodeSequence[int]:
        spelled = tuple(tuple(words[word] for word in some) for some in self.words)
        ids = tuple(tags[tag] for tag in self.tags)
        return NodeSequence(ids, spelled, self.nodes)


def indexes(sequences: Sequence[NodeSequence[str]]) -> tuple[NameIndex, NameIndex]:
    return (
        NameIndex.of(tag for sequence in sequences for tag in sequence.tags),
        NameIndex.of(word for sequence in sequences for some in sequence.words for word in some),
    )


Array = NDArray[np.floating]
DECODER, IMPLICATIONS = "decoder", "implications"
"""The names of the network's functions."""
Place = tuple[int, int, int]
"""First node, second node, label."""


class SequenceBatch(NamedTuple):
    """Sequences as arrays: B sequences, L positions, W words a position, N nodes.

    Attributes:
        tags: ``[B, L]``.
        words: ``[B, L, W]``, `PAD` where there is none.
        mentions: ``[B, N, L]``, 1 where a node is mentioned.
        nodes: ``[B, N]``, whether there is a node.
        lengths: number of positions of each sequence.
    """

    tags: NDArray[np.int64]
    words: NDArray[np.int64]
    mentions: NDArray[np.float32]
    nodes: NDArray[np.bool_]
    lengths: NDArray[np.int64]


def collate(items: Sequence[NodeSequence[int]]) -> SequenceBatch:
    """A batch of sequences, padded to the longest."""
    lengths = np.array([len(item.tags) for item in items])
    counts = np.array([len(item.nodes) for item in items])
    size, longest = len(items), int(lengths.max())
    wide = max((len(words) for item in items for words in item.words), default=1) or 1
    tags = np.full((size, longest), PAD)
    words = np.full((size, longest, wide), PAD)
    mentions = np.zeros((size, max(1, int(counts.max())), longest), np.float32)
    for row, item in enumerate(items):
        tags[row, : len(item.tags)] = item.tags
        for position, there in enumerate(item.words):
            words[row, position, : len(there)] = there
        for node, positions in enumerate(item.nodes):
            mentions[row, node, list(positions)] = 1.0
    present = np.arange(mentions.shape[1]) < counts[:, None]
    return SequenceBatch(tags, words, mentions, present, lengths)


class DecodedSequence(NamedTuple):
    """What the network says of a sequence.

    Attributes:
        probabilities: ``[N, N, labels]``: of each label from node to node.
        attention: ``[N, N, L]``; None without grounding.
    """

    sequence: NodeSequence[int]
    probabilities: Array
    attention: Array | None


def decode(
    functions: Functions, sequences: Sequence[NodeSequence[int]], size: int
) -> list[DecodedSequence]:
    """What a network says of each sequence. Those of one length go through it together, in batches
    of at most a size, so that none is padded."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, sequence in enumerate(sequences):
        groups[len(sequence.tags)].append(number)
    decoded: dict[int, DecodedSequence] = {}
    for numbers in groups.values():
        for begin in range(0, len(numbers), size):
            some = numbers[begin : begin + size]
            logits, *shown = _ask(functions, [sequences[number] for number in some])
            # A probability near 0 keeps its digits, and none overflows.
            probabilities = np.exp(-np.logaddexp(0.0, -logits))
            for row, number in enumerate(some):
                n = len(sequences[number].nodes)
                attention = shown[0][row] if shown else None
                decoded[number] = DecodedSequence(
                    sequences[number], probabilities[row, :n, :n], attention
                )
    return [decoded[number] for number in range(len(sequences))]


def _ask(functions: Functions, sequences: Sequence[NodeSequence[int]]) -> tuple[Array, ...]:
    """Logits ``[B, N, N, labels]``, and attention ``[B, N, N, L]`` where there is grounding."""
    batch = collate(sequences)
    return functions(DECODER, tags=batch.tags, words=batch.words, mentions=batch.mentions)


class PredictedGraph(NamedTuple):
    """A graph whose variables have provisional names.

    Attributes:
        answer: the node that is likeliest to be asked for.
        probability: of all that is said of the graph, together.
        sources: the sequence of the question, by number, and the two nodes there that say a triple
            most.
    """

    edges: set[Triple]
    attributes: set[Triple]
    answer: str | None
    probability: float
    sources: Mapping[Triple, tuple[int, tuple[int, int]]]


def canonical_graph(
    domain: GraphDomain, predicted: PredictedGraph, head: Head | None
) -> tuple[QueryGraph, dict[str, str]]:
    """A graph with its head (None for edges alone), and the final names of provisional ones. Raises
    QueryError if nothing is said at all, or of what is asked for."""
    edges, attributes, answer = predicted.edges, predicted.attributes, predicted.answer
    if not edges and not attributes:
        raise QueryError("nothing is said of anything in the question")
    ends = {end for s, _, o in edges for end in (s, o)} | {s for s, _, _ in attributes}
    provisional = sorted(end for end in ends if end.startswith("?"))
    if head == "select":
        if answer is None or answer not in provisional:
            raise QueryError("nothing is said of what is asked for")
        provisional.remove(answer)
        provisional.insert(0, answer)
    names = {name: f"?x{number}" for number, name in enumerate(provisional)}
    graph = QueryGraph("ask", frozenset(edges), frozenset(attributes)).rename(names)
    if head is not None:
        graph = with_filters(QueryGraph(head, graph.edges, graph.attributes), domain.differing)
    final = VariableNames(graph).best()
    return graph.rename(final), {old: final.get(name, name) for old, name in names.items()}


CELLS = 2**19
"""Pairs of nodes times positions that are computed together to explain a sequence."""
FELT = 1e-4
"""What a logit loses at least if it rests on a word; less is rounding."""


def relevance(functions: Functions, sequence: NodeSequence[int], places: Sequence[Place]) -> Array:
    """``[places, L]``: what each position adds to the label of a pair of nodes, at least 0, in all
    1 or 0. That is what the logit loses if the position's words are left out."""
    spoken = [position for position, words in enumerate(sequence.words) if words]
    rows = [sequence, *(_without(sequence, position) for position in spoken)]
    size = max(1, CELLS // (len(sequence.nodes) ** 2 * len(sequence.tags)))
    first, second, label = np.array(places).T
    logits = np.concatenate(
        [
            _ask(functions, rows[begin : begin + size])[0][:, first, second, label]
            for begin in range(0, len(rows), size)
        ]
    )
    lost = logits[:1].astype(float) - logits[1:]
    shares = np.zeros((len(places), len(sequence.tags)))
    shares[:, spoken] = np.where(lost >= FELT, lost, 0.0).T
    total = shares.sum(1, keepdims=True)
    return shares / np.where(total > 0.0, total, 1.0)


def _without(sequence: NodeSequence[int], position: int) -> NodeSequence[int]:
    words = sequence.words
    return replace(sequence, words=(*words[:position], (), *words[position + 1 :]))


def word_weights(
    shares: Array, tokens: Sequence[Sequence[int]], question: TaggedTokens
) -> tuple[float, ...]:
    """Attention over positions (``[positions]``) with tokens as weights of the question's words."""
    weights = np.zeros(len(question.question))
    for share, some in zip(shares, tokens, strict=False):
        words = [w for token in some for w in range(*question.spans[token])]
        if words:
            weights[words] += float(share) / len(words)
    total = max(1.0, float(weights.sum()))
    return tuple(float(weight) / total for weight in weights)
