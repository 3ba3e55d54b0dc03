"""Sequences with nodes, and batches of them as tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from partwise.graph.grounding.labels import PAD, NameIndex
from partwise.language.text import Words

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
        text: words of the question, for a pretrained encoder, and
        places: for each position the numbers of its words there.
    """

    tags: tuple[T, ...]
    words: tuple[tuple[T, ...], ...]
    nodes: Numbers
    text: Words | None = None
    places: Numbers = ()

    def numbered(self: NodeSequence[str], tags: NameIndex, words: NameIndex) -> NodeSequence[int]:
        """The sequence by number."""
        spelled = tuple(tuple(words[word] for word in some) for some in self.words)
        ids = tuple(tags[tag] for tag in self.tags)
        return NodeSequence(ids, spelled, self.nodes, self.text, self.places)


def indexes(sequences: Sequence[NodeSequence[str]]) -> tuple[NameIndex, NameIndex]:
    """All tags and all words of sequences."""
    return (
        NameIndex.of(tag for one in sequences for tag in one.tags),
        NameIndex.of(word for one in sequences for some in one.words for word in some),
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
    items: tuple[NodeSequence[int], ...] = ()

    def to(self, device: torch.device) -> SequenceBatch:
        """The batch on a device."""
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
    return SequenceBatch(tags, words, mask, mentions, present, lengths, tuple(items))


def _columns(rows: Iterable[tuple[int, ...]], width: int) -> Tensor:
    return torch.tensor(list(rows), dtype=torch.long).reshape(-1, width).T
