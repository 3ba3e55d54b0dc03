"""Sequences with nodes, batches of them, what a network says of them, and the graphs of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

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


@dataclass(frozen=True)
class SequenceBatch:
    """Sequences as tensors: B sequences, L positions, W words a position, N nodes.

    Attributes:
        tags: ``[B, L]``.
        words: ``[B, L, W]``, `PAD` where there is none.
        mask: ``[B, L]``, whether there is a position.
        mentions: ``[B, N, L]``, 1 where a node is mentioned.
        nodes: ``[B, N]``, whether there is a node.
        lengths: number of positions of each sequence; always on the CPU.
    """

    tags: Tensor
    words: Tensor
    mask: Tensor
    mentions: Tensor
    nodes: Tensor
    lengths: Tensor

    def to(self, device: torch.device) -> SequenceBatch:
        names = ("tags", "words", "mask", "mentions", "nodes")
        return replace(self, **{name: getattr(self, name).to(device) for name in names})


def collate(items: Sequence[NodeSequence[int]]) -> SequenceBatch:
    """A batch of sequences, padded to the longest."""
    tags = pad_sequence([torch.tensor(item.tags) for item in items], True, PAD)
    lengths = torch.tensor([len(item.tags) for item in items])
    counts = torch.tensor([len(item.nodes) for item in items])
    size, longest = tags.shape
    wide = max((len(words) for item in items for words in item.words), default=1) or 1
    words = torch.full((size, longest, wide), PAD)
    row, position, place, word = _columns(
        (
            (row, position, place, word)
            for row, item in enumerate(items)
            for position, there in enumerate(item.words)
            for place, word in enumerate(there)
        ),
        4,
    )
    words[row, position, place] = word
    mentions = torch.zeros(size, max(1, int(counts.max())), longest)
    mentioned = (
        (row, node, position)
        for row, item in enumerate(items)
        for node, positions in enumerate(item.nodes)
        for position in positions
    )
    mentions[tuple(_columns(mentioned, 3))] = 1.0
    present = torch.arange(mentions.shape[1]) < counts[:, None]
    mask = torch.arange(longest) < lengths[:, None]
    return SequenceBatch(tags, words, mask, mentions, present, lengths)


def _columns(rows: Iterable[tuple[int, ...]], width: int) -> Tensor:
    return torch.tensor(list(rows), dtype=torch.long).reshape(-1, width).T


Array = NDArray[np.floating]


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
    network: nn.Module, sequences: Sequence[NodeSequence[int]], size: int
) -> Iterator[DecodedSequence]:
    """What a network says of each sequence, in batches of a size."""
    for begin in range(0, len(sequences), size):
        batch = sequences[begin : begin + size]
        decoded = network(collate(batch))
        probabilities = torch.sigmoid(decoded.logits).cpu().numpy()
        attention = None if decoded.attention is None else decoded.attention.cpu().numpy()
        for row, sequence in enumerate(batch):
            n = len(sequence.nodes)
            mine = None if attention is None else attention[row]
            yield DecodedSequence(sequence, probabilities[row, :n, :n], mine)


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


def relevance(
    network: nn.Module, sequence: NodeSequence[int], pair: tuple[int, int], label: int
) -> Array:
    """``[L]``: what each position adds to the label of a pair of nodes, at least 0, in all 1 or 0.
    To first order that is the gradient of the logit by the word's vector, times this vector."""
    # No hooks: other threads may be using the network.
    leaves: list[torch.Tensor] = []
    with torch.enable_grad():
        logit = network(collate([sequence]), leaves).logits[(0, *pair, label)]
        effects = torch.autograd.grad(logit, leaves, allow_unused=True)
    shares = torch.zeros(len(sequence.tags), device=logit.device)
    for effect, vectors in zip(effects, leaves, strict=True):
        if effect is not None:
            shares = shares + (effect * vectors).sum((2, 3))[0]
    weights = shares.clamp(min=0.0).detach().cpu().numpy().astype(float)
    total = float(weights.sum())
    return weights / total if total > 0.0 else weights


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
