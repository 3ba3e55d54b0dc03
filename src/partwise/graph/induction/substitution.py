"""What may stand in the place of a symbol: the strings of a category.

A string belongs to a category if, wherever it stands, an attested question is left when the
category's symbol is put in its place. For noun phrases the gold graph must agree: one of its
variables cuts what the string mentions off from all else, so that the string can stand for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from partwise.graph.induction.patterns import Pattern, Patterns, put, stretches, where

LONGEST = 10
"""Symbols of the longest string that is looked at."""
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

Context = tuple[Pattern, Pattern]
"""What stands before a string, and after it."""
Agrees = Callable[["Use"], "bool | None"]
"""Whether the graphs of a use agree that its string stands for a node; None if they cannot tell."""


@dataclass(frozen=True)
class Use:
    """A string in a pattern.

    Attributes:
        start, end: where it stands, the end excluded.
        left: the pattern with the category's symbol in its place.
    """

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


def substitutes(
    symbol: str,
    patterns: Patterns,
    known: Collection[Pattern] = (),
    agrees: Agrees | None = None,
) -> dict[Pattern, int]:
    """Strings that may stand in the place of a symbol, with the number of contexts that say so.

    What is accepted widens the contexts in which the symbol is known to stand, and so finds more:
    "was M0 M1" is no question, but "was M0 M1 's director" is.

    Args:
        known: strings of other categories; uses among which such a string stands are not looked
            at, so that nothing is explained twice.
        agrees: what the graphs say.
    """
    uses: dict[Pattern, list[Use]] = defaultdict(list)
    contexts: set[Context] = set()
    for use in _uses(patterns.plain(), symbol):
        uses[use.string].append(use)
        if use.left in patterns.occurrences:
            contexts.add(use.context)
    judge = _Judge(patterns, set(known), agrees)
    accepted: dict[Pattern, int] = {}
    for _ in range(ROUNDS):
        order = sorted(accepted, key=lambda s: (-accepted[s], s))
        order += sorted(set(uses) - set(order))
        before, accepted = accepted, judge.round(uses, order, accepted, contexts)
        contexts |= {use.context for string in accepted for use in uses[string]}
        if set(before) == set(accepted):
            break
    return accepted


@dataclass
class _Judge:
    patterns: Patterns
    known: set[Pattern]
    agrees: Agrees | None

    def round(
        self,
        uses: Mapping[Pattern, list[Use]],
        strings: Iterable[Pattern],
        tentative: Mapping[Pattern, int],
        contexts: Collection[Context],
    ) -> dict[Pattern, int]:
        """Go through strings, the surest first; what was accepted before explains its own uses."""
        accepted: dict[Pattern, int] = {}
        for string in strings:
            if len(uses[string]) < FEWEST:
                continue
            before: set[Pattern] = self.known | (set(accepted) if tentative else set())
            mine = [use for use in uses[string] if not _overlaps(use, before)]
            good = [use for use in mine if use.context in contexts]
            if len(good) < FEWEST:
                continue
            bad = [
                use
                for use in mine
                if use.context not in contexts
                and not _within_larger(use, tentative)
                and not any(_known(use.left, before))
            ]
            if len(good) >= SHARE * (len(good) + len(bad)) and self._agree(good):
                accepted[string] = len(good)
        return accepted

    def _agree(self, uses: Sequence[Use]) -> bool:
        """Whether graphs agree; those of the shortest questions say most."""
        if self.agrees is None:
            return True
        able = [use for use in uses if use.left in self.patterns.occurrences]
        shortest = sorted(able, key=lambda u: (len(u.pattern), u.pattern))[:ASKED]
        votes = [vote for use in shortest if (vote := self.agrees(use)) is not None]
        return bool(votes) and sum(votes) >= AGREED * len(votes)


def _uses(patterns: Iterable[Pattern], symbol: str) -> Iterator[Use]:
    for pattern in patterns:
        for start, end in stretches(len(pattern), LONGEST):
            if end - start < len(pattern) and pattern[start:end] != (symbol,):
                yield Use(pattern, start, end, put(pattern, start, end, symbol))


def _overlaps(use: Use, known: Collection[Pattern]) -> bool:
    """Whether a known string stands beside the string of a use, or across its borders."""
    return any(
        not (use.start <= start and end <= use.end) and not (start <= use.start and use.end <= end)
        for start, end in _known(use.pattern, known)
    )


def _within_larger(use: Use, known: Collection[Pattern]) -> bool:
    return any(
        start <= use.start and use.end <= end and (start, end) != (use.start, use.end)
        for start, end in _known(use.pattern, known)
    )


def _known(pattern: Pattern, known: Collection[Pattern]) -> Iterator[tuple[int, int]]:
    return where(pattern, known, LONGEST)


def smallest(strings: Mapping[Pattern, int], symbol: str) -> list[Pattern]:
    """The strings that are not made of others by putting one in the place of the symbol."""

    def made(string: Pattern) -> bool:
        return any(
            put(string, start, end, symbol) in strings
            for start, end in _known(string, strings)
            if end - start < len(string)
        )

    return [string for string in strings if not made(string)]
