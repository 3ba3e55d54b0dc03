"""Which strings are coordinated with each other, and where.

In "who directed M0 and was influenced by M1" the parts "directed M0" and "was influenced by M1"
are coordinated, since "who" with either of them is a question that training shows.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from partwise.graph.grammar.rules import AND, COMMA
from partwise.graph.induction.patterns import THING, Pattern, Patterns
from partwise.graph.induction.reduction import Reducer

QUESTION = "Question"
"""The category of whole questions."""
FEWEST = 5
"""In so many patterns two strings must be seen together."""

Context = tuple[str, Pattern, Pattern]
"""A category, and what stands before and after in one of its strings."""
List = tuple[Pattern, list[Pattern], Pattern]
"""What stands before a list, its units, and what stands after it."""


@dataclass(frozen=True)
class Conjuncts:
    """Strings that are coordinated with each other.

    Attributes:
        strings: the shortest first.
        contexts: where lists of them stood.
    """

    strings: tuple[Pattern, ...]
    contexts: frozenset[Context]


def find_conjuncts(
    patterns: Patterns, reducer: Reducer, roots: Collection[Pattern]
) -> list[Conjuncts]:
    """The strings that are coordinated, those that go together as one.

    Lists stand in whole questions, or in the strings of a category.
    """
    finder = _Finder(reducer, set(roots))
    seen: Counter[frozenset[Pattern]] = Counter()
    contexts: dict[Pattern, set[Context]] = defaultdict(set)
    for pattern in sorted(p for p in patterns.occurrences if AND in p):
        found = finder.lists(pattern)
        if found is None:
            continue
        category, (before, units, after) = found
        seen[frozenset(units)] += 1
        for unit in units:
            contexts[unit].add((category, before, after))
    groups: list[set[Pattern]] = []
    for together, times in sorted(seen.items(), key=lambda item: (-item[1], sorted(item[0]))):
        if times >= FEWEST:
            touched = [group for group in groups if group & together]
            groups = [group for group in groups if not group & together]
            groups.append(set(together).union(*touched))
    return [
        Conjuncts(
            tuple(sorted(group, key=lambda unit: (len(unit), unit))),
            frozenset().union(*(contexts[unit] for unit in group)),
        )
        for group in groups
    ]


class _Finder:
    def __init__(self, reducer: Reducer, roots: Collection[Pattern]) -> None:
        self.reducer, self.roots = reducer, roots
        self.known: dict[Pattern, List | None] = {}

    def lists(self, pattern: Pattern) -> tuple[str, List] | None:
        """The list of a question, and the category in whose string it stands."""
        whole = self._in(self.reducer.one(pattern), None)
        if whole is not None:
            return QUESTION, whole
        joints = [at for at, name in enumerate(pattern) if name in (COMMA, AND)]
        stretches = [
            (start, end)
            for start in range(joints[0])
            for end in range(joints[-1] + 2, len(pattern) + 1)
            if end - start < len(pattern)
        ]
        for start, end in sorted(stretches, key=lambda s: s[1] - s[0]):
            for category in sorted(set(self.reducer.strings.values())):
                inside = self._in(pattern[start:end], category)
                if inside is None:
                    continue
                left = (*pattern[:start], category, *pattern[end:])
                if self.reducer.one(left) in self.roots:
                    return category, inside
        return None

    def _in(self, pattern: Pattern, category: str | None) -> List | None:
        """A list each of whose units makes a known string; of several, that of the shortest."""
        found = [
            (sum(map(len, units)), before, units, after)
            for before, units, after in segmentations(pattern)
            # Coordinated entities are one symbol already.
            if (THING,) not in units
            and all(self._is((*before, *unit, *after), category) for unit in units)
        ]
        return min(found)[1:] if found else None

    def _is(self, string: Pattern, category: str | None) -> bool:
        if category is None:
            return string in self.roots
        return self.reducer.strings.get(string) == category


def merged(pattern: Pattern, units: Collection[Conjuncts]) -> Pattern:
    """A pattern with the first of its units in the place of each list."""
    kinds = {string: number for number, some in enumerate(units) for string in some.strings}
    while AND in pattern:
        for before, some, after in segmentations(pattern):
            numbers = {kinds.get(unit) for unit in some}
            if len(numbers) == 1 and None not in numbers:
                pattern = (*before, *some[0], *after)
                break
        else:
            return pattern
    return pattern


def segmentations(pattern: Pattern) -> Iterator[List]:
    """All ways to see a list in a pattern: what is before it, its units, and what is after it.

    Conjuncts hold no commas or conjunctions.
    """
    for left, middle, right in _lists(pattern):
        for start in range(left[0], left[1]):
            for end in range(right[0] + 1, right[1] + 1):
                units = [pattern[start : left[1]], *(pattern[a:b] for a, b in middle)]
                units.append(pattern[right[0] : end])
                if all(units):
                    yield pattern[:start], units, pattern[end:]


Stretch = tuple[int, int]


def _lists(pattern: Pattern) -> Iterator[tuple[Stretch, Sequence[Stretch], Stretch]]:
    """For each list that ends in a conjunction: as far as its first unit may reach, the units
    between, and as far as the last one may reach."""
    joints = [at for at, name in enumerate(pattern) if name in (COMMA, AND)]
    for conjunction in (at for at in joints if pattern[at] == AND):
        after = [at for at in joints if at > conjunction]
        right = conjunction + 1, after[0] if after else len(pattern)
        commas: list[int] = []
        for at in reversed([at for at in joints if at < conjunction]):
            if pattern[at] == AND:
                break
            commas.insert(0, at)
        end = conjunction
        if commas and commas[-1] == conjunction - 1:
            end = commas.pop()
        begin = max((at + 1 for at in joints if at < conjunction and pattern[at] == AND), default=0)
        for size in reversed(range(len(commas) + 1)):
            mine = commas[len(commas) - size :]
            stops = [*mine, end]
            first = commas[-size - 1] + 1 if size < len(commas) else begin
            middle = [(a + 1, b) for a, b in itertools.pairwise(stops)]
            yield (first, stops[0]), middle, right
