"""Constrained decoding: kinds fit, what must be used is, the graph is connected."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partwise.graph.components import components
from partwise.graph.grounding.assemble import Probabilities
from partwise.graph.grounding.labels import GraphLabels
from partwise.language.graph_domain import ANY, GraphDomain, Kinds


class Constraints:
    """What a domain demands of the ends of its labels."""

    def __init__(self, domain: GraphDomain, labels: GraphLabels) -> None:
        self.labels = labels
        relations = {r.predicate: (r.subject, r.object) for r in domain.relations}
        attributes = {(a.predicate, a.constant): a.kinds for a in domain.attributes}
        self.ends: list[tuple[Kinds, Kinds]] = [
            *(relations.get(name, (ANY, ANY)) for name in labels.relations),
            *((attributes.get(pair, ANY),) * 2 for pair in labels.attributes),
        ]
        self.kinds = sorted({kind for ends in self.ends for end in ends for kind in end})

    def said(self, probabilities: Probabilities, needed: Sequence[bool]) -> NDArray[np.bool_]:
        """What is said of each pair of nodes.

        Args:
            needed: whether each node must be used, as the entities of the question are, and what is
                asked for.
        """
        size = len(self.labels.relations) + len(self.labels.attributes)
        probabilities = probabilities[:, :, :size]
        kinds = [self._kind(probabilities, node) for node in range(len(probabilities))]
        allowed = self._allowed(kinds)
        # Attributes are of single nodes; what two nodes say of them was never learned.
        allowed[~np.eye(len(allowed), dtype=bool), len(self.labels.relations) :] = False
        said = (probabilities > 0.5) & allowed
        open_ = np.where(allowed, probabilities, 0.0)[:, :, : len(self.labels.relations)].copy()
        open_[np.arange(len(open_)), np.arange(len(open_))] = 0.0
        self._use_all(said, open_, needed)
        self._connect(said, open_)
        return said

    def _kind(self, probabilities: Probabilities, node: int) -> str | None:
        """The kind that fits best what is probably said of a node."""
        votes = dict.fromkeys(self.kinds, 0.0)
        relations = len(self.labels.relations)
        for label, (first, second) in enumerate(self.ends):
            if label >= relations:
                _vote(votes, first, float(probabilities[node, node, label]))
                continue
            for other in range(len(probabilities)):
                if other != node:
                    _vote(votes, first, float(probabilities[node, other, label]))
                    _vote(votes, second, float(probabilities[other, node, label]))
        best = max(votes, key=lambda kind: votes[kind], default=None)
        return best if best is not None and votes[best] > 0.0 else None

    def _allowed(self, kinds: Sequence[str | None]) -> NDArray[np.bool_]:
        size = len(kinds)
        allowed = np.ones((size, size, len(self.ends)), dtype=bool)
        for label, (first, second) in enumerate(self.ends):
            fits_first = np.array([_fits(kind, first) for kind in kinds])
            fits_second = np.array([_fits(kind, second) for kind in kinds])
            allowed[:, :, label] = fits_first[:, None] & fits_second[None, :]
        return allowed

    def _use_all(
        self, said: NDArray[np.bool_], open_: Probabilities, needed: Sequence[bool]
    ) -> None:
        """Give a node without any edge or attribute its likeliest edge to what is there.

        Where nothing is, to any node.
        """
        for node, is_needed in enumerate(needed):
            if not is_needed or said[node].any() or said[:, node].any():
                continue
            used = np.logical_or(said.any((1, 2)), said.any((0, 2)))
            others = [o for o in range(len(said)) if o != node]
            there = [o for o in others if used[o] or needed[o]] or others
            pairs = [pair for o in there for pair in ((node, o), (o, node))]
            _say_likeliest(said, open_, pairs)

    def _connect(self, said: NDArray[np.bool_], open_: Probabilities) -> None:
        """Join parts that do not hang together by the likeliest edge between them."""
        relations = len(self.labels.relations)
        while True:
            there = np.nonzero(np.logical_or(said.any((1, 2)), said.any((0, 2))))[0].tolist()
            edges = np.argwhere(said[:, :, :relations].any(2)).tolist()
            parts = components(there, ((one, other) for one, other in edges))
            if len(parts) < 2:
                return
            of = {node: number for number, part in enumerate(parts) for node in part}
            pairs = [(a, b) for a, b in itertools.permutations(of, 2) if of[a] != of[b]]
            if not _say_likeliest(said, open_, pairs):
                return


def _say_likeliest(
    said: NDArray[np.bool_], open_: Probabilities, pairs: Sequence[tuple[int, int]]
) -> bool:
    """Say the likeliest edge of some pairs of nodes, if any can be."""
    pair = max(pairs, key=lambda p: float(open_[p].max(initial=0.0)), default=None)
    if pair is None or not open_[pair].any():
        return False
    said[(*pair, int(open_[pair].argmax()))] = True
    return True


def _vote(votes: dict[str, float], fits: Kinds, probability: float) -> None:
    """A label that is more likely than not speaks for kinds that it fits, and against others."""
    if probability <= 0.5 or not fits:
        return
    for kind in votes:
        votes[kind] += probability if kind in fits else -probability


def _fits(kind: str | None, fits: Kinds) -> bool:
    return kind is None or not fits or kind in fits
