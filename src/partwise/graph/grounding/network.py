"""Grounded graph decoding (Gai et al. 2021, section 3), for whole batches.

The paper numbers the edge probability without grounding over words (equation 1) and over groups
(equation 3), and the likelihood (equation 2); what section 3.3 adds to equation 3 has no numbers.
Beyond the paper, an edge may imply an attribute, which then goes unsaid.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from partwise.graph.alignment import Incidence
from partwise.graph.config import GraphParserConfig
from partwise.graph.grounding.sequences import SequenceBatch
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


def relation_numbers(edges: Collection[Incidence], labels: GraphLabels) -> list[int]:
    """Columns of `Implications` of the edges of a node."""
    known, size = labels.numbers, len(labels.relations)
    columns = {
        known[name] + (0 if begins else size) + (0 if head else 2 * size)
        for name, begins, head in edges
        if name in known
    }
    return sorted(columns)


def implications(network: nn.Module) -> NDArray[np.floating]:
    """``[attributes, 4 * relations]``: the probabilities of all, averaged over an ensemble."""
    logits = [part.logits() for part in network.modules() if isinstance(part, Implications)]
    return torch.sigmoid(torch.stack(logits)).mean(0).detach().cpu().numpy()


class Recurrent(nn.Module):
    """A bidirectional LSTM, from ``[B, L, dx]`` to ``[B, L, dh]``."""

    def __init__(self, config: GraphParserConfig) -> None:
        super().__init__()
        dropout = config.dropout if config.layers > 1 else 0.0
        sizes = config.dx, config.dh // 2, config.layers
        self.rnn = nn.LSTM(*sizes, batch_first=True, bidirectional=True, dropout=dropout)

    def forward(self, inputs: Tensor, batch: SequenceBatch) -> Tensor:
        hidden: Tensor
        if (batch.lengths == inputs.shape[1]).all():
            hidden, _ = self.rnn(inputs)
            return hidden
        packed = pack_padded_sequence(inputs, batch.lengths, True, enforce_sorted=False)
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


class GroundedDecoder(nn.Module):
    """Predicts labels between all ordered pairs of nodes of a sequence; `tags` and `words` are the
    sizes of the vocabularies."""

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

    def forward(self, batch: SequenceBatch, leaves: list[Tensor] | None = None) -> Decoded:
        """The edges of section 3.3 for all pairs at once, on the device of the weights. The vectors
        of words (``[B, L, W, dx]``) are put into `leaves`, to take gradients by."""
        batch = batch.to(self.out.weight.device)
        vectors = self.word_vectors(batch.words)
        if leaves is not None:
            vectors = vectors.detach().requires_grad_(True)
            leaves.append(vectors)
        values = vectors.sum(2)
        hidden = self.sequence(self._inputs(batch, values), batch)
        nodes = torch.bmm(batch.mentions, hidden)
        attention = self._attention(nodes, hidden, batch) if self.config.grounding else None
        logits = self._labels(nodes, values, attention)
        if self.lexical is not None and attention is not None:
            predicted = self.by_words(_grounds(attention, self.kind_vectors(batch.words).sum(2)))
            logits = logits.clone()
            logits[..., self.lexical] = _both(predicted, _of_pairs(self.takes, nodes))
        return Decoded(logits, None if attention is None else attention.amax(1))

    def _inputs(self, batch: SequenceBatch, values: Tensor) -> Tensor:
        tags: Tensor = self.tag_vectors(batch.tags)
        if self.config.inputs == "words":
            # Tags of positions that have no words: separators, variables, entities.
            return values + tags * (batch.words == PAD).all(2, keepdim=True)
        return tags if self.config.inputs == "tags" else tags + values

    def _attention(self, nodes: Tensor, hidden: Tensor, batch: SequenceBatch) -> Tensor:
        """Which positions ground each pair, ``[B, heads, N, N, L]`` (section 3.3, alpha)."""
        size, n, _ = nodes.shape
        heads, length = self.config.heads, hidden.shape[1]
        queries = _of_pairs(self.query, nodes).reshape(size, n * n, heads, -1).transpose(1, 2)
        keys = self.key(hidden).reshape(size, length, heads, -1).permute(0, 2, 3, 1)
        scores = torch.matmul(queries, keys) / math.sqrt(self.config.dh)
        scores = scores.reshape(size, heads, n, n, length)
        mine = batch.mentions[:, :, None, :] + batch.mentions[:, None, :, :]
        scores = scores + self.own[None, :, None, None, None] * mine[:, None]
        scores = scores.masked_fill(~batch.mask[:, None, None, None, :], -1e9)
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
        if self.structure is not None:
            logits = logits.clone()
            logits[..., self.structural] = _of_pairs(self.structure, nodes)
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


class Ensemble(nn.Module):
    """Decoders that are trained separately, their probabilities averaged (Lakshminarayanan et al.,
    Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles, 2017). They agree on
    what they have seen; on new input each errs in its own way. If their logits were averaged, one
    that errs and is very sure would overrule all others."""

    def __init__(self, members: Sequence[GroundedDecoder]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, batch: SequenceBatch, leaves: list[Tensor] | None = None) -> Decoded:
        """The mean of the members' probabilities, and of their attention."""
        decoded = [member(batch, leaves) for member in self.members]
        logits = torch.stack([sequence.logits for sequence in decoded])
        # In logarithms: probabilities near 1 would all be rounded to it.
        yes, no = (torch.logsumexp(functional.logsigmoid(sign * logits), 0) for sign in (1, -1))
        shown = [sequence.attention for sequence in decoded if sequence.attention is not None]
        return Decoded(yes - no, torch.stack(shown).mean(0) if shown else None)
