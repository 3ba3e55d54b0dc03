"""Confusions of constants and joins, and the plot of accuracy against latency."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from partwise.chart.semantics import MeaningNode
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.evaluation.metrics import mistakes, score
from partwise.interface.data import Example, Span
from partwise.interface.prediction import Prediction
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise.span.annotation import tree_of
from partwise.span.config import SpanParserConfig
from partwise.span.decoding import Parts, SpanDerivation, parts
from partwise.span.parser import SpanParser
from partwise_papers.plots.confusion import ABSENT, joins, pairs, read_confusions, tables
from partwise_papers.plots.cost import Cost, plot_costs

# Wrong questions written out, read back, and counted.


DOMAIN = Geography()
QUESTION = "major city in the largest state"
GOLD = "answer(major(city(loc_2(largest(state(all))))))"


def of(text: str) -> Parts:
    found = parts(DOMAIN, parse_program(text))
    assert found is not None
    return found


def write(file: Path, *guesses: str | None, spans: tuple[Span, ...] | None = None) -> Path:
    programs: list[Term | None] = [None if g is None else parse_program(g) for g in guesses]
    examples = [Example(QUESTION, parse_program(GOLD), f"x:{i}") for i in range(len(guesses))]
    metrics = score(DOMAIN, examples, programs)
    words, types = tokenize(QUESTION), TypeAlgebra(DOMAIN)
    derivation = None
    if spans is not None:
        tree = tree_of(spans, DOMAIN, QUESTION.split())
        # The tree alone is looked at; these parts need not compose.
        derivation = SpanDerivation(cast(MeaningNode, None), words, tree=tree)
    said = [Prediction(QUESTION, meaning=one, derivation=derivation) for one in programs]
    parser = SpanParser(DOMAIN, SpanParserConfig(), types=types)
    file.write_text(mistakes(parser, examples, said, metrics))
    return file


def test_parts_are_constants_with_those_that_take_them() -> None:
    assert of(GOLD) == [("major", -1), ("city", 0), ("loc_2", 1), ("largest", 2), ("state", 3)]
    assert of("answer(stateid('ohio'))") == [("stateid('ohio')", -1)]
    assert parts(DOMAIN, parse_program("answer(planet(all))")) is None


def test_constants_go_together_by_their_place() -> None:
    guess = "answer(shortest(city(loc_2(largest(state(all))))))"
    assert pairs(of(GOLD), of(guess)) == [("major", "shortest")]
    assert pairs(of(GOLD), of("answer(city(loc_2(largest(state(all)))))")) == [("major", ABSENT)]
    both = of("answer(shortest(city(loc_2(smallest(state(all))))))")
    assert pairs(of(GOLD), both) == [("major", "shortest"), ("largest", "smallest")]
    assert pairs(of(GOLD), of(GOLD)) == []


def test_constants_go_together_by_their_words_first() -> None:
    gold: Parts = [("a", -1), ("b", 0)]
    guess: Parts = [("x", -1), ("y", 0)]
    words: list[Span] = [(0, 1, "a"), (1, 2, "b"), (0, 2, "join")]
    crossed: list[Span] = [(0, 1, "y"), (1, 2, "x"), (0, 2, "join")]
    assert pairs(gold, guess) == [("a", "x"), ("b", "y")]
    assert pairs(gold, guess, words, crossed) == [("a", "y"), ("b", "x")]


NAMED = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=6).map(
    lambda drawn: [(name, above % (i + 1) - 1) for i, (name, above) in enumerate(drawn)]
)


@given(NAMED, NAMED)
def test_each_constant_is_told_of_once(gold: Parts, guess: Parts) -> None:
    left, right = Counter(n for n, _ in gold), Counter(n for n, _ in guess)
    found = pairs(gold, guess)
    assert Counter(one for one, _ in found if one != ABSENT) == left - right
    assert Counter(two for _, two in found if two != ABSENT) == right - left


def test_joins_of_right_constants_only() -> None:
    turned = of("answer(largest(city(loc_2(major(state(all))))))")
    lost, made = joins(of(GOLD), turned)
    assert lost == {("major", "city"): 1, ("loc_2", "largest"): 1, ("largest", "state"): 1}
    assert made == {("largest", "city"): 1, ("loc_2", "major"): 1, ("major", "state"): 1}
    other = of("answer(shortest(city(loc_2(largest(state(all))))))")
    assert joins(of(GOLD), other) == (Counter(), Counter())


SPANS: tuple[Span, ...] = (
    *((0, 6, "join"), (0, 2, "join"), (0, 1, "major"), (1, 2, "city"), (2, 6, "join")),
    *((2, 4, "join"), (2, 3, "loc_2"), (4, 6, "join"), (4, 5, "largest"), (5, 6, "state")),
)


def test_counts_of_a_file(tmp_path: Path) -> None:
    wrong = "answer(major(city(loc_2(smallest(state(all))))))"
    same_answer = "answer(major(major(city(loc_2(largest(state(all)))))))"
    file = write(tmp_path / "wrong.jsonl", wrong, None, GOLD, same_answer, "answer(planet(all))")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["right_answer"] for line in lines] == [False, False, False, True]
    assert lines[0]["words"] == QUESTION.split()
    assert lines[0]["program_parts"][1] == ["city", 0]
    found = read_confusions(file)
    assert (found.n, found.unread) == (3, 2)
    assert found.constants == {("largest", "smallest"): 1}
    assert read_confusions(file, inexact=True).constants[ABSENT, "major"] == 1
    (grid,) = tables(found)
    assert "3 wrong questions, 2 of them" in grid.title
    assert grid.rows == (("largest", "smallest", "1"),)


def test_words_that_were_composed_and_should_not_be(tmp_path: Path) -> None:
    wrong = "answer(major(city(loc_2(smallest(state(all))))))"
    file = write(tmp_path / "wrong.jsonl", wrong, wrong, spans=SPANS)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    gold = [list(s) for s in SPANS if s[:2] not in ((0, 2), (2, 6))] + [[1, 6, "join"]]
    file.write_text("".join(json.dumps({**line, "tree": gold}) + "\n" for line in lines))
    found = read_confusions(file)
    assert found.spans == {"major city": 2, "in the largest state": 2}
    assert tables(found)[-1].rows == (("in the largest state", "2"), ("major city", "2"))


@cases("line")
def test_lines_of_another_kind_are_named(tmp_path: Path, line: Any) -> None:
    file = write(tmp_path / "wrong.jsonl", "answer(city(all))")
    good = json.loads(file.read_text())
    bad = json.dumps({**good, **line}) if isinstance(line, dict) else line
    file.write_text(f"{json.dumps(good)}\n\n{bad}\n")
    with pytest.raises(DataError, match=r"wrong\.jsonl:3: not a line of a file that"):
        read_confusions(file)
    with pytest.raises(DataError, match="no such file"):
        read_confusions(tmp_path / "none.jsonl")


# Systems in the plot of costs can be told apart.


def test_each_system_is_named_and_has_a_look_of_its_own() -> None:
    pytest.importorskip("matplotlib")
    names = [f"system-{number}" for number in range(12)]
    costs = [Cost(name, "denotation", 0.5, 1.0 + n, 0.1) for n, name in enumerate(names)]
    figure = plot_costs(costs)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == names
    points = [bars.lines[0] for bars in figure.axes[0].containers]
    assert len({(point.get_color(), point.get_marker()) for point in points}) == len(names)
