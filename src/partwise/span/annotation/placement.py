"""All ways to put the constants of a program on phrases of a question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise

from partwise.errors import PartwiseError
from partwise.interface.data import Span
from partwise.span.annotation.lexicon import Lexicon, Words

Placement = tuple[Span, ...]
"""The words of each constant of a program, from left to right."""

Place = tuple[int, int]

MAX_PLACEMENTS = 20_000
TOO_MANY = f"more than {MAX_PLACEMENTS} ways to place its constants"


class AnnotationError(PartwiseError):
    """A question whose words do not say which tree its program has; says why."""


def places(words: Sequence[str], phrases: Iterable[Words]) -> set[Place]:
    """Where phrases stand in a question, as ``(start, end)`` with the end excluded."""
    given = tuple(words)
    return {
        (start, start + len(phrase))
        for phrase in phrases
        for start in range(len(given) - len(phrase) + 1)
        if given[start : start + len(phrase)] == phrase
    }


def maximal(all_places: set[Place]) -> set[Place]:
    """The places that lie in no other."""
    return {
        (start, end)
        for start, end in all_places
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in all_places)
    }


def placements(
    words: Sequence[str], counts: Mapping[str, int], lexicon: Lexicon, *, whole: bool
) -> list[Placement]:
    """All placements of so many constants of each category, the most plausible ones first.

    Args:
        whole: leave out places that lie within another of the same category ("population" in
            "population density").

    Raises:
        AnnotationError: if there are more than `MAX_PLACEMENTS`.
    """
    choices: list[list[Placement]] = []
    for category, count in counts.items():
        here = places(words, lexicon[category])
        spans = [(*place, category) for place in sorted(maximal(here) if whole else here)]
        if math.comb(len(spans), count) > MAX_PLACEMENTS:
            raise AnnotationError(TOO_MANY)
        choices.append([pick for pick in combinations(spans, count) if _apart(pick)])
    chosen: list[Placement] = [()]
    tries = 0
    # Few choices first, so that clashes show early.
    for options in sorted(choices, key=len):
        tries += len(chosen) * len(options)
        if tries > MAX_PLACEMENTS:
            raise AnnotationError(TOO_MANY)
        joined = (tuple(sorted(one + more)) for one in chosen for more in options)
        chosen = [placement for placement in joined if _apart(placement)]
    return sorted(chosen, key=lambda placement: (rank(placement), placement))


def rank(placement: Placement) -> tuple[int, int, int]:
    """How plausible a placement is, less being more.

    Minus the words that it covers, the words between its constants that have no meaning, and the
    number of runs of such words: constants cover long phrases, and stand together.
    """
    gaps = [two[0] - one[1] for one, two in pairwise(placement)]
    covered = sum(end - start for start, end, _ in placement)
    return -covered, sum(gaps), sum(gap > 0 for gap in gaps)


def _apart(ordered: Placement) -> bool:
    return all(one[1] <= two[0] for one, two in pairwise(ordered))
