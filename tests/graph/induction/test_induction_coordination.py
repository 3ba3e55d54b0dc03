"""Lists in patterns, and what is coordinated in them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from garden import pattern, patterns
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.induction.coordination import (
    FEWEST,
    QUESTION,
    Conjuncts,
    find_conjuncts,
    merged,
    segmentations,
)
from partwise.graph.induction.patterns import THING, Pattern
from partwise.graph.induction.reduction import Reducer


def seen(text: str) -> list[str]:
    """Each way to see a list as ``before [unit | unit] after``."""
    found = []
    for before, units, after in segmentations(pattern(text)):
        inside = " | ".join(" ".join(unit) for unit in units)
        found.append(" ".join([*before, f"[{inside}]", *after]))
    return found


def test_three_units_or_the_last_two() -> None:
    assert sorted(seen("A , B , and C")) == ["A , [B | C]", "[A | B | C]"]
    # The last comma may be missing.
    assert sorted(seen("A , B and C")) == ["A , [B | C]", "[A | B | C]"]
    assert seen("A , and B") == ["[A | B]"]


def lists_from(whole: Pattern) -> Iterator[tuple[list[Pattern], int]]:
    """The lists that a pattern begins with, and their lengths: a unit, and what may follow it."""
    size = next((at for at, name in enumerate(whole) if name in (",", "and")), len(whole))
    unit, rest = whole[:size], whole[size:]
    joint = 2 if rest[:2] == (",", "and") else 1
    if unit and rest[joint - 1 : joint] == ("and",):
        last = rest[joint:]
        for end in itertools.takewhile(lambda at: last[at] not in (",", "and"), range(len(last))):
            yield [unit, last[: end + 1]], size + joint + end + 1
    if unit and rest[:1] == (",",):
        for more, length in lists_from(rest[1:]):
            yield [unit, *more], size + 1 + length


def brute(whole: Pattern) -> Counter[tuple[Pattern, tuple[Pattern, ...], Pattern]]:
    """The lists that begin at each place of a pattern."""
    return Counter(
        (whole[:start], tuple(units), whole[start + length :])
        for start in range(len(whole))
        for units, length in lists_from(whole[start:])
    )


joined = st.lists(st.sampled_from(["A", "B", "C", ",", "and"]), max_size=11).map(tuple)


@settings(max_examples=300)
@given(joined)
def test_all_ways_to_see_a_list(whole: Pattern) -> None:
    found = Counter((before, tuple(units), after) for before, units, after in segmentations(whole))
    assert found == brute(whole)


def units(*texts: str) -> Conjuncts:
    return Conjuncts(tuple(pattern(text) for text in texts), frozenset())


@pytest.mark.parametrize(
    ("text", "less"),
    [
        ("did Thing verb Thing and verb Thing", "did Thing verb Thing"),
        # Strings that go together; the first takes their place.
        ("who past Thing and was role", "who past Thing"),
        ("who was role and past Thing", "who was role"),
        # Strings of two lists do not.
        ("who past Thing and verb Thing", "who past Thing and verb Thing"),
        ("who past Thing and x", "who past Thing and x"),
        # One list after the other.
        (
            "who past Thing and was role that past Thing and past Thing",
            "who past Thing that past Thing",
        ),
        ("did Thing verb Thing", "did Thing verb Thing"),
    ],
)
def test_a_unit_in_the_place_of_each_list(text: str, less: str) -> None:
    known = [units("verb Thing"), units("past Thing", "was role")]
    assert merged(pattern(text), known) == pattern(less)
    assert merged(pattern(text), []) == pattern(text)


ROOTS = [pattern(text) for text in ("did Thing verb Thing", "who past Thing", "who was Thing")]
STRINGS = {
    pattern("a noun"): THING,
    pattern("Thing 's role"): THING,
    pattern("noun that past Thing"): "noun",
    pattern("noun that Thing past"): "noun",
}
PHRASES = ("Thing", "a noun", "Thing 's role", "a noun 's role", "Thing 's role 's role")
MORE = (*PHRASES, "a noun 's role 's role")


def found(*texts: str) -> list[Conjuncts]:
    return find_conjuncts(patterns(*texts), Reducer(STRINGS), ROOTS)


def test_nothing_is_coordinated_where_there_are_no_lists() -> None:
    assert found() == []
    assert found("who past Thing", "did Thing verb Thing") == []


def test_strings_that_make_questions_alone_are_coordinated() -> None:
    texts = [f"who past {phrase} and past Thing" for phrase in PHRASES]
    assert len(texts) == FEWEST
    assert found(*texts) == [
        Conjuncts((pattern("past Thing"),), frozenset({(QUESTION, ("who",), ())})),
    ]
    assert found(*texts[1:]) == []
    # "who verb Thing" is no question, and of "who x Thing" nothing is known.
    assert found(*(text.replace("and past", "and verb") for text in texts)) == []


def test_strings_that_go_together_are_one_group() -> None:
    pasts = [f"who past {phrase} and past Thing" for phrase in PHRASES]
    mixed = [f"who past {phrase} , was Thing , and past Thing" for phrase in MORE]
    verbs = [f"did Thing verb {phrase} and verb Thing" for phrase in PHRASES]
    together = Conjuncts(
        (pattern("past Thing"), pattern("was Thing")), frozenset({(QUESTION, ("who",), ())})
    )
    apart = Conjuncts((pattern("verb Thing"),), frozenset({(QUESTION, ("did", "Thing"), ())}))
    by_size = sorted(found(*pasts, *mixed, *verbs), key=lambda group: -len(group.strings))
    assert by_size == [together, apart]
    # Seen together too seldom, they do not.
    assert [group.strings for group in found(*pasts, *mixed[2:])] == [(pattern("past Thing"),)]


def test_of_several_lists_the_shortest_is_taken() -> None:
    """If "past M0" were a question, "who past M0" might be coordinated with it."""
    texts = [f"who past {phrase} and past Thing" for phrase in PHRASES]
    roots = [*ROOTS, pattern("past Thing")]
    (group,) = find_conjuncts(patterns(*texts), Reducer(STRINGS), roots)
    assert group.strings == (pattern("past Thing"),)


def test_coordinated_entities_are_no_list_of_phrases() -> None:
    assert found(*(f"who past {phrase} and Thing" for phrase in PHRASES)) == []


WHOLE = (
    "who past {}",
    "who was {}",
    "did {} verb Thing",
    "did Thing verb {}",
    "who past {} 's role",
)


def test_lists_in_the_strings_of_a_category() -> None:
    texts = [text.format("a noun that past Thing and Thing past") for text in WHOLE]
    units = (pattern("Thing past"), pattern("past Thing"))
    assert found(*texts) == [Conjuncts(units, frozenset({("noun", ("noun", "that"), ())}))]
    assert found(*texts[1:]) == []
    # Where the rest is no question, the list is none either.
    assert found(*(f"x {text}" for text in texts)) == []
