"""The grammar of a schema, by example on the bakery, and what holds of all rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

import bakery
from bakery import PLACE, bakery_layer

from cases import cases
from partwise.database import phrases
from partwise.database.phrases import (
    Aggregated,
    ColumnOf,
    Compares,
    Computed,
    Declared,
    Denies,
    Either,
    Equals,
    Falls,
    Frame,
    Lasting,
    LinkedColumn,
    MeasureList,
    Naming,
    Number,
    OrderBy,
    PartOf,
    Pending,
    PerRow,
    RowKey,
    Same,
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
from partwise.database.spans import periods
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


@cases("left, first, right, second, kind, meaning", bakery, phrases, periods)
def test_neighbours_join(
    left: str, first: Any, right: str, second: Any, kind: str | None, meaning: Any
) -> None:
    made = [x[:2] for x in algebra().joins[left, right](first, second)]
    assert (kind, meaning) in made if kind else not made


@cases("of, meaning, kind, made", bakery, phrases, periods)
def test_a_phrase_is_of_another_kind_too(of: str, meaning: Any, kind: str, made: list[Any]) -> None:
    assert [x[:2] for x in algebra().unary[of](meaning)] == [(kind, each) for each in made]


BAKERS = Frame("baker")
THREE_BEST = Frame("baker", orders=(OrderBy(Pending(), True, 3),))


@cases("frame, kind, meaning, slot, after", bakery, phrases, periods)
def test_a_phrase_fills_a_slot(
    frame: Frame, kind: str, meaning: Any, slot: str | None, after: Frame
) -> None:
    made = list(algebra().fill(frame, kind, meaning))
    assert (after, slot) in made if slot else not made


RULES = [row.rule.split() for row in (*JOINS, *UNARY)]
MADE = {kind for *_, kind in RULES}
KINDS = {kind for rule in RULES for kind in rule if kind != "->"} | {slot.kind for slot in SLOTS}


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
        "SIGN": ["<", "="], "PLACE": ["2"], "COUNT": [""], "FRAME": [Frame()],
    }  # fmt: skip
    # What no row makes is an operation without an argument.
    first |= {kind: [""] for kind in KINDS - MADE - set(first)}
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
    assert set(items) == KINDS
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
        column = ColumnOf("match", link.column)
        assert key in [x[1] for x in two.joins["PER", "COLUMN"]("", column)]
