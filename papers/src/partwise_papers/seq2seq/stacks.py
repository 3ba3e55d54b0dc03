"""Stacks of attention layers, for encoders and decoders alike.

They are those of the Transformer (Vaswani et al. 2017), the Universal Transformer (Dehghani et al.
2019) with adaptive computation time (Graves 2016), the Evolved Transformer (So et al. 2019, figure
3) and T5 (Raffel et al. 2020) with the feed-forward part of its version 1.1. A decoder keeps a
cache of what it read, which torch's own layers do not. `STACKS` names them.

T5's optimizer, Adafactor, moves each weight by a share of its size, and ours, Adam, moves all
alike. So what T5 begins with small or large weights for is a constant factor here: attention scores
are divided, and the biases of distances are learned in smaller units. The functions that can be
learned are the same.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, glu, pad, scaled_dot_product_attention

from partwise_papers.seq2seq.config import Seq2SeqConfig

Cache = tuple[Tensor, ...]
"""What a decoder keeps from step to step; the first dimension of each is the batch."""


@dataclass(frozen=True)
class Memory:
    """Encoded questions.

    A decoder may have several rows for each question, as a beam search has. Those of one question
    stand side by side, and share its memory.

    Attributes:
        vectors: ``[questions, longest, hidden]``.
        mask: ``[questions, longest]``, true for words.
        numbers: ``[questions, longest]``, what copying a word writes; 0 for padding.
        pairs: keys and values that attentions made of the vectors, each once; the first dimension
            is that of the questions.
    """

    vectors: Tensor
    mask: Tensor
    numbers: Tensor
    pairs: dict[nn.Module, tuple[Tensor, Tensor]] = field(default_factory=dict, repr=False)

    def picked(self, places: Tensor) -> Memory:
        """Some of the questions, in any order and number."""
        pairs = {layer: (key[places], value[places]) for layer, (key, value) in self.pairs.items()}
        return Memory(self.vectors[places], self.mask[places], self.numbers[places], pairs)

    def grouped(self, vectors: Tensor) -> Tensor:
        """``[questions, rows of a question * steps, size]`` of ``[rows, steps, size]``."""
        return vectors.reshape(self.mask.shape[0], -1, vectors.shape[-1])


def picked(cache: Cache, rows: Tensor) -> Cache:
    """The cache of some rows of a batch."""
    return tuple(tensor[rows] for tensor in cache)


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
        for layer in maps:
            nn.init.xavier_uniform_(layer.weight)
            if biased:
                nn.init.zeros_(layer.bias)
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

    def attend_cache(
        self, inputs: Tensor, cache: Cache, bias: Tensor | None
    ) -> tuple[Tensor, Cache]:
        """What `inputs` see of themselves and of all that was read before, and the cache after
        (`cache`: keys and values, each ``[rows, before, hidden]``; empty at the beginning)."""
        key, value = after = self.remembered(inputs, cache)
        query = self._split(self.query(inputs))
        return self._attend(query, self._split(key), self._split(value), bias), after

    def attend_memory(self, inputs: Tensor, memory: Memory) -> Tensor:
        """What `inputs` see of the questions that they are about."""
        if self not in memory.pairs:
            memory.pairs[self] = self._pair(memory.vectors)
        query = self._split(memory.grouped(self.query(inputs)))
        seen = self._attend(query, *memory.pairs[self], padding_bias(memory.mask))
        return seen.view(inputs.shape)

    def remembered(self, inputs: Tensor, cache: Cache) -> tuple[Tensor, Tensor]:
        """The cache behind `inputs`; see `attend_cache`."""
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


class Stack(nn.Module, ABC):
    """Layers over vectors of words, or over vectors of the tokens before (`decoder`: whether each
    step sees only what stands before it, and a question beside)."""

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__()
        self.config, self.decoder = config, decoder

    @abstractmethod
    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """``[rows, length, hidden]`` of vectors of words.

        Args:
            inputs: ``[rows, length, hidden]``.
            mask: ``[rows, length]``, true for words.
        """

    @abstractmethod
    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """Vectors of the next tokens, and the cache behind them.

        Args:
            inputs: ``[rows, steps, hidden]``, vectors of the tokens before.
            cache: what an earlier call gave, for the steps before; empty at the beginning.
        """

    def begin(self, memory: Memory) -> Cache:
        """The cache before the first step."""
        return ()

    def penalty(self) -> Tensor | None:
        """What the last call adds to the loss of training, told once; None for nothing."""
        return None


def positions(length: int, begin: int, hidden: int, like: Tensor) -> Tensor:
    """``[length, hidden]``: sines and cosines of places (Vaswani et al. 2017, section 3.5)."""
    places = torch.arange(begin, begin + length, device=like.device, dtype=torch.float32)
    pairs = torch.arange(0, hidden, 2, device=like.device, dtype=torch.float32)
    angles = places[:, None] * torch.exp(pairs * (-math.log(10_000.0) / hidden))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :hidden].to(like.dtype)


def scale(inputs: Tensor) -> Tensor:
    """Vectors of words or tokens as big as what is added to them (Vaswani et al. 2017, 3.4)."""
    return inputs * math.sqrt(inputs.shape[-1])


def placed(inputs: Tensor, begin: int) -> Tensor:
    """Vectors of words or tokens with their places, which count from `begin`."""
    return scale(inputs) + positions(inputs.shape[1], begin, inputs.shape[2], inputs)


class TransformerLayer(nn.Module):
    """Self-attention, attention to the question in decoders, and a feed-forward part.

    Each with a residual around it and its norm in front (Xiong et al. 2020), which needs no long
    warm-up.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__()
        self.own, self.own_norm = self.attention(config), self.norm(config)
        self.other, self.other_norm = None, None
        if decoder:
            self.other, self.other_norm = self.attention(config), self.norm(config)
        self.inner = nn.Sequential(self.norm(config), *self.feedforward(config))
        self.dropout = nn.Dropout(config.dropout)

    @staticmethod
    def attention(config: Seq2SeqConfig) -> Attention:
        """An attention of the layer."""
        return Attention(config.hidden, config.heads, config.dropout)

    @staticmethod
    def norm(config: Seq2SeqConfig) -> nn.Module:
        """A norm of the layer, or of the whole stack."""
        return nn.LayerNorm(config.hidden)

    @staticmethod
    def feedforward(config: Seq2SeqConfig) -> tuple[nn.Module, ...]:
        """The feed-forward part, behind its norm."""
        return (
            nn.Linear(config.hidden, config.feedforward),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.feedforward, config.hidden),
        )

    def encode(self, inputs: Tensor, bias: Tensor) -> Tensor:
        """``[rows, length, hidden]``; `bias` is that of `Attention`."""
        normed = self.own_norm(inputs)
        return self._rest(inputs + self.dropout(self.own(normed, normed, bias)), None)

    def forward(
        self, inputs: Tensor, bias: Tensor, memory: Memory, cache: Cache
    ) -> tuple[Tensor, Cache]:
        """``[rows, steps, hidden]``, and the cache behind it."""
        seen, cache = self.own.attend_cache(self.own_norm(inputs), cache, bias)
        return self._rest(inputs + self.dropout(seen), memory), cache

    def remembered(self, inputs: Tensor, cache: Cache) -> Cache:
        """The cache behind inputs whose own vectors are not asked for."""
        return self.own.remembered(self.own_norm(inputs), cache)

    def _rest(self, inputs: Tensor, memory: Memory | None) -> Tensor:
        if self.other is not None and self.other_norm is not None and memory is not None:
            read = self.other.attend_memory(self.other_norm(inputs), memory)
            inputs = inputs + self.dropout(read)
        out: Tensor = inputs + self.dropout(self.inner(inputs))
        return out


class TransformerStack(Stack):
    """The Transformer (Vaswani et al. 2017).

    Attributes:
        Layer: what its layers are.
    """

    Layer: ClassVar[type[TransformerLayer]] = TransformerLayer

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        self.layers = nn.ModuleList([self.Layer(config, decoder) for _ in range(config.layers)])
        self.norm, self.dropout = self.Layer.norm(config), nn.Dropout(config.dropout)

    def placed(self, inputs: Tensor, begin: int) -> Tensor:
        """What the lowest layer reads, ``[rows, steps, hidden]``; places count from `begin`."""
        return placed(inputs, begin)

    def encoder_bias(self, mask: Tensor) -> Tensor:
        """What `Attention` adds to the scores of words."""
        return padding_bias(mask)

    def decoder_bias(self, steps: int, before: int, device: torch.device) -> Tensor:
        """What `Attention` adds to the scores of `steps` tokens and those `before` them."""
        return causal_bias(steps, before, device)

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        vectors, bias = self.dropout(self.placed(inputs, 0)), self.encoder_bias(mask)
        for layer in self.layers:
            vectors = layer.encode(vectors, bias)  # type: ignore[operator]
        out: Tensor = self.norm(vectors)
        return out

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        before = cache[0].shape[1] if cache else 0
        vectors = self.dropout(self.placed(inputs, before))
        bias = self.decoder_bias(inputs.shape[1], before, inputs.device)
        after: Cache = ()
        for number, layer in enumerate(self.layers):
            own = cache[2 * number : 2 * number + 2]
            vectors, kept = layer(vectors, bias, memory, own)
            after += kept
        return self.norm(vectors), after


EPSILON = 0.01
"""A position halts when its probabilities sum to more than one minus this (Graves, equation 5)."""


class Halting:
    """Which positions still run, and what they have spent.

    Args:
        counted: ``[rows, length]``, false for positions that never run, as padding.

    Attributes:
        running: ``[rows, length]``, true for positions that have not halted.
    """

    def __init__(self, counted: Tensor) -> None:
        self.counted, self.running = counted, counted
        self.total = torch.zeros(counted.shape, device=counted.device)
        self.spent = torch.zeros_like(self.total)

    def weights(self, probabilities: Tensor, last: bool) -> Tensor:
        """``[rows, length]``: the share of one more step in a position's result.

        Those of a position sum to one. The step in which it halts has the remainder (Graves,
        equation 6); a position that does not run has 0.

        Args:
            probabilities: ``[rows, length]``, of halting at this step.
            last: whether all halt.
        """
        after = self.total + probabilities
        going = self.running & (after <= 1 - EPSILON) & (not last)
        remainder = torch.where(self.running & ~going, 1 - self.total, 0.0)
        # Steps and remainder, the cost of a position (Graves, equation 9).
        self.spent = self.spent + self.running + remainder
        self.total = torch.where(going, after, self.total)
        self.running = going
        return torch.where(going, probabilities, remainder)

    def cost(self) -> Tensor:
        """The mean of steps and remainder over the positions that count (Graves, equation 10)."""
        return self.spent[self.counted].sum() / self.counted.sum().clamp(min=1)


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
        mixed, _, _ = self._repeat(
            inputs, 0, mask, lambda _, vectors: self.layer.encode(vectors, bias)
        )
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
        mixed, states, done = self._repeat(inputs, before, counted, layer)
        # A later token may run longer and see these then.
        for step in range(done, self.config.act_steps):
            known = self._locate(states, before, step)
            after.extend(self.layer.remembered(known, cache[2 * step : 2 * step + 2]))
        return mixed, tuple(after)

    def _repeat(
        self, inputs: Tensor, begin: int, counted: Tensor, layer: Callable[[int, Tensor], Tensor]
    ) -> tuple[Tensor, Tensor, int]:
        """Results, last states, and after how many steps all positions had halted."""
        states, halting, step = self.dropout(scale(inputs)), Halting(counted), 0
        mixed = torch.zeros_like(states)
        while step < self.config.act_steps and bool(halting.running.any()):
            running, known = halting.running[..., None], self._locate(states, begin, step)
            probabilities = torch.sigmoid(self.halt(known)[..., 0].float())
            made = layer(step, known)
            weights = halting.weights(probabilities, step == self.config.act_steps - 1)
            mixed = mixed + weights[..., None].to(made.dtype) * made
            states, step = torch.where(running, made, states), step + 1
        if self.training:
            self._cost = halting.cost()
        return self.norm(mixed), states, step

    def _locate(self, states: Tensor, begin: int, step: int) -> Tensor:
        """States with coordinates of place and step (section 2.1, equations 6 and 7)."""
        _, length, hidden = states.shape
        there = positions(length, begin, hidden, states)
        return states + there + positions(1, step + 1, hidden, states)

    def penalty(self) -> Tensor | None:
        """The cost of the steps, which training makes small; that of the last call, told once."""
        cost, self._cost = self._cost, None
        return None if cost is None else self.config.act_penalty * cost


BUCKETS, FARTHEST = 32, 128
"""How many buckets of distances there are, and from where on all are in the last one."""
TINY = 1e-6
"""What norms add to a mean square."""
GAIN = 64.0
"""The unit in which the biases of distances are learned."""


def buckets_of(offsets: Tensor, both: bool) -> Tensor:
    """The bucket of each offset (Raffel et al. 2020, section 2.1).

    Half of the buckets are for one distance each, the others for distances that grow as their
    logarithm, up to `FARTHEST`.

    Args:
        offsets: places of what is seen minus those of what sees, of any shape.
        both: whether what comes later is seen; it has the upper half of the buckets then. Else it
            is in bucket 0.
    """
    count = BUCKETS // 2 if both else BUCKETS
    distances = offsets.abs() if both else (-offsets).clamp(min=0)
    exact = count // 2
    grown = torch.log(distances.clamp(min=1) / exact) / math.log(FARTHEST / exact)
    far = (exact + (grown * (count - exact)).long()).clamp(max=count - 1)
    return torch.where(distances < exact, distances, far) + (offsets > 0) * (count if both else 0)


class GatedGELU(nn.Module):
    """A feed-forward part with a gate (Shazeer 2020, GEGLU), without biases."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        sizes = config.hidden, config.feedforward
        self.gate, self.value = nn.Linear(*sizes, bias=False), nn.Linear(*sizes, bias=False)
        self.out = nn.Linear(config.feedforward, config.hidden, bias=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, vectors: Tensor) -> Tensor:
        """Of the shape of `vectors`."""
        gate = gelu(self.gate(vectors), approximate="tanh")
        out: Tensor = self.out(self.dropout(gate * self.value(vectors)))
        return out


class T5Layer(TransformerLayer):
    """Norms only scale, and nothing has a bias."""

    @staticmethod
    def attention(config: Seq2SeqConfig) -> Attention:
        """See `TransformerLayer`."""
        return Attention(config.hidden, config.heads, config.dropout, biased=False)

    @staticmethod
    def norm(config: Seq2SeqConfig) -> nn.Module:
        """See `TransformerLayer`."""
        return nn.RMSNorm(config.hidden, eps=TINY)

    @staticmethod
    def feedforward(config: Seq2SeqConfig) -> tuple[nn.Module, ...]:
        """See `TransformerLayer`."""
        return (GatedGELU(config),)


class T5Stack(TransformerStack):
    """Places are known by biases of attention alone, which all layers share."""

    Layer = T5Layer

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        self.distances = nn.Embedding(BUCKETS, config.heads)
        # As T5 begins, once they are scaled.
        nn.init.normal_(self.distances.weight, std=config.hidden**-0.5 / GAIN)

    def placed(self, inputs: Tensor, begin: int) -> Tensor:
        """See `TransformerStack`; nothing tells the places here."""
        return scale(inputs)

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        return self.dropout(super().encode(inputs, mask))  # type: ignore[no-any-return]

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        vectors, cache = super().forward(inputs, memory, cache)
        return self.dropout(vectors), cache

    def encoder_bias(self, mask: Tensor) -> Tensor:
        """See `TransformerStack`."""
        return super().encoder_bias(mask) + self._relative(mask.shape[1], 0, mask.device)

    def decoder_bias(self, steps: int, before: int, device: torch.device) -> Tensor:
        """See `TransformerStack`."""
        later = super().decoder_bias(steps, before, device)
        return later + self._relative(steps, before, device)

    def _relative(self, steps: int, before: int, device: torch.device) -> Tensor:
        """``[1, heads, steps, before + steps]``, of the distances between all places."""
        seen = torch.arange(before + steps, device=device)
        offsets = seen[None] - seen[before:, None]
        biases: Tensor = self.distances(buckets_of(offsets, not self.decoder))
        return GAIN * biases.permute(2, 0, 1)[None]


SEEN, SEEN_BELOW = 10, 6
"""Steps before its own that the widest upper and the lower convolution of a decoder see."""


def attention_of(config: Seq2SeqConfig, times: int = 1) -> Attention:
    """An attention with as many heads as the settings say, or more times as many."""
    return Attention(config.hidden, times * config.heads, config.dropout)


class SeparableConvolution(nn.Module):
    """A convolution of each channel by itself, then one of width 1 over all channels.

    Args:
        inputs, outputs: numbers of channels.
        width: steps that each result sees.
    """

    def __init__(self, inputs: int, outputs: int, width: int) -> None:
        super().__init__()
        self.each = nn.Conv1d(inputs, inputs, width, groups=inputs, bias=False)
        self.all = nn.Linear(inputs, outputs)

    def forward(self, vectors: Tensor) -> Tensor:
        """``[rows, steps - width + 1, outputs]`` of ``[rows, steps, inputs]``."""
        out: Tensor = self.all(self.each(vectors.transpose(1, 2)).transpose(1, 2))
        return out


def add_branches(wide: Tensor, narrow: Tensor) -> Tensor:
    """The sum of two branches, the narrow one filled up with zeros."""
    return wide + pad(narrow, (0, wide.shape[-1] - narrow.shape[-1]))


class EncoderCell(nn.Module):
    """Gated linear unit, convolutions, self-attention and a feed-forward part."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        size, wide, narrow = config.hidden, config.feedforward, config.hidden // 2
        self.dropout = nn.Dropout(config.dropout)
        self.gated = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, 2 * size))
        self.above = nn.LayerNorm(size)
        self.left = nn.Sequential(nn.Linear(size, wide), nn.ReLU(), self.dropout)
        self.right = nn.Conv1d(size, narrow, 3, padding=1)
        self.between = nn.LayerNorm(wide)
        self.below = SeparableConvolution(wide, narrow, 9)
        self.own_norm, self.own = nn.LayerNorm(size), attention_of(config)
        self.dense = nn.Sequential(
            nn.LayerNorm(size),
            nn.Linear(size, wide),
            nn.ReLU(),
            self.dropout,
            nn.Linear(wide, size),
        )

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """``[rows, length, hidden]``; `mask` is true for words."""
        vectors = inputs + self.dropout(glu(self.gated(inputs), -1))
        vectors = vectors + self.dropout(self.convolve(vectors, mask))
        normed = self.own_norm(vectors)
        vectors = vectors + self.dropout(self.own(normed, normed, padding_bias(mask)))
        out: Tensor = vectors + self.dropout(self.dense(vectors))
        return out

    def convolve(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Two branches, then the convolution below them; padding is zeros for all of them."""
        words = mask[..., None]
        normed = self.above(vectors) * words
        right = self.right(normed.transpose(1, 2)).transpose(1, 2).relu()
        both = self.between(add_branches(self.left(normed), self.dropout(right))) * words
        narrow = self.below(pad(both, (0, 0, 4, 4)))
        return add_branches(torch.zeros_like(vectors), narrow)


class DecoderCell(nn.Module):
    """Two attentions side by side, causal convolutions, two more attentions, feed-forward."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        size, wide = config.hidden, config.feedforward
        self.dropout = nn.Dropout(config.dropout)
        self.first_norm = nn.LayerNorm(size)
        self.first_own, self.first_other = attention_of(config, 2), attention_of(config)
        self.above = nn.LayerNorm(size)
        self.left = SeparableConvolution(size, 2 * size, SEEN + 1)
        self.right = SeparableConvolution(size, size // 2, SEEN_BELOW + 1)
        self.between = nn.LayerNorm(2 * size)
        self.below = SeparableConvolution(2 * size, size, SEEN_BELOW + 1)
        self.own_norm, self.own = nn.LayerNorm(size), attention_of(config)
        self.other_norm, self.other = nn.LayerNorm(size), attention_of(config)
        self.dense = nn.Sequential(
            nn.LayerNorm(size),
            nn.Linear(size, wide),
            nn.SiLU(),
            self.dropout,
            nn.LayerNorm(wide),
            nn.Linear(wide, size),
        )

    def empty(self, memory: Memory) -> Cache:
        """The cache before the first step: nothing to attend to, zeros before convolutions."""
        rows, _, size = memory.vectors.shape
        lengths = ((0, size),) * 4 + ((SEEN, size), (SEEN_BELOW, 2 * size))
        return tuple(memory.vectors.new_zeros(rows, *shape) for shape in lengths)

    def forward(
        self, inputs: Tensor, bias: Tensor, memory: Memory, cache: Cache
    ) -> tuple[Tensor, Cache]:
        """``[rows, steps, hidden]``, and the cache behind it.

        Args:
            bias: that of `Attention` for later steps.
            cache: keys and values of both self-attentions, and what the convolutions saw.
        """
        normed = self.first_norm(inputs)
        left, first = self.first_own.attend_cache(normed, cache[:2], bias)
        right = self.first_other.attend_memory(normed, memory)
        vectors = inputs + self.dropout(left) + self.dropout(right)
        made, seen = self.convolve(vectors, cache[4:])
        vectors = vectors + self.dropout(made)
        made, own = self.own.attend_cache(self.own_norm(vectors), cache[2:4], bias)
        vectors = vectors + self.dropout(made)
        made = self.other.attend_memory(self.other_norm(vectors), memory)
        vectors = vectors + self.dropout(made)
        return vectors + self.dropout(self.dense(vectors)), (*first, *own, *seen)

    def convolve(self, vectors: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        """Two branches, then the convolution below them, and what they will see of these steps
        (`cache`: ``[rows, SEEN, hidden]`` and ``[rows, SEEN_BELOW, 2 * hidden]``)."""
        read = torch.cat([cache[0], self.above(vectors)], 1)
        left = self.dropout(self.left(read).relu())
        right = self.dropout(self.right(read[:, SEEN - SEEN_BELOW :]))
        both = torch.cat([cache[1], self.between(add_branches(left, right))], 1)
        return self.below(both), (read[:, -SEEN:], both[:, -SEEN_BELOW:])


KEPT = 6
"""Tensors that the cache has of a cell."""


class EvolvedStack(Stack):
    """Cells as published, each about as deep as two layers of a Transformer.

    ``feedforward`` is the size of the widest parts, four times ``hidden`` in the paper.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        cell = DecoderCell if decoder else EncoderCell
        self.cells = nn.ModuleList([cell(config) for _ in range(config.layers)])
        self.norm, self.dropout = nn.LayerNorm(config.hidden), nn.Dropout(config.dropout)

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        vectors = self.dropout(placed(inputs, 0))
        for cell in self.cells:
            vectors = cell(vectors, mask)
        out: Tensor = self.norm(vectors)
        return out

    def begin(self, memory: Memory) -> Cache:
        """See `Stack`."""
        empty = (cell.empty(memory) for cell in self.cells)  # type: ignore[operator]
        return tuple(tensor for cache in empty for tensor in cache)

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        cache = cache or self.begin(memory)
        before = cache[0].shape[1]
        vectors = self.dropout(placed(inputs, before))
        bias = causal_bias(inputs.shape[1], before, inputs.device)
        after: Cache = ()
        for number, cell in enumerate(self.cells):
            own = cache[KEPT * number : KEPT * (number + 1)]
            vectors, kept = cell(vectors, bias, memory, own)
            after += kept
        return self.norm(vectors), after


STACKS: dict[str, Callable[[Seq2SeqConfig, bool], Stack]] = {
    "transformer": TransformerStack,
    "universal": UniversalStack,
    "evolved": EvolvedStack,
    "t5": T5Stack,
}
"""Decoder of `Seq2SeqConfig` -> what makes its stack."""
