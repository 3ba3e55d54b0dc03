"""The Universal Transformer (Dehghani et al. 2019): one layer, used again and again."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.attention import causal_bias, padding_bias
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory
from partwise_papers.seq2seq.stacks.base import Stack, positions, scaled
from partwise_papers.seq2seq.stacks.halting import Halting
from partwise_papers.seq2seq.stacks.transformer import TransformerLayer

BIAS = 1.0
"""Of the halting probability at first, so that training begins with about two steps."""


class UniversalStack(Stack):
    """One layer, as often as each position needs it (sections 2.1 and 2.2).

    A position that halted keeps its state, which others still see. Its result is the mean of its
    states, weighted by the halting probabilities and the remainder, as in Graves (2016, equation
    8). Norms are in front of their parts.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        self.layer = TransformerLayer(config, decoder)
        self.halt = nn.Linear(config.hidden, 1)
        nn.init.constant_(self.halt.bias, BIAS)
        self.norm, self.dropout = TransformerLayer.norm(config), nn.Dropout(config.dropout)
        self._cost: Tensor | None = None

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        bias = padding_bias(mask)
        mixed, _, _ = self._repeated(inputs, 0, mask, lambda _, one: self.layer.encode(one, bias))
        return mixed

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`; the cache has keys and values of each repetition."""
        before = cache[0].shape[1] if cache else 0
        bias = causal_bias(inputs.shape[1], before, inputs.device)
        after: list[Tensor] = []

        def layer(step: int, states: Tensor) -> Tensor:
            made, kept = self.layer(states, bias, memory, cache[2 * step : 2 * step + 2])
            after.extend(kept)
            return made  # type: ignore[no-any-return]

        counted = torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)
        mixed, states, done = self._repeated(inputs, before, counted, layer)
        # A later token may run longer and see these then.
        for step in range(done, self.config.act_steps):
            known = self._located(states, before, step)
            after.extend(self.layer.remembered(known, cache[2 * step : 2 * step + 2]))
        return mixed, tuple(after)

    def _repeated(
        self, inputs: Tensor, begin: int, counted: Tensor, layer: Callable[[int, Tensor], Tensor]
    ) -> tuple[Tensor, Tensor, int]:
        """Results, last states, and after how many steps all positions had halted."""
        states, halting, step = self.dropout(scaled(inputs)), Halting(counted), 0
        mixed = torch.zeros_like(states)
        while step < self.config.act_steps and bool(halting.running.any()):
            running, known = halting.running[..., None], self._located(states, begin, step)
            probabilities = torch.sigmoid(self.halt(known)[..., 0].float())
            made = layer(step, known)
            weights = halting.weights(probabilities, step == self.config.act_steps - 1)
            mixed = mixed + weights[..., None].to(made.dtype) * made
            states, step = torch.where(running, made, states), step + 1
        if self.training:
            self._cost = halting.cost()
        return self.norm(mixed), states, step

    def _located(self, states: Tensor, begin: int, step: int) -> Tensor:
        """States with coordinates of place and step (section 2.1, equations 6 and 7)."""
        _, length, hidden = states.shape
        there = positions(length, begin, hidden, states)
        return states + there + positions(1, step + 1, hidden, states)

    def penalty(self) -> Tensor | None:
        """The cost of the steps, which training makes small; that of the last call, told once."""
        cost, self._cost = self._cost, None
        return None if cost is None else self.config.act_penalty * cost
