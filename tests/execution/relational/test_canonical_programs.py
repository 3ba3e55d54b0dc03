"""Programs that differ only in how they are put have one canonical form."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from row_interpreter import Interpreter
from tests.execution.relational.random_programs import databases, programs

from partwise.execution.relational.program import (
    Aggregate,
    And,
    Arithmetic,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    Field,
    Figure,
    Grouping,
    Having,
    Holds,
    Listing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Union,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Schema, Table
from partwise.execution.relational.writing import canonical

SCHEMA = Schema(
    (
        Table("potter", (Column("id", "id"), Column("name", "text")), "id"),
        Table(
            "pot",
            (*(Column("id", "id"), Column("potter", "id")), Column("weight", "number")),
            "id",
        ),
    ),
    (Link("pot", "potter", "potter"),),
)
NAME, WEIGHT, FIRED = Field((), "name"), Field((), "weight"), Field((), "fired")
ADA, BO, CY = (Compare(NAME, "=", Value(one)) for one in ("Ada", "Bo", "Cy"))
POTS, COUNT = Rows("pot"), Aggregate("count")
MADE = Belonging((), Figure(POTS, COUNT))
SPRING = (Value(date(2024, 3, 1)), Value(date(2024, 6, 1)))
TOTAL = Aggregate("sum", WEIGHT)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_canonical_form_has_the_same_rows(data: st.DataObject) -> None:
    database = data.draw(databases())
    program = data.draw(programs(database))
    made = canonical(program, database.schema)
    assert canonical(made, database.schema) == made
    interpreter = Interpreter(database.schema, database.rows)
    if isinstance(program, Union) or (isinstance(program, Listing) and program.distinct):
        assert Counter(interpreter.run(made)) == Counter(interpreter.run(program))
    else:
        assert interpreter.run(made) == interpreter.run(program)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (And((ADA, And((BO, CY)))), And((And((CY, ADA)), BO, ADA))),
        (Not(Not(ADA)), ADA),
        (Not(And((ADA, Not(BO)))), Or((BO, Compare(Value("Ada"), "!=", NAME)))),
        (Or((ADA, Or((BO, CY)))), OneOf(NAME, (Value("Cy"), Value("Bo"), Value("Ada")))),
        (OneOf(NAME, (Value("Ada"),)), ADA),
        (Not(OneOf(NAME, (Value("Ada"), Value("Bo")))), And((Not(BO), Not(ADA)))),
        (
            Between(FIRED, *SPRING, open_=True),
            And((Compare(SPRING[1], ">", FIRED), Not(Compare(FIRED, "<", SPRING[0])))),
        ),
        (Compare(WEIGHT, ">", Value(2.0)), Compare(Value(2), "<", WEIGHT)),
        (Compare(MADE, ">", Value(0)), Related((), POTS)),
        (Compare(MADE, "=", Value(0)), Not(Related((), POTS))),
        (Compare(MADE, ">", Value(2)), Compare(MADE, ">=", Value(3))),
        (Contains(NAME, "Da"), Contains(NAME, "dA")),
        (
            Compare(WEIGHT, "<", Arithmetic("+", WEIGHT, Value(1))),
            Compare(WEIGHT, "<", Arithmetic("+", Value(1), WEIGHT)),
        ),
    ],
)
def test_conditions_that_are_the_same(one: Condition, other: Condition) -> None:
    assert same(Exists(Rows("potter", one)), Exists(Rows("potter", other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Figure(POTS, Aggregate("count", Field((), "id"), distinct=True)), Figure(POTS, COUNT)),
        (Grouping(POTS, (), (TOTAL,)), Figure(POTS, TOTAL)),
        (
            Grouping(POTS, (), (Arithmetic("/", TOTAL, Figure(POTS, COUNT)),)),
            Arithmetic("/", Figure(POTS, TOTAL), Figure(POTS, COUNT)),
        ),
        (Holds(Compare(Figure(POTS, COUNT), ">", Value(0))), Exists(POTS)),
        (
            Grouping(POTS, (WEIGHT,), (COUNT,), (Having(COUNT, ">", Value(1)),), shown=(WEIGHT,)),
            Grouping(POTS, (WEIGHT,), (COUNT,), (Having(COUNT, ">=", Value(2)),), ties=True),
        ),
        (
            Listing(POTS, (WEIGHT,), (Order(WEIGHT), Order(Value(1)), Order(WEIGHT, True))),
            Listing(POTS, (WEIGHT,), (Order(WEIGHT),), ties=True),
        ),
        (
            Union((Listing(POTS, (WEIGHT,)), Grouping(POTS, (WEIGHT,), ()))),
            Union((Grouping(POTS, (WEIGHT,), ()), Listing(POTS, (WEIGHT,), (Order(WEIGHT),)))),
        ),
    ],
)
def test_programs_that_are_the_same(one: Program, other: Program) -> None:
    assert same(one, other)


def test_programs_that_are_not_the_same() -> None:
    first = Listing(POTS, (WEIGHT,), (Order(WEIGHT),), 1)
    assert not same(first, Listing(POTS, (WEIGHT,), (Order(WEIGHT, True),), 1))
    assert not same(first, Listing(POTS, (WEIGHT,), (Order(WEIGHT),), 1, ties=True))
    assert not same(Figure(POTS, TOTAL), Figure(POTS, COUNT))
    minus = Arithmetic("-", WEIGHT, Value(1)), Arithmetic("-", Value(1), WEIGHT)
    assert not same(Listing(POTS, minus[:1]), Listing(POTS, minus[1:]))


def same(one: Program, other: Program) -> bool:
    return canonical(one, SCHEMA) == canonical(other, SCHEMA)
