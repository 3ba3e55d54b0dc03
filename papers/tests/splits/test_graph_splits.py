"""Splits of examples with query graphs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mcd_helpers import small_pool

from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.query.graph import QueryGraph, Triple
from partwise_papers.datasets.graph_splits import (
    KINDS,
    GraphKind,
    graph_split,
    inner_split,
    mcd_parts,
    query_template,
    question_length,
    rule_graphs,
)
from partwise_papers.splits.mcd import mcd_split
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


def test_a_template_has_one_entity_and_its_variables_in_order() -> None:
    assert query_template(query("p", "M4", "?x3")) == query("p", "M", "?x0")
    two = QueryGraph("ask", frozenset({Triple("M1", "p", "?x1"), Triple("?x1", "q", "M0")}))
    other = QueryGraph("ask", frozenset({Triple("M0", "p", "?x0"), Triple("?x0", "q", "M2")}))
    assert query_template(two) == query_template(other)
    assert query_template(two) != query_template(query("p", "M1", "?x1"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_for_a_seed(kind: GraphKind) -> None:
    one, other = (graph_split(EXAMPLES, kind, dev=40, test=60, seed=5) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("kind", ["random", "length", "template"])
def test_the_parts_are_disjoint_and_complete(kind: GraphKind) -> None:
    parts = graph_split(EXAMPLES, kind, dev=40, test=60, seed=1)
    assert whole(*parts)
    assert len(parts[1]) == 40
    assert 30 <= len(parts[2]) <= 60


def test_length() -> None:
    train, dev, test = graph_split(EXAMPLES, "length", dev=40, test=60)
    assert len(test) == 60
    assert max(map(question_length, train + dev)) <= min(map(question_length, test))


def test_template() -> None:
    train, dev, test = graph_split(EXAMPLES, "template", dev=40, test=60)
    known = {query_template(e.meaning) for e in train + dev}
    assert known.isdisjoint(query_template(e.meaning) for e in test)


def test_mcd() -> None:
    train, dev, test = graph_split(EXAMPLES, "mcd", dev=20, test=20)
    assert len(train) == pytest.approx(160, abs=1)
    assert len(dev + test) == pytest.approx(40, abs=1)
    shapes = {normal_form(graph) for graph in rule_graphs(train)}
    assert shapes.isdisjoint(map(normal_form, rule_graphs(dev + test)))


@pytest.mark.parametrize("kind", KINDS)
def test_inner_split(kind: GraphKind) -> None:
    inner, held = inner_split(EXAMPLES, kind, share=0.25, seed=2)
    assert whole(inner, held)
    assert 60 <= len(held) <= 101
    if kind == "length":
        assert max(map(question_length, inner)) <= min(map(question_length, held))


def test_an_inner_mcd_split_takes_settings() -> None:
    inner, held = inner_split(EXAMPLES, "mcd", share=0.25, unused=0.5, restarts=1)
    assert len(inner) == pytest.approx(150, abs=1)
    assert len(held) == pytest.approx(50, abs=1)


def test_impossible_demands_are_errors() -> None:
    odd = replace(EXAMPLES[0], rules=None)
    with pytest.raises(DataError, match=r"made:0: '0 ' has no rule graph"):
        graph_split([*EXAMPLES, odd], "mcd", dev=1, test=1)
    with pytest.raises(DataError, match="there are random, length, template, mcd"):
        graph_split(EXAMPLES, "odd", dev=1, test=1)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="choose smaller sizes"):
        graph_split(EXAMPLES, "random", dev=200, test=200)
    with pytest.raises(DataError, match="choose sizes above 0"):
        graph_split(EXAMPLES, "mcd", dev=-1, test=3)
    with pytest.raises(DataError, match="takes no unused"):
        inner_split(EXAMPLES, "random", unused=0.5)
    split = mcd_split(rule_graphs(EXAMPLES), test=20, restarts=1, max_atom_divergence=0.1)
    with pytest.raises(DataError, match="the split is of 400 examples, not of 399"):
        mcd_parts(EXAMPLES[1:], split)
