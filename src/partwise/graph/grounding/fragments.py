"""Questions decomposed: fragments as sequences, and what training wants of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from partwise.graph.alignment import SAME, AlignedCorpus, Context, FragmentCounts
from partwise.graph.grammar.decomposition import Fragment
from partwise.graph.grounding.network import GroundedDecoder, relation_numbers
from partwise.graph.grounding.sequences import NodeSequence, collate
from partwise.graph.vocabulary import NIL, SEPARATOR, GraphLabels, variable_tag

HEAD = variable_tag(0)
"""The tag of a constituent's own node, appended as the paper appends variables."""
LEAST = 1e-12
"""No probability is taken to be lower."""
FEW = 200
"""Forms of fragments that fewer contexts have, and fewer than forms have on average, are met as
often as that in an epoch, as far as `MOST_REPEATS` allows."""
MOST_REPEATS = 20
SPARING = 0.002
"""Weight of letting attributes be said. Without it nothing would teach an edge not to imply what it
was never seen with, and in a new combination that would drop attributes."""


def tags_of(fragment: Fragment) -> list[str]:
    head = [HEAD] if fragment.headed else []
    return [*(element.name for element in fragment.elements), SEPARATOR, *head, NIL]


def fragment_sequence(fragment: Fragment) -> NodeSequence[str]:
    """A fragment as a sequence; its slots are the nodes, its own node first. It has function words
    too: "who" says that it is a person. Each word stands with its class: a cinematographer *of*
    something is not a kind of person but a relation."""
    tags, elements = tags_of(fragment), fragment.elements
    words = (tuple(f"{element.name}:{word}" for word in element.words) for element in elements)
    head = [(len(elements) + 1,)] if fragment.headed else []
    nodes = ((place,) for place, element in enumerate(elements) if element.is_node)
    rest = ((),) * (len(tags) - len(elements))
    return NodeSequence(tuple(tags), (*words, *rest), (*head, *nodes))


@dataclass(frozen=True, eq=False)
class FragmentItem:
    """The share of a fragment's occurrences that had each edge, ``[N, N, relations]``."""

    fragment: int
    wanted: Tensor
    weight: float


@dataclass(frozen=True, eq=False)
class NodeItem:
    """What is wanted of a node that is mentioned in these places.

    Attributes:
        places: (fragment, slot).
        relations: columns of `Implications`, of all edges of the node.
        attributes: ``[attributes]``, the share of such nodes that bore each.
        answer: the share that was asked for.
    """

    places: tuple[tuple[int, int], ...]
    relations: tuple[int, ...]
    attributes: Tensor
    answer: float
    weight: float


Item = FragmentItem | NodeItem


def training_items(aligned: AlignedCorpus, labels: GraphLabels, power: float) -> list[Item]:
    """Fragments and nodes, the former so often that both are met alike. `power`: exponent of how
    often something was seen, for its weight."""
    numbers = {fragment: number for number, fragment in enumerate(aligned.fragments)}
    fragments: list[Item] = [
        FragmentItem(
            numbers[fragment], _targets(len(fragment.slots), counts, labels), counts.times**power
        )
        for fragment, counts in aligned.fragments.items()
    ]
    often = repeats(aligned.contexts)
    nodes: list[Item] = []
    for context, seen in aligned.contexts.items():
        mentions, edges = context
        shares = [seen.attributes[pair] / seen.times for pair in labels.attributes]
        item = NodeItem(
            tuple(dict.fromkeys((numbers[fragment], slot) for fragment, slot in mentions)),
            tuple(relation_numbers(edges, labels)),
            torch.tensor(shares),
            seen.answers / seen.times,
            seen.times**power,
        )
        nodes += [item] * often[context]
    return fragments * max(1, round(len(nodes) / max(1, len(fragments)))) + nodes


def _targets(size: int, count: FragmentCounts, labels: GraphLabels) -> Tensor:
    wanted = torch.zeros(size, size, len(labels.relations))
    for (pair, (name, forward)), times in count.labels.items():
        for one, other in {pair, pair[::-1]} if name == SAME else {pair if forward else pair[::-1]}:
            wanted[one, other, labels.numbers[name]] = times / count.times
    return wanted


def repeats(contexts: Iterable[Context]) -> dict[Context, int]:
    """How often each context is learned from in an epoch, so that rare forms are learned too. The
    form of a fragment is its sequence of tags, which says where its attributes are to be read."""
    forms = {
        context: {tuple(tags_of(fragment)) for fragment, _ in context[0]} for context in contexts
    }
    often = Counter(form for some in forms.values() for form in some)
    few = min(FEW, sum(often.values()) // max(1, len(often)))
    return {
        context: max(1, min(MOST_REPEATS, few // min(often[form] for form in some)))
        for context, some in forms.items()
    }


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
            total = total + _edge_loss(edges, together.nodes[mine], fragments)
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
        wanted = torch.stack([item.attributes for item in items]).to(own.device)
        answers = torch.tensor([item.answer for item in items], device=own.device)
        losses = _cross_entropy(none, wanted).sum(1)
        losses = losses + _cross_entropy(silent[:, self.labels.answer], answers)
        return _weigh(losses - SPARING * unsaid.sum(1), items)


def _edge_loss(edges: Tensor, nodes: Tensor, items: Sequence[FragmentItem]) -> Tensor:
    wanted = torch.zeros(edges.shape)
    for place, item in enumerate(items):
        wanted[place, : len(item.wanted), : len(item.wanted)] = item.wanted
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
