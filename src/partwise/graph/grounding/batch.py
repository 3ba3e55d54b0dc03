"""Sequences with nodes, and batches of them as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from partwise.language.tokenizer import Words

PAD, UNKNOWN = 0, 1


@dataclass(frozen=True)
class Grounded:
    """What the decoder reads: a sequence of positions, and nodes that are mentioned there.

    Attributes:
        tags: tag id of each position.
        words: ids of the words that each position stands for, several where they are coordinated.
        nodes: for each node the positions of its mentions.
        text: words of the question, for a pretrained encoder, and
        places: for each position the numbers of its words there.
    """

    tags: tuple[int, ...]
    words: tuple[tuple[int, ...], ...]
    nodes: tuple[tuple[int, ...], ...]
    text: Words | None = None
    places: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Batch:
    """Sequences as tensors: B sequences, L positions, W words a position, N nodes.

    Attributes:
        tags: ``[B, L]``.
        words: ``[B, L, W]``, `PAD` where there is none.
        mask: ``[B, L]``, whether there is a position.
        mentions: ``[B, N, L]``, 1 where a node is mentioned.
        nodes: ``[B, N]``, whether there is a node.
        lengths: number of positions of each sequence.
    """

    tags: Tensor
    words: Tensor
    mask: Tensor
    mentions: Tensor
    nodes: Tensor
    lengths: Tensor
    items: tuple[Grounded, ...] = ()

    @property
    def even(self) -> bool:
        """Whether all sequences are of one length."""
        return bool((self.lengths == self.tags.shape[1]).all())

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        return Batch(
            self.tags.to(device),
            self.words.to(device),
            self.mask.to(device),
            self.mentions.to(device),
            self.nodes.to(device),
            self.lengths,
            self.items,
        )


def collate(items: Sequence[Grounded]) -> Batch:
    """A batch of sequences, padded to the longest."""
    size = len(items)
    longest = max(len(item.tags) for item in items)
    wide = max((len(words) for item in items for words in item.words), default=1) or 1
    nodes = max(1, max(len(item.nodes) for item in items))
    tags = torch.zeros(size, longest, dtype=torch.long)
    words = torch.zeros(size, longest, wide, dtype=torch.long)
    mentions = torch.zeros(size, nodes, longest)
    present = torch.zeros(size, nodes, dtype=torch.bool)
    rows: list[list[int]] = []
    places: list[list[int]] = []
    values: list[int] = []
    for row, item in enumerate(items):
        tags[row, : len(item.tags)] = torch.tensor(item.tags)
        present[row, : len(item.nodes)] = True
        for node, positions in enumerate(item.nodes):
            rows += [[row, node, position] for position in positions]
        for position, there in enumerate(item.words):
            places += [[row, position, place] for place in range(len(there))]
            values += there
    if rows:
        where = torch.tensor(rows)
        mentions[where[:, 0], where[:, 1], where[:, 2]] = 1.0
    if places:
        where = torch.tensor(places)
        words[where[:, 0], where[:, 1], where[:, 2]] = torch.tensor(values)
    lengths = torch.tensor([len(item.tags) for item in items])
    mask = torch.arange(longest)[None, :] < lengths[:, None]
    return Batch(tags, words, mask, mentions, present, lengths, tuple(items))
