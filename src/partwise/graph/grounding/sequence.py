"""Sequence encoders: one vector a position."""

from __future__ import annotations

import math
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from partwise.encoders.pretrained import PretrainedEncoder
from partwise.graph.config import TRANSFORMER_HEADS, GraphParserConfig
from partwise.graph.grounding.batch import SequenceBatch


def make_sequence(config: GraphParserConfig, files: Path | None = None) -> nn.Module:
    """The encoder that a configuration names; each takes ``[B, L, dx]`` to ``[B, L, dh]``.

    Args:
        files: where a pretrained one's tokenizer and configuration are, if its weights are still to
            be filled in.
    """
    if config.encoder in ("lstm", "gru"):
        return Recurrent(config)
    return Transformer(config) if config.encoder == "transformer" else Pretrained(config, files)


class Recurrent(nn.Module):
    """A bidirectional LSTM or GRU."""

    def __init__(self, config: GraphParserConfig) -> None:
        super().__init__()
        kind = nn.GRU if config.encoder == "gru" else nn.LSTM
        dropout = config.dropout if config.layers > 1 else 0.0
        sizes = config.dx, config.dh // 2, config.layers
        self.rnn = kind(*sizes, batch_first=True, bidirectional=True, dropout=dropout)

    def forward(self, inputs: Tensor, batch: SequenceBatch) -> Tensor:
        """The states of both directions, side by side."""
        hidden: Tensor
        if (batch.lengths == inputs.shape[1]).all():
            hidden, _ = self.rnn(inputs)
            return hidden
        packed = pack_padded_sequence(inputs, batch.lengths, True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.rnn(packed)[0], True, total_length=inputs.shape[1])
        return hidden


class Transformer(nn.Module):
    """A transformer encoder with sinusoidal positions."""

    def __init__(self, config: GraphParserConfig) -> None:
        super().__init__()
        self.rise = nn.Linear(config.dx, config.dh)
        sizes = config.dh, TRANSFORMER_HEADS, 2 * config.dh, config.dropout
        layer = nn.TransformerEncoderLayer(*sizes, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, config.layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(config.dh)

    def forward(self, inputs: Tensor, batch: SequenceBatch) -> Tensor:
        """The states of the last layer."""
        raised = self.rise(inputs)
        raised = raised + _waves(raised)
        hidden: Tensor = self.norm(self.layers(raised, src_key_padding_mask=~batch.mask))
        return hidden


def _waves(like: Tensor) -> Tensor:
    """Sinusoidal positions (Vaswani et al. 2017, section 3.5) for ``[B, length, size]``."""
    _, length, size = like.shape
    place = torch.arange(length, device=like.device)[:, None]
    rates = torch.exp(torch.arange(0, size, 2, device=like.device) * (-math.log(10000.0) / size))
    return torch.cat([torch.sin(place * rates), torch.cos(place * rates)], 1)[:, :size]


class Pretrained(nn.Module):
    """A pretrained transformer over the question's words, under a recurrent layer.

    A position's vector is the sum of its words' and of its inputs'; the recurrent layer carries it
    to positions without words.
    """

    def __init__(self, config: GraphParserConfig, files: Path | None = None) -> None:
        super().__init__()
        self.encoder = PretrainedEncoder(config.encoder, files)
        self.drop = nn.Linear(self.encoder.dim, config.dx)
        self.recurrent = Recurrent(config)

    def forward(self, inputs: Tensor, batch: SequenceBatch) -> Tensor:
        """The states of the recurrent layer."""
        texts = [item.text for item in batch.items]
        first, last = self.encoder([text for text in texts if text is not None])
        vectors = self.drop(first + last)
        where = [
            (row, place, word)
            for row, item in enumerate(batch.items)
            for place, words in enumerate(item.places)
            for word in words
        ]
        row, place, word = torch.tensor(where, device=inputs.device).T
        added = torch.zeros_like(inputs)
        added.index_put_((row, place), vectors[row, word], accumulate=True)
        hidden: Tensor = self.recurrent(inputs + added, batch)
        return hidden
