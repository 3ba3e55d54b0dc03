"""What training makes small: the losses of flat and of composed decoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from partwise.graph.composed import ComposedStrategy
from partwise.graph.flat import FlatItem
from partwise.graph.grounding.fragments import FragmentItem, Item, NodeItem
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.sequences import NodeSequence, collate
from partwise.graph.strategy import DecodingStrategy
from partwise.graph.vocabulary import GraphLabels

LEAST = 1e-12
"""No probability is taken to be lower."""
SPARING = 0.002
"""Weight of letting attributes be said. Without it nothing would teach an edge not to imply what it
was never seen with, and in a new combination that would drop attributes."""
Loss = Callable[[GroundedDecoder, Sequence[Any]], Tensor]
"""Of a decoder, on a batch of a strategy's items."""


def loss_of(strategy: DecodingStrategy[Any]) -> Loss:
    labels = strategy.vocabularies.labels
    if isinstance(strategy, ComposedStrategy):
        return FragmentLoss(strategy.sequences, labels)
    return FlatLoss(labels)


class FlatLoss:
    """Minus the joint log-likelihood of the graphs (equation 2), a question on average."""

    def __init__(self, labels: GraphLabels) -> None:
        self.labels = labels

    def __call__(self, network: GroundedDecoder, batch: Sequence[FlatItem]) -> Tensor:
        together = collate([item.sequence for item in batch])
        logits = network(together).logits
        numbers = logits.detach().cpu().numpy()
        places = [np.insert(item.best(numbers[row]), 0, row, 1) for row, item in enumerate(batch)]
        wanted = torch.zeros_like(logits)
        wanted[tuple(torch.from_numpy(np.concatenate(places)).T.to(logits.device))] = 1.0
        nodes = torch.from_numpy(together.nodes).to(logits.device)
        pairs = nodes[:, :, None] & nodes[:, None, :]
        known = pairs[..., None].repeat(1, 1, 1, self.labels.size)
        own = torch.eye(logits.shape[1], dtype=torch.bool, device=logits.device)
        known[..., self.labels.plus] &= own[None, :, :, None]
        losses = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        return (losses * known).sum() / len(batch)


class FragmentLoss:
    """The loss of a batch of items under a decoder; of all fragments of training, by number."""

    def __init__(self, sequences: Sequence[NodeSequence[int]], labels: GraphLabels) -> None:
        self.sequences, self.labels = sequences, labels

    def __call__(self, network: GroundedDecoder, batch: Sequence[Item]) -> Tensor:
        """Mean over items of what the joint log-likelihood (paper, equation 2) sums."""
        fragments = [item for item in batch if isinstance(item, FragmentItem)]
        nodes = [item for item in batch if isinstance(item, NodeItem)]
        needed = {f for item in nodes for f, _ in item.places} | {
            part.fragment for part in fragments
        }
        rows = {number: row for row, number in enumerate(sorted(needed))}
        together = collate([self.sequences[number] for number in rows])
        logits = network(together).logits
        total: Tensor = logits.new_zeros(())
        if fragments:
            mine = [rows[item.fragment] for item in fragments]
            edges = logits[mine, ..., : len(self.labels.relations)]
            total = total + _edge_loss(edges, torch.from_numpy(together.nodes[mine]), fragments)
        if nodes:
            total = total + self._nodes(network, logits, nodes, rows)
        return total

    def _nodes(
        self, network: GroundedDecoder, logits: Tensor, items: list[NodeItem], rows: dict[int, int]
    ) -> Tensor:
        assert network.implications is not None
        own = torch.diagonal(logits, dim1=1, dim2=2).transpose(1, 2)
        where = [
            (rows[number], slot, owner)
            for owner, item in enumerate(items)
            for number, slot in item.places
        ]
        row, slot, owners = torch.tensor(where, device=own.device).T
        silent = own.new_zeros(len(items), own.shape[-1])
        silent = silent.index_add(0, owners, functional.logsigmoid(-own[row, slot]))
        relations = own.new_zeros(len(items), 4 * len(self.labels.relations))
        columns = [(owner, c) for owner, item in enumerate(items) for c in item.relations]
        relations[tuple(torch.tensor(columns, dtype=torch.long).reshape(-1, 2).T)] = 1.0
        unsaid = network.implications.unsaid(relations)
        # A node bears an attribute if some place says it and none of its edges implies it, so that
        # it does not if all are silent, or it is implied.
        none = torch.logaddexp(silent[:, self.labels.plus] + unsaid, _log_not(unsaid))
        wanted = torch.from_numpy(np.stack([item.attributes for item in items])).to(own.device)
        answers = torch.tensor([item.answer for item in items], device=own.device)
        losses = _cross_entropy(none, wanted).sum(1)
        losses = losses + _cross_entropy(silent[:, self.labels.answer], answers)
        return _weigh(losses - SPARING * unsaid.sum(1), items)


def _edge_loss(edges: Tensor, nodes: Tensor, items: Sequence[FragmentItem]) -> Tensor:
    wanted = torch.zeros(edges.shape)
    for place, item in enumerate(items):
        wanted[place, : len(item.wanted), : len(item.wanted)] = torch.from_numpy(item.wanted)
    known = nodes[:, :, None] & nodes[:, None, :] & ~torch.eye(nodes.shape[1], dtype=torch.bool)
    wanted, known = wanted.to(edges.device), known[..., None].to(edges.device)
    losses = functional.binary_cross_entropy_with_logits(edges, wanted, reduction="none")
    return _weigh((losses * known).sum((1, 2, 3)), items)


def _log_not(logs: Tensor) -> Tensor:
    """The log-probability that something is not so, from that it is."""
    return torch.log(-torch.expm1(logs.clamp(max=-LEAST)))


def _cross_entropy(none: Tensor, wanted: Tensor) -> Tensor:
    """In logarithms throughout: what is surely wrong is to be unlearned as well. `none` is the
    log-probability that it is not so, `wanted` the share where it was so."""
    return -(wanted * _log_not(none) + (1.0 - wanted) * none)


def _weigh(losses: Tensor, items: Sequence[Item]) -> Tensor:
    scale = torch.tensor([item.weight for item in items], device=losses.device)
    return (losses * scale).sum() / scale.sum()
