"""Placements of constants are all that there are, in order."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.span.annotation import (
    AnnotationError,
    Placement,
    maximal,
    placements,
    places,
    rank,
)

WORDS = st.lists(st.sampled_from("abc"), max_size=6)
PHRASE = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
LEXICON = st.fixed_dictionaries({c: st.frozensets(PHRASE, max_size=3) for c in "XYZ"})
COUNTS = st.dictionaries(st.sampled_from("XYZ"), st.integers(1, 2), max_size=3)


def by_hand(
    words: list[str], counts: dict[str, int], lexicon: dict[str, frozenset[tuple[str, ...]]]
) -> set[Placement]:
    """All sets of labelled spans with these counts of labels that do not share a word."""
    spans = [
        (i, k, category)
        for i in range(len(words))
        for k in range(i + 1, len(words) + 1)
        for category in counts
        if tuple(words[i:k]) in lexicon[category]
    ]
    found = set()
    for chosen in itertools.combinations(sorted(spans), sum(counts.values())):
        covered = [word for i, k, _ in chosen for word in range(i, k)]
        if len(covered) == len(set(covered)) and Counter(c for *_, c in chosen) == counts:
            found.add(chosen)
    return found


@given(WORDS, COUNTS, LEXICON)
def test_placements_are_all_that_fit(
    words: list[str], counts: dict[str, int], lexicon: dict[str, frozenset[tuple[str, ...]]]
) -> None:
    found = placements(words, counts, lexicon, whole=False)
    assert len(found) == len(set(found))
    assert set(found) == by_hand(words, counts, lexicon)
    assert [rank(placement) for placement in found] == sorted(map(rank, found))


@given(WORDS, COUNTS, LEXICON)
def test_whole_placements_are_those_on_maximal_places(
    words: list[str], counts: dict[str, int], lexicon: dict[str, frozenset[tuple[str, ...]]]
) -> None:
    kept = {c: maximal(places(words, lexicon[c])) for c in counts}
    expected = {
        placement
        for placement in by_hand(words, counts, lexicon)
        if all((start, end) in kept[category] for start, end, category in placement)
    }
    assert set(placements(words, counts, lexicon, whole=True)) == expected


def test_the_plausible_come_first() -> None:
    words = ["b", "in", "a", "in", "c"]
    lexicon = {"a": frozenset({("a",)}), "b": frozenset({("b",)}), "in": frozenset({("in",)})}
    found = placements(words, {"a": 1, "b": 1, "in": 1}, lexicon, whole=True)
    assert found == [
        ((0, 1, "b"), (1, 2, "in"), (2, 3, "a")),
        ((0, 1, "b"), (2, 3, "a"), (3, 4, "in")),
    ]
    assert [rank(placement) for placement in found] == [(-3, 0, 0), (-3, 1, 1)]


def test_places_and_maximal_places() -> None:
    words = ["population", "density", "of", "people"]
    found = places(words, {("population",), ("population", "density"), ("people",), ("x",)})
    assert found == {(0, 1), (0, 2), (3, 4)}
    assert maximal(found) == {(0, 2), (3, 4)}


@pytest.mark.parametrize("counts", [{"a": 12}, dict.fromkeys("abcdefg", 1)])
def test_too_many_placements_are_not_listed(counts: dict[str, int]) -> None:
    lexicon = dict.fromkeys(counts, frozenset({("x",)}))
    with pytest.raises(AnnotationError, match="more than 20000 ways"):
        placements(["x"] * 24, counts, lexicon, whole=True)
