"""Answers to query graphs over facts in memory: a small matcher of conjunctive patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from partwise.language.query_graph import ANSWER, QueryGraph

Side = dict[str, frozenset[str]]
NOTHING: frozenset[str] = frozenset()


class _Pattern(NamedTuple):
    subject: str
    objects_of: Side
    subjects_of: Side
    object: str

    def holds(self, known: Mapping[str, str]) -> bool:
        """Whether it is a fact of two known ends."""
        return known[self.object] in self.objects_of.get(known[self.subject], NOTHING)

    def open_end(self, known: Mapping[str, str]) -> tuple[str, frozenset[str]]:
        """The unknown end beside a known one, and what may stand there; "" if both are unknown."""
        if self.subject in known:
            return self.object, self.objects_of.get(known[self.subject], NOTHING)
        if self.object in known:
            return self.subject, self.subjects_of.get(known[self.object], NOTHING)
        return "", NOTHING


class Matcher:
    """Facts, indexed from both ends."""

    def __init__(self, facts: Iterable[tuple[str, str, str]]) -> None:
        gathered: dict[str, tuple[dict[str, set[str]], dict[str, set[str]]]] = {}
        for subject, predicate, value in facts:
            forward, backward = gathered.setdefault(predicate, ({}, {}))
            forward.setdefault(subject, set()).add(value)
            backward.setdefault(value, set()).add(subject)
        self._sides: dict[str, tuple[Side, Side]] = {
            predicate: (_frozen(forward), _frozen(backward))
            for predicate, (forward, backward) in gathered.items()
        }

    def sides(self, predicate: str) -> tuple[Side, Side]:
        """Subject -> its objects, and object -> its subjects; ``a|b`` is either predicate."""
        if predicate not in self._sides:
            forward: dict[str, frozenset[str]] = {}
            backward: dict[str, frozenset[str]] = {}
            for alternative in predicate.split("|") if "|" in predicate else ():
                for merged, side in zip((forward, backward), self.sides(alternative), strict=True):
                    for end, others in side.items():
                        merged[end] = merged.get(end, NOTHING) | others
            self._sides[predicate] = (forward, backward)
        return self._sides[predicate]

    def ask(self, graph: QueryGraph, bindings: Mapping[str, str]) -> bool:
        """Whether there is a match.

        Args:
            bindings: placeholder -> name in the graph.
        """
        return next(self._matches(graph, dict(bindings)), None) is not None

    def select(self, graph: QueryGraph, bindings: Mapping[str, str]) -> set[str]:
        """All values of ?x0 that are in a match."""
        found: set[str] = set()
        for match in self._matches(graph, dict(bindings)):
            found.add(match[ANSWER])
        return found

    def _matches(self, graph: QueryGraph, known: dict[str, str]) -> Iterator[dict[str, str]]:
        edges = [_Pattern(s, *self.sides(p), o) for s, p, o in graph.edges]
        constants = {t.object: t.object for t in graph.attributes}
        known |= constants
        edges += [_Pattern(s, *self.sides(p), o) for s, p, o in graph.attributes]
        return _solve(edges, tuple(graph.filters), known)


def _solve(
    patterns: list[_Pattern], filters: tuple[tuple[str, str], ...], known: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Extend what is known, the pattern with the fewest ways on first."""
    rest: list[_Pattern] = []
    best: frozenset[str] | None = None
    free = ""
    for pattern in patterns:
        if pattern.subject in known and pattern.object in known:
            if not pattern.holds(known):
                return
            continue
        rest.append(pattern)
        end, others = pattern.open_end(known)
        if end and (best is None or len(others) < len(best)):
            best, free = others, end
    if any(one in known and known[one] == known.get(other) for one, other in filters):
        return
    if not rest:
        yield known
        return
    if best is None:
        free, best = rest[0].subject, frozenset(rest[0].objects_of)
    for choice in best:
        yield from _solve(rest, filters, {**known, free: choice})


def _frozen(side: dict[str, set[str]]) -> Side:
    return {end: frozenset(others) for end, others in side.items()}
