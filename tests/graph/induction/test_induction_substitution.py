"""What may stand in the place of a symbol."""

from __future__ import annotations

import pytest
from garden import pattern, patterns
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.induction.patterns import LONGEST, THING, Pattern, Patterns
from partwise.graph.induction.substitution import Agrees, Use, smallest, substitutes
from partwise.interface.budget import Work

FRAMES = ("did {} verb Thing", "was Thing {}", "who past {}")
"""Where an entity stands."""


def framed(*strings: str) -> Patterns:
    return patterns(*(frame.format(string) for string in (THING, *strings) for frame in FRAMES))


def found(some: Patterns, agrees: Agrees = lambda _: True) -> set[str]:
    return {" ".join(string) for string in substitutes(some, agrees, Work())}


def test_no_questions() -> None:
    assert found(patterns()) == set()
    assert found(patterns("who", "Thing")) == set()


def test_what_stands_where_the_symbol_stands() -> None:
    assert substitutes(framed("a noun"), lambda _: True, Work()) == {("a", "noun"): 3}
    # In lists nothing is looked for.
    assert found(patterns(*(f"{frame} and M0" for frame in FRAMES))) == set()


def test_two_contexts_are_too_few() -> None:
    some = patterns(*(frame.format(s) for s in (THING, "a noun") for frame in FRAMES[:2]))
    assert found(some) == set()


def test_a_string_must_be_replaceable_in_most_of_its_contexts() -> None:
    strange = [f"{word} a noun" for word in ("x", "y", "z")]
    framed_ones = [frame.format(s) for s in (THING, "a noun") for frame in FRAMES]
    assert found(patterns(*framed_ones, *strange)) == {"a noun"}
    more = [f"{word} a noun v" for word in "opqrstu"]
    assert found(patterns(*framed_ones, *strange, *more)) == set()


def test_parts_of_larger_strings_need_not_be_replaceable() -> None:
    """In "a noun that past Thing" no thing stands for "a noun"."""
    frames = [*FRAMES, "were {} Thing", "is Thing {}", "what past {}"]
    texts = [f.format(s) for f in frames for s in (THING, "a noun that past Thing")]
    some = patterns(*texts, *(frame.format("a noun") for frame in FRAMES))
    assert found(some) == {"a noun", "a noun that past Thing"}


def test_what_was_found_widens_the_contexts() -> None:
    """Where "a noun" stands, a thing may stand: "v M0" is no question, but "v a noun" is."""
    only_there = [f"{word} Thing 's role" for word in "vwx"] + [FRAMES[0].format("Thing 's role")]
    linked = [f"{word} a noun" for word in "vwx"]
    known = [" ".join(one) for one in framed("a noun").occurrences]
    assert found(patterns(*known, *only_there)) == {"a noun"}
    assert found(patterns(*known, *linked, *only_there)) == {"a noun", "Thing 's role"}


def test_what_one_string_explains_no_other_explains_again() -> None:
    """In "is M0 's role M1" either of "M0 's role" and "'s role M1" may stand for a thing."""
    words = ("was", "were", "is")
    texts = [f"{word} {some}" for word in words for some in ("Thing Thing", "Thing 's role Thing")]
    assert found(patterns(*texts)) == {"'s role Thing"}
    # The second one stands for a thing where the first one cannot.
    assert found(patterns(*texts, *(f"{word} Thing Thing 's role" for word in words))) == {
        "Thing 's role"
    }


def test_strings_that_are_too_long_are_not_looked_at() -> None:
    string = " ".join(["a"] + ["x"] * (LONGEST - 1))
    assert string in found(framed(string))
    assert f"{string} x" not in found(framed(f"{string} x"))


def test_a_string_may_hold_the_symbol_but_is_not_the_symbol() -> None:
    strings = found(framed("Thing 's role", "Thing 's role 's role"))
    assert strings >= {"Thing 's role", "Thing 's role 's role"}
    assert THING not in strings


@pytest.mark.parametrize(
    ("answers", "accepted"),
    [
        ([True, True, True], True),
        ([True, None, None], True),
        ([None, None, None], False),
        ([False, False, False], False),
        ([True, True, False], False),
        ([True, True, False, True, True], True),
    ],
)
def test_graphs_must_agree(answers: list[bool | None], accepted: bool) -> None:
    left = {pattern(f"word{at} Thing"): answer for at, answer in enumerate(answers)}

    def agrees(use: Use) -> bool | None:
        assert use.string == ("a", "noun")
        assert use.context == (use.pattern[:1], ())
        return left[use.left]

    some = patterns(*(f"{word} {s}" for word, *_ in left for s in (THING, "a noun")))
    assert found(some, agrees=agrees) == ({"a noun"} if accepted else set())


def test_graphs_are_asked_of_questions_whose_rest_is_a_question() -> None:
    """The contexts of what was found are not attested with a thing, so graphs cannot tell."""
    some = framed("a noun", "Thing 's role")
    texts = [*map(" ".join, some.occurrences), *(f"{x} a noun" for x in "vwx"), "v Thing 's role"]
    asked: list[Use] = []

    def agrees(use: Use) -> bool:
        asked.append(use)
        return True

    widened = patterns(*texts)
    assert found(widened, agrees=agrees) == {"a noun", "Thing 's role"}
    assert asked
    assert all(use.left in widened.occurrences for use in asked)


def test_smallest() -> None:
    strings = {
        pattern(text): 3
        for text in (
            "a noun",
            "Thing 's role",
            "a noun 's role",
            "a noun that past Thing",
            "a noun that past a noun",
            "a noun that past Thing 's role",
        )
    }
    assert smallest(strings) == [
        pattern("a noun"),
        pattern("Thing 's role"),
        pattern("a noun that past Thing"),
    ]
    assert smallest({}) == []
    # "b c" holds no other string of the category.
    assert smallest({pattern("b c"): 1, pattern("Thing c"): 1}) == [
        pattern("b c"),
        pattern("Thing c"),
    ]


strings_of_few_symbols = st.sets(
    st.lists(st.sampled_from([THING, "a", "b"]), min_size=1, max_size=5)
    .map(tuple)
    .filter(lambda string: string != (THING,)),
    max_size=8,
)


def derivable(rules: set[Pattern], longest: int) -> set[Pattern]:
    """All strings up to a length that replacing the symbol by rules makes, again and again."""
    made: set[Pattern] = {(THING,)}
    waiting = list(made)
    while waiting:
        string = waiting.pop()
        for at, rule in ((at, rule) for at in range(len(string)) for rule in rules):
            more = (*string[:at], *rule, *string[at + 1 :])
            if string[at] == THING and len(more) <= longest and more not in made:
                made.add(more)
                waiting.append(more)
    return made


@settings(max_examples=80)
@given(strings_of_few_symbols)
def test_the_smallest_make_all_others(strings: set[Pattern]) -> None:
    kept = set(smallest(dict.fromkeys(sorted(strings), 1)))
    assert kept <= strings
    assert strings <= derivable(kept, 5)
    # None of them can be made of a string and another one with the symbol in its place.
    for string in kept:
        for start in range(len(string)):
            for end in range(start + 1, len(string) + 1):
                if end - start < len(string) and string[start:end] in strings:
                    assert (*string[:start], THING, *string[end:]) not in strings
