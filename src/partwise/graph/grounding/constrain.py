"""Constrained decoding: kinds fit, what must be used is, the graph is connected."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from partwise.graph.components import components
from partwise.graph.grounding.labels import GraphLabels
from partwise.graph.grounding.predicted import Array
from partwise.language.graph_domain import ANY, GraphDomain, Kinds

Said = NDArray[np.bool_]
"""``[N, N, labels]``: what is said of each pair of nodes."""


class Constraints:
    """What a domain demands of the ends of its labels.

    Attributes:
        kinds: of nodes; None, which comes first, fits everything.
        votes: ``[2, labels, kinds]``: 1 if a node of a kind can be the subject (or the object) of
            a label, -1 if not, 0 where any kind can.
    """

    def __init__(self, domain: GraphDomain, labels: GraphLabels) -> None:
        self.relations = len(labels.relations)
        relations = {r.predicate: (r.subject, r.object) for r in domain.relations}
        attributes = {(a.predicate, a.constant): a.kinds for a in domain.attributes}
        ends = [
            *(relations.get(name, (ANY, ANY)) for name in labels.relations),
            *((attributes.get(pair, ANY),) * 2 for pair in labels.attributes),
        ]
        self.kinds = [None, *sorted({kind for pair in ends for end in pair for kind in end})]
        votes = [
            [_vote(kind, pair[side]) for pair in ends for kind in self.kinds] for side in (0, 1)
        ]
        self.votes = np.array(votes).reshape(2, len(ends), len(self.kinds))

    def said(self, probabilities: Array, needed: Collection[bool]) -> Said:
        """What is said of each pair of nodes.

        Args:
            needed: whether each node must be used, as the entities of the question are, and what is
                asked for.
        """
        probabilities = probabilities[:, :, : self.votes.shape[1]]
        allowed = self.allowed(self.best_kinds(probabilities))
        own = np.eye(len(allowed), dtype=bool)
        # Attributes are of single nodes; what two nodes say of them was never learned.
        allowed[~own, self.relations :] = False
        said = (probabilities > 0.5) & allowed
        open_ = np.where(allowed & ~own[..., None], probabilities, 0.0)[:, :, : self.relations]
        self._use_all(said, open_, needed)
        self._connect(said, open_)
        return said

    def best_kinds(self, probabilities: Array) -> NDArray[np.intp]:
        """For each node the number of the kind that fits best what is probably said of it.

        Each label that is more likely than not speaks for kinds that it fits, and against others.
        """
        strong = np.where(probabilities > 0.5, probabilities, 0.0).astype(float)
        own, start, (subject, object_) = np.arange(len(strong)), self.relations, self.votes
        attributes, edges = strong[own, own, start:], strong[..., :start]
        edges[own, own] = 0.0
        votes = edges.sum(1) @ subject[:start] + edges.sum(0) @ object_[:start]
        best: NDArray[np.intp] = (votes + attributes @ subject[start:]).argmax(1)
        return best

    def allowed(self, kinds: Sequence[int] | NDArray[np.intp]) -> Said:
        """Which labels nodes of these kinds can have."""
        subjects, objects = (self.votes[:, :, kinds] >= 0.0).transpose(0, 2, 1)
        allowed: Said = subjects[:, None] & objects[None]
        return allowed

    def _use_all(self, said: Said, open_: Array, needed: Collection[bool]) -> None:
        """Give a node without any edge or attribute its likeliest edge to what is there.

        Where nothing is, to any node.
        """
        for node, is_needed in enumerate(needed):
            used = _used(said)
            if is_needed and not used[node]:
                others = [other for other in range(len(said)) if other != node]
                there = np.logical_or(used, list(needed))
                ends = [other for other in others if there[other]] or others
                _say_likeliest(said, open_, [p for o in ends for p in ((node, o), (o, node))])

    def _connect(self, said: Said, open_: Array) -> None:
        """Join parts that do not hang together by the likeliest edge between them."""
        while True:
            subjects, objects = np.nonzero(said[:, :, : self.relations].any(2))
            edges = zip(subjects.tolist(), objects.tolist(), strict=True)
            parts = components(np.nonzero(_used(said))[0].tolist(), edges)
            of = {node: number for number, part in enumerate(parts) for node in part}
            pairs = [(a, b) for a, b in itertools.permutations(of, 2) if of[a] != of[b]]
            if not _say_likeliest(said, open_, pairs):
                return


def _vote(kind: str | None, fits: Kinds) -> float:
    if kind is None or not fits:
        return 0.0
    return 1.0 if kind in fits else -1.0


def _used(said: Said) -> NDArray[np.bool_]:
    return np.logical_or(said.any((1, 2)), said.any((0, 2)))


def _say_likeliest(said: Said, open_: Array, pairs: Sequence[tuple[int, int]]) -> bool:
    """Say the likeliest edge of some pairs of nodes, if any can be."""
    pair = max(pairs, key=lambda p: float(open_[p].max(initial=0.0)), default=None)
    if pair is None or not open_[pair].any():
        return False
    said[(*pair, int(open_[pair].argmax()))] = True
    return True
