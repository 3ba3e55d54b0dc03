"""Which strings are coordinated with each other, and where.

In "who directed M0 and was influenced by M1" the parts "directed M0" and "was influenced by M1"
are coordinated, since "who" with either of them is a question that training shows.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from partwise.graph.grammar.rules import AND, COMMA
from partwise.graph.induction.patterns import THING, Pattern, Patterns, put
from partwise.graph.induction.reduction import Reducer

QUESTION = "Question"
"""The category of whole questions."""
FEWEST = 5
"""In so many patterns two strings must be seen together."""
LISTS = 500
"""How many joins of a chart of spans take as long as cutting a list out of a pattern."""
JOINTS = {COMMA: ",", AND: "&"}
LIST, CONJUNCT = re.compile("x+(,x+)*,?&x+"), re.compile("x+")
"""The shape of lists: symbols, commas, and a conjunction at the end."""

Context = tuple[str, Pattern, Pattern]
"""A category, and what stands before and after in one of its strings."""
List = tuple[Pattern, list[Pattern], Pattern]
"""What stands before a list, its conjuncts, and what stands after it."""


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
    roots, strings = set(roots), defaultdict[str, set[Pattern]](set)
    for string, name in reducer.strings.items():
        strings[name].add(string)
    seen: Counter[frozenset[Pattern]] = Counter()
    contexts: dict[Pattern, set[Context]] = defaultdict(set)
    for pattern in sorted(p for p in patterns.occurrences if AND in p):
        place = _list_of(pattern, reducer, strings, roots)
        if place is not None:
            category, (before, conjuncts, after) = place
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
    pattern: Pattern,
    reducer: Reducer,
    strings: Mapping[str, set[Pattern]],
    roots: Collection[Pattern],
) -> tuple[str, List] | None:
    """The list of a question, and the category in whose string it stands."""
    whole = _shortest(segmentations(reducer.one(pattern)), roots)
    if whole is not None:
        return QUESTION, whole
    lists, size = list(segmentations(pattern)), len(pattern)
    joints = [at for at, name in enumerate(pattern) if name in JOINTS]
    starts, ends = range(joints[0]), range(joints[-1] + 2, size + 1)
    reducer.work.spend(LISTS * len(starts) * len(ends) * (1 + len(lists)))
    for start, end in sorted(itertools.product(starts, ends), key=lambda s: s[1] - s[0]):
        inside = [
            (before[start:], conjuncts, after[: len(after) - size + end])
            for before, conjuncts, after in lists
            if len(before) >= start and len(after) >= size - end
        ]
        for category in sorted(strings) if end - start < size else ():
            shortest = _shortest(inside, strings[category])
            if shortest is not None and reducer.one(put(pattern, start, end, category)) in roots:
                return category, shortest
    return None


def _shortest(lists: Iterable[List], strings: Collection[Pattern]) -> List | None:
    """A list each of whose conjuncts makes a known string; of several, that of the shortest."""
    able = [
        (sum(map(len, conjuncts)), before, conjuncts, after)
        for before, conjuncts, after in lists
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

    The longest lists of the first conjunction come first. Conjuncts hold no commas or
    conjunctions.
    """
    shape = "".join(JOINTS.get(name, "x") for name in pattern)
    lists = []
    for start, end in itertools.combinations(range(len(shape) + 1), 2):
        if LIST.fullmatch(shape, start, end):
            spans = [match.span() for match in CONJUNCT.finditer(shape, start, end)]
            lists.append((shape.index("&", start), -len(spans), start, end, spans))
    for *_, start, end, spans in sorted(lists):
        yield pattern[:start], [pattern[a:b] for a, b in spans], pattern[end:]
