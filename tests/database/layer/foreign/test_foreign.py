"""Semantic layers of other tools: what goes into a layer, and what is left out with a reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cases import cases, rows
from partwise.database.layer.entries import readable, singular
from partwise.database.layer.files import read_layer, write_layer
from partwise.database.layer.foreign import apply
from partwise.database.layer.foreign_files import (
    ForeignMetric,
    ForeignSemantics,
    ForeignTable,
    read_foreign,
)
from partwise.database.layer.formulas import read_formula
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.errors import DataError
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


COLUMNS: dict[str, dict[str, Kind]] = dict(rows(globals(), "COLUMNS"))
SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(*one) for one in columns.items()), next(iter(columns)))
        for name, columns in COLUMNS.items()
    ),
    (Link("order_items", "order_id", "orders"),),
)
FORMER = _text("dbt_former.yml")
LATER = _text("dbt_later.yml")
INTERCHANGE = _text("interchange.yml")


def layer() -> SemanticLayer:
    """The shop as it was imported."""
    tables = tuple(
        TableInfo(
            name,
            singular(name),
            tuple(ColumnInfo(one, readable(one), kind) for one, kind in columns.items()),
        )
        for name, columns in COLUMNS.items()
    )
    return SemanticLayer("shop", SCHEMA, tables)


def applied(folder: Path, **files: str) -> tuple[SemanticLayer, str]:
    """The layer with what some files say, and what was left out."""
    for name, text in files.items():
        (folder / f"{name}.yml").write_text(text)
    made, left_out = apply(layer(), read_foreign(folder))
    write_layer(made, folder / "made.yaml", "sqlite:///shop.db")
    assert set(read_layer(folder / "made.yaml").layer.measures) == set(made.measures)
    return made, "\n".join(left_out)


def formula(made: SemanticLayer, name: str, text: str) -> bool:
    """Whether a measure is what a formula says."""
    measure = made.measure(name)
    said = read_formula(text, made.schema, measure.table)
    return tuple(said) == (measure.function, measure.of, measure.where, measure.distinct)


def test_the_former_form_of_dbt(tmp_path: Path) -> None:
    made, left_out = applied(tmp_path, shop=FORMER)
    orders = made.table("orders")
    assert (orders.description, orders.date) == ("One row an order.", "ordered_at")
    status = orders.column("status")
    assert (status.label, status.synonyms, status.description) == (
        "state",
        ("status",),
        "Where it is.",
    )
    assert "placed" in orders.column("ordered_at").names
    assert Link("orders", "customer_id", "customers") in made.schema.links
    assert orders.column("customer_id").kind == "id"
    assert formula(made, "buyers", "count of distinct customer_id")
    assert formula(made, "food", "count where is_food = true")
    assert made.measure("food").label == "food orders"
    where = "status in ('paid', 'sent') and ordered_at >= 2024-01-01"
    assert formula(made, "french", f"sum of 1 where ({where}) and customers.country = 'France'")
    assert [one.name for one in made.measures] == ["food", "french", "buyers"]
    for said in (
        "metric food_share: it is of the type ratio",
        "metric high: there is no function percentile",
        "metric on_stock: it is not added up",
        "metric lost: no semantic model has a measure nothing",
        "column orders.is_big: it is computed",
    ):
        assert said in left_out


def test_the_later_form_of_dbt(tmp_path: Path) -> None:
    made, left_out = applied(tmp_path, shop=LATER)
    items = made.table("order_items")
    assert items.description == "What was ordered."
    quantity = items.column("quantity")
    assert (quantity.label, quantity.description) == ("pieces", "How many pieces.")
    assert formula(made, "revenue", "sum of price * quantity")
    assert formula(made, "big_revenue", "sum of price * quantity where quantity > 10")
    assert "metric growth: it is of the type cumulative" in left_out
    assert "table staging: the database has no table staging" in left_out


def test_both_forms_in_one_project(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "compiled.yml").write_text("a: [")
    made, _ = applied(tmp_path, first=FORMER, second=LATER)
    assert {one.name for one in made.measures} >= {"revenue", "food"}


def test_open_semantic_interchange(tmp_path: Path) -> None:
    made, left_out = applied(tmp_path, shop=INTERCHANGE)
    items = made.table("order_items")
    assert {"line", "position", "order position"} <= set(items.names)
    assert items.description == "A line of an order."
    assert "pieces" in items.column("quantity").names
    assert made.table("orders").date == "ordered_at"
    assert Link("orders", "customer_id", "customers") in made.schema.links
    where = "orders.customers.country = 'France'"
    assert formula(made, "turnover", f"sum of price * quantity where {where}")
    turnover = made.measure("turnover")
    assert (turnover.table, turnover.synonyms) == ("order_items", ("sales", "Takings"))
    assert "relationship both: it is of several columns" in left_out
    assert "metric per_order" in left_out
    assert "column lines.amount: it is computed, by price * quantity" in left_out


@cases("sql, said")
def test_sql_that_a_measure_can_say(sql: str, said: str) -> None:
    made, left_out = apply(layer(), one_metric(sql))
    assert left_out == ()
    assert formula(made, "it", said)


@cases("sql")
def test_other_sql_is_left_out_with_a_reason(sql: str) -> None:
    made, left_out = apply(layer(), one_metric(sql))
    if not made.measures:
        assert left_out[0].startswith("metric it: ")
    else:
        assert "price+price" in sql


def one_metric(sql: str) -> ForeignSemantics:
    """A metric over the order items."""
    foreign = ForeignSemantics(metrics=[ForeignMetric("it", sql, "order_items")])
    foreign.tables += [one for one in tables() if one.name in COLUMNS]
    return foreign


def tables() -> list[ForeignTable]:
    """The tables of the shop, of which nothing is said."""
    return [ForeignTable(name, name) for name in COLUMNS]


def test_a_measure_of_the_tool_takes_the_place_of_one_of_that_name() -> None:
    inferred = Measure("it", "it", "orders", "count")
    made, _ = apply(replace(layer(), measures=(inferred,)), one_metric("SUM(price)"))
    assert [one.function for one in made.measures] == ["sum"]


@pytest.mark.parametrize("text", ["a: 1", "version: 2\nmodels: []"])
def test_files_that_say_nothing_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yml").write_text(text)
    with pytest.raises(DataError, match="says nothing of tables or metrics"):
        read_foreign(tmp_path)
