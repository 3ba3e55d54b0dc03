"""A score of a reading as a whole: which labels, added things and left words go together.

The other scores are sums over the parts of a reading, so that a beam can be filled by them. What
they cannot tell (two labels that exclude each other, a word that is left beside what it belongs to)
is told here, by attention over the parts of each reading that the beam has found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, scaled_dot_product_attention

HEADS, LAYERS, LONGEST = 4, 2, 24
"""Heads and layers of attention, and how many parts of a reading are looked at."""
ALL, LABEL, LEFT, ADDED = range(4)
"""What a part is: the question as a whole, a label, a word that gives nothing, or what is added
without a word."""


class Part(NamedTuple):
    """A part of a reading by numbers from 1 on; 0 for none.

    Attributes:
        kind: `ALL`, `LABEL`, `LEFT` or `ADDED`.
        role: of a label, among the roles.
        span: of a label, among the spans.
        thing: that a label stands for.
        word: that gives nothing.
        added: among the shifts.
    """

    kind: int
    role: int = 0
    span: int = 0
    thing: int = 0
    word: int = 0
    added: int = 0


def parts_tensor(readings: Sequence[Sequence[Part]]) -> tuple[Tensor, Tensor]:
    """``[readings, parts, 6]``, the question as a whole first, and ``[readings, parts]``: which of
    them are there."""
    rows = [[Part(ALL), *parts[: LONGEST - 1]] for parts in readings]
    longest = max(map(len, rows), default=1)
    there = torch.tensor([[n < len(row) for n in range(longest)] for row in rows])
    filled = [[*row, *[Part(ALL)] * (longest - len(row))] for row in rows]
    return torch.tensor(filled).view(len(rows), longest, len(Part._fields)), there


class WholeLayers(nn.Module):
    """Attention over the parts of each reading.

    Args:
        size: of the vectors of spans, names and words in the light of each other.
        roles, shifts: how many have a name.
    """

    def __init__(self, size: int, roles: int, shifts: int) -> None:
        super().__init__()
        self.kind = nn.Embedding(4, size)
        self.place = nn.Embedding(LONGEST, size)
        self.role = nn.Embedding(roles + 1, size, padding_idx=0)
        self.added = nn.Embedding(shifts + 1, size, padding_idx=0)
        self.span, self.thing, self.word = (nn.Linear(size, size, bias=False) for _ in range(3))
        self.layers = nn.ModuleList(_Layer(size) for _ in range(LAYERS))
        self.norm, self.dropout = nn.LayerNorm(size), nn.Dropout(0.2)
        self.score = nn.Linear(size, 1, bias=False)
        for one in (self.kind, self.place, self.role, self.added):
            nn.init.normal_(one.weight, std=0.3)
        nn.init.zeros_(self.score.weight)

    def forward(
        self, parts: Tensor, there: Tensor, spans: Tensor, things: Tensor, words: Tensor
    ) -> Tensor:
        """The score of each reading, ``[readings]``.

        Args:
            parts, there: see `parts_tensor`.
            spans, things, words: ``[., size]`` each; number 1 of a part is their first row.
        """
        kind, role, span, thing, word, added = parts.unbind(-1)
        place = torch.arange(parts.shape[1]).expand_as(kind)
        here = self.kind(kind) + self.place(place) + self.role(role) + self.added(added)
        for network, vectors, numbers in (
            (self.span, spans, span),
            (self.thing, things, thing),
            (self.word, words, word),
        ):
            rows = torch.cat([vectors.new_zeros(1, vectors.shape[1]), network(vectors)])
            # Indexing would add gradients up in an order that changes from run to run.
            here = here + embedding(numbers, rows)
        here = self.dropout(here)
        for layer in self.layers:
            here = layer(here, there)
        return self.score(self.norm(here[:, 0]))[:, 0]  # type: ignore[no-any-return]


class _Layer(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.all, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.inner = nn.Sequential(
            nn.Linear(size, 2 * size), nn.GELU(), nn.Dropout(0.2), nn.Linear(2 * size, size)
        )
        self.dropout = nn.Dropout(0.2)

    def forward(self, here: Tensor, there: Tensor) -> Tensor:
        """Vectors of the parts after one layer, ``[readings, parts, size]``."""
        many, long, size = here.shape
        heads = self.all(self.first(here)).view(many, long, 3, HEADS, size // HEADS)
        asks, keys, values = heads.permute(2, 0, 3, 1, 4)
        seen = scaled_dot_product_attention(asks, keys, values, attn_mask=there[:, None, None])
        here = here + self.dropout(self.out(seen.transpose(1, 2).reshape(many, long, size)))
        return here + self.dropout(self.inner(self.second(here)))  # type: ignore[no-any-return]
