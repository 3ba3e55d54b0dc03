"""Questions as patterns: lists as one symbol, classes told by neighbours, modifiers left out."""

from __future__ import annotations

import pytest
from garden import CLASSES, GARDEN, listed, pattern, read, tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.induction.patterns import THING, Occurrence, read_patterns

KNOWN = (
    "did M0 plant M1",
    "did M0 plant a tree",
    "did a tree plant M0",
    "who planted M0",
    "who planted a tree",
)
"""Questions with no ambiguous words."""


def test_no_questions() -> None:
    found = read_patterns([], CLASSES)
    assert found.occurrences == {}
    assert found.modifiers == {}
    assert found.plain() == []
    assert found.classes == frozenset(CLASSES)


def test_questions_of_no_words_and_of_one() -> None:
    found = read("", "who", "M0", "tree")
    assert found.occurrences == {
        ("who",): [Occurrence(1, ((0, 1),))],
        (THING,): [Occurrence(2, ((0, 1),))],
        ("noun",): [Occurrence(3, ((0, 1),))],
    }


def test_what_is_coordinated_is_one_symbol() -> None:
    found = read("did M0 , M1 , and M2 plant and water M3", "did M4 plant M5")
    assert found.occurrences == {
        pattern("did Thing verb Thing"): [
            Occurrence(0, ((0, 1), (1, 7), (7, 10), (10, 11))),
            Occurrence(1, ((0, 1), (1, 2), (2, 3), (3, 4))),
        ]
    }
    assert found.coordinated >= {"verb"}
    assert not found.coordinated & {"past", "role", "noun", "adjective", "did"}


def test_lists_of_phrases_stay() -> None:
    found = read("who planted M0 and watered M1", "who planted M0")
    assert list(found.occurrences) == [
        pattern("who past Thing and past Thing"),
        ("who", "past", THING),
    ]
    assert found.plain() == [("who", "past", THING)]
    assert read("who planted M0 , M1").plain() == []


@pytest.mark.parametrize(
    ("question", "aside"),
    [
        ("did M0 guard and water M1", True),
        ("did M0 water and guard M1", True),
        ("did M0 water , plant , and guard M1", True),
        # What is alike in all its classes may be a list of either.
        ("did M0 guard and fence M1", False),
        ("did M0 guard M1 and M2", False),
    ],
)
def test_questions_with_a_list_of_ambiguous_words_are_left_aside(
    question: str, aside: bool
) -> None:
    found = read(*KNOWN, question)
    numbers = {occurrence.number for some in found.occurrences.values() for occurrence in some}
    assert numbers == set(range(len(KNOWN) + (not aside)))


def last(*questions: str) -> str:
    """The pattern of the last question."""
    found = read(*questions).occurrences
    number = len(questions) - 1
    (name,) = (p for p, some in found.items() if any(one.number == number for one in some))
    return " ".join(name)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("did M2 guard M3", "did Thing verb Thing"),
        ("did M2 plant a guard", "did Thing verb a noun"),
        ("did a guard plant M2", "did a noun verb Thing"),
        ("did a guard guard a guard", "did a noun verb a noun"),
        ("did a fence fence M3", "did a noun verb Thing"),
    ],
)
def test_neighbours_tell_the_class_of_an_ambiguous_word(question: str, expected: str) -> None:
    assert last(*KNOWN, question) == expected


def test_the_widest_neighbourhood_that_was_seen_tells_the_class() -> None:
    nouns = ["was M0 a tree", "did M0 plant a tree", "who planted a rose"]
    assert last(*nouns, "was M0 's a gardener") == "was Thing 's a noun"
    # After "'s a" a role was seen once; after "a", nouns more often.
    assert last(*nouns, "was M0 's a owner", "was M0 's a gardener") == "was Thing 's a role"
    assert last(*nouns, "was M0 's a owner", "was M0 a gardener") == "was Thing a noun"
    # What follows tells as well.
    follows = ["x tree y", "x owner z"]
    assert last(*follows, "x gardener z") == "x role z"
    assert last(*follows, "x gardener y") == "x noun y"
    # Where nothing is known, the first by name.
    assert last("gardener") == "noun"


PLAIN = ["was M0 a {}tree", "was M0 a {}rose that planted M1", "did a {}tree plant M0"]


def filled(word: str) -> list[str]:
    return [text.format(word) for text in PLAIN]


def test_modifiers_are_left_out() -> None:
    found = read(*filled(""), *filled("old "))
    assert found.modifiers == {("adjective", "a", "noun"): False}
    assert set(found.occurrences) == {
        pattern("was Thing a noun"),
        pattern("was Thing a noun that past Thing"),
        pattern("did a noun verb Thing"),
    }
    one, other = found.occurrences[pattern("did a noun verb Thing")]
    assert one == Occurrence(2, ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5)))
    # The adjective is no symbol of its own.
    assert other == Occurrence(5, ((0, 1), (1, 2), (3, 4), (4, 5), (5, 6)))


def test_several_modifiers_may_stand_together_where_some_did() -> None:
    found = read(*filled(""), *filled("old "), *filled("old red "))
    assert found.modifiers == {("adjective", "a", "noun"): True}
    assert sum(map(len, found.occurrences.values())) == 9
    assert len(found.occurrences) == 3


def test_modifiers_are_left_out_of_lists_too() -> None:
    found = read(*filled(""), *filled("old "), "who planted a old tree and watered M1")
    assert pattern("who past a noun and past Thing") in found.occurrences


def test_what_is_left_out_of_two_patterns_stays() -> None:
    found = read(*filled("")[:2], *filled("old "))
    assert found.modifiers == {}
    assert pattern("did a adjective noun verb Thing") in found.occurrences


OWNERS = ["was M0 's {}owner", "was M0 's {}owner that planted M1", "did M0 's {}owner plant M1"]


def test_what_is_left_out_of_a_small_share_of_patterns_stays() -> None:
    owners = [text.format(word) for text in OWNERS for word in ("", "old ")]
    both = {("adjective", "a", "noun"): False, ("adjective", "'s", "role"): False}
    assert read(*filled(""), *filled("old "), *owners).modifiers == both
    more = [f"was M0 's old owner {word}" for word in ("u", "v", "w", "x", "y")]
    found = read(*filled(""), *filled("old "), *owners, *more)
    assert found.modifiers == {("adjective", "a", "noun"): False}
    assert pattern("was Thing 's adjective role") in found.occurrences


def test_a_class_that_questions_mostly_need_is_no_modifier() -> None:
    needed = [f"was M0 old {word}" for word in ("u", "v", "w", "x")]
    assert read(*filled(""), *filled("old "), *needed[:2]).modifiers != {}
    assert read(*filled(""), *filled("old "), *needed).modifiers == {}


def test_a_modifier_stays_between_other_symbols() -> None:
    found = read(*filled(""), *filled("old "), "was M0 old", "was M0 's old owner")
    assert found.modifiers == {("adjective", "a", "noun"): False}
    assert pattern("was Thing adjective") in found.occurrences
    assert pattern("was Thing 's adjective role") in found.occurrences


def test_function_words_are_no_modifiers() -> None:
    assert read(*filled(""), *filled("very ")).modifiers == {}


nouns = st.lists(st.sampled_from(["old", "red"]), max_size=2).map(
    lambda some: " ".join(["a", *some, "tree"])
)
entities = st.integers(1, 3).map(lambda size: listed([f"M{number}" for number in range(size)]))
things = st.one_of(entities, nouns, st.just("a guard"), entities.map(lambda e: f"{e} 's gardener"))
verbs = st.sampled_from(["plant", "guard", "plant and water", "guard and water", "fence , guard"])
asked = st.one_of(
    st.tuples(things, verbs, things).map(lambda t: f"did {t[0]} {t[1]} {t[2]}"),
    st.tuples(things, things).map(lambda t: f"was {t[0]} {t[1]}"),
    things.map(lambda t: f"who planted {t}"),
    st.text("abc ", max_size=4),
)


@settings(max_examples=60)
@given(st.lists(asked, max_size=12))
def test_a_pattern_says_what_its_questions_say(questions: list[str]) -> None:
    """Each question has one pattern, whose symbols are classes of what they stand for."""
    read_ones = [tokens(question) for question in questions]
    found = read_patterns(read_ones, CLASSES)
    numbers = [one.number for some in found.occurrences.values() for one in some]
    assert len(set(numbers)) == len(numbers)
    aside = {at for at, q in enumerate(questions) if not q.strip() or "guard and water" in q}
    # "fence , guard M0" is no list, since no "and" ends it.
    assert set(numbers) == set(range(len(questions))) - aside
    for names, some in found.occurrences.items():
        for one in some:
            line = read_ones[one.number]
            assert len(one.spans) == len(names)
            borders = [border for span in one.spans for border in span]
            assert borders == sorted(borders)
            for name, (start, end) in zip(names, one.spans, strict=True):
                assert start < end
                kind = "entity" if name == THING else name
                assert kind in line.classes[start]
                assert kind in line.classes[end - 1]
            # What no symbol stands for was left out.
            covered = {at for start, end in one.spans for at in range(start, end)}
            left_out = set(range(len(line))) - covered
            assert all(line.classes[at] & GARDEN.words.keys() for at in left_out)
            assert bool(left_out) <= bool(found.modifiers)
