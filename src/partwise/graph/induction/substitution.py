"""What may stand in the place of a noun phrase.

A string is one if, wherever it stands, an attested question is left when `THING` is put in its
place, and the gold graph agrees: one of its variables cuts what the string mentions off from all
else, so that the string can stand for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from partwise.graph.induction.patterns import (
    THING,
    Pattern,
    Patterns,
    places_of,
    put,
    stretches,
    where,
)
from partwise.interface.budget import Work

FEWEST = 3
"""In so many contexts a string must be replaceable."""
SHARE = 0.35
"""Share of a string's contexts in which it must be replaceable."""
ROUNDS = 4
"""So often what was accepted may widen the contexts."""
AGREED = 0.8
"""Share of questions whose graphs must agree."""
ASKED = 12
"""Uses whose graphs are asked."""
USE = 10_000
"""How many joins of a chart of spans take as long as looking at a use."""
SUPPORT = 2
"""So many strings of a word class must be seen outside of noun phrases, to be a category."""


Context = tuple[Pattern, Pattern]
"""What stands before a string, and after it."""


class Use(NamedTuple):
    """A string in a pattern, its start and end, and the pattern with a symbol in its place."""

    pattern: Pattern
    start: int
    end: int
    left: Pattern

    @property
    def context(self) -> Context:
        return self.pattern[: self.start], self.pattern[self.end :]

    @property
    def string(self) -> Pattern:
        return self.pattern[self.start : self.end]

    def overlaps(self, strings: Collection[Pattern]) -> bool:
        """Whether one of some strings stands beside this one, or across its borders."""
        return any(
            not (self.start <= start and end <= self.end)
            and not (start <= self.start and self.end <= end)
            for start, end in where(self.pattern, strings)
        )

    def within(self, strings: Collection[Pattern]) -> bool:
        """Whether this string is a part of another."""
        return any(
            start <= self.start and self.end <= end and (start, end) != (self.start, self.end)
            for start, end in where(self.pattern, strings)
        )


Agrees = Callable[[Use], "bool | None"]
"""Whether the graphs of a use agree that its string stands for a node; None if they cannot tell."""


def substitutes(patterns: Patterns, agrees: Agrees, work: Work) -> dict[Pattern, int]:
    """Strings that may stand in the place of a thing, with the number of contexts that say so.

    What is accepted widens the contexts in which a thing is known to stand, and so finds more:
    "was M0 M1" is no question, but "was M0 M1 's director" is. From the second round on, the
    surest strings come first, and what was accepted before explains its own uses.

    Args:
        agrees: what the graphs say.

    Raises:
        TooCostlyError: if the work that is left is not enough.
    """
    every: dict[Pattern, list[Use]] = defaultdict(list)
    for use in _uses(patterns.plain()):
        every[use.string].append(use)
    attested = patterns.occurrences
    contexts = {use.context for some in every.values() for use in some if use.left in attested}
    uses = {string: some for string, some in every.items() if len(some) >= FEWEST}
    accepted: dict[Pattern, int] = {}
    for _ in range(ROUNDS):
        before, accepted = accepted, {}
        explained: set[Pattern] = set()
        for string in sorted(uses, key=lambda s: (-before.get(s, 0), s)):
            work.spend(USE * len(uses[string]))
            good = _replaceable(uses[string], contexts, explained, before)
            if good and _agreed([use for use in good if use.left in attested], agrees):
                accepted[string] = len(good)
                explained |= {string} if before else set()
        contexts |= {use.context for string in accepted for use in uses[string]}
        if set(before) == set(accepted):
            break
    return accepted


def _uses(patterns: Iterable[Pattern]) -> Iterator[Use]:
    for pattern in patterns:
        for start, end in stretches(pattern):
            if end - start < len(pattern) and pattern[start:end] != (THING,):
                yield Use(pattern, start, end, put(pattern, start, end, THING))


def _replaceable(
    uses: Iterable[Use],
    contexts: Collection[Context],
    explained: Collection[Pattern],
    before: Collection[Pattern],
) -> list[Use]:
    """The uses of a string where the symbol is known to stand; none where these are too few."""
    mine = [use for use in uses if not use.overlaps(explained)]
    good = [use for use in mine if use.context in contexts]
    if len(good) < FEWEST:
        return []
    bad = sum(
        use.context not in contexts
        and not use.within(before)
        and not any(where(use.left, explained))
        for use in mine
    )
    return good if len(good) >= SHARE * (len(good) + bad) else []


def _agreed(uses: Iterable[Use], agrees: Agrees) -> bool:
    """Whether graphs agree; those of the shortest questions say most."""
    shortest = sorted(uses, key=lambda u: (len(u.pattern), u.pattern))[:ASKED]
    votes = [vote for use in shortest if (vote := agrees(use)) is not None]
    return bool(votes) and sum(votes) >= AGREED * len(votes)


def smallest(strings: Mapping[Pattern, int]) -> list[Pattern]:
    """The strings that are not made of others by putting one in the place of a thing."""

    def made(string: Pattern) -> bool:
        return any(
            put(string, start, end, THING) in strings
            for start, end in where(string, strings)
            if end - start < len(string)
        )

    return [string for string in strings if not made(string)]


def nested(things: Sequence[Pattern], patterns: Patterns) -> dict[str, list[Pattern]]:
    """The strings of word classes that are categories of their own inside noun phrases.

    Where "a film" is a phrase, so is "a film that M0 directed"; and "which film that M0 directed"
    is found where "which film" is. So what stands after "a" is a category.
    """
    plain = set(patterns.plain())
    categories: dict[str, list[Pattern]] = {}
    for name in sorted(patterns.classes):
        strings: dict[Pattern, set[Pattern]] = defaultdict(set)
        for thing in things:
            for start, end in places_of((name,), thing):
                before, after = thing[:start], thing[end:]
                for other in things:
                    string = other[start : len(other) - len(after)]
                    same = other == (*before, *string, *after)
                    if same and len(string) > 1 and THING in string:
                        strings[string].add(before)
        if sum(_stands(s, name, before, plain) for s, before in strings.items()) >= SUPPORT:
            categories[name] = sorted(strings)
    return categories


def _stands(string: Pattern, name: str, inside: set[Pattern], plain: set[Pattern]) -> bool:
    """Whether a string stands where its class could, after other words than in noun phrases."""
    return any(
        put(pattern, *place, name) in plain
        and not any(one and pattern[: place[0]][-len(one) :] == one for one in inside)
        for pattern in plain
        for place in places_of(string, pattern)
    )


def made_of(
    string: Pattern, name: str, strings: Sequence[Pattern], things: Collection[Pattern]
) -> bool:
    """Whether a string is another one with a string of a category in the place of its class."""
    return any(put(string, *place, name) in things for place in where(string, strings))
