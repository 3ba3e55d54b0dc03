"""Questions read phrase by phrase: pieces as sequences, and what training wants of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from partwise.errors import PartwiseError
from partwise.graph.grounding.batch import Grounded, collate
from partwise.graph.grounding.implied import Implications, relation_numbers
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.vocabulary import (
    NIL,
    SAME,
    SEPARATOR,
    Labels,
    Vocabulary,
    variable_tag,
)
from partwise.graph.phrases.associations import Counts
from partwise.graph.phrases.examples import Context, Spoken
from partwise.graph.phrases.pieces import Piece

HEAD = variable_tag(0)
"""The tag of a phrase's own node, appended as the paper appends variables."""
LEAST = 1e-12
"""No chance is taken to be lower."""
FEW = 200
"""Forms of pieces that fewer contexts have, and fewer than forms have on average, are met as often
as that in an epoch, as far as `MOST_REPEATS` allows."""
MOST_REPEATS = 20
SPARING = 0.002
"""Weight of letting attributes be said. Nothing else would tell an edge not to imply what it was
never seen with, and in a new combination that would drop attributes."""


def tags_of(piece: Piece) -> list[str]:
    """The tag of each position of a piece."""
    head = [HEAD] if piece.headed else []
    return [*(element.name for element in piece.elements), SEPARATOR, *head, NIL]


def words_of(piece: Piece) -> list[tuple[str, ...]]:
    """The words of each element, function words too: "who" says that it is a person.

    Each with its class: a cinematographer *of* something is not a kind of person but a relation.
    """
    return [tuple(f"{element.name}:{word}" for word in element.words) for element in piece.elements]


def encode(piece: Piece, tags: Vocabulary, words: Vocabulary) -> Grounded:
    """A piece as a sequence; its slots are the nodes, its own node first."""
    names = tags_of(piece)
    spelled = [tuple(words[word] for word in some) for some in words_of(piece)]
    nodes = [(place,) for place, element in enumerate(piece.elements) if element.is_node]
    if piece.headed:
        nodes.insert(0, (len(piece.elements) + 1,))
    rest = len(names) - len(spelled)
    return Grounded(tuple(tags[name] for name in names), (*spelled, *((),) * rest), tuple(nodes))


@dataclass(frozen=True, eq=False)
class PieceItem:
    """What is wanted of the edges of a piece.

    Attributes:
        piece: its number.
        wanted: ``[N, N, relations]``, the share of its occurrences that had each.
        known: ``[N, N, relations]``, where `wanted` says something.
    """

    piece: int
    wanted: Tensor
    known: Tensor
    weight: float


@dataclass(frozen=True, eq=False)
class NodeItem:
    """What is wanted of a node that was spoken of in these places.

    Attributes:
        places: (piece, slot).
        relations: columns of `Implications`, of all edges of the node.
        attributes: ``[attributes]``, the share of such nodes that bore each.
        answer: the share that was asked for.
    """

    places: tuple[tuple[int, int], ...]
    relations: tuple[int, ...]
    attributes: Tensor
    answer: float
    weight: float


Item = PieceItem | NodeItem


def piece_item(number: int, size: int, count: Counts, labels: Labels, power: float) -> PieceItem:
    """The wanted edges of a piece with `size` slots."""
    relations = len(labels.relations)
    wanted = torch.zeros(size, size, relations)
    known = torch.zeros(size, size, relations)
    known[~torch.eye(size, dtype=torch.bool)] = 1.0
    for ((one, other), (name, forth)), times in count.labels.items():
        label, share = labels.relation(name), times / count.times
        pairs = [(one, other)] if forth else [(other, one)]
        for pair in [(one, other), (other, one)] if name == SAME else pairs:
            wanted[(*pair, label)] = share
    return PieceItem(number, wanted, known, count.times**power)


def repeats(contexts: Iterable[Context]) -> dict[Context, int]:
    """How often each context is learned from in an epoch, so that rare forms are learned too.

    The form of a piece is its sequence of tags, which says where its attributes are to be read; a
    form of few contexts would otherwise be drowned by the others.
    """
    forms = {context: {tuple(tags_of(piece)) for piece, _ in context[0]} for context in contexts}
    often = Counter(form for some in forms.values() for form in some)
    few = min(FEW, sum(often.values()) // max(1, len(often)))
    return {
        context: max(1, min(MOST_REPEATS, few // min(often[form] for form in some)))
        for context, some in forms.items()
    }


def node_item(
    context: Context, spoken: Spoken, numbers: dict[Piece, int], labels: Labels, power: float
) -> NodeItem:
    """The wanted attributes of a node."""
    said, edges = context
    places = dict.fromkeys((numbers[piece], slot) for piece, slot in said)
    columns = tuple(relation_numbers(edges, labels))
    shares = [spoken.attributes[pair] / spoken.times for pair in labels.attributes]
    answer = spoken.answers / spoken.times
    weight = spoken.times**power
    return NodeItem(tuple(places), columns, torch.tensor(shares), answer, weight)


class PieceLoss:
    """The loss of a batch of items, under a decoder.

    Args:
        sequences: all pieces of training, by number.
    """

    def __init__(self, sequences: Sequence[Grounded], labels: Labels) -> None:
        self.sequences, self.labels = list(sequences), labels

    def __call__(self, network: GroundedDecoder, batch: Sequence[Item]) -> Tensor:
        """Mean over items of what the joint log-likelihood (paper, equation 2) sums."""
        pieces = [item for item in batch if isinstance(item, PieceItem)]
        nodes = [item for item in batch if isinstance(item, NodeItem)]
        needed = sorted(
            {item.piece for item in pieces} | {piece for item in nodes for piece, _ in item.places}
        )
        rows = {number: row for row, number in enumerate(needed)}
        logits = network(collate([self.sequences[number] for number in needed])).logits
        total: Tensor = logits.new_zeros(())
        if pieces:
            total = total + self._edges(logits, pieces, rows)
        if nodes:
            total = total + self._nodes(network, logits, nodes, rows)
        return total

    def _edges(self, logits: Tensor, items: list[PieceItem], rows: dict[int, int]) -> Tensor:
        size, relations = logits.shape[1], len(self.labels.relations)
        wanted = torch.zeros(len(items), size, size, relations)
        known = torch.zeros(len(items), size, size, relations)
        for place, item in enumerate(items):
            n = len(item.wanted)
            wanted[place, :n, :n], known[place, :n, :n] = item.wanted, item.known
        mine = logits[[rows[item.piece] for item in items], :, :, :relations]
        wanted, known = wanted.to(mine.device), known.to(mine.device)
        losses = functional.binary_cross_entropy_with_logits(mine, wanted, reduction="none")
        return _weighted((losses * known).sum((1, 2, 3)), [item.weight for item in items])

    def _nodes(
        self,
        network: GroundedDecoder,
        logits: Tensor,
        items: list[NodeItem],
        rows: dict[int, int],
    ) -> Tensor:
        own = torch.diagonal(logits, dim1=1, dim2=2).transpose(1, 2)
        where = [
            (rows[piece], slot, owner)
            for owner, item in enumerate(items)
            for piece, slot in item.places
        ]
        row, slot, owners = torch.tensor(where, device=own.device).T
        silent = own.new_zeros(len(items), own.shape[-1])
        silent = silent.index_add(0, owners, functional.logsigmoid(-own[row, slot]))
        relations = own.new_zeros(len(items), 4 * len(self.labels.relations))
        held = [(owner, c) for owner, item in enumerate(items) for c in item.relations]
        relations[tuple(torch.tensor(held, dtype=torch.long).reshape(-1, 2).T)] = 1.0
        said = _implications(network).said(relations)
        # A node bears an attribute if some place says it and none of its edges implies it, so that
        # it does not if all are silent, or it is implied.
        none = torch.logaddexp(silent[:, self.labels.plus] + said, _log_not(said))
        wanted = torch.stack([item.attributes for item in items]).to(own.device)
        answers = torch.tensor([item.answer for item in items], device=own.device)
        losses = _cross_entropy(none, wanted).sum(1)
        losses = losses + _cross_entropy(silent[:, self.labels.answer], answers)
        losses = losses - SPARING * said.sum(1)
        return _weighted(losses, [item.weight for item in items])


def _implications(network: GroundedDecoder) -> Implications:
    if network.implications is None:
        raise PartwiseError("a decoder of phrases needs implications")
    return network.implications


def _log_not(logs: Tensor) -> Tensor:
    """The logarithm of the chance that something is not, from that of the chance that it is."""
    found: Tensor = torch.log(-torch.expm1(logs.clamp(max=-LEAST)))
    return found


def _cross_entropy(none: Tensor, wanted: Tensor) -> Tensor:
    """In logarithms throughout: what is surely wrong is to be unlearned as well.

    Args:
        none: log-chance that it is not so.
        wanted: the share where it was so.
    """
    losses: Tensor = -(wanted * _log_not(none) + (1.0 - wanted) * none)
    return losses


def _weighted(losses: Tensor, weights: Sequence[float]) -> Tensor:
    scale = torch.tensor(weights, device=losses.device)
    mean: Tensor = (losses * scale).sum() / scale.sum()
    return mean
