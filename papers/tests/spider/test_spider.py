"""Spider: its files, and its SQL."""

from __future__ import annotations

import os
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases, rows
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.errors import DataError
from partwise.execution.relational.program import (
    Aggregate,
    Belonging,
    Compare,
    Field,
    Figure,
    Grouping,
    Listing,
    Not,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise_papers.spider.checking import Fills, Gold, Verdict
from partwise_papers.spider.contents import ARCHIVE, contents_of, unpack_contents
from partwise_papers.spider.converter import UnsupportedSqlError, candidates
from partwise_papers.spider.coverage import ConversionCounts, constructs, convert_all, fill_all
from partwise_papers.spider.data import (
    SpiderColumn,
    SpiderQuestion,
    SpiderSchema,
    SpiderTable,
    declare_schema,
    links_of,
    read_questions,
    read_schemas,
    read_typed_questions,
    spider_folder,
    split,
)
from partwise_papers.spider.filling import fill, literals_of

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "spider"


def _column(name: str, kind: str = "text", key: bool = False) -> SpiderColumn:
    return SpiderColumn(name, name.replace("_", " ").lower(), kind, key)


@pytest.fixture
def shop() -> SpiderSchema:
    """Shops, their staff, and what is sold; one foreign key is declared the wrong way round."""
    shops = SpiderTable(
        "Shops",
        "shops",
        (
            _column("Shop_ID", "number", True),
            _column("Name"),
            _column("City"),
            _column("Opened", "time"),
        ),
    )
    staff = SpiderTable(
        "Staff",
        "staff",
        (
            _column("Staff_ID", "number", True),
            _column("First_Name"),
            _column("Last_Name"),
            _column("Age", "number"),
            _column("Shop_ID", "number"),
        ),
    )
    sales = SpiderTable(
        "Sales",
        "sales",
        (_column("Staff_ID", "number"), _column("Item"), _column("Price", "number")),
    )
    keys = (("Shops", "Shop_ID", "Staff", "Shop_ID"), ("Sales", "Staff_ID", "Staff", "Staff_ID"))
    return SpiderSchema("shop", (shops, staff, sales), keys)


@pytest.fixture
def real() -> Path:
    """The folder of the real files; the test is skipped where they are not."""
    if not (REAL / "train.jsonl.gz").is_file():
        pytest.skip("Spider's files are not here")
    return REAL


def test_links_go_from_many_rows_to_one(shop: SpiderSchema) -> None:
    assert set(links_of(shop)) == {
        Link("Staff", "Shop_ID", "Shops"),
        Link("Sales", "Staff_ID", "Staff"),
    }


def test_typed_questions_are_each_once_and_to_databases_of_training() -> None:
    questions = read_typed_questions()
    assert len({one.id for one in questions}) == len(questions) > 2000
    assert len({(one.db, one.question.lower()) for one in questions}) == len(questions)
    try:
        schemas = read_schemas(spider_folder())
    except DataError:
        pytest.skip("Spider's files are not here")
    assert {one.db for one in questions} <= set(split(schemas).train)


def test_split_is_by_database_and_by_seed() -> None:
    names = [f"db{number}" for number in range(60)]
    parts = split(names, seed=0)
    assert [len(one) for one in parts] == [28, 12, 20]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert parts == split(reversed(names), seed=0) != split(names, seed=1)


def test_filled_rows_fit_keys_and_hold_literals(shop: SpiderSchema, tmp_path: Path) -> None:
    said = SpiderQuestion("1", "shop", "?", "SELECT Name FROM Shops WHERE City = 'Oslo'")
    for seed in range(2):
        fill(shop, literals_of([said])["shop"], tmp_path / f"{seed}.sqlite", seed)
    first, second = (sqlite3.connect(tmp_path / f"{seed}.sqlite") for seed in range(2))
    assert first.execute("SELECT count(*) FROM Shops WHERE City = 'Oslo'").fetchone()[0] > 5
    inner = "SELECT count(*) FROM Staff JOIN Shops ON Staff.Shop_ID = Shops.Shop_ID"
    assert first.execute(inner).fetchone() == first.execute("SELECT count(*) FROM Staff").fetchone()
    rows = "SELECT * FROM Sales"
    assert first.execute(rows).fetchall() != second.execute(rows).fetchall()


def test_import_finds_the_links_that_are_declared(shop: SpiderSchema, tmp_path: Path) -> None:
    fill(shop, {}, tmp_path / "shop.sqlite", 0)
    with closing(connect(tmp_path / "shop.sqlite")) as source:
        imported, declared = import_database(source, "shop").schema, declare_schema(shop)
    assert set(imported.links) == set(declared.links)
    keys, wanted = ({one.name: one.key for one in of.tables} for of in (imported, declared))
    assert keys == wanted
    assert {one.name: one.kind for one in declared.table("Sales").columns} == {
        **{"Staff_ID": "id", "Item": "text", "Price": "number"}
    }


def test_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no train\.jsonl\.gz"):
        spider_folder(tmp_path)


def test_contents_are_unpacked_once_and_whole(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "contents"
    with pytest.raises(DataError, match="cannot be unpacked"):
        unpack_contents(tmp_path, folder)
    (tmp_path / "databases").mkdir()
    (tmp_path / "databases" / "shop.sqlite").write_bytes(b"rows")
    with tarfile.open(tmp_path / ARCHIVE, "w:xz") as archive:
        archive.add(tmp_path / "databases", "databases")
    unpack_contents(tmp_path, folder)
    file = contents_of(folder, "shop")
    assert file is not None
    assert file.read_bytes() == b"rows"
    assert contents_of(folder, "other") is None
    assert list(folder.parent.iterdir()) == [folder]
    (tmp_path / ARCHIVE).unlink()
    unpack_contents(tmp_path, folder)
    with tarfile.open(tmp_path / ARCHIVE, "w:xz"):
        pass
    with pytest.raises(DataError, match="no folder"):
        unpack_contents(tmp_path, tmp_path / "empty")


def test_real_files(real: Path) -> None:
    questions, schemas = read_questions(real), read_schemas(real)
    assert len(questions) == 6804
    assert sum(one.synonyms is not None for one in questions) == 4708
    assert {one.db for one in questions} == set(schemas)
    assert all(declare_schema(one).tables for one in schemas.values())


SHOP = Link("Staff", "Shop_ID", "Shops")
QUERIES = rows(globals(), "QUERIES")


@pytest.fixture
def fills(shop: SpiderSchema, tmp_path: Path) -> Fills:
    literals = literals_of([SpiderQuestion("1", "shop", "?", one) for one in QUERIES])["shop"]
    files = [tmp_path / f"{seed}.sqlite" for seed in range(3)]
    for seed, file in enumerate(files):
        fill(shop, literals, file, seed)
    return Fills(declare_schema(shop), files)


@pytest.mark.parametrize("sql", QUERIES)
def test_a_program_gives_the_rows_of_the_query(fills: Fills, sql: str) -> None:
    assert fills.check(sql)


def test_a_wrong_program_is_noticed(fills: Fills) -> None:
    sql = "SELECT Name FROM Shops WHERE City = 'Oslo'"
    wrong = Rows("Shops", Compare(Field((), "City"), "!=", Value("Oslo")))
    name = (Field((), "Name"),)
    assert fills.verdict(Listing(wrong, name), fills.gold(sql)) == "different"
    right = Rows("Shops", Compare(Field((), "City"), "=", Value("Oslo")))
    assert fills.verdict(Listing(right, name), fills.gold(sql)) == "same"


def test_a_join_to_many_rows_asks_for_some_row(shop: SpiderSchema) -> None:
    made = candidates(QUERIES[2], declare_schema(shop))
    old = Compare(Field((), "Age"), ">", Value(30))
    head = Rows("Shops", Related((), Rows("Staff", old)))
    assert made[0] == Listing(head, (Field((), "Name"),))
    assert Listing(Rows("Staff", old), (Field((SHOP,), "Name"),)) in made


def test_groups_are_also_figures_of_a_row(shop: SpiderSchema) -> None:
    made = candidates(QUERIES[3], declare_schema(shop))
    count = Belonging((), Figure(Rows("Staff"), Aggregate("count")))
    assert isinstance(made[0], Grouping)
    assert made[0].shown == (Field((SHOP,), "Name"),)
    figured = [one for one in made if isinstance(one, Listing)]
    assert figured[0].shown == (Field((), "Name"), count)


def test_not_in_is_no_row(shop: SpiderSchema) -> None:
    made = candidates(QUERIES[4], declare_schema(shop))[0]
    assert made == Listing(Rows("Shops", Not(Related((), Rows("Staff")))), (Field((), "Name"),))


@cases("sql, why")
def test_what_cannot_be_said_is_named(shop: SpiderSchema, sql: str, why: str) -> None:
    with pytest.raises(UnsupportedSqlError, match=why):
        candidates(sql, declare_schema(shop))


def test_counts(shop: SpiderSchema, tmp_path: Path) -> None:
    said = [
        SpiderQuestion("1", "shop", "?", "SELECT Name FROM Shops WHERE City = 'Oslo'"),
        SpiderQuestion("2", "shop", "?", "SELECT City, count(*) FROM Shops GROUP BY City"),
        SpiderQuestion("3", "shop", "?", "SELECT count(*), Name FROM Shops"),
        SpiderQuestion("4", "shop", "?", "SELECT Name FROM Nowhere"),
    ]
    fill_all({"shop": shop}, said, tmp_path, range(2))
    coverage = ConversionCounts()
    for one in convert_all({"shop": shop}, said, tmp_path, range(2)):
        coverage.add(one)
    assert (coverage.questions, coverage.covered) == (4, 2)
    stored = coverage.to_json()
    assert stored["constructs"]["group by"] == {"questions": 1, "covered": 1}
    assert stored["missing"] == {
        "a column beside a figure, without groups": 1,
        "the query does not run": 1,
    }
    assert "2 of 4 questions" in coverage.text()


def test_constructs() -> None:
    assert constructs("SELECT a FROM t") == {"one table, no more"}
    nested = "SELECT a FROM t WHERE b > (SELECT avg(b) FROM t) AND c IN (SELECT c FROM u)"
    assert constructs(nested) == {"number from a query", "in"}
    assert constructs("SELECT FROM WHERE") == {"cannot be read"}


ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.booleans()), max_size=6)


def verdict(mine, rows, ordered=False) -> Verdict:  # type: ignore[no-untyped-def]
    return Gold(list(rows), [], list(rows), ordered).verdict(mine)


@given(ROWS, st.permutations(range(3)), st.randoms())
def test_order_of_columns_and_of_rows_does_not_matter(rows, columns, random) -> None:  # type: ignore[no-untyped-def]
    moved = [tuple(row[one] for one in columns) for row in rows]
    random.shuffle(moved)
    assert verdict(moved, rows, ordered=False) == "same"


@given(ROWS)
def test_repeats_are_told_from_the_same_rows(rows) -> None:  # type: ignore[no-untyped-def]
    assert verdict([*rows, *rows], rows) != "different"
    assert (verdict([*rows, *rows], rows) == "same") == (not rows)


def test_rounding_and_order() -> None:
    assert verdict([(1 / 3,)], [(0.33333333,)], ordered=True) == "same"
    assert verdict([(2,), (1,)], [(1,), (2,)], ordered=True) == "different"
    assert verdict([(1,)], [(1, 2)], ordered=False) == "different"
    assert verdict([], [(1,)], ordered=False) == "different"


def test_ties_at_the_limit() -> None:
    every = [("a",), ("b",), ("c",), ("d",)]
    gold = Gold(every[:2], [(9,), (5,), (5,), (1,)], every, True)
    assert gold.verdict([("a",), ("b",)]) == "same"
    assert gold.verdict([("a",), ("c",)]) == "ties"
    assert gold.verdict([("a",), ("d",)]) == "different"
    assert gold.verdict([("b",), ("c",)]) == "different"
