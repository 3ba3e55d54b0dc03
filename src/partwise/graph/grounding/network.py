"""Grounded graph decoding (Gai et al. 2021, section 3), for whole batches.

The paper numbers the edge probability without grounding over words (equation 1) and over groups
(equation 3), and the likelihood (equation 2); what section 3.3 adds to equation 3 has no numbers.
Beyond the paper, an edge may imply an attribute, which then goes unsaid.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from partwise.encoders.functions import Function
from partwise.graph.config import GraphParserConfig
from partwise.graph.grounding.sequences import DECODER, IMPLICATIONS, SequenceBatch
from partwise.graph.vocabulary import PAD, GraphLabels

BIAS = -4.0
"""At the start nothing implies anything."""
SCALE = 10.0
"""A pair is met far more seldom than a word, so its weight goes in longer steps."""


class Implications(nn.Module):
    """The probability that an edge of a node makes an attribute of it go unsaid. An edge counts
    apart from its two ends, and apart where the node is the head of what says it, and where it is
    not."""

    def __init__(self, attributes: int, relations: int) -> None:
        super().__init__()
        self.anywhere = nn.Parameter(torch.zeros(attributes, 2 * relations))
        self.apart = nn.Parameter(torch.zeros(attributes, 4 * relations))

    def logits(self) -> Tensor:
        """``[attributes, 4 * relations]``: of edges that begin at a head, that end at one, and
        that begin and that end at another node."""
        # What was seen of one place goes for the other too, as long as nothing speaks against it.
        both = torch.cat([self.anywhere, self.anywhere], 1)
        return (both + self.apart) * SCALE + BIAS

    def unsaid(self, relations: Tensor) -> Tensor:
        """``[nodes, attributes]``: log-probability that no edge implies an attribute (noisy-or).
        Edges are ``[nodes, 4 * relations]``, 1 or 0."""
        return relations @ functional.logsigmoid(-self.logits()).T


def implications(network: nn.Module) -> Tensor:
    """``[attributes, 4 * relations]``: the probabilities of all, averaged over an ensemble."""
    logits = [part.logits() for part in network.modules() if isinstance(part, Implications)]
    return torch.sigmoid(torch.stack(logits)).mean(0)


def functions_of(network: GraphDecoder) -> dict[str, Function]:
    """The functions that parsing asks; see `partwise.graph.grounding.sequences`."""

    def decode(tags: Tensor, words: Tensor, mentions: Tensor) -> tuple[Tensor, ...]:
        logits, attention = network.decode(tags, words, mentions)
        return (logits,) if attention is None else (logits, attention)

    numbers = torch.ones(2, 3, 4, dtype=torch.long)
    example = {"tags": numbers[..., 0], "words": numbers, "mentions": torch.ones(2, 5, 3)}
    axes = {
        "tags": ("sequences", "positions"),
        "words": ("sequences", "positions", "words"),
        "mentions": ("sequences", "nodes", "positions"),
    }
    return {
        DECODER: Function(decode, example, axes),
        IMPLICATIONS: Function(lambda: implications(network), {}, {}),
    }


class Recurrent(nn.Module):
    """A bidirectional LSTM, from ``[B, L, dx]`` to ``[B, L, dh]``."""

    def __init__(self, config: GraphParserConfig) -> None:
        super().__init__()
        dropout = config.dropout if config.layers > 1 else 0.0
        sizes = config.dx, config.dh // 2, config.layers
        self.rnn = nn.LSTM(*sizes, batch_first=True, bidirectional=True, dropout=dropout)

    def forward(self, inputs: Tensor, lengths: Tensor | None = None) -> Tensor:
        hidden: Tensor
        if lengths is None:
            hidden, _ = self.rnn(inputs)
            return hidden
        packed = pack_padded_sequence(inputs, lengths, True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.rnn(packed)[0], True, total_length=inputs.shape[1])
        return hidden


OPEN = 2.0
"""Logit of the gate at the start."""


class Decoded(NamedTuple):
    """The decoder's outputs for a batch.

    Attributes:
        logits: ``[B, N, N, labels]``, of each label from the first node to the second.
        attention: ``[B, N, N, L]``, the words that ground each pair; None without grounding.
    """

    logits: Tensor
    attention: Tensor | None


class GraphDecoder(nn.Module):
    """Predicts labels between all ordered pairs of nodes of sequences."""

    def forward(self, batch: SequenceBatch) -> Decoded:
        """What it says of a batch, on the device of the weights."""
        device = next(self.parameters()).device
        given = (batch.tags, batch.words, batch.mentions)
        tags, words, mentions = (torch.from_numpy(array).to(device) for array in given)
        padded = (batch.lengths < batch.tags.shape[1]).any()
        return self.decode(
            tags, words, mentions, torch.from_numpy(batch.lengths) if padded else None
        )

    @abstractmethod
    def decode(
        self, tags: Tensor, words: Tensor, mentions: Tensor, lengths: Tensor | None = None
    ) -> Decoded:
        """The same of tensors; see `SequenceBatch`. `lengths`: on the CPU; None for sequences of
        equal length."""


class GroundedDecoder(GraphDecoder):
    """The decoder of the paper; `tags` and `words` are the sizes of the vocabularies."""

    columns: Tensor

    def __init__(
        self, tags: int, words: int, labels: GraphLabels, config: GraphParserConfig
    ) -> None:
        super().__init__()
        self.config = config
        sizes = len(labels.attributes), len(labels.relations)
        self.implications = Implications(*sizes) if labels.answers else None
        self.tag_vectors = nn.Embedding(tags, config.dx, padding_idx=PAD)
        self.word_vectors = nn.Embedding(words, config.dx, padding_idx=PAD)
        self.sequence = Recurrent(config)
        dh, ground = config.dh, config.dx * config.heads if config.grounding else 0
        if config.grounding:
            self.key = nn.Linear(dh, dh * config.heads)
            self.query = nn.Linear(2 * dh, dh * config.heads)
            self.own = nn.Parameter(torch.full((config.heads,), float(config.self_position_bias)))
        self.narrow = nn.Linear(2 * dh, config.bottleneck) if config.bottleneck else None
        wide = (config.bottleneck or 2 * dh) + ground
        self.rise = nn.Linear(wide, config.hidden) if config.hidden else None
        self.out = nn.Linear(config.hidden or wide, labels.size)
        nn.init.constant_(self.out.bias, config.bias)
        self.structural = labels.structural
        self.structure = nn.Linear(2 * dh, len(self.structural)) if self.structural else None
        lexical = config.lexical and config.grounding and labels.attributes
        self.lexical = labels.plus if lexical else None
        if self.lexical is not None:
            self.kind_vectors = nn.Embedding(words, config.dx, padding_idx=PAD)
            self.by_words = nn.Linear(ground, len(labels.attributes))
            nn.init.constant_(self.by_words.bias, config.bias)
            self.takes = nn.Linear(2 * dh, 1)
            nn.init.constant_(self.takes.bias, OPEN)
        # Where each label stands: first come those of `out`, then those by words and by structure.
        columns = list(range(labels.size))
        if self.lexical is not None:
            columns[self.lexical] = range(labels.size, labels.size + len(labels.attributes))
        for column, label in enumerate(self.structural, max(columns) + 1):
            columns[label] = column
        self.register_buffer("columns", torch.tensor(columns), persistent=False)

    def decode(
        self, tags: Tensor, words: Tensor, mentions: Tensor, lengths: Tensor | None = None
    ) -> Decoded:
        """The edges of section 3.3 for all pairs at once."""
        values = self.word_vectors(words).sum(2)
        hidden = self.sequence(self._inputs(tags, words, values), lengths)
        nodes = torch.bmm(mentions, hidden)
        ground = self.config.grounding
        attention = self._attention(nodes, hidden, mentions, lengths) if ground else None
        logits = [self._labels(nodes, values, attention)]
        if self.lexical is not None and attention is not None:
            predicted = self.by_words(_grounds(attention, self.kind_vectors(words).sum(2)))
            logits.append(_both(predicted, _of_pairs(self.takes, nodes)))
        if self.structure is not None:
            logits.append(_of_pairs(self.structure, nodes))
        chosen = torch.cat(logits, -1)[..., self.columns] if len(logits) > 1 else logits[0]
        return Decoded(chosen, None if attention is None else attention.amax(1))

    def _inputs(self, tags: Tensor, words: Tensor, values: Tensor) -> Tensor:
        vectors: Tensor = self.tag_vectors(tags)
        if self.config.inputs == "words":
            # Tags of positions that have no words: separators, variables, entities.
            return values + vectors * (words == PAD).all(2, keepdim=True)
        return vectors if self.config.inputs == "tags" else vectors + values

    def _attention(
        self, nodes: Tensor, hidden: Tensor, mentions: Tensor, lengths: Tensor | None
    ) -> Tensor:
        """Which positions ground each pair, ``[B, heads, N, N, L]`` (section 3.3, alpha)."""
        size, n, _ = nodes.shape
        heads, length = self.config.heads, hidden.shape[1]
        queries = _of_pairs(self.query, nodes).reshape(size, n * n, heads, -1).transpose(1, 2)
        keys = self.key(hidden).reshape(size, length, heads, -1).permute(0, 2, 3, 1)
        scores = torch.matmul(queries, keys) / math.sqrt(self.config.dh)
        scores = scores.reshape(size, heads, n, n, length)
        mine = mentions[:, :, None, :] + mentions[:, None, :, :]
        scores = scores + self.own[None, :, None, None, None] * mine[:, None]
        if lengths is not None:
            padding = torch.arange(length) >= lengths[:, None]
            scores = scores.masked_fill(padding.to(scores.device)[:, None, None, None], -1e9)
        return torch.sigmoid(scores) if self.config.sigmoid_attention else torch.softmax(scores, -1)

    def _labels(self, nodes: Tensor, values: Tensor, attention: Tensor | None) -> Tensor:
        """Logits of all labels: equation 3, with z of section 3.3 where pairs are grounded."""
        layer = self.rise if self.rise is not None else self.out
        if self.narrow is None:
            logits = _of_pairs(layer, nodes)
        else:
            bottleneck = torch.tanh(_of_pairs(self.narrow, nodes))
            logits = bottleneck @ layer.weight[:, : self.config.bottleneck].T + layer.bias
        if attention is not None:
            ground = _grounds(attention, values)
            logits = logits + ground @ layer.weight[:, -ground.shape[-1] :].T
        if self.rise is not None:
            logits = self.out(torch.relu(logits))
        return logits


def _grounds(attention: Tensor, values: Tensor) -> Tensor:
    """What grounds each pair, ``[B, N, N, heads * dx]`` (section 3.3, z)."""
    size, heads, n, _, length = attention.shape
    ground = torch.matmul(attention.reshape(size, heads, n * n, length), values[:, None])
    return ground.transpose(1, 2).reshape(size, n, n, -1)


def _both(one: Tensor, other: Tensor) -> Tensor:
    """The logit of both of two outcomes together, from theirs."""
    # The odds against are (1 + e^-one)(1 + e^-other) - 1.
    against = torch.stack([-one, (-other).expand_as(one), -one - other])
    return -torch.logsumexp(against, 0)


def _of_pairs(layer: nn.Linear, nodes: Tensor) -> Tensor:
    """A linear layer of [h_s; h_o] for all pairs, ``[B, N, N, out]``; no pair's vector is built."""
    dim = nodes.shape[-1]
    first = nodes @ layer.weight[:, :dim].T + layer.bias
    second = nodes @ layer.weight[:, dim : 2 * dim].T
    return first[:, :, None, :] + second[:, None, :, :]


class Ensemble(GraphDecoder):
    """Decoders that are trained separately, their probabilities averaged (Lakshminarayanan et al.,
    Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles, 2017). They agree on
    what they have seen; on new input each errs in its own way. If their logits were averaged, one
    that errs and is very sure would overrule all others."""

    def __init__(self, members: Sequence[GroundedDecoder]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def decode(
        self, tags: Tensor, words: Tensor, mentions: Tensor, lengths: Tensor | None = None
    ) -> Decoded:
        """The mean of the members' probabilities, and of their attention."""
        members = cast(Sequence[GroundedDecoder], self.members)
        decoded = [member.decode(tags, words, mentions, lengths) for member in members]
        logits = torch.stack([sequence.logits for sequence in decoded])
        # In logarithms: probabilities near 1 would all be rounded to it. A graph's own logarithm of
        # a sigmoid would be that of 0 where it is surely not so.
        yes, no = (torch.logsumexp(-functional.softplus(-sign * logits), 0) for sign in (1, -1))
        shown = [sequence.attention for sequence in decoded if sequence.attention is not None]
        return Decoded(yes - no, torch.stack(shown).mean(0) if shown else None)
