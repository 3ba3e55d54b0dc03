"""Programs in English."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.execution.relational.random_programs import databases, programs

from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.restating import ORDINALS, literal, period, restate
from partwise.errors import DomainError
from partwise.execution.relational import writing
from partwise.execution.relational.program import (
    Arithmetic,
    Compare,
    DatePart,
    Field,
    Function,
    Grouping,
    Listing,
    Program,
    Rows,
    Sign,
    Value,
    parts,
    problems,
)
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table
from partwise.execution.relational.writing import canonical

FILE = Path(__file__).with_name("restatements.tsv")
EXAMPLES = int(os.environ.get("PARTWISE_PROGRAMS", "100"))
BY, IN = Link("Track", "AlbumId", "Album"), Link("Album", "ArtistId", "Artist")
REP, BOSS = Link("Customer", "RepId", "Employee"), Link("Employee", "ReportsTo", "Employee")
SOLD = Link("Sale", "CustomerId", "Customer")
KINDS: dict[str, dict[str, Kind]] = {
    "Artist": {"ArtistId": "id", "Name": "text"},
    "Album": {"AlbumId": "id", "Title": "text", "ArtistId": "id"},
    "Track": {"TrackId": "id", "Name": "text", "AlbumId": "id", "Length": "number"},
    "Employee": {"EmployeeId": "id", "LastName": "text", "ReportsTo": "id"},
    "Customer": {"CustomerId": "id", "LastName": "text", "Country": "text", "RepId": "id"},
    "Sale": {"SaleId": "id", "CustomerId": "id", "Day": "date", "Price": "number"},
}
LABELS = {"LastName": "last name", "ReportsTo": "reports to", "RepId": "support rep"}
UNITS = {"Length": "ms", "Price": "usd"}
DISPLAY = {"Artist": ("Name",), "Album": ("Title",), "Customer": ("LastName",)}


def walk(node: Any) -> Iterator[Any]:
    """A node, and all that it is made of."""
    yield node
    for part in parts(node):
        yield from walk(part)


def layer_of(schema: Schema, **more: Any) -> SemanticLayer:
    tables = tuple(
        TableInfo(
            table.name,
            table.name.lower(),
            tuple(
                ColumnInfo(one.name, LABELS.get(one.name, one.name.lower()), one.kind,
                           unit=UNITS.get(one.name))
                for one in table.columns
            ),
            display=DISPLAY.get(table.name, ()),
        )
        for table in schema.tables
    )  # fmt: skip
    return SemanticLayer("shop", schema, tables, **more)


SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(*one) for one in columns.items()), f"{name}Id")
        for name, columns in KINDS.items()
    ),
    (BY, IN, REP, BOSS, SOLD),
)
PRICE = Field((), "Price")
LAYER = layer_of(
    SCHEMA,
    measures=(
        Measure("revenue", "revenue", "Sale", "sum", PRICE, unit="usd"),
        Measure("gifts", "gifts", "Sale", "count", where=Compare(PRICE, "=", Value(0))),
    ),
)


CASES = [one.split("\t") for one in FILE.read_text("utf-8").splitlines() if one[0] != "#"]


@pytest.mark.parametrize(("text", "said"), CASES)
def test_restatements(text: str, said: str) -> None:
    program = writing.read(text, SCHEMA)
    assert not list(problems(program, SCHEMA))
    assert restate(program, LAYER) == said


def test_periods() -> None:
    first = date(2024, 1, 1)
    assert period(first, date(2025, 1, 1)) == "in 2024"
    assert period(date(2024, 12, 1), date(2025, 1, 1)) == "in December 2024"
    assert period(first, date(2024, 1, 2)) == "on 1 January 2024"
    assert period(first, date(2024, 1, 3)) is None


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_all_of_a_program_is_said(data: st.DataObject) -> None:
    database = data.draw(databases())
    program = data.draw(programs(database))
    text = restate(program, layer_of(database.schema))
    for node in walk(program):
        match node:
            case Rows(table):
                assert table in text.lower()
            case Field(path, column):
                assert column in text
                assert not path or path[-1].target in text.lower()
            case Value(date()):
                assert literal(node) in text or str(node.value.year) in text
            case Value():
                assert literal(node).lower() in text.lower()
            case Listing(limit=int() as limit) | Grouping(limit=int() as limit):
                only = node.only and limit > 1
                place = f"the {ORDINALS[limit - 1]} one"
                assert (place if only else f"the first {'one' if limit == 1 else limit}") in text


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_programs_that_differ_are_said_differently(data: st.DataObject) -> None:
    database = data.draw(databases())
    layer = layer_of(database.schema)
    program = data.draw(programs(database))
    others = [one for one in changed(program) if not list(problems(one, database.schema))]
    some = [program, *others, *(data.draw(programs(database)) for _ in range(5))]
    said: dict[str, Program] = {}
    for one in some:
        text, form = restate(one, layer), canonical(one, database.schema)
        assert said.setdefault(text, form) == form, text


CHOICES: dict[str, tuple[Any, ...]] = {
    "sign": (*get_args(Sign), "+", "-", "*", "/"),
    "function": get_args(Function),
    "at": ("anywhere", "start", "end"),
    "limit": (None, 1, 2),
    "path": ((),),
}


def changed(node: Any) -> Iterator[Any]:
    """The same with one part changed, or with one left out."""
    if isinstance(node, tuple):
        for at, part in enumerate(node):
            yield from ((*node[:at], one, *node[at + 1 :]) for one in changed(part))
            yield node[:at] + node[at + 1 :]
        return
    if not is_dataclass(node) or isinstance(node, Link):
        return
    for field in fields(node):
        was = getattr(node, field.name)
        new = list(changed(was)) if not isinstance(node, Value) else list(other_values(was))
        new += [one for one in CHOICES.get(field.name, ()) if fits(node, field.name, was, one)]
        new += [not was] if isinstance(was, bool) and not isinstance(node, Value) else []
        new += ["year", "month"] if isinstance(node, DatePart) and field.name == "part" else []
        new += [None] if field.default is None and was is not None else []
        for one in new:
            try:
                yield replace(node, **{field.name: one})  # type: ignore[type-var]
            except (DomainError, TypeError, IndexError):
                continue


def fits(node: Any, field: str, was: Any, one: Any) -> bool:
    arithmetic = isinstance(node, Arithmetic)
    if field == "sign" and arithmetic != (one in ("+", "-", "*", "/")):
        return False
    if field == "function" and node.of is None:
        return False
    return bool(one != was)


def other_values(was: Any) -> Iterator[Any]:
    if isinstance(was, bool):
        yield not was
    elif isinstance(was, str):
        yield f"{was}z"
    elif isinstance(was, date):
        yield was + timedelta(days=366)
    else:
        yield was + 1
