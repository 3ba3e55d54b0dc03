"""Questions as patterns: lists as one symbol, classes told by neighbours, modifiers left out."""

from __future__ import annotations

from garden import CLASSES, GARDEN, listed, pattern, read, tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import cases, rows
from partwise.graph.induction.patterns import THING, Occurrence, read_patterns

KNOWN = tuple(rows(globals(), "KNOWN"))
"""Questions with no ambiguous words."""


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


@cases("question, aside")
def test_questions_with_a_list_of_ambiguous_words_are_left_aside(
    question: str, aside: bool
) -> None:
    found = read(*KNOWN, question)
    numbers = {occurrence.number for some in found.occurrences.values() for occurrence in some}
    assert numbers == set(range(len(KNOWN) + (not aside)))


@cases("questions, last")
def test_neighbours_tell_the_class_of_an_ambiguous_word(questions: list[str], last: str) -> None:
    """The widest neighbourhood that was seen."""
    occurrences = read(*questions).occurrences.items()
    numbers = {" ".join(name): {one.number for one in some} for name, some in occurrences}
    assert len(questions) - 1 in numbers[last]


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


@cases("questions, modifiers, patterns, number")
def test_what_is_a_modifier(
    questions: list[str], modifiers: dict[str, bool], patterns: list[str], number: int | None
) -> None:
    """Classes with their neighbours, patterns that are left, and how many there are."""
    found = read(*questions)
    assert found.modifiers == {pattern(name): many for name, many in modifiers.items()}
    assert {pattern(text) for text in patterns} <= set(found.occurrences)
    if number is not None:
        assert len(found.occurrences) == number
        assert sum(map(len, found.occurrences.values())) == len(questions)


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
