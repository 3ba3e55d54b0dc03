"""Sequences with nodes, and batches of them as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from partwise.graph.grounding.labels import PAD, NameIndex
from partwise.language.tokenizer import Words

Numbers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class NodeSequence:
    """What the decoder reads: a sequence of positions, and nodes that are mentioned there.

    Attributes:
        tags: tag id of each position.
        words: ids of the words that each position stands for, several where they are coordinated.
        nodes: for each node the positions of its mentions.
        text: words of the question, for a pretrained encoder, and
        places: for each position the numbers of its words there.
    """

    tags: tuple[int, ...]
    words: Numbers
    nodes: Numbers
    text: Words | None = None
    places: Numbers = ()

    @staticmethod
    def of(
        tags: Sequence[str],
        words: Sequence[Sequence[str]],
        nodes: Sequence[tuple[int, ...]],
        indexes: tuple[NameIndex, NameIndex],
    ) -> NodeSequence:
        """A sequence by number.

        Args:
            words: of the first positions; the others have none.
            indexes: of tags and of words.
        """
        of_tag, of_word = indexes
        spelled = [tuple(of_word[word] for word in some) for some in words]
        rest = ((),) * (len(tags) - len(spelled))
        return NodeSequence(tuple(of_tag[name] for name in tags), (*spelled, *rest), tuple(nodes))


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
    items: tuple[NodeSequence, ...] = ()

    @property
    def even(self) -> bool:
        """Whether all sequences are of one length."""
        return bool((self.lengths == self.tags.shape[1]).all())

    def to(self, device: torch.device) -> Batch:
        """The batch on a device; the lengths stay on the CPU."""
        there = (self.tags, self.words, self.mask, self.mentions, self.nodes)
        tags, words, mask, mentions, nodes = (tensor.to(device) for tensor in there)
        return Batch(tags, words, mask, mentions, nodes, self.lengths, self.items)


def collate(items: Sequence[NodeSequence]) -> Batch:
    """A batch of sequences, padded to the longest."""
    tags = pad_sequence([torch.tensor(item.tags) for item in items], True, PAD)
    lengths = torch.tensor([len(item.tags) for item in items])
    counts = torch.tensor([len(item.nodes) for item in items])
    size, longest = tags.shape
    wide = max((len(words) for item in items for words in item.words), default=1) or 1
    words = torch.zeros(size, longest, wide, dtype=torch.long)
    mentions = torch.zeros(size, max(1, int(counts.max())), longest)
    ids = [
        (row, position, place, word)
        for row, item in enumerate(items)
        for position, there in enumerate(item.words)
        for place, word in enumerate(there)
    ]
    mentioned = [
        (row, node, position)
        for row, item in enumerate(items)
        for node, positions in enumerate(item.nodes)
        for position in positions
    ]
    row, position, place, word = torch.tensor(ids, dtype=torch.long).reshape(-1, 4).T
    words[row, position, place] = word
    mentions[tuple(torch.tensor(mentioned, dtype=torch.long).reshape(-1, 3).T)] = 1.0
    present = torch.arange(mentions.shape[1]) < counts[:, None]
    mask = torch.arange(longest) < lengths[:, None]
    return Batch(tags, words, mask, mentions, present, lengths, tuple(items))
