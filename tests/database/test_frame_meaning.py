"""What frames stand for: rows of their programs against those of SQL, by construct."""

from __future__ import annotations

from typing import Any

import pytest
from bakery import (
    SCHEMA,
    bakery_layer,
    rows_by_sql,
    rows_of,
    rows_wanted,
)
from row_interpreter import Interpreter

from cases import cases
from partwise.database import phrases
from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.meaning import PRICES, TOLD, Meanings, shape
from partwise.database.phrases import (
    Aggregated,
    ColumnOf,
    Compares,
    Condition,
    Declared,
    Denies,
    Equals,
    Figures,
    Frame,
    Number,
    OrderBy,
    PerRow,
)
from partwise.database.spans import periods
from partwise.database.spans.types import types_of
from partwise.execution.relational import schema as S
from partwise.execution.relational.program import problems

NAME, PRICE, WEIGHT, KIND = (ColumnOf("bread", key) for key in ("name", "price", "weight", "kind"))
TOWN, WAGE, CITY = ColumnOf("baker", "town"), ColumnOf("baker", "wage"), ColumnOf("store", "city")
DAY, QUANTITY = ColumnOf("sale", "day"), ColumnOf("sale", "quantity")
RYE, WHEAT = Equals(((KIND, "rye"),)), Equals(((KIND, "wheat"),))
COUNT, SALES, BREADS = (Aggregated("count", None, table) for table in (None, "sale", "bread"))
CHEAP = Compares(PRICE, "<", Number(3))
JENA, ULM = Equals(((CITY, "Jena"),)), Equals(((CITY, "Ulm"),))
AVERAGE = Aggregated("average", PRICE)
TOP_PRICE = OrderBy(PRICE, True, 1)
VALUES = "SELECT id FROM bread WHERE"
SOLD = "SELECT bread_id FROM sale"
JOINED = "bread JOIN baker ON baker.id = bread.baker_id"

PER_BAKER = "SELECT b.name, {} FROM baker b LEFT JOIN bread ON baker_id = b.id {} GROUP BY b.id"


def meanings() -> Meanings:
    """Those of the bakery."""
    return Meanings(bakery_layer(), types_of(bakery_layer()))


def check(frame: Frame, sql: str, steps: str = "") -> None:
    """Assert that a program with these steps has the rows of SQL, and that all can be run."""
    made = list(meanings().programs(frame))
    wanted = set(steps.split(", ")) - {""}
    some = [program for program, taken in made if wanted == {*taken} & {*PRICES}]
    for seed in (0, 1, 2):
        assert any(rows_of(program, seed) == rows_wanted(sql, seed) for program in some)
        assert all(rows_of(program, seed) == rows_by_sql(program, seed) for program, _ in made)
    assert not [found for program, _ in made for found in problems(program, SCHEMA)]


@cases("frame, sql, steps", phrases, periods)
def test_a_frame_has_a_program_with_these_rows(frame: Frame, sql: str, steps: str) -> None:
    check(frame, sql, steps)


@cases("condition, sql", phrases, periods)
def test_a_condition_chooses_these_rows(condition: Condition, sql: str) -> None:
    steps = "each row" if isinstance(condition, Figures) else ""
    check(
        Frame("bread", conditions=(condition,), shown=(NAME,)),
        f"SELECT name FROM bread WHERE {sql}",
        steps,
    )


@cases("frame", phrases, periods)
def test_a_frame_may_have_no_program(frame: Frame) -> None:
    assert all(not {*problems(program, SCHEMA)} for program, _ in meanings().programs(frame))


@pytest.mark.parametrize(
    "asked",
    [{"shown": (NAME, KIND)}, {"measures": (Aggregated("maximum", KIND), AVERAGE)}],
)
def test_texts_have_no_difference(asked: dict[str, Any]) -> None:
    assert not [*meanings().programs(Frame("bread", flags=frozenset({"difference"}), **asked))]


@pytest.mark.parametrize("function", ["average", "maximum"])
def test_dates_are_not_added_up(function: Any) -> None:
    latest = PerRow(Aggregated("maximum", ColumnOf("sale", "day")), "bread")
    made = list(meanings().programs(Frame(measures=(Aggregated(function, latest),))))
    assert bool(made) == (function == "maximum")


def test_by_value_denies_a_shown_value() -> None:
    frame = Frame("bread", conditions=(Denies(CHEAP),), shown=(KIND,))
    check(frame, "SELECT kind FROM bread WHERE NOT price < 3")
    by_value = "kind NOT IN (SELECT kind FROM bread WHERE price < 3)"
    check(frame, f"SELECT kind FROM bread WHERE {by_value}", "by value")


@pytest.mark.parametrize("step", ["by value", "silent event"])
def test_steps_have_prices(step: str) -> None:
    assert PRICES[step] < 0


def test_what_a_user_is_told_of_steps() -> None:
    assert TOLD["silent name"] == "shown by name"
    assert "by value" not in TOLD


def test_what_a_whole_frame_has() -> None:
    frame = Frame("bread", (), (CHEAP,), measures=(COUNT,), orders=(OrderBy(COUNT, True, 1),))
    assert shape(frame) == (
        *("shape shown 0", "shape conditions 1", "shape measures 1", "shape keys 0"),
        *("shape orders 1", "shape head 1"),
        "sketch 1 head, 0 shown; count; figure down cut; 0 keys; compares; ",
    )


def test_what_tables_bring_along() -> None:
    known = meanings()
    assert known.near("bread") == ["baker", "recipe", "sale", "store"]
    assert known.totals("sale") == [Declared("revenue"), Aggregated("sum", QUANTITY)]
    assert [known.type_of(name) for name in ("baker", "sale", "bread")] == [
        "person",
        "event",
        "table",
    ]


# --- two links between the same tables, and links within one -------------------------------------

FROM, TO = S.Link("flight", "origin_id", "airport"), S.Link("flight", "target_id", "airport")
MANAGED = S.Link("clerk", "manager_id", "clerk")
CREW: dict[str, dict[str, S.Kind]] = {
    "airport": {"id": "id", "name": "text"},
    "flight": {"id": "id", "origin_id": "id", "target_id": "id"},
    "clerk": {"id": "id", "name": "text", "age": "number", "manager_id": "id"},
}
CREW_SCHEMA = S.Schema(
    tuple(
        S.Table(name, tuple(S.Column(column, kind) for column, kind in columns.items()), "id")
        for name, columns in CREW.items()
    ),
    (FROM, TO, MANAGED),
)
CREW_ROWS: dict[str, list[dict[str, Any]]] = {
    "airport": [{"id": 1, "name": "Oslo"}, {"id": 2, "name": "Rome"}],
    "flight": [
        {"id": 7, "origin_id": 1, "target_id": 2},
        {"id": 8, "origin_id": 2, "target_id": 1},
        {"id": 9, "origin_id": 1, "target_id": 2},
    ],
    "clerk": [
        {"id": 1, "name": "Ana", "age": 40, "manager_id": None},
        {"id": 2, "name": "Bo", "age": 50, "manager_id": 1},
        {"id": 3, "name": "Cy", "age": 20, "manager_id": 1},
    ],
}
AGE, FLIGHTS = ColumnOf("clerk", "age"), Aggregated("count", None, "flight")


@cases("frame, rows", phrases, periods)
def test_links_are_those_that_are_said(frame: Frame, rows: list[tuple[object, ...]]) -> None:
    tables = tuple(
        TableInfo(
            name,
            name,
            tuple(ColumnInfo(column, column, kind) for column, kind in columns.items()),
            display=("name",) if "name" in columns else (),
        )
        for name, columns in CREW.items()
    )
    made = [
        program
        for program, _ in Meanings(SemanticLayer("crew", CREW_SCHEMA, tables), {}).programs(frame)
    ]
    run = Interpreter(CREW_SCHEMA, CREW_ROWS).run
    assert any(sorted(map(tuple, run(program)), key=str) == rows for program in made)
