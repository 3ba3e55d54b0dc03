"""Attention with a cache of what was read before; torch's own layers keep none."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from partwise_papers.seq2seq.memory import Cache, Memory


class Attention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2).

    Args:
        hidden: size of all vectors.
        biased: whether vectors are added in the linear maps; not in T5.
    """

    def __init__(self, hidden: int, heads: int, dropout: float, biased: bool = True) -> None:
        super().__init__()
        self.heads, self.drop = heads, dropout
        maps = [nn.Linear(hidden, hidden, bias=biased) for _ in range(4)]
        for one in maps:
            nn.init.xavier_uniform_(one.weight)
            if biased:
                nn.init.zeros_(one.bias)
        self.query, self.key, self.value, self.out = maps

    def _split(self, vectors: Tensor) -> Tensor:
        rows, steps, _ = vectors.shape
        return vectors.view(rows, steps, self.heads, -1).transpose(1, 2)

    def forward(self, inputs: Tensor, read: Tensor, bias: Tensor | None) -> Tensor:
        """What `inputs` see of `read`.

        Args:
            inputs: ``[rows, steps, hidden]``.
            read: ``[rows, length, hidden]``.
            bias: ``[rows or 1, heads or 1, steps, length]``, added to the scores; minus infinity
                for what is not seen, as padding and later steps. None sees all.
        """
        return self._attend(self._split(self.query(inputs)), *self._pair(read), bias)

    def _pair(self, read: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of vectors, each ``[rows, heads, length, size of a head]``."""
        return self._split(self.key(read)), self._split(self.value(read))

    def _attend(self, query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None) -> Tensor:
        drop = self.drop if self.training else 0.0
        if bias is not None:
            bias = bias.to(query.dtype)
        seen = scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=drop)
        out: Tensor = self.out(seen.transpose(1, 2).flatten(2))
        return out

    def cached(self, inputs: Tensor, cache: Cache, bias: Tensor | None) -> tuple[Tensor, Cache]:
        """What `inputs` see of themselves and of all that was read before, and the cache after.

        Args:
            cache: keys and values, each ``[rows, before, hidden]``; empty at the beginning.
        """
        key, value = after = self.remembered(inputs, cache)
        query = self._split(self.query(inputs))
        return self._attend(query, self._split(key), self._split(value), bias), after

    def recalled(self, inputs: Tensor, memory: Memory) -> Tensor:
        """What `inputs` see of the questions that they are about."""
        if self not in memory.pairs:
            memory.pairs[self] = self._pair(memory.vectors)
        query = self._split(memory.grouped(self.query(inputs)))
        seen = self._attend(query, *memory.pairs[self], padding_bias(memory.mask))
        return seen.view(inputs.shape)

    def remembered(self, inputs: Tensor, cache: Cache) -> tuple[Tensor, Tensor]:
        """The cache behind `inputs`; see `cached`."""
        pair = self.key(inputs), self.value(inputs)
        if not cache:
            return pair
        key, value = (torch.cat(two, 1) for two in zip(cache, pair, strict=True))
        return key, value


def padding_bias(mask: Tensor) -> Tensor:
    """``[rows, 1, 1, length]``: minus infinity where a mask is false."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)[:, None, None]


def causal_bias(steps: int, before: int, device: torch.device) -> Tensor:
    """``[1, 1, steps, before + steps]``: minus infinity for what comes later."""
    later = torch.ones(steps, before + steps, dtype=torch.bool, device=device).triu(before + 1)
    return torch.zeros(later.shape, device=device).masked_fill(later, -torch.inf)[None, None]
