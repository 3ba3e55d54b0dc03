"""Strings put back to symbols, and the patterns that are left."""

from __future__ import annotations

import pytest
from garden import pattern, patterns
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.induction.patterns import THING, Pattern
from partwise.graph.induction.reduction import KINDS, MOST, Reducer, find_roots


def strings(*texts: str) -> dict[Pattern, str]:
    """``strings("a noun", "noun: noun past Thing")``; of no category named, of `THING`."""
    parted = [text.rpartition(": ") for text in texts]
    return {pattern(text): name or THING for name, _, text in parted}


def test_the_longest_string_is_reduced_first_and_then_the_leftmost() -> None:
    reducer = Reducer(strings("a noun", "noun: noun that past Thing", "Thing 's role"))
    assert reducer.one(pattern("was a noun that past Thing a noun")) == pattern("was Thing Thing")
    assert Reducer(strings("x y", "1: y z")).one(pattern("x y z")) == (THING, "z")
    assert Reducer(strings("x", "1: y z")).one(pattern("x y z")) == (THING, "1")


def test_a_pattern_that_is_all_thing_is_no_question() -> None:
    reducer = Reducer(strings("a noun", "Thing 's role"))
    assert reducer.all(pattern("a noun 's role")) == {
        pattern("a noun 's role"),
        pattern("Thing 's role"),
    }
    assert reducer.one(pattern("a noun 's role")) == (THING,)


def test_not_all_ways_are_looked_at_where_there_are_very_many() -> None:
    reducer = Reducer(strings("x"))
    whole = ("x",) * 12
    found = reducer.all(whole)
    assert MOST <= len(found) < MOST + len(whole)
    assert whole in found


SYMBOLS = (THING, "a", "b", "c")
some_strings = st.dictionaries(
    st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=3).map(tuple),
    st.sampled_from([THING, "a"]),
    max_size=5,
)
some_patterns = st.lists(st.sampled_from(SYMBOLS), max_size=7).map(tuple)


def naive(pattern: Pattern, strings: dict[Pattern, str]) -> set[Pattern]:
    """All that a pattern reduces to: itself, and all that it does after any one step."""
    found = {pattern}
    for start in range(len(pattern)):
        for string, symbol in strings.items():
            if pattern[start : start + len(string)] == string:
                less = (*pattern[:start], symbol, *pattern[start + len(string) :])
                found |= naive(less, strings) if less != (THING,) else set()
    return found


@settings(max_examples=150)
@given(some_patterns, some_strings)
def test_all_ways_to_reduce_are_found(pattern: Pattern, strings: dict[Pattern, str]) -> None:
    expected = naive(pattern, strings)
    assert len(expected) < MOST
    reducer = Reducer(strings)
    assert reducer.all(pattern) == expected
    least = reducer.one(pattern)
    assert least in expected | {(THING,)}
    assert not list(reducer.places(least))


FRAMES = ("did {} verb Thing", "did Thing verb {}", "who past {}")
NOUNS = ("Thing", "a noun", "a noun that past Thing", "Thing 's role")


def test_no_questions() -> None:
    assert find_roots(patterns(), strings("a noun"))[1] == []
    assert find_roots(patterns("who"), {})[1] == []


def test_the_fewest_patterns_that_questions_reduce_to() -> None:
    some = patterns(*(frame.format(noun) for frame in FRAMES for noun in NOUNS))
    reducer, roots = find_roots(some, strings(*NOUNS[1:]))
    assert reducer.strings == strings(*NOUNS[1:])
    # The one that most questions reduce to is the first.
    assert roots == [pattern("did Thing verb Thing"), pattern("who past Thing")]


def test_a_root_stands_for_several_patterns() -> None:
    texts = [FRAMES[0].format(noun) for noun in NOUNS]
    seldom = ["was Thing adjective", "was a noun adjective"]
    _, roots = find_roots(patterns(*texts, *seldom, times=9), strings(*NOUNS[1:]))
    assert roots == [pattern("did Thing verb Thing")]
    assert len(seldom) < KINDS
    seldom.append("was Thing 's role adjective")
    _, roots = find_roots(patterns(*texts, *seldom, times=9), strings(*NOUNS[1:]))
    assert roots == [pattern("did Thing verb Thing"), pattern("was Thing adjective")]


def test_a_root_stands_for_enough_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    some = patterns(*(frame.format(noun) for frame in FRAMES for noun in NOUNS))
    # 4 of the 12 questions begin with "who", and 8 with "did".
    for share, expected in ((0.3, 2), (0.4, 1), (0.7, 0)):
        monkeypatch.setattr("partwise.graph.induction.reduction.ROOT", share)
        assert len(find_roots(some, strings(*NOUNS[1:]))[1]) == expected


def test_strings_that_no_questions_need_are_dropped() -> None:
    some = patterns(*(frame.format(noun) for frame in FRAMES for noun in NOUNS[:3]))
    reducer, _ = find_roots(some, strings(*NOUNS[1:], "a noun that past a noun"))
    assert reducer.strings == strings(*NOUNS[1:3])
    # What others can explain is dropped, the longest first.
    extra = "noun: noun that past Thing"
    reducer, _ = find_roots(some, strings(*NOUNS[1:3], extra))
    assert reducer.strings == strings("a noun", extra)


def test_questions_with_lists_are_left_aside() -> None:
    texts = [frame.format(noun) for frame in FRAMES for noun in NOUNS]
    lists = [f"{text} and {word} Thing" for text in texts for word in ("verb", "past")]
    assert find_roots(patterns(*texts, *lists), strings(*NOUNS[1:])) == find_roots(
        patterns(*texts), strings(*NOUNS[1:])
    )
    assert find_roots(patterns(*lists), strings(*NOUNS[1:]))[1] == []
