"""The grammar of a schema, by example on the bakery, and what holds of all rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest
from bakery import BAKED, PLACE, bakery_layer

from partwise.database.phrases import (
    KINDS,
    Aggregated,
    ColumnOf,
    Compares,
    Computed,
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
    Lasting,
    LinkedColumn,
    Matches,
    MeasureList,
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
from partwise.database.schema_algebra import (
    COUNT,
    JOINS,
    PRICES,
    SLOTS,
    UNARY,
    UNLINKED,
    SchemaAlgebra,
    tables_of,
)
from partwise.database.spans.periods import Recurring, month, year
from partwise.database.spans.types import types_of
from partwise.execution.relational.schema import Column as StoredColumn
from partwise.execution.relational.schema import Link, Schema, Table


@cache
def algebra() -> SchemaAlgebra:
    return SchemaAlgebra(bakery_layer(), types_of(bakery_layer()))


WAGE, BORN, TOWN = ColumnOf("baker", "wage"), ColumnOf("baker", "born"), ColumnOf("baker", "town")
PRICE, WEIGHT, VEGAN = (ColumnOf("bread", name) for name in ("price", "weight", "vegan"))
BAKER, OPENED = ColumnOf("bread", "baker_id"), ColumnOf("store", "opening_year")
ULM, JENA, ADA = ((TOWN, "Ulm"),), ((TOWN, "Jena"),), ((ColumnOf("baker", "name"), "Ada Moss"),)
CITY = ((ColumnOf("store", "city"), "Ulm"),)
SALES = Aggregated("count", None, "sale")
MEAN = Computed(Frame(measures=(Aggregated("average", WAGE),)))
ADAS = Computed(Frame(measures=(Aggregated("maximum", WAGE),), conditions=(Equals(ADA),)))
IN_2020 = Falls(BORN, year(2020))
QUANTITY = Aggregated("sum", ColumnOf("sale", "quantity"))
DAY = ColumnOf("sale", "day")
OFTEN = OrderBy(COUNT, True, 1)
RECIPES = Same(PerRow(Aggregated("count", None, "recipe"), None))
FIVE, CHEAP = Number(5), Compares(PRICE, "<", Number(5))

JOINED: dict[str, list[Any]] = {
    "comparison": [
        ("SIGN", "<", "NUMBER", 5, "COMPARISON", ("<", FIVE)),
        ("NUMBER", 5, "SIGN", ">=", "COMPARISON", (">=", FIVE)),
        ("NUMBER", 5, "SIGN", "<", None, None),
        ("COMPARISON", ("<", FIVE), "COLUMN", PRICE, "CONDITION", CHEAP),
        ("COLUMN", PRICE, "COMPARISON", ("<", FIVE), "CONDITION", CHEAP),
        ("COLUMN", BORN, "COMPARISON", ("<", FIVE), None, None),
        (
            "COLUMN",
            BORN,
            "COMPARISON",
            ("<", year(2020)),
            "CONDITION",
            Falls(BORN, year(2020), "<"),
        ),
        ("COLUMN", OPENED, "PERIOD", year(2020), "CONDITION", Falls(OPENED, year(2020))),
        ("COLUMN", OPENED, "PERIOD", month(2020, 3), None, None),
        ("SIGN", "<", "CONDITION", IN_2020, "CONDITION", Falls(BORN, year(2020), "<")),
        ("CONDITION", IN_2020, "SIGN", "<", None, None),
        ("CONDITION", IN_2020, "SIGN", ">=", "CONDITION", Falls(BORN, year(2020), ">=")),
        ("COMPARISON", (">", FIVE), "TABLE", "sale", "CONDITION", Figures(SALES, ">", FIVE)),
        (
            "MEASURE",
            MeasureList((SALES,)),
            "COMPARISON",
            (">", FIVE),
            "CONDITION",
            Figures(SALES, ">", FIVE),
        ),
        ("TABLE", "sale", "NUMBER", 5, "CONDITION", Compares(ColumnOf("sale", "id"), "=", FIVE)),
        ("NUMBER", 5, "TABLE", "sale", "CONDITION", Figures(SALES, "=", FIVE)),
        ("SIGN", ">=", "COMPARISON", ("=", FIVE), "COMPARISON", (">=", FIVE)),
        ("SIGN", ">=", "COMPARISON", ("<", FIVE), None, None),
        ("SIGN", ">", "TABLE", "sale", "TABLE_SIGN", (">", 1, SALES)),
        ("COMPARISON", (">=", Number(2)), "TABLE", "sale", "TABLE_SIGN", (">=", 2, SALES)),
        ("COMPARISON", (">=", Number(2, ("kg",))), "TABLE", "sale", None, None),
        (
            "TABLE_SIGN",
            (">", 1, SALES),
            "TABLE",
            "recipe",
            "CONDITION",
            Figures(SALES, ">", RECIPES),
        ),
        (
            "TABLE_SIGN",
            (">=", 2, SALES),
            "TABLE",
            "recipe",
            "CONDITION",
            Figures(SALES, ">=", Times(2, RECIPES)),
        ),
        ("TABLE_SIGN", (">=", 2, SALES), "TABLE", "sale", None, None),
        ("COLUMN", TOWN, "TEXT", "Bonn", "CONDITION", Compares(TOWN, "=", Number("Bonn"))),
    ],
    "than": [
        ("COLUMN_SIGN", ("<", PRICE), "NUMBER", 5, "CONDITION", CHEAP),
        (
            "COLUMN_SIGN",
            ("<", BORN),
            "PERIOD",
            year(2020),
            "CONDITION",
            Falls(BORN, year(2020), "<"),
        ),
        ("COLUMN_SIGN", ("<", WAGE), "VALUE", ADA, "CONDITION", Compares(WAGE, "<", ADAS)),
        (
            "TABLE_SIGN",
            (">", 1, SALES),
            "VALUE",
            ADA,
            "CONDITION",
            Figures(SALES, ">", Computed(Frame(measures=(SALES,), conditions=(Equals(ADA),)))),
        ),
        ("SIGN", "<", "VALUE", ADA, "SIGN_VALUE", ("<", ADA)),
        ("COLUMN", WAGE, "SIGN_VALUE", ("<", ADA), "CONDITION", Compares(WAGE, "<", ADAS)),
        ("COLUMN", TOWN, "SIGN_VALUE", ("<", ADA), None, None),
        ("COLUMN_SIGN", (">", WAGE), "AGG", "average", "CONDITION", Compares(WAGE, ">", MEAN)),
        ("SIGN", ">", "AGG", "average", "SIGN_AGG", (">", "average")),
        ("SIGN_AGG", (">", "average"), "COLUMN", WAGE, "CONDITION", Compares(WAGE, ">", MEAN)),
        ("SIGN", ">", "FRAME", MEAN.frame, "COMPARISON", (">", MEAN)),
        ("SIGN", ">", "FRAME", Frame("baker"), None, None),
        (
            "COLUMN_SIGN",
            ("<", PRICE),
            "COLUMN",
            WEIGHT,
            "CONDITION",
            Compares(PRICE, "<", Same(WEIGHT)),
        ),
        (
            "COLUMN",
            PRICE,
            "COLUMN_SIGN",
            ("<", WEIGHT),
            "CONDITION",
            Compares(PRICE, "<", Same(WEIGHT)),
        ),
        ("COLUMN_SIGN", ("<", PRICE), "COLUMN", WAGE, None, None),
        (
            "CONDITION",
            CHEAP,
            "AGG",
            "average",
            "CONDITION",
            Figures(Aggregated("average", PRICE), "<", FIVE),
        ),
    ],
    "units": [
        ("NUMBER", 2, "UNIT", ("kg",), "QUANTITY", Number(2, ("kg",))),
        ("UNIT", ("eur",), "NUMBER", 2, "QUANTITY", Number(2, ("eur",))),
        ("SIGN", "<", "QUANTITY", Number(2, ("kg",)), "COMPARISON", ("<", Number(2, ("kg",)))),
        ("QUANTITY", Number(2, ("kg",)), "SIGN", "<", None, None),
        (
            "COLUMN",
            WEIGHT,
            "COMPARISON",
            ("<", Number(2, ("h", "kg"))),
            "CONDITION",
            Compares(WEIGHT, "<", Number(2000)),
        ),
        ("COLUMN", PRICE, "COMPARISON", ("<", Number(2, ("kg",))), None, None),
        (
            "COLUMN",
            OPENED,
            "QUANTITY",
            Number(2, ("kg",)),
            "CONDITION",
            Compares(OPENED, "=", Number(2)),
        ),
        (
            "COLUMN_SIGN",
            ("<", Lasting("day", "day", "sale", "day")),
            "QUANTITY",
            Number(2, ("week",)),
            "CONDITION",
            Compares(Lasting("day", "day", "sale", "day"), "<", Number(14)),
        ),
        ("COMPARISON", (">", Number(2, ("kg",))), "TABLE", "sale", None, None),
        (
            "MEASURE",
            MeasureList((Aggregated("sum", WEIGHT),)),
            "COMPARISON",
            ("<", Number(2, ("kg",))),
            "CONDITION",
            Figures(Aggregated("sum", WEIGHT), "<", Number(2000)),
        ),
    ],
    "ranges": [
        ("BETWEEN", "", "NUMBER", 3, "RANGE_START", 3),
        ("RANGE_START", 3, "NUMBER", 5, "RANGE", (3, 5)),
        ("RANGE_START", 3, "NUMBER", 5000, "RANGE", (3000, 5000)),
        ("RANGE_START", year(2020), "PERIOD", year(2021), "RANGE", (year(2020), year(2021))),
        (
            "RANGE_START",
            Recurring("month", 3),
            "PERIOD",
            month(2021, 5),
            "RANGE",
            (month(2021, 3)._replace(end=date(2021, 3, 1)), month(2021, 5)),
        ),
        ("COLUMN", PRICE, "RANGE", (3, 5), "CONDITION", Ranges(PRICE, 3, 5)),
        (
            "RANGE",
            (year(2020), year(2021)),
            "COLUMN",
            BORN,
            "CONDITION",
            Ranges(BORN, year(2020), year(2021)),
        ),
        (
            "RANGE",
            (year(2020), year(2021)),
            "COLUMN",
            OPENED,
            "CONDITION",
            Ranges(OPENED, 2020, 2021),
        ),
        ("RANGE", (month(2020, 1), year(2021)), "COLUMN", OPENED, None, None),
        ("BETWEEN", "", "CONDITION", IN_2020, "RANGE_CONDITION", IN_2020),
        (
            "RANGE_CONDITION",
            IN_2020,
            "CONDITION",
            Falls(BORN, year(2022)),
            "CONDITION",
            Ranges(BORN, year(2020), year(2022)),
        ),
    ],
    "values and lists": [
        ("COLUMN", TOWN, "VALUE", ULM, "CONDITION", Equals(ULM)),
        ("COLUMN", TOWN, "VALUE", CITY, "CONDITION", Equals(ULM)),
        ("VALUE", CITY, "COLUMN", TOWN, None, None),
        (
            "COLUMN",
            BAKER,
            "VALUE",
            ADA,
            "CONDITION",
            Equals(((LinkedColumn(BAKED, "baker", "name"), "Ada Moss"),)),
        ),
        ("VALUE", ULM, "VALUE", JENA, "CONDITION", IsOneOf(TOWN, ("Ulm", "Jena"))),
        ("VALUE", ULM, "VALUE", ADA, None, None),
        ("VALUE", ULM, "OR", "", "LIST_OR", Equals(ULM)),
        ("LIST_OR", Equals(ULM), "VALUE", JENA, "CONDITION", IsOneOf(TOWN, ("Ulm", "Jena"))),
        ("LIST_OR", Equals(ULM), "CONDITION", CHEAP, "CONDITION", Either((Equals(ULM), CHEAP))),
        ("VALUE", ULM, "BOTH", "", "LIST_BOTH", Equals(ULM)),
        ("LIST_BOTH", Equals(ULM), "VALUE", JENA, "CONDITION", Each(Equals(ULM), Equals(JENA))),
        ("VALUE", ULM, "VERSUS", "", "LIST_VERSUS", ULM),
        (
            "LIST_VERSUS",
            ULM,
            "VALUE",
            JENA,
            "FRAGMENT",
            Frame(keys=(TOWN,), conditions=(IsOneOf(TOWN, ("Ulm", "Jena")),)),
        ),
        (
            "LIST_BOTH",
            Falls(DAY, month(2021, 3)),
            "CONDITION",
            Falls(DAY, month(2021, 4)),
            "FRAGMENT",
            Frame(
                keys=(PartOf("month", "sale", "day"),),
                conditions=(Either((Falls(DAY, month(2021, 3)), Falls(DAY, month(2021, 4)))),),
            ),
        ),
        ("NUMBER_OR", 3, "NUMBER", 5, "NUMBERS", (3, 5)),
        ("COLUMN", PRICE, "NUMBERS", (3, 5), "CONDITION", IsOneOf(PRICE, (3, 5))),
        (
            "COLUMN",
            PRICE,
            "COMPARISONS",
            (("<", FIVE), (">", Number(9))),
            "CONDITION",
            Either((CHEAP, Compares(PRICE, ">", Number(9)))),
        ),
        (
            "MEASURE",
            MeasureList((SALES,)),
            "COMPARISONS",
            (("<", FIVE), (">", FIVE)),
            "CONDITION",
            Either((Figures(SALES, "<", FIVE), Figures(SALES, ">", FIVE))),
        ),
    ],
    "aggregates": [
        ("COUNT", "", "TABLE", "sale", "MEASURE", MeasureList((SALES,), "sale")),
        (
            "COUNT",
            "",
            "COLUMN",
            TOWN,
            "MEASURE",
            MeasureList((Aggregated("count", TOWN, None, True),)),
        ),
        ("COUNT", "", "COLUMN", PRICE, "COLUMN", PRICE),
        ("AGG", "average", "COLUMN", WAGE, "MEASURE", MeasureList((Aggregated("average", WAGE),))),
        ("COLUMN", TOWN, "AGG", "sum", "MEASURE", MeasureList((Aggregated("sum", TOWN),))),
        ("AGG", "minimum", "AGG", "maximum", "AGG", "minimum maximum"),
        ("AGG", "sum", "TABLE", "bread", "MEASURE", MeasureList((Aggregated("sum", WEIGHT),))),
        (
            "AGG",
            "average",
            "MEASURE",
            MeasureList((SALES,), "sale"),
            "AGG_MEASURE",
            ("average", SALES),
        ),
        (
            "AGG_MEASURE",
            ("average", SALES),
            "KEY",
            RowKey("store"),
            "MEASURE",
            MeasureList((Aggregated("average", PerRow(SALES, "store")),)),
        ),
        ("AGG_MEASURE", ("average", SALES), "TABLE", "sale", None, None),
        (
            "AGG",
            "average",
            "MEASURE",
            MeasureList((QUANTITY,)),
            "AGG_MEASURE",
            ("average", QUANTITY),
        ),
        (
            "MEASURE",
            MeasureList((Aggregated("sum", PRICE),)),
            "COLUMN",
            WEIGHT,
            "MEASURE",
            MeasureList((Aggregated("sum", PRICE), Aggregated("sum", WEIGHT))),
        ),
    ],
    "superlatives and orders": [
        ("TOP", "desc", "NUMBER", 3, "TOP", "desc 3"),
        ("NUMBER", 300, "TOP", "desc", None, None),
        ("PLACE", "2", "ORDER", OrderBy(WAGE, True, 1), "ORDER", OrderBy(WAGE, True, 2, only=True)),
        ("PLACE", "2", "ORDER", OrderBy(WAGE, True, 3), None, None),
        ("TOP", "desc 3", "COLUMN", WAGE, "ORDER", OrderBy(WAGE, True, 3)),
        ("TOP", "asc", "TABLE", "sale", "ORDER", OrderBy(SALES, False, 1)),
        ("MEASURE", MeasureList((SALES,)), "TOP", "desc", "ORDER", OrderBy(SALES, True, 1)),
        (
            "OFTEN",
            "desc",
            "COLUMN",
            TOWN,
            "FRAGMENT",
            Frame(shown=(TOWN,), orders=(OrderBy(COUNT, True, 1),)),
        ),
        ("SORT", "desc", "COLUMN", WAGE, "ORDER", OrderBy(WAGE, True)),
        (
            "COLUMN",
            WAGE,
            "SORT",
            "asc",
            "FRAGMENT",
            Frame(shown=(WAGE,), orders=(OrderBy(WAGE, False),)),
        ),
        ("ORDER", OrderBy(WAGE, False), "SORT", "desc", "ORDER", OrderBy(WAGE, True)),
        ("ORDER", OrderBy(WAGE, False, 1), "SORT", "desc", None, None),
    ],
    "keys": [
        ("PER", "", "COLUMN", TOWN, "KEY", TOWN),
        ("PER", "", "COLUMN", BAKER, "KEY", RowKey("baker")),
        ("PER", "", "TABLE", "store", "KEY", RowKey("store")),
        ("PER", "", "VALUE", ULM, "KEY_CONDITION", Equals(ULM)),
        (
            "KEY_CONDITION",
            CHEAP,
            "TABLE",
            "bread",
            "FRAGMENT",
            Frame(keys=(RowKey("bread"),), conditions=(CHEAP,)),
        ),
    ],
    "negation": [
        ("NOT", "", "VALUE", ULM, "CONDITION", Denies(Equals(ULM))),
        ("NOT", "", "COMPARISON", (">", FIVE), "COMPARISON", ("<=", FIVE)),
        ("COLUMN", TOWN, "CONDITION", Denies(Equals(CITY)), "CONDITION", Denies(Equals(ULM))),
        ("NOT", "", "TABLE", "sale", "CONDITION", HasNone(Frame("sale"))),
        (
            "NOT",
            "",
            "FRAME",
            Frame("sale", conditions=(CHEAP,)),
            "CONDITION",
            HasNone(Frame("sale", conditions=(CHEAP,))),
        ),
        ("NOT", "", "CONDITION", HasNone(Frame("sale")), None, None),
        ("NOT", "", "COLUMN", WAGE, "CONDITION", Lacks(WAGE)),
        ("NOT", "", "COLUMN", WAGE, "CONDITION", Compares(WAGE, "=", Number(0))),
        ("COLUMN", WAGE, "PRESENT", "", "CONDITION", Denies(Lacks(WAGE))),
    ],
    "patterns": [
        ("STARTS", "", "TEXT", "A", "PATTERN", ("A", "start")),
        ("COLUMN", TOWN, "PATTERN", ("A", "start"), "CONDITION", Matches(TOWN, "A", "start")),
        (
            "COLUMN",
            TOWN,
            "NOT_PATTERN",
            ("A", "end"),
            "CONDITION",
            Denies(Matches(TOWN, "A", "end")),
        ),
    ],
}


@pytest.mark.parametrize("group", JOINED)
def test_neighbours_join(group: str) -> None:
    for left, first, right, second, kind, meaning in JOINED[group]:
        made = [x[:2] for x in algebra().joins[left, right](first, second)]
        assert (kind, meaning) in made if kind else not made, (left, first, right, second, made)


@pytest.mark.parametrize(
    ("of", "meaning", "kind", "made"),
    [
        ("COUNT", "", "MEASURE", [MeasureList((COUNT,))]),
        ("TOP", "desc 2", "ORDER", [OrderBy(COUNT, True, 2)]),
        ("COMPARISON", (">", MEAN), "CONDITION", [Compares(WAGE, ">", MEAN)]),
        ("COMPARISON", (">", FIVE), "CONDITION", [Figures(COUNT, ">", FIVE)]),
        ("COMPARISON", (">", year(2020)), "CONDITION", []),
        ("ORDER", OrderBy(WAGE, True, 1), "ORDER",
         [OrderBy(Aggregated(by, WAGE), True, 1) for by in ("sum", "average")]),
        ("ORDER", OrderBy(TOWN, True, 1), "ORDER", []),
        ("FRAME", Frame("baker", orders=(OrderBy(WAGE, True, 1),)), "CONDITION",
         [IsAmong(Frame("baker", orders=(OrderBy(WAGE, True, 1),)))]),
        ("FRAME", Frame("baker"), "CONDITION", []),
        ("FRAME", Frame("baker", orders=(OrderBy(Pending(), True, 1),)), "CONDITION", []),
        ("VALUE", ULM, "CONDITION", []),
    ],
)  # fmt: skip
def test_a_phrase_is_of_another_kind_too(of: str, meaning: Any, kind: str, made: list[Any]) -> None:
    assert [x[:2] for x in algebra().unary[of](meaning)] == [(kind, each) for each in made]


BAKERS = Frame("baker")
THREE_BEST = Frame("baker", orders=(OrderBy(Pending(), True, 3),))
FILLED: list[Any] = [
    (Frame(), "TABLE", "baker", "head", BAKERS),
    (BAKERS, "TABLE", "bread", "beside", BAKERS._replace(beside=("bread",))),
    (BAKERS, "TABLE", "bread", "show rows", BAKERS._replace(shown=(Naming("bread"),))),
    (BAKERS, "TABLE", "baker", None, None),
    (BAKERS, "COLUMN", WAGE, "show", BAKERS._replace(shown=(WAGE,))),
    (BAKERS, "COLUMN", WAGE, "silent sum", BAKERS._replace(measures=(Aggregated("sum", WAGE),))),
    (Frame(), "COLUMN", BAKER, "show link", Frame(shown=(Naming("baker", BAKED),))),
    (BAKERS, "NAME", "", "show name", BAKERS._replace(shown=(Naming(None),))),
    (BAKERS, "DISTINCT_COLUMN", TOWN, "show distinct",
     BAKERS._replace(shown=(TOWN,), flags=frozenset({"distinct"}))),
    (BAKERS, "VALUE", ULM, "condition", BAKERS._replace(conditions=(Equals(ULM),))),
    (BAKERS._replace(conditions=(Equals(ULM),)), "VALUE", ULM, None, None),
    (BAKERS, "COMPARISON", ("<", FIVE), "silent column of money",
     BAKERS._replace(conditions=(Compares(WAGE, "<", FIVE),))),
    (BAKERS, "COMPARISON", (">", year(1990)), "silent date",
     BAKERS._replace(conditions=(Falls(BORN, year(1990), ">"),))),
    (Frame("bread"), "COMPARISON", ("<", Number(2, ("kg",))), "silent column of numbers",
     Frame("bread", conditions=(Compares(WEIGHT, "<", Number(2000)),))),
    (Frame("store"), "COMPARISON", ("<", FIVE), "silent figure of event",
     Frame("store", conditions=(Figures(QUANTITY, "<", FIVE),))),
    (Frame("bread"), "NOT", "", "silent never of event",
     Frame("bread", conditions=(HasNone(Frame("sale")),))),
    (Frame(), "MEASURE", MeasureList((SALES,), "sale"), "measure",
     Frame("sale", measures=(SALES,))),
    (BAKERS._replace(shown=(WAGE,)), "AGG", "average", "late figure",
     BAKERS._replace(measures=(Aggregated("average", WAGE),))),
    (Frame(measures=(SALES,), keys=(RowKey("store"),)), "AGG", "average", "late figure of groups",
     Frame(measures=(Aggregated("average", PerRow(SALES, "store")),))),
    (BAKERS, "PATTERN", ("A", "start"), "pattern of name",
     BAKERS._replace(conditions=(Matches(ColumnOf("baker", "name"), "A", "start"),))),
    (BAKERS._replace(conditions=(Equals(ULM),)), "VALUE", ((TOWN, "Jena"),), None, None),
    (BAKERS._replace(conditions=(Falls(BORN, year(1990)),)), "CONDITION", Falls(BORN, year(1991)),
     None, None),
    (BAKERS, "KEY", TOWN, "key", BAKERS._replace(keys=(TOWN,))),
    (BAKERS, "ORDER", OrderBy(WAGE, True), "order", BAKERS._replace(orders=(OrderBy(WAGE, True),))),
    (BAKERS, "TOP", "desc 3", "top to come", THREE_BEST),
    (THREE_BEST, "COLUMN", WAGE, "top by column", Frame("baker", orders=(OrderBy(WAGE, True, 3),))),
    (THREE_BEST, "COLUMN", WAGE, "top by sum",
     BAKERS._replace(orders=(OrderBy(Aggregated("sum", WAGE), True, 3),))),
    (THREE_BEST, "ORDER", OrderBy(SALES, False), "top by order",
     BAKERS._replace(orders=(OrderBy(SALES, True, 3),))),
    (Frame(measures=(SALES,)), "SORT", "desc", "sort by figure",
     Frame(measures=(SALES,), orders=(OrderBy(SALES, True),))),
    (Frame(shown=(WAGE,)), "SORT", "asc", "sort by shown",
     Frame(shown=(WAGE,), orders=(OrderBy(WAGE, False),))),
    (BAKERS, "NUMBER", 3, "limit", BAKERS._replace(limit=3)),
    (BAKERS, "NUMBER", 2.5, None, None),
    (Frame(), "FRAGMENT", THREE_BEST, "ordered part", THREE_BEST),
    (BAKERS, "FRAGMENT", Frame(keys=(TOWN,)), "other part", BAKERS._replace(keys=(TOWN,))),
    (BAKERS, "DIFFERENCE", "", "ask for difference",
     BAKERS._replace(flags=frozenset({"difference"}))),
    (BAKERS, "YES", "", "ask whether", BAKERS._replace(flags=frozenset({"yes"}))),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "kind", "meaning", "slot", "after"), FILLED)
def test_a_phrase_fills_a_slot(
    frame: Frame, kind: str, meaning: Any, slot: str | None, after: Frame
) -> None:
    made = list(algebra().fill(frame, kind, meaning))
    assert (after, slot) in made if slot else not made


def grown(rounds: int = 3, most: int = 6) -> dict[str, list[Any]]:
    """Meanings of every kind that a few constants give, some of each new one."""
    found: dict[str, dict[Any, None]] = defaultdict(dict)
    first: dict[str, list[Any]] = {
        "TABLE": ["baker", "bread", "sale"],
        "COLUMN": [WAGE, BORN, TOWN, BAKER, VEGAN, PartOf("year", "baker", "born"),
                   Lasting("day", "born", "baker", "born")],
        "VALUE": [ULM, JENA, ADA], "NUMBER": [2, 3.5, 5000], "TEXT": ["A"],
        "PERIOD": [year(2020), month(2021, 3), Recurring("month", 3)],
        "CONDITION": [IN_2020, CHEAP], "MEASURE": [MeasureList((Declared("revenue"),))],
        "UNIT": [("kg",), ("h",)],
        "AGG": ["sum", "maximum"], "TOP": ["desc"], "OFTEN": ["asc"], "SORT": ["desc"],
        "SIGN": ["<", "="], "PLACE": ["2"], "FRAME": [Frame()],
        **{kind: [""] for kind, text in KINDS.items() if text == KINDS["COUNT"]},
    }  # fmt: skip
    for kind, some in first.items():
        found[kind].update(dict.fromkeys(some))
    for _ in range(rounds):
        pool = {kind: list(some)[-most:] + list(some)[:most] for kind, some in found.items()}
        new: list[tuple[str, Any]] = []
        for (left, right), join in algebra().joins.items():
            pairs = [(a, b) for a in pool.get(left, ()) for b in pool.get(right, ())]
            new += [made[:2] for a, b in pairs for made in join(a, b)]
        for kind, step in algebra().unary.items():
            new += [made[:2] for meaning in pool.get(kind, ()) for made in step(meaning)]
        for kind in algebra().modifiers:
            for frame in pool["FRAME"]:
                for meaning in pool.get(kind, ()):
                    new += [("FRAME", f) for f, _ in algebra().fill(frame, kind, meaning)]
        for kind, meaning in new:
            found[kind].setdefault(meaning)
    return {kind: list(some)[:200] for kind, some in found.items()}


def test_all_that_is_made_has_a_kind_and_a_price_and_every_fill_changes_the_frame() -> None:
    items = grown()
    # Parts of dates are attributes, which the lexicon makes columns of.
    assert set(items) == set(KINDS) - {"PART"}
    names = {
        made[2]
        for (left, right), join in algebra().joins.items()
        for a in items[left][:12]
        for b in items[right][:12]
        for made in join(a, b)
    }
    for frame in items["FRAME"][::10]:
        before = repr(frame)
        for kind in algebra().modifiers:
            for meaning in items[kind][:12]:
                for after, slot in algebra().fill(frame, kind, meaning):
                    names.add(slot)
                    assert after != frame
                assert algebra().links(frame, kind, meaning) in range(UNLINKED + 1)
        assert repr(frame) == before
    assert names <= set(PRICES)


def test_rows_are_well_formed() -> None:
    kinds = [kind for row in (*JOINS, *UNARY) for kind in row.rule.split() if kind != "->"]
    assert {*kinds, *(slot.kind for slot in SLOTS)} <= set(KINDS)
    names = Counter(name for row in JOINS for name, _ in row.prices())
    names += Counter(row.name for row in UNARY) + Counter(row.name for row in SLOTS)
    # What is said of a value is a condition, too.
    assert {name for name, number in names.items() if number > 1} == {"condition"}


def test_links_are_counted_between_what_is_said() -> None:
    links = algebra().links
    assert links(Frame(), "TABLE", "baker") == 0
    assert links(BAKERS, "COLUMN", WAGE) == 0
    assert links(BAKERS, "COLUMN", PRICE) == 1
    assert links(Frame(conditions=(Equals(CITY),)), "TABLE", "bread") == 2
    assert links(Frame("store", beside=("sale",)), "TABLE", "bread") == 1
    assert links(BAKERS, "MEASURE", MeasureList((COUNT,))) == 0
    alone = Schema((Table("a", (StoredColumn("x", "id"),)), Table("b", (StoredColumn("x", "id"),))))
    other = SchemaAlgebra(replace(bakery_layer(), schema=alone, tables=(), measures=()), {})
    assert other.links(Frame("a"), "TABLE", "b") == UNLINKED


def test_tables_of_a_phrase() -> None:
    assert tables_of("VALUE", ULM) == ["baker"]
    assert tables_of("KEY", RowKey("store")) == ["store"]
    assert tables_of("COLUMN", LinkedColumn(PLACE, "store", "city")) == ["sale"]
    assert tables_of("ORDER", OrderBy(Pending(), True, 1)) == []
    assert tables_of("CONDITION", Denies(Either((CHEAP, IN_2020)))) == ["bread"]
    assert tables_of("FRAGMENT", Frame(shown=(WAGE,))) == ["baker"]


def test_a_longer_way_than_the_shortest() -> None:
    """Matches have two teams: one path leads to them, the other is a further meaning."""
    home, away = Link("match", "home", "team"), Link("match", "away", "team")
    columns = tuple(StoredColumn(name, "id") for name in ("id", "home", "away"))
    team = Table("team", (StoredColumn("id", "id"), StoredColumn("name", "text")), "id")
    schema = Schema((Table("match", columns, "id"), team), (home, away))
    two = SchemaAlgebra(replace(bakery_layer(), schema=schema, tables=(), measures=()), {})
    values = ((ColumnOf("team", "name"), "Rovers"),)
    made = two.unary["VALUE"](values)
    assert [x[1] for x in made] == [Equals(((LinkedColumn(away, "team", "name"), "Rovers"),))]
    for link, key in ((home, RowKey("team")), (away, Naming("team", away))):
        column, rovers = ColumnOf("match", link.column), Frame(keys=(key,), orders=(OFTEN,))
        assert key in [x[1] for x in two.joins["PER", "COLUMN"]("", column)]
        assert rovers in [x[1] for x in two.joins["OFTEN", "COLUMN"]("desc", column)]
