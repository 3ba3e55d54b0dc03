"""Scores of constants for spans, where constants are known by descriptions and not by numbers.

::

    score(span, constant) = role(span)[category] + match(span, descriptions) + residual(constant)

A span's role is told by its words and by what stands beside it. It matches a constant as far as its
words and one of the constant's descriptions are alike, in the plain meaning of both and in the
light of each other. The residual is what the descriptions alone say of a category. All are pure
functions of tensors, with a first dimension for members.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from partwise.labels.members import Linears

HIDDEN, MATCH = 192, 96
"""Sizes of the hidden layer of spans, and of the space in which they are compared with names."""


class OpenLabels(nn.Module):
    """Scores of spans and constants, from vectors of words and of descriptions, which have `dim`
    numbers, and `size` in the light of each other, under several sets of weights."""

    def __init__(self, members: int, dim: int, size: int, categories: int) -> None:
        super().__init__()
        self.dim = dim
        self.read = Linears(members, 4 * dim + 3 * size, HIDDEN)
        self.later = nn.Sequential(nn.GELU(), nn.Dropout(0.5))
        self.role = Linears(members, HIDDEN, categories, zero=True)
        self.scale = nn.Parameter(torch.ones(members, 1, 1))
        self.asks, self.named = Linears(members, 2 * dim, MATCH), Linears(members, dim, MATCH)
        self.seen_asks = Linears(members, size, MATCH)
        self.seen_named = Linears(members, size, MATCH, zero=True)
        self.prior = Linears(members, size, categories, zero=True)

    def forward(
        self,
        words: Tensor,
        names: Tensor,
        here: Tensor,
        there: Tensor,
        spans: Tensor,
        constants: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of roles, ``[members, spans, categories]``, and of matches, ``[members, spans,
        constants]``, and what is left of constants, ``[members, constants, categories]``.

        Args:
            words: ``[words, dim]``.
            names: ``[descriptions, dim]``.
            here: ``[members, words, size]``, words in the light of the descriptions.
            there: ``[members, descriptions, size]``.
            spans: ``[spans, 2]``, first words and ends.
            constants: ``[constants, most]``, the descriptions of each, some of them twice.
        """
        match = self.match(words, names, spans)[..., constants].amax(-1)
        seen = self.seen(here, there, spans)[..., constants].amax(-1)
        prior = self.prior(there)[:, constants].amax(2)
        return self.roles(words, here, spans), match + seen, prior

    def roles(self, words: Tensor, here: Tensor, spans: Tensor) -> Tensor:
        """``[members, spans, categories]``."""
        # A product with the mean of some words is the mean of the products with these, and there
        # are fewer words than spans.
        *of_words, of_all = self.read.weight[:, : 4 * self.dim].chunk(4, 1)
        of_these = self.read.weight[:, 4 * self.dim :].chunk(3, 1)
        inside, before, after = (
            words @ plain + here @ seen for plain, seen in zip(of_words, of_these, strict=True)
        )
        whole = words.mean(0, keepdim=True) @ of_all + self.read.bias
        hidden = means(inside, spans) + beside(before, after, spans) + whole
        return self.role(self.later(hidden))  # type: ignore[no-any-return]

    def match(self, words: Tensor, names: Tensor, spans: Tensor) -> Tensor:
        """``[members, spans, descriptions]``: how alike they are by their meanings."""
        of_mean, of_all = self.asks.weight.chunk(2, 1)
        whole = words.mean(0, keepdim=True) @ of_all + self.asks.bias
        asks = normalize(means(words @ of_mean, spans) + whole, dim=-1)
        return self.scale * asks @ normalize(self.named(names), dim=-1).transpose(-1, -2)

    def seen(self, here: Tensor, there: Tensor, spans: Tensor) -> Tensor:
        """The same in the light of each other."""
        asks = means(here @ self.seen_asks.weight, spans) + self.seen_asks.bias
        return asks @ self.seen_named(there).transpose(-1, -2) / MATCH**0.5  # type: ignore[no-any-return]


def means(vectors: Tensor, spans: Tensor) -> Tensor:
    """The mean of the words of each span; the words are the last dimension but one."""
    sums = torch.cat([torch.zeros_like(vectors[..., :1, :]), vectors.cumsum(-2)], -2)
    starts, ends = spans[:, 0], spans[:, 1]
    return (sums[..., ends, :] - sums[..., starts, :]) / (ends - starts)[:, None]


def beside(before: Tensor, after: Tensor, spans: Tensor) -> Tensor:
    """The sum of the vectors of the words before and behind each span."""
    edge = torch.zeros_like(before[..., :1, :])
    first, last = torch.cat([edge, before], -2), torch.cat([after, edge], -2)
    return first[..., spans[:, 0], :] + last[..., spans[:, 1], :]
