"""What frames stand for: rows of their programs against those of SQL, by construct."""

from __future__ import annotations

from datetime import date
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

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.meaning import PRICES, TOLD, Meanings, shape
from partwise.database.phrases import (
    Aggregated,
    ColumnOf,
    Compares,
    Computed,
    Condition,
    Declared,
    Denies,
    Each,
    Either,
    Equals,
    Falls,
    Figures,
    Frame,
    HasNone,
    IsAmong,
    IsOneOf,
    Lacks,
    LinkedColumn,
    Matches,
    Naming,
    Number,
    OrderBy,
    PartOf,
    Pending,
    PerRow,
    Ranges,
    RowKey,
    Same,
    Times,
)
from partwise.database.spans.periods import Period, Recurring, year
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

ROWS = [
    (Frame("bread"), "SELECT name FROM bread", "silent name"),
    (Frame("bread", shown=(Naming(None), PRICE)), "SELECT name, price FROM bread", ""),
    (Frame("bread", shown=(PRICE,)), "SELECT name, price FROM bread", "name beside"),
    (Frame("bread", shown=(KIND,)), "SELECT DISTINCT kind FROM bread", "each value once"),
    (
        Frame(conditions=(RYE,)),
        "SELECT name FROM bread WHERE kind = 'rye'",
        "silent head, silent name",
    ),
    (
        Frame("store", flags=frozenset({"star"})),
        "SELECT id, name, city, opening_year FROM store",
        "",
    ),
    (
        Frame("bread", shown=(NAME,), orders=(TOP_PRICE,)),
        "SELECT name FROM bread ORDER BY price DESC LIMIT 1",
        "",
    ),
    (
        Frame("bread", shown=(NAME,), orders=(OrderBy(PRICE, True, 2, only=True),)),
        "SELECT name FROM bread ORDER BY price DESC LIMIT 1 OFFSET 1",
        "",
    ),
    (
        Frame("sale", conditions=(JENA,)),
        "SELECT b.name FROM sale JOIN bread b ON b.id = bread_id JOIN store s ON s.id = store_id "
        "WHERE city = 'Jena'",
        "linked contents",
    ),
    (
        Frame("bread", conditions=(Compares(QUANTITY, ">", Number(8)),), shown=(NAME,)),
        f"SELECT name FROM bread WHERE id IN ({SOLD} WHERE quantity > 8)",
        "",
    ),
    (
        Frame("bread", ("sale",), shown=(NAME,)),
        f"SELECT name FROM bread WHERE id IN ({SOLD})",
        "",
    ),
]
CONDITIONS = [
    (CHEAP, "price < 3"),
    (Denies(CHEAP), "NOT price < 3"),
    (Either((RYE, CHEAP)), "kind = 'rye' OR price < 3"),
    (IsOneOf(KIND, ("rye", "wheat")), "kind IN ('rye', 'wheat')"),
    (Ranges(PRICE, 5, 1.5), "price BETWEEN 1.5 AND 5"),
    (Matches(NAME, "b", "start"), "name LIKE 'b%'"),
    (Lacks(ColumnOf("bread", "shelf")), "shelf IS NULL"),
    (Compares(WEIGHT, ">", Same(PRICE)), "weight > price"),
    (
        Compares(PRICE, ">", Computed(Frame(measures=(AVERAGE,)))),
        "price > (SELECT avg(price) FROM bread)",
    ),
    (
        Compares(PRICE, ">", Times(2, Computed(Frame(measures=(AVERAGE,), conditions=(WHEAT,))))),
        "price > 2 * (SELECT avg(price) FROM bread WHERE kind = 'wheat')",
    ),
    (
        Compares(PRICE, "=", Computed(Frame(measures=(Aggregated("maximum", PRICE),)))),
        "price = (SELECT max(price) FROM bread)",
    ),
    (HasNone(Frame("sale")), f"id NOT IN ({SOLD})"),
    (HasNone(Frame("sale", conditions=(JENA,))), f"id NOT IN ({SOLD} WHERE store_id IN (2, 3))"),
    (Denies(JENA), f"id NOT IN ({SOLD} WHERE store_id IN (2, 3))"),
    (
        Each(JENA, ULM),
        f"id IN ({SOLD} WHERE store_id IN (2, 3)) AND id IN ({SOLD} WHERE store_id = 1)",
    ),
    (
        IsAmong(Frame("baker", orders=(OrderBy(WAGE, True, 1),))),
        "baker_id = (SELECT id FROM baker ORDER BY wage DESC LIMIT 1)",
    ),
    (
        IsAmong(Frame("baker", orders=(OrderBy(BREADS, True, 1),))),
        "baker_id = (SELECT baker_id FROM bread GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)",
    ),
    (
        Falls(DAY, year(2023)),
        f"id IN ({SOLD} WHERE day BETWEEN '2023-01-01' AND '2023-12-31')",
    ),
    (Falls(DAY, Recurring("month", 3)), f"id IN ({SOLD} WHERE strftime('%m', day) = '03')"),
    (Falls(DAY, year(2023), ">"), f"id IN ({SOLD} WHERE day >= '2024-01-01')"),
    (
        Ranges(DAY, year(2023), Period(date(2024, 1, 1), date(2024, 2, 1))),
        f"id IN ({SOLD} WHERE day BETWEEN '2023-01-01' AND '2024-01-31')",
    ),
    (
        Figures(SALES, "=", Number(0)),
        f"id NOT IN ({SOLD})",
    ),
    (
        Figures(SALES, ">", Number(4)),
        f"id IN ({SOLD} GROUP BY 1 HAVING count(*) > 4)",
    ),
    (
        Figures(SALES, ">", Same(PerRow(Aggregated("count", None, "recipe"), None))),
        "(SELECT count(*) FROM sale WHERE bread_id = bread.id) > "
        "(SELECT count(*) FROM recipe WHERE bread_id = bread.id)",
    ),
    (
        Figures(SALES, ">=", Times(4, Same(PerRow(Aggregated("count", None, "recipe"), "bread")))),
        "(SELECT count(*) FROM sale WHERE bread_id = bread.id) >= "
        "4 * (SELECT count(*) FROM recipe WHERE bread_id = bread.id)",
    ),
]
PER_BAKER = "SELECT b.name, {} FROM baker b LEFT JOIN bread ON baker_id = b.id {} GROUP BY b.id"
FIGURES = [
    (
        Frame("bread", measures=(COUNT,), conditions=(RYE,)),
        "SELECT count(*) FROM bread WHERE kind = 'rye'",
        "",
    ),
    (
        Frame(measures=(AVERAGE, Aggregated("maximum", WEIGHT))),
        "SELECT avg(price), max(weight) FROM bread",
        "",
    ),
    (
        Frame("bread", conditions=(RYE,), flags=frozenset({"share"})),
        "SELECT 100.0 * sum(kind = 'rye') / count(*) FROM bread",
        "share",
    ),
    (
        Frame(measures=(Aggregated("maximum", PRICE), AVERAGE), flags=frozenset({"difference"})),
        "SELECT max(price) - avg(price) FROM bread",
        "difference",
    ),
    (
        Frame(
            "bread",
            measures=(COUNT,),
            conditions=(IsOneOf(KIND, ("wheat", "spelt")),),
            flags=frozenset({"difference"}),
        ),
        "SELECT sum(kind = 'wheat') - sum(kind = 'spelt') FROM bread",
        "difference",
    ),
    (
        Frame("bread", ("sale",), flags=frozenset({"difference"})),
        "SELECT (SELECT count(*) FROM bread) - (SELECT count(*) FROM sale)",
        "difference",
    ),
    (
        Frame(
            measures=(Aggregated("maximum", PRICE), AVERAGE),
            keys=(KIND,),
            flags=frozenset({"difference"}),
        ),
        "SELECT kind, max(price) - avg(price) FROM bread GROUP BY 1",
        "difference",
    ),
    (
        Frame(
            shown=(NAME, WEIGHT, PRICE), keys=(RowKey("bread"),), flags=frozenset({"difference"})
        ),
        "SELECT name, weight - price FROM bread",
        "difference",
    ),
    (
        Frame("bread", shown=(NAME, WEIGHT, PRICE), flags=frozenset({"difference"})),
        "SELECT name, weight - price FROM bread",
        "difference",
    ),
    (
        Frame(conditions=(RYE,), flags=frozenset({"yes"})),
        "SELECT 1",
        "yes or no",
    ),
    (
        Frame(
            conditions=(Figures(BREADS, ">", Computed(Frame(measures=(SALES,)))),),
            flags=frozenset({"yes"}),
        ),
        "SELECT 0",
        "yes or no",
    ),
    (
        Frame(
            conditions=(Figures(SALES, ">", Times(2, Same(PerRow(BREADS, None)))),),
            flags=frozenset({"yes"}),
        ),
        "SELECT (SELECT count(*) FROM sale) > 2 * (SELECT count(*) FROM bread)",
        "yes or no",
    ),
    (
        Frame(
            measures=(Aggregated("count", KIND, distinct=True),),
            conditions=(Figures(COUNT, ">", Number(1)),),
        ),
        "SELECT count(*) FROM (SELECT kind FROM bread GROUP BY 1 HAVING count(*) > 1)",
        "",
    ),
    (
        Frame(measures=(Declared("revenue"),)),
        "SELECT sum(quantity * price) FROM sale JOIN bread b ON b.id = bread_id",
        "",
    ),
    (
        Frame("sale", conditions=(RYE,)),
        "SELECT sum(quantity) FROM sale WHERE bread_id IN (1, 2)",
        "silent total",
    ),
    (
        Frame(measures=(Aggregated("average", PerRow(SALES, "bread")),)),
        "SELECT avg((SELECT count(*) FROM sale WHERE bread_id = bread.id)) FROM bread",
        "",
    ),
]
GROUPS = [
    (
        Frame(measures=(AVERAGE,), keys=(KIND,)),
        "SELECT kind, avg(price) FROM bread GROUP BY 1",
        "",
    ),
    (
        Frame(shown=(KIND,), measures=(AVERAGE,)),
        "SELECT kind, avg(price) FROM bread GROUP BY 1",
        "silent key",
    ),
    (
        Frame("bread", keys=(KIND,)),
        "SELECT kind, count(*) FROM bread GROUP BY 1",
        "silent count",
    ),
    (
        Frame("bread", keys=(KIND,), flags=frozenset({"share"})),
        "SELECT kind, 100.0 * count(*) / 7 FROM bread GROUP BY 1",
        "share",
    ),
    (
        Frame(measures=(Declared("revenue"),), keys=(PartOf("year", "sale", "day"),)),
        "SELECT CAST(strftime('%Y', day) AS INTEGER), sum(quantity * price) FROM sale "
        "JOIN bread b ON b.id = bread_id GROUP BY 1",
        "",
    ),
    (
        Frame(shown=(KIND,), conditions=(Figures(COUNT, ">", Number(1)),)),
        "SELECT kind FROM bread GROUP BY 1 HAVING count(*) > 1",
        "silent key",
    ),
    (
        Frame(shown=(KIND,), conditions=(Figures(COUNT, ">", Number(1)),)),
        "SELECT kind, count(*) FROM bread GROUP BY 1 HAVING count(*) > 1",
        "silent key, measure shown",
    ),
    (
        Frame(measures=(BREADS,), keys=(RowKey("baker"),)),
        PER_BAKER.format("count(bread.id)", ""),
        "each row",
    ),
    (
        Frame(
            measures=(BREADS,),
            keys=(RowKey("baker"),),
            conditions=(RYE,),
            flags=frozenset({"share"}),
        ),
        PER_BAKER.format("100.0 * sum(kind = 'rye') / nullif(count(bread.id), 0)", ""),
        "each row, share",
    ),
    (
        Frame("baker", conditions=(Figures(BREADS, "=", Number(0)),)),
        "SELECT name FROM baker WHERE id NOT IN (SELECT baker_id FROM bread)",
        "each row",
    ),
    (
        Frame("baker", orders=(OrderBy(COUNT, False, 1),)),
        "SELECT name FROM baker b "
        "ORDER BY (SELECT count(*) FROM bread WHERE baker_id = b.id), id LIMIT 1",
        "silent event, each row",
    ),
    (
        Frame("bread", keys=(RowKey("baker"),), orders=(TOP_PRICE,)),
        f"SELECT n, name FROM (SELECT baker.name n, bread.name, row_number() OVER "
        f"(PARTITION BY baker_id ORDER BY price DESC, bread.id) r FROM {JOINED}) WHERE r = 1",
        "first of each",
    ),
]


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


@pytest.mark.parametrize(("frame", "sql", "steps"), [*ROWS, *FIGURES, *GROUPS])
def test_a_frame_has_a_program_with_these_rows(frame: Frame, sql: str, steps: str) -> None:
    check(frame, sql, steps)


@pytest.mark.parametrize(("condition", "sql"), CONDITIONS)
def test_a_condition_chooses_these_rows(condition: Condition, sql: str) -> None:
    steps = "each row" if isinstance(condition, Figures) else ""
    check(
        Frame("bread", conditions=(condition,), shown=(NAME,)),
        f"SELECT name FROM bread WHERE {sql}",
        steps,
    )


@pytest.mark.parametrize(
    "frame",
    [
        Frame("bread", orders=(OrderBy(Pending(), True, 3),)),
        Frame("bread", limit=3),
        Frame("baker", conditions=(HasNone(Frame()),)),
        Frame("bread", shown=(NAME,), conditions=(Compares(PRICE, "<", Computed(Frame("bread"))),)),
        Frame("bread", conditions=(Ranges(PRICE, 3, year(2023)),)),
        Frame("bread", conditions=(Each(CHEAP, RYE),), keys=(KIND,), shown=()),
    ],
)
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
LINKS_TAKEN = [
    (
        Frame("flight", conditions=(Equals(((LinkedColumn(TO, "airport", "name"), "Rome"),)),)),
        [(7,), (9,)],
    ),
    (Frame(measures=(FLIGHTS,), keys=(Naming("airport", TO),)), [("Oslo", 1), ("Rome", 2)]),
    (Frame(measures=(FLIGHTS,), keys=(Naming("airport", FROM),)), [("Oslo", 2), ("Rome", 1)]),
    (
        Frame("flight", shown=(Naming("airport", FROM), Naming("airport", TO))),
        [("Oslo", "Rome"), ("Oslo", "Rome"), ("Rome", "Oslo")],
    ),
    (
        Frame("clerk", (), (Compares(AGE, ">", Same(LinkedColumn(MANAGED, "clerk", "age"))),)),
        [("Bo",)],
    ),
    (Frame("clerk", conditions=(HasNone(Frame("clerk")),)), [("Bo",), ("Cy",)]),
    (Frame("clerk", conditions=(Denies(HasNone(Frame("clerk"))),)), [("Ana",)]),
    (
        Frame(
            "clerk",
            measures=(Aggregated("count", None, "clerk"),),
            keys=(Naming("clerk", MANAGED),),
        ),
        [("Ana", 2)],
    ),
]


@pytest.mark.parametrize(("frame", "rows"), LINKS_TAKEN)
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
