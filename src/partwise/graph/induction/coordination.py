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
from partwise.graph.induction.patterns import THING, Pattern, Patterns, put
from partwise.graph.induction.reduction import Reducer

QUESTION = "Question"
"""The category of whole questions."""
FEWEST = 5
"""In so many patterns two strings must be seen together."""

Context = tuple[str, Pattern, Pattern]
"""A category, and what stands before and after in one of its strings."""
List = tuple[Pattern, list[Pattern], Pattern]
"""What stands before a list, its conjuncts, and what stands after it."""
Stretch = tuple[int, int]


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
    roots = set(roots)
    seen: Counter[frozenset[Pattern]] = Counter()
    contexts: dict[Pattern, set[Context]] = defaultdict(set)
    for pattern in sorted(p for p in patterns.occurrences if AND in p):
        category, best = _list_of(pattern, reducer, roots)
        if best is not None:
            before, conjuncts, after = best
            seen[frozenset(conjuncts)] += 1
            for one in conjuncts:
                contexts[one].add((category, before, after))
    groups: list[set[Pattern]] = []
    for together, times in sorted(seen.items(), key=lambda item: (-item[1], sorted(item[0]))):
        if times >= FEWEST:
            touched = [group for group in groups if group & together]
            groups = [group for group in groups if not group & together]
            groups.append(set(together).union(*touched))
    return [
        Conjuncts(
            tuple(sorted(group, key=lambda one: (len(one), one))),
            frozenset().union(*(contexts[one] for one in group)),
        )
        for group in groups
    ]


def _list_of(
    pattern: Pattern, reducer: Reducer, roots: Collection[Pattern]
) -> tuple[str, List | None]:
    """The list of a question, and the category in whose string it stands."""
    whole = _shortest(reducer.one(pattern), roots)
    if whole is not None:
        return QUESTION, whole
    joints = [at for at, name in enumerate(pattern) if name in (COMMA, AND)]
    starts, ends = range(joints[0]), range(joints[-1] + 2, len(pattern) + 1)
    names = sorted(set(reducer.strings.values()))
    strings = {n: {s for s, name in reducer.strings.items() if name == n} for n in names}
    for start, end in sorted(itertools.product(starts, ends), key=lambda s: s[1] - s[0]):
        for category in names if end - start < len(pattern) else ():
            inside = _shortest(pattern[start:end], strings[category])
            if inside is not None and reducer.one(put(pattern, start, end, category)) in roots:
                return category, inside
    return QUESTION, None


def _shortest(pattern: Pattern, strings: Collection[Pattern]) -> List | None:
    """A list each of whose conjuncts makes a known string; of several, that of the shortest."""
    able = [
        (sum(map(len, conjuncts)), before, conjuncts, after)
        for before, conjuncts, after in segmentations(pattern)
        # Coordinated entities are one symbol already.
        if (THING,) not in conjuncts
        and all((*before, *one, *after) in strings for one in conjuncts)
    ]
    return min(able)[1:] if able else None


def merged(pattern: Pattern, conjuncts: Collection[Conjuncts]) -> Pattern:
    """A pattern with the first of its conjuncts in the place of each list."""
    kinds = {string: number for number, some in enumerate(conjuncts) for string in some.strings}
    while AND in pattern:
        for before, some, after in segmentations(pattern):
            numbers = {kinds.get(one) for one in some}
            if len(numbers) == 1 and None not in numbers:
                pattern = (*before, *some[0], *after)
                break
        else:
            return pattern
    return pattern


def segmentations(pattern: Pattern) -> Iterator[List]:
    """All ways to see a list in a pattern: what is before it, its conjuncts, and what is after it.

    Conjuncts hold no commas or conjunctions.
    """
    for left, middle, right in _lists(pattern):
        for start in range(*left):
            for end in range(right[0] + 1, right[1] + 1):
                stretches = [(start, left[1]), *middle, (right[0], end)]
                conjuncts = [pattern[a:b] for a, b in stretches]
                if all(conjuncts):
                    yield pattern[:start], conjuncts, pattern[end:]


def _lists(pattern: Pattern) -> Iterator[tuple[Stretch, Sequence[Stretch], Stretch]]:
    """For each list that ends in a conjunction: as far as its first conjunct may reach, the
    conjuncts between, and as far as the last one may reach."""
    joints = [at for at, name in enumerate(pattern) if name in (COMMA, AND)]
    ends = [at for at in joints if pattern[at] == AND]
    for begin, conjunction in itertools.pairwise([-1, *ends]):
        right = conjunction + 1, next((at for at in joints if at > conjunction), len(pattern))
        commas = [at for at in joints if begin < at < conjunction]
        end = conjunction
        if commas and commas[-1] == conjunction - 1:
            end = commas.pop()
        for size in reversed(range(len(commas) + 1)):
            first, *rest = [begin, *commas][len(commas) - size :]
            stops = [*rest, end]
            yield (first + 1, stops[0]), [(a + 1, b) for a, b in itertools.pairwise(stops)], right
