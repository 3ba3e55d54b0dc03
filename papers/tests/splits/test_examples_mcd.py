"""MCD splits of examples."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcd_helpers import small_pool

from partwise.domains.films.domain import FILMS
from partwise.errors import DataError
from partwise.evaluation.splits import inner_split
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph, Triple
from partwise_papers.films.generate import generate
from partwise_papers.splits.examples import mcd, mcd_parts, rule_graphs
from partwise_papers.splits.mcd import McdSettings, mcd_split
from partwise_papers.splits.rule_units import normal_form


def query(predicate: str, entity: str, variable: str) -> QueryGraph:
    return QueryGraph("ask", frozenset({Triple(entity, predicate, variable)}))


EXAMPLES = [
    Example(
        f"{number} " + "word " * (number % 17),
        query(f"p{number % 12}", f"M{number % 3}", f"?x{number % 2}"),
        f"made:{number}",
        rules=rules,
    )
    for number, rules in enumerate(small_pool(400))
]


def whole(*parts: list[Example[QueryGraph]]) -> bool:
    return sorted(e.source for part in parts for e in part) == sorted(e.source for e in EXAMPLES)


def test_mcd() -> None:
    inner, held_out = mcd(EXAMPLES, share=0.25, seed=2)
    assert whole(inner, held_out)
    assert 98 <= len(held_out) <= 102
    shapes = {normal_form(graph) for graph in rule_graphs(inner)}
    assert shapes.isdisjoint(map(normal_form, rule_graphs(held_out)))
    assert (inner, held_out) == inner_split(EXAMPLES, "mcd", share=0.25, seed=2)


def test_mcd_takes_settings() -> None:
    inner, held_out = mcd(EXAMPLES, share=0.25, unused=0.5, restarts=1)
    assert len(inner) == pytest.approx(150, abs=1)
    assert len(held_out) == pytest.approx(50, abs=1)


def test_rules_come_from_the_phrases_of_a_domain() -> None:
    questions = generate(200, 3)
    bare = [replace(example, rules=None) for example in questions]
    inner, held_out = mcd(bare, FILMS, restarts=1, max_atom_divergence=0.5)
    assert {e.source for e in inner + held_out} == {e.source for e in bare}
    assert all(example.rules is not None for example in inner + held_out)


def test_impossible_demands_are_errors() -> None:
    odd = replace(EXAMPLES[0], rules=None)
    with pytest.raises(DataError, match=r"made:0: '0 ' has no rule graph"):
        mcd([*EXAMPLES, odd])
    split = mcd_split(
        rule_graphs(EXAMPLES), McdSettings(test=20, restarts=1, max_atom_divergence=0.1)
    )
    with pytest.raises(DataError, match="the split is of 400 examples, not of 399"):
        mcd_parts(EXAMPLES[1:], split)
