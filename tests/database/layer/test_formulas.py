"""Formulas of measures: what they say, what they refuse, and that they are written as read."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shops import SCHEMA

from cases import cases
from partwise.database.layer.formulas import (
    DEEPEST,  # noqa: F401
    Formula,
    read_formula,
    write_formula,
)
from partwise.errors import DomainError, ProgramSyntaxError
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Compare,
    Condition,
    Contains,
    DatePart,
    Field,
    Figure,
    Missing,
    Not,
    OneOf,
    Or,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Path, Schema, Table

TO_ORDER = Link("Order Line", "OrderId", "Orders")
TO_SELLER = Link("Orders", "SellerId", "Staff")
NAMES = ("year", "of", 'a"b', "sum", "a.b", "Größe", "not", "where")
ODD = Schema(
    (
        Table("of", tuple(Column(name, "number") for name in NAMES), "of"),
        Table("year", (Column("id", "id"), Column("sum", "number")), "id"),
    ),
    (Link("of", "year", "year"), Link("of", "sum", "of"), Link("of", "not", "year")),
)


def test_what_a_formula_says() -> None:
    text = (
        "sum of Quantity * (1 - rebate) where Orders.Status = 'it''s' and Quantity is not missing"
    )
    assert read_formula(text, SCHEMA, "Order Line") == Formula(
        "sum",
        Arithmetic("*", Field((), "Quantity"), Arithmetic("-", Value(1), Field((), "Rebate"))),
        And(
            (
                Compare(Field((TO_ORDER,), "Status"), "=", Value("it's")),
                Not(Missing(Field((), "Quantity"))),
            )
        ),
        False,
    )


def test_a_link_is_named_by_its_column_where_two_lead_to_a_table() -> None:
    field = Field((TO_ORDER, TO_SELLER), "LastName")
    read = read_formula("count of distinct Orders.SellerId.LastName", SCHEMA, "Order Line")
    assert read == Formula("count", field, None, True)
    with pytest.raises(ProgramSyntaxError, match="no single link of Orders is called Staff"):
        read_formula("count of Orders.Staff.LastName", SCHEMA, "Order Line")


def test_the_table_itself_may_be_named() -> None:
    assert read_formula("count of Orders.Placed", SCHEMA, "Orders").of == Field((), "Placed")


@cases("text, why")
def test_a_wrong_formula_is_refused_with_the_place(text: str, why: str) -> None:
    with pytest.raises(ProgramSyntaxError) as caught:
        read_formula(text, SCHEMA, "Order Line")
    assert why in str(caught.value)


def test_what_no_formula_can_say_is_refused() -> None:
    formula = Formula("sum", Figure(Rows("Orders"), Aggregate("count")), None, False)
    with pytest.raises(DomainError, match="keep it in the Python form"):
        write_formula(formula, SCHEMA, "Orders")


def paths(schema: Schema, table: str, longest: int = 2) -> list[Path]:
    """The paths from a table."""
    if longest == 0:
        return [()]
    further = [
        (link, *path)
        for link in schema.leaving(table)
        for path in paths(schema, link.target, longest - 1)
    ]
    return [(), *further]


def fields(schema: Schema, table: str) -> st.SearchStrategy[Field]:
    return st.sampled_from(
        [
            Field(path, column.name)
            for path in paths(schema, table)
            for column in schema.table(schema.end(table, path)).columns
        ]
    )


VALUES = st.builds(
    Value,
    st.one_of(
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
        st.booleans(),
        st.dates(),
        st.datetimes(),
    ),
)
TEXTS = st.text()


@cache
def attributes(schema: Schema, table: str) -> st.SearchStrategy[Attribute]:
    def larger(part: st.SearchStrategy[Attribute]) -> st.SearchStrategy[Attribute]:
        parts = st.sampled_from(["year", "quarter", "month", "day", "weekday"])
        signs = st.sampled_from(["+", "-", "*", "/"])
        return st.builds(DatePart, parts, part) | st.builds(Arithmetic, signs, part, part)

    return st.recursive(fields(schema, table) | VALUES, larger, max_leaves=6)


@cache
def conditions(schema: Schema, table: str) -> st.SearchStrategy[Condition]:
    value = attributes(schema, table)

    def larger(part: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        several = st.lists(part, min_size=2, max_size=3).map(tuple)
        return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, part)

    simple = st.one_of(
        st.builds(Compare, value, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), value),
        st.builds(Between, value, VALUES, VALUES, st.booleans()),
        st.builds(Contains, value, TEXTS, st.sampled_from(["anywhere", "start", "end"])),
        st.builds(Missing, value),
        st.builds(OneOf, value, st.lists(VALUES, min_size=1, max_size=3).map(tuple)),
    )
    return st.recursive(simple, larger, max_leaves=4)


@given(st.data())
def test_a_formula_is_read_as_it_was_written(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from([SCHEMA, ODD]))
    table = data.draw(st.sampled_from(schema.tables)).name
    of = data.draw(attributes(schema, table))
    where = data.draw(st.none() | conditions(schema, table))
    function, distinct = data.draw(
        st.sampled_from([("sum", False), ("median", False), ("count", True), ("count", False)])
    )
    formula = Formula(function, of, where, distinct)
    text = write_formula(formula, schema, table)
    if len(text) < 2000:
        assert read_formula(text, schema, table) == formula
