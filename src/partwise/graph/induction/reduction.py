"""Strings put back to the symbols that they may stand for, and the patterns that are left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from partwise.graph.induction.patterns import THING, Pattern, Patterns, put, where
from partwise.interface.budget import Work

MOST = 400
"""So many ways to reduce one pattern are looked at."""
REDUCTION = 10_000
"""How many joins of a chart of spans take as long as reducing a pattern once."""
RARE = 0.0005
"""A string that less than this share of questions needs is dropped."""
ROOT = 0.002
"""A pattern of whole questions stands for at least this share of them, and for `KINDS` patterns."""
KINDS = 3


@dataclass
class Reducer:
    """Strings, each with the symbol that may stand in its place."""

    strings: dict[Pattern, str]
    work: Work = field(default_factory=Work, compare=False)

    def places(self, pattern: Pattern) -> Iterator[tuple[int, int]]:
        """Where strings stand in a pattern."""
        return where(pattern, self.strings)

    def put(self, pattern: Pattern, start: int, end: int) -> Pattern:
        """The pattern with the symbol in the place of one string."""
        return put(pattern, start, end, self.strings[pattern[start:end]])

    def all(self, pattern: Pattern) -> set[Pattern]:
        """Everything that a pattern reduces to, itself included."""
        reduced, waiting = {pattern}, [pattern]
        while waiting and len(reduced) < MOST:
            self.work.spend(REDUCTION)
            one = waiting.pop()
            for place in self.places(one):
                less = self.put(one, *place)
                if less not in reduced and less != (THING,):
                    reduced.add(less)
                    waiting.append(less)
        return reduced

    def one(self, pattern: Pattern) -> Pattern:
        """What is left if the longest string is reduced first."""
        while places := list(self.places(pattern)):
            pattern = self.put(pattern, *max(places, key=lambda p: (p[1] - p[0], -p[0])))
        return pattern

    def explained(self, weights: Mapping[Pattern, int], roots: Collection[Pattern]) -> int:
        """The weight of the patterns that reduce to roots."""
        return sum(n for pattern, n in weights.items() if not self.all(pattern).isdisjoint(roots))


def find_roots(
    patterns: Patterns, strings: Mapping[Pattern, str], work: Work | None = None
) -> tuple[Reducer, list[Pattern]]:
    """The fewest patterns that questions reduce to, and the strings that are needed for it.

    Questions with lists are left aside.

    Raises:
        TooCostlyError: if the work that is left is not enough.
    """
    weights = {pattern: len(patterns.occurrences[pattern]) for pattern in patterns.plain()}
    total = sum(weights.values())
    reducer = Reducer(dict(strings), work or Work())
    roots = _cover(weights, reducer, total)
    explained = reducer.explained(weights, roots)
    # The shorter a string, the more others rest on it.
    for string in sorted(strings, key=lambda s: (-len(s), s)):
        rest = {one: name for one, name in reducer.strings.items() if one != string}
        fewer = Reducer(rest, reducer.work)
        less = fewer.explained(weights, roots)
        if explained - less < RARE * total:
            reducer, explained = fewer, less
    return reducer, roots


def _cover(weights: Mapping[Pattern, int], reducer: Reducer, total: int) -> list[Pattern]:
    """Greedy set cover: each time the pattern that most questions are left to reduce to."""
    covered: dict[Pattern, set[Pattern]] = defaultdict(set)
    for pattern in weights:
        for less in reducer.all(pattern):
            covered[less].add(pattern)
    candidates = {p for p in covered if not any(reducer.places(p))}
    left, roots = set(weights), []
    while left and candidates:
        gains = {p: sum(weights[one] for one in covered[p] & left) for p in candidates}
        best = max(sorted(candidates), key=lambda p: (gains[p], -len(p)))
        if gains[best] < ROOT * total:
            break
        if len(covered[best] & left) >= KINDS:
            roots.append(best)
            left -= covered[best]
        candidates.remove(best)
    return roots
