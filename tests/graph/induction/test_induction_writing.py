"""Strings and units as lines of rules."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from garden import pattern, patterns, tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.grammar.chart import ConstituencyChart
from partwise.graph.grammar.rules import read_grammar
from partwise.graph.grammar.tagging import ENTITY
from partwise.graph.induction.coordination import QUESTION, Conjuncts
from partwise.graph.induction.patterns import THING, Pattern, Patterns
from partwise.graph.induction.reduction import Reducer
from partwise.graph.induction.writing import Writer, productive

ROOTS = ("did Thing verb Thing", "who past Thing", "who was past by Thing")
STRINGS = {"a noun": THING, "Thing 's role": THING}


def writer(
    roots: Sequence[str] = ROOTS,
    strings: dict[str, str] = STRINGS,
    conjuncts: Sequence[Conjuncts] = (),
    some: Patterns | None = None,
) -> Writer:
    found = some or patterns(coordinated="verb entity")
    reducer = Reducer({pattern(text): name for text, name in strings.items()})
    return Writer(found, reducer, [pattern(root) for root in roots], conjuncts)


def units(context: str, *strings: str, category: str = QUESTION) -> Conjuncts:
    """``units("who _", "past Thing")``."""
    before, _, after = context.partition("_")
    contexts = frozenset({(category, pattern(before), pattern(after))})
    return Conjuncts(tuple(pattern(string) for string in strings), contexts)


def read(lines: Sequence[str], question: str) -> bool:
    """Whether a question has a tree by rules."""
    grammar = read_grammar(lines)
    return bool(ConstituencyChart(grammar, tokens(question).classes).trees(1))


def test_no_roots_no_rules() -> None:
    assert writer(roots=()).lines() == ()


def test_roots_and_strings() -> None:
    assert writer().lines() == (
        "Question: did Thing verb& Thing",
        "Question: who past Thing",
        "Question: who was past by Thing",
        "Thing: entity&",
        "Thing: a noun",
        "Thing: Thing 's role",
    )


def test_questions_without_things_have_no_rules_of_things() -> None:
    assert writer(["who past"], {"a noun": THING}).lines() == ("Question: who past",)


def test_modifiers_stand_where_they_were_left_out() -> None:
    some = patterns()
    some.modifiers = {
        ("adjective", "a", "noun"): True,
        ("adjective", "'s", "role"): False,
        ("adjective", "a", "role"): True,
        ("past", "a", "noun"): False,
    }
    assert writer(some=some).lines()[3:] == (
        "Thing: entity&",
        "Thing: a adjective* past? noun",
        "Thing: Thing 's adjective? role",
    )


def test_word_classes_as_categories() -> None:
    strings = {**STRINGS, "noun that past Thing": "noun", "noun past by Thing": "noun"}
    some = patterns(coordinated="role noun past")
    some.modifiers = {("adjective", "a", "noun"): True}
    assert writer(["who past Thing"], strings, some=some).lines() == (
        "Question: who past& Thing",
        "Thing: entity&",
        "Thing: a adjective* Noun",
        "Thing: Thing 's role&",
        "Noun: noun&",
        "Noun: Noun that past& Thing",
        "Noun: Noun past& by Thing",
    )


def test_units_that_hold_categories_have_one_of_their_own() -> None:
    lines = writer(
        conjuncts=[
            units("did Thing _", "verb Thing"),
            units("who _", "past Thing", "was past by Thing"),
        ]
    ).lines()
    assert lines == (
        "Question: did Thing Part0&",
        "Question: who Part1&",
        "Thing: entity&",
        "Thing: a noun",
        "Thing: Thing 's role",
        "Part0: verb& Thing",
        "Part1: past Thing",
        "Part1: was past by Thing",
    )
    assert read(lines, "who planted M0 , was watered by M1 's owner , and watered a tree")
    assert not read(writer().lines(), "who planted M0 and was watered by M1")


def test_units_without_categories_stand_in_brackets() -> None:
    lines = writer(conjuncts=[units("who _ Thing", "past", "was past by")]).lines()
    assert lines[1] == "Question: who (past | was past by)& Thing"
    assert len(lines) == 5
    assert read(lines, "who planted and was watered by M1")
    assert not read(lines, "who planted M0 and was watered by M1")


def test_units_inside_units() -> None:
    lines = writer(
        conjuncts=[
            units("who _", "past Thing", "was past by Thing"),
            units("who was _ Thing", "past by"),
        ]
    ).lines()
    assert lines[1] == "Question: who Part0&"
    assert lines[-2:] == ("Part0: past Thing", "Part0: was (past by)& Thing")
    assert read(lines, "who was planted by and watered by M1 and planted M0")


def test_units_in_the_strings_of_a_category() -> None:
    strings = {"a noun": THING, "noun that past Thing": "noun", "noun that Thing past": "noun"}
    some = units("noun that _", "past Thing", "Thing past", category="noun")
    lines = writer(["who was Thing"], strings, [some]).lines()
    assert "Noun: Noun that Part0&" in lines
    assert read(lines, "who was a tree that watered M0 and M1 planted")


def test_the_longest_units_are_taken() -> None:
    short, long = units("who _ Thing", "past"), units("who _", "past Thing")
    for some in ([short, long], [long, short]):
        lines = writer(["who past Thing"], conjuncts=some).lines()
        assert lines[0] == f"Question: who Part{some.index(long)}&"


def test_units_stand_where_others_of_them_stand() -> None:
    listed = units("did Thing verb Thing and _", "past Thing", "was past by Thing")
    lines = writer(conjuncts=[listed]).lines()
    assert lines[:2] == ("Question: did Thing verb& Thing", "Question: who Part0&")


def test_units_stand_only_where_they_or_others_of_them_did() -> None:
    listed = units("did Thing verb Thing _", "past Thing")
    # Nowhere but at the end of "who" questions does "past Thing" stand.
    assert writer(conjuncts=[listed]).lines() == writer().lines()


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        ([], []),
        (["Question: who Part0&", "Part0: past"], ["Question: who Part0&", "Part0: past"]),
        # Unused.
        (["Question: who past", "Thing: entity&", "Part0: past Thing"], ["Question: who past"]),
        # Used by what is used by nothing.
        (["Question: who", "Part0: Part1 past", "Part1: past"], ["Question: who"]),
        # Without rules, and what rests on that.
        (["Question: who", "Question: who Part0&", "Part0: past Part1"], ["Question: who"]),
        (["Question: who", "Question: (past | Part3)& x"], ["Question: who"]),
        # Said twice.
        (["Question: who", "Question: who", "Question: what"], ["Question: who", "Question: what"]),
    ],
)
def test_rules_that_nothing_uses_are_dropped(rules: list[str], kept: list[str]) -> None:
    assert productive(rules) == tuple(kept)


names = st.sampled_from(["Question", "A", "B", "C", "D"])
parts = st.lists(st.sampled_from(["A", "B", "C", "D&", "x", "(A | y)&"]), min_size=1, max_size=3)
rules = st.lists(st.tuples(names, parts).map(lambda r: f"{r[0]}: {' '.join(r[1])}"), max_size=8)


@settings(max_examples=150)
@given(rules)
def test_whole_rules_can_be_read(lines: list[str]) -> None:
    kept = productive(lines)
    assert kept == productive(kept)
    assert set(kept) <= set(lines)
    assert list(kept) == list(dict.fromkeys(line for line in lines if line in kept))
    closed = [line for line in kept if line.startswith(QUESTION)]
    rest = [line for line in kept if not line.startswith(QUESTION)]
    if closed:
        # Unknown or unused categories would be refused.
        read_grammar([*closed, *rest])
    # What was dropped cannot come back by itself.
    for line in set(lines) - set(kept):
        assert line not in productive([*kept, line])


def derived(roots: Sequence[Pattern], strings: dict[Pattern, str], longest: int) -> set[Pattern]:
    """All strings up to a length that putting strings in the place of their symbols makes."""
    found, waiting = set(roots), list(roots)
    while waiting:
        one = waiting.pop()
        for at, (string, name) in itertools.product(range(len(one)), strings.items()):
            more = (*one[:at], *string, *one[at + 1 :])
            if one[at] == name and len(more) <= longest and more not in found:
                found.add(more)
                waiting.append(more)
    return found


def test_rules_make_what_reducing_takes_apart() -> None:
    """All questions up to a length that the strings make, and none that is but like them."""
    strings = {"a noun": THING, "Thing 's role": THING, "noun that past Thing": "noun"}
    made = writer(strings=strings, some=patterns())
    grammar = read_grammar(made.lines())
    right = derived(made.roots, made.reducer.strings, 11)
    assert len(right) > 50
    turned = {
        (*one[:at], *one[at : at + 2][::-1], *one[at + 2 :]) for one in right for at in range(8)
    }
    assert len(turned - right) > 300
    for one in right | turned:
        tags = [frozenset({ENTITY if name == THING else name}) for name in one]
        assert bool(ConstituencyChart(grammar, tags).trees(1)) == (one in right)


def test_categories_that_come_to_no_words_are_dropped() -> None:
    rules = ["Question: did Thing Part", "Question: was Part", "Thing: Thing 's role", "Part: verb"]
    assert productive(rules) == ("Question: was Part", "Part: verb")
    assert productive(["Question: verb", "Part: Part verb", "Part: verb"]) == ("Question: verb",)
