"""Reading, splitting and filling."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.errors import DataError
from partwise.execution.relational.schema import Link
from partwise_papers.spider.data import (
    SpiderQuestion,
    SpiderSchema,
    declared_schema,
    held_out,
    links_of,
    read_questions,
    read_schemas,
    spider_folder,
    split,
    typed_to_spider,
)
from partwise_papers.spider.filling import fill, literals_of


def test_links_go_from_many_rows_to_one(shop: SpiderSchema) -> None:
    assert set(links_of(shop)) == {
        Link("Staff", "Shop_ID", "Shops"),
        Link("Sales", "Staff_ID", "Staff"),
    }


def test_typed_questions_are_each_once_and_to_databases_of_training() -> None:
    questions = typed_to_spider()
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
    assert held_out(names) == parts.test


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
        imported, declared = import_database(source, "shop").schema, declared_schema(shop)
    assert set(imported.links) == set(declared.links)
    keys, wanted = ({one.name: one.key for one in of.tables} for of in (imported, declared))
    assert keys == wanted
    assert {one.name: one.kind for one in declared.table("Sales").columns} == {
        **{"Staff_ID": "id", "Item": "text", "Price": "number"}
    }


def test_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no train\.jsonl\.gz"):
        spider_folder(tmp_path)


def test_real_files(real: Path) -> None:
    questions, schemas = read_questions(real), read_schemas(real)
    assert len(questions) == 6804
    assert sum(one.synonyms is not None for one in questions) == 4708
    assert {one.db for one in questions} == set(schemas)
    assert all(declared_schema(one).tables for one in schemas.values())
