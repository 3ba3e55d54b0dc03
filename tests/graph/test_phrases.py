"""Phrase rules as read; the chart finds the trees that brute force finds, in polynomial time."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from phrase_brute import Brute, TooMany, coordinates_nothing, may_be_empty, names, written
from processes import run_python

from cases import cases
from partwise.domains.films.domain import PHRASES
from partwise.errors import DomainError
from partwise.graph.grammar.phrases import (
    ConstituencyChart,
    Constituent,
    read_grammar,
)
from partwise.graph.grammar.tokens import Tagger
from partwise_papers.domains.wikidata.domain import WIKIDATA


def test_blanks_do_not_matter() -> None:
    (one,) = read_grammar(["S: (a|b c)& d?e"]).rules
    (other,) = read_grammar(["  S :  ( a |  b c ) & d ? e "]).rules
    assert (one.category, one.moves, one.final) == (other.category, other.moves, other.final)


@cases("lines, message")
def test_lines_that_are_no_rules(lines: list[str], message: str) -> None:
    with pytest.raises(DomainError, match=re.escape(message)):
        read_grammar(lines)


def test_nested_coordinations_are_bounded() -> None:
    """Each makes three parts of one, so that a short line could fill the memory."""
    deep = "Question: " + "(" * 40 + "go" + ")&" * 40
    with pytest.raises(DomainError, match=r"phrase rule 1, .*more than 2,000 parts"):
        read_grammar([deep])
    assert read_grammar(["Question: " + "(" * 4 + "go" + ")&" * 4]).rules


CATEGORIES = ("S", "A", "B")
WORDS = ("a", "b")

leaves = st.tuples(st.just("word"), st.sampled_from((*CATEGORIES, *WORDS)))


def larger(parts: st.SearchStrategy) -> st.SearchStrategy:
    several = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        st.tuples(st.just("row"), several),
        st.tuples(st.just("or"), several),
        st.tuples(st.sampled_from("?*+&"), parts),
        st.tuples(st.sampled_from(["&", "&&"]), parts),
    )


sides = st.recursive(leaves, larger, max_leaves=4).filter(
    lambda part: not may_be_empty(part) and not coordinates_nothing(part)
)


@st.composite
def grammars(draw: st.DrawFn) -> list:
    """Rules that make and use all of up to three categories; unit rules in circles too."""
    count = draw(st.integers(1, 3))
    rules = [(CATEGORIES[n], draw(sides)) for n in range(count)]
    rules += [(CATEGORIES[draw(st.integers(0, count - 1))], draw(sides)) for _ in range(count)]
    made = {category for category, _ in rules}
    used = {name for _, part in rules for name in names(part) if name.isupper()}
    assume(used <= made)
    rules += [("S", ("word", name)) for name in sorted(made - used - {"S"})]
    return rules


tokens = st.lists(
    st.sampled_from([frozenset(some) for some in ("a", "b", "ab", (",",), ("and",))]),
    min_size=1,
    max_size=6,
)


def chart_of(rules: list, tags: list[frozenset[str]]) -> ConstituencyChart:
    lines = [f"{category}: {written(part)}" for category, part in rules]
    return ConstituencyChart(read_grammar(lines), tags)


def size(tree: Constituent) -> int:
    return len(tree.constituents())


@settings(max_examples=150)
@given(grammars(), tokens, st.integers(1, 6))
def test_trees_are_those_of_brute_force(rules: list, tags: list, limit: int) -> None:
    try:
        wanted = Brute(rules, tags).trees()
    except TooMany:
        assume(False)
    chart = chart_of(rules, tags)
    found = chart.trees(100_000)
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert [size(tree) for tree in found] == sorted(map(size, wanted))
    few = chart.trees(limit)
    assert set(few) <= wanted
    assert len(set(few)) == len(few) == min(limit, len(wanted))
    assert [size(tree) for tree in few] == sorted(map(size, wanted))[:limit]


def tags_of(text: str) -> list[frozenset[str]]:
    return [frozenset({word}) for word in text.split()]


def trees(lines: list[str], text: str, limit: int = 1000) -> list[Constituent]:
    return ConstituencyChart(read_grammar(lines), tags_of(text)).trees(limit)


@cases("side, good, bad")
def test_marks(side: str, good: list[str], bad: list[str]) -> None:
    for text in good:
        assert len(trees([f"S: {side}"], text)) == 1, text
    for text in bad:
        assert not trees([f"S: {side}"], text), text


def test_no_words_and_no_rules_that_fit() -> None:
    assert not trees(["S: a"], "")
    assert not trees(["S: a"], "b")


def steps(chart: ConstituencyChart) -> int:
    return sum(len(made) for made in chart.steps.values())


def test_work_grows_with_the_cube_at_most() -> None:
    grammar = read_grammar(["S: X", "X: a | X X"])
    counts = [steps(ConstituencyChart(grammar, tags_of("a " * n))) for n in (10, 20, 40)]
    assert counts[1] <= 8 * counts[0]
    assert counts[2] <= 8 * counts[1]


def test_repeated_ambiguous_parts_do_not_blow_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are 2 ** 59 ways to cut 60 words; each item is asked once all the same."""
    grammar = read_grammar(["S: A+", "A: a+"])
    chart = ConstituencyChart(grammar, tags_of("a " * 60))
    calls = 0
    asked = ConstituencyChart._parts

    def counted(*args: object) -> object:
        nonlocal calls
        calls += 1
        assert calls <= 3 * steps(chart)
        return asked(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ConstituencyChart, "_parts", counted)
    found = chart.trees(5)
    assert [size(tree) for tree in found] == [2, 3, 3, 3, 3]


def test_long_questions_are_parsed() -> None:
    grammar = read_grammar(PHRASES)
    listed = " , ".join(f"M{n}" for n in range(90)) + " , and M90"
    owners = "M0 " + "'s director " * 60
    nested = "a film that was edited by " * 33 + "M0"
    for thing in (listed, owners, nested):
        tokens = Tagger(WIKIDATA)(f"did {thing} influence M0 's editor")
        assert len(tokens) > 120
        chart = ConstituencyChart(grammar, tokens.classes)
        assert steps(chart) <= 3 * len(tokens) ** 2
        (best,) = chart.trees(1)
        assert (best.start, best.end) == (0, len(tokens))


ORDER = """
from partwise.graph.grammar.phrases import ConstituencyChart
from partwise.graph.grammar.phrases import read_grammar
lines = [f"S: {name}" for name in "ABCDEF"] + [f"{name}: {name.lower()}" for name in "ABCDEF"]
chart = ConstituencyChart(read_grammar(lines), [frozenset("abcdef")])
print("".join(tree.constituents()[0].category for tree in chart.trees(3)))
"""


def test_equally_good_trees_come_in_one_order_in_all_processes() -> None:
    assert len({run_python(ORDER, seed) for seed in (0, 1)}) == 1
