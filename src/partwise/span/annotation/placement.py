"""All ways to put the constants of a program on phrases of a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from partwise.interface.data import Span
from partwise.span.annotation.lexicon import Lexicon, Words

Placement = tuple[Span, ...]
"""The words of each constant of a program, from left to right."""

Place = tuple[int, int]

MAX_PLACEMENTS = 20_000


class TooManyPlacements(Exception):
    """A question with more ways to place the constants than are looked at."""


def places(words: Sequence[str], phrases: Iterable[Words]) -> set[Place]:
    """Where phrases stand in a question, as ``(start, end)`` with the end excluded."""
    given = tuple(words)
    return {
        (start, start + len(phrase))
        for phrase in phrases
        for start in range(len(given) - len(phrase) + 1)
        if given[start : start + len(phrase)] == phrase
    }


def maximal(found: set[Place]) -> set[Place]:
    """The places that lie in no other."""
    return {
        (start, end)
        for start, end in found
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in found)
    }


def wordless(words: Sequence[str], counts: Mapping[str, int], lexicon: Lexicon) -> list[str]:
    """Categories with fewer places than `counts` asks for."""
    return [c for c, count in counts.items() if len(places(words, lexicon[c])) < count]


def placements(
    words: Sequence[str], counts: Mapping[str, int], lexicon: Lexicon, *, whole: bool
) -> list[Placement]:
    """All placements of so many constants of each category, the most plausible ones first.

    Args:
        whole: leave out places that lie within another of the same category ("population" in
            "population density").

    Raises:
        TooManyPlacements: if there are more than `MAX_PLACEMENTS`.
    """
    sets: list[list[Placement]] = []
    for category, count in counts.items():
        found = places(words, lexicon[category])
        kept = sorted(maximal(found) if whole else found)
        sets.append([_labelled(pick, category) for pick in _apart(kept, count)])
    # Few choices first, so that clashes show early.
    every = (tuple(sorted(chosen)) for chosen in _combined(sorted(sets, key=len)))
    return sorted(every, key=lambda placement: (rank(placement), placement))


def rank(placement: Placement) -> tuple[int, int, int]:
    """How plausible a placement is, less being more.

    Minus the words that it covers, the words between its constants that have no meaning, and the
    number of runs of such words: constants cover long phrases, and stand together.
    """
    gaps = [two[0] - one[1] for one, two in pairwise(placement)]
    covered = sum(end - start for start, end, _ in placement)
    return -covered, sum(gaps), sum(gap > 0 for gap in gaps)


def _labelled(pick: Iterable[Place], category: str) -> Placement:
    return tuple((start, end, category) for start, end in pick)


def _apart(found: Sequence[Place], count: int) -> Iterator[tuple[Place, ...]]:
    """Choices of `count` places (sorted) that do not overlap."""
    for seen, pick in enumerate(combinations(found, count)):
        if seen >= MAX_PLACEMENTS:
            raise TooManyPlacements
        if all(one[1] <= two[0] for one, two in pairwise(pick)):
            yield pick


def _combined(sets: Sequence[Sequence[Placement]]) -> Iterator[Placement]:
    """One choice of each set, without overlap."""
    tries = 0
    stack: list[tuple[Placement, frozenset[int], int]] = [((), frozenset(), 0)]
    while stack:
        chosen, used, depth = stack.pop()
        if depth == len(sets):
            yield chosen
            continue
        for option in sets[depth]:
            tries += 1
            if tries > MAX_PLACEMENTS:
                raise TooManyPlacements
            words = {word for start, end, _ in option for word in range(start, end)}
            if used.isdisjoint(words):
                stack.append((chosen + option, used | words, depth + 1))
