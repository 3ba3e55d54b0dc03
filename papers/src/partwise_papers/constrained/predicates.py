"""What a domain of query graphs lets stand together: predicates and the kinds of their ends."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from partwise.language.graph_domain import ANY, GraphDomain, Kinds


def joined(known: Kinds | None, demand: Kinds | None) -> Kinds | None:
    """The kinds of a node on which one more demand is made; None if it can be nothing then."""
    if known is None or demand is None:
        return None
    return known & demand or None if known and demand else known | demand


class Predicates:
    """The predicates of a domain; what is said of ends is as in `GraphDomain.is_possible`."""

    def __init__(self, domain: GraphDomain) -> None:
        self.relations = {one.predicate: one for one in domain.relations}
        self.attributes: dict[str, dict[str, Kinds]] = {}
        for one in domain.attributes:
            self.attributes.setdefault(one.predicate, {})[one.constant] = one.kinds
        self.of = cache(self._of)
        self.differing = domain.differing

    def _of(self, subject: Kinds, others: frozenset[Kinds]) -> frozenset[str]:
        """The predicates that a node may have, by its kinds and those of all other nodes."""
        names = (*self.relations, *self.attributes)
        return frozenset(
            name
            for name in names
            if any(self.constants(name, subject))
            or self.is_edge(name, subject, None)
            or any(self.is_edge(name, subject, other) for other in others)
        )

    def constants(self, predicate: str, subject: Kinds) -> Iterator[str]:
        """The constants that a node of some kinds may have of a predicate."""
        for constant, kinds in self.attributes.get(predicate, {}).items():
            if joined(subject, kinds) is not None:
                yield constant

    def is_edge(self, predicate: str, subject: Kinds, other: Kinds | None) -> bool:
        """Whether a relation may lead to a node of some kinds; None for its own subject."""
        if predicate not in self.relations:
            return False
        one = self.relations[predicate]
        start = joined(subject, one.subject)
        if other is None:
            return joined(start, one.object) is not None
        return start is not None and joined(other, one.object) is not None

    def demands(
        self, subject: str, predicate: str, end: str, nodes: Collection[str]
    ) -> Iterator[tuple[str, Kinds]]:
        """What a triple demands of its nodes."""
        if end in nodes:
            yield subject, self.relations[predicate].subject
            yield end, self.relations[predicate].object
        else:
            yield subject, self.attributes[predicate].get(end, ANY)
