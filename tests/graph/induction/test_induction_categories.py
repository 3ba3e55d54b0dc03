"""Word classes that are categories of their own inside noun phrases."""

from __future__ import annotations

from garden import pattern, patterns

from partwise.graph.induction.substitution import made_of, nested

THINGS = [
    pattern(text)
    for text in ("a noun", "a noun that past Thing", "a noun past by Thing", "Thing 's role")
]
OUTSIDE = (
    "which noun past Thing",
    "which noun that past Thing past Thing",
    "which noun past by Thing past Thing",
)


def test_what_stands_outside_of_noun_phrases_too_is_a_category() -> None:
    assert nested(THINGS, patterns(*OUTSIDE)) == {
        "noun": [pattern("noun past by Thing"), pattern("noun that past Thing")]
    }


def test_nothing_is_a_category_without_questions() -> None:
    assert nested(THINGS, patterns()) == {}
    assert nested([], patterns(*OUTSIDE)) == {}


def test_one_string_is_too_few() -> None:
    assert nested(THINGS, patterns(*OUTSIDE[:2])) == {}
    assert nested(THINGS[:2], patterns(*OUTSIDE)) == {}


def test_the_class_alone_must_stand_there_too() -> None:
    assert nested(THINGS, patterns(*OUTSIDE[1:])) == {}


def test_after_the_words_of_noun_phrases_is_not_outside() -> None:
    inside = [text.replace("which", "was Thing a") for text in OUTSIDE]
    assert nested(THINGS, patterns(*inside)) == {}


def test_questions_with_lists_show_nothing() -> None:
    lists = [f"{text} and Thing" for text in OUTSIDE]
    assert nested(THINGS, patterns(*lists)) == {}


def test_strings_without_things_are_no_phrases_of_a_category() -> None:
    things = [pattern(text) for text in ("a noun", "a noun old", "a noun new")]
    outside = [f"which noun{more} past Thing" for more in ("", " old", " new")]
    assert nested(things, patterns(*outside)) == {}


def test_what_a_string_is_made_of() -> None:
    more = [pattern("noun that past Thing"), pattern("noun past by Thing")]
    assert made_of(pattern("a noun that past Thing"), "noun", more, THINGS)
    assert not made_of(pattern("a noun"), "noun", more, THINGS)
    assert not made_of(pattern("Thing 's role"), "noun", more, THINGS)
    # What is left must be a noun phrase as well.
    assert not made_of(pattern("the noun that past Thing"), "noun", more, THINGS)
    assert not made_of(pattern("a noun that past Thing"), "noun", [], THINGS)
    assert made_of(
        pattern("a noun that past Thing 's role"), "noun", more, [pattern("a noun 's role")]
    )
