"""Sources only read, within limits, and keep their secrets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import sqlalchemy as sa
from tests.database.source.sources import place_of

from cases import cases
from partwise.database.source.catalogue import read_catalogue
from partwise.database.source.connections import QueryLimits, connect, expanded, savable
from partwise.errors import DomainError, ExecutionError
from partwise.execution import worker_sql
from partwise.execution.database import Database
from partwise.language.values import Many

SHOPS = sa.table("shops", sa.column("name"))
ENDLESS = sa.select(sa.func.count()).select_from(
    *[sa.table("bicycles", sa.column("model")).alias(f"b{at}") for at in range(12)]
)


@pytest.fixture(params=["sqlite", "duckdb", "postgresql", "mysql", "csv"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return place_of("hire", request.param, tmp_path)


def test_rows_are_limited_and_it_is_said(place: str) -> None:
    source = connect(place)
    names = sa.select(SHOPS.c.name).order_by(SHOPS.c.name)
    assert source.run(names) == (("name",), [("North Yard",), ("Old Mill",)], False)
    few = source.run(names, QueryLimits(rows=1))
    assert few == (("name",), [("North Yard",)], True)
    assert not source.run(names.limit(1), QueryLimits(rows=1)).truncated
    source.close()


def test_a_query_that_runs_away_is_stopped(place: str) -> None:
    source = connect(place, QueryLimits(seconds=0.5))
    with pytest.raises(ExecutionError, match="took longer"):
        source.run(ENDLESS)
    # Others are answered as before.
    assert len(source.run(sa.select(SHOPS.c.name), QueryLimits()).rows) == 2
    source.close()


def test_nothing_is_written(place: str) -> None:
    source = connect(place)
    statement = sa.select(sa.literal_column("name FROM shops; DELETE FROM shops; SELECT 1"))
    with pytest.raises(ExecutionError):
        source.run(statement)
    assert len(source.run(sa.select(SHOPS.c.name)).rows) == 2
    source.close()


def test_the_catalogue_is_read_without_writing(tmp_path: Path) -> None:
    with (
        pytest.raises(DomainError, match="readonly"),
        connect(place_of("hire", "sqlite", tmp_path)).catalogue() as run,
    ):
        run("DELETE FROM shops")


def test_values_are_bound(place: str) -> None:
    source = connect(place)
    hostile = sa.select(SHOPS.c.name).where(SHOPS.c.name.in_(["x' OR '1'='1", "Old Mill"]))
    assert source.run(hostile).rows == [("Old Mill",)]
    assert "x'' OR ''1''=''1" in source.sql(hostile)
    source.close()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    for place in (tmp_path / "none.db", f"sqlite:///{tmp_path}/none.db", tmp_path / "none"):
        with pytest.raises(DomainError, match=r"none.*: there is no such file or folder"):
            connect(place)
    assert not (tmp_path / "none.db").exists()


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(DomainError, match="not known how to read this; write sqlite:///FILE"):
        connect(tmp_path / "notes.txt")
    with pytest.raises(DomainError, match=r"oracle://\.\.\. cannot be read"):
        connect("oracle://scott@host/db")
    with pytest.raises(DomainError, match="there is no CSV or Parquet file"):
        connect(tmp_path)
    (tmp_path / "broken.parquet").write_text("no parquet")
    with pytest.raises(DomainError, match=r"broken\.parquet: cannot be read as a table"):
        connect(tmp_path / "broken.parquet")


def test_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    for kind in ("sqlite", "duckdb"):
        place_of("hire", kind, tmp_path)
        odd = tmp_path / f"50% of #1, {kind} data"
        (tmp_path / f"hire.{'db' if kind == 'sqlite' else kind}").rename(odd)
        source = connect(odd)
        assert source.kind == kind
        assert len(source.run(sa.select(SHOPS.c.name)).rows) == 2
        assert len(read_catalogue(source)) == 5
        source.close()


def test_two_files_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "a.tsv").write_text("x\n1\n")
    with pytest.raises(DomainError, match="would both be the table a"):
        connect(tmp_path)


def test_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIRE_PASSWORD", "p@ss/word")
    monkeypatch.setenv("HIRE_URL", "sqlite:///hire.db")
    assert expanded("postgresql://me:${HIRE_PASSWORD}@host/db") == (
        "postgresql://me:p%40ss%2Fword@host/db"
    )
    assert expanded("env:HIRE_URL") == "sqlite:///hire.db"
    with pytest.raises(DomainError, match="environment variable HIRE_NONE; set it"):
        expanded("env:HIRE_NONE")


@cases("place")
def test_a_password_is_not_saved(place: str) -> None:
    with pytest.raises(DomainError, match="never written to a folder") as error:
        savable(place)
    assert "secret" not in str(error.value)


@cases("place")
def test_a_connection_without_a_password_is_saved(place: str) -> None:
    assert savable(place) == place


def test_the_copy_of_files_goes_with_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    source = connect(tmp_path / "a.csv")
    copy = Path(source.url.removeprefix("duckdb:///"))
    assert copy.is_file()
    source.close()
    del source
    assert not copy.exists()


def test_memory_is_limited(tmp_path: Path) -> None:
    limits = replace(QueryLimits(), memory=1 << 30, seconds=60)
    source = connect(place_of("hire", "duckdb", tmp_path), limits)
    bicycles = sa.table("bicycles", sa.column("model"))
    pairs = [bicycles.alias(f"b{at}") for at in range(7)]
    every = sa.select(sa.func.string_agg(pairs[0].c.model, ",")).select_from(*pairs)
    with pytest.raises(ExecutionError, match=r"(?i)memory|larger"):
        source.run(every)
    source.close()


@pytest.fixture
def mysql(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """What asks a MySQL server that has one row, and what the server was told."""
    connection = MagicMock()
    monkeypatch.setattr("pymysql.connect", lambda **given: connection)
    told = connection.cursor.return_value.__enter__.return_value
    told.__iter__.side_effect = lambda: iter([(1,)])
    return worker_sql.mysql("mysql://me@localhost/hire", 0.5)[1], told.execute


@cases("query")
def test_mysql_reads_no_more_than_is_checked(query: str, mysql: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match=r"readonly|cannot be read"):
        list(mysql[0](query, []))


def test_mysql_is_told_its_limits_and_values(mysql: tuple[Any, Any]) -> None:
    ask, told = mysql
    for setting in (
        *("max_execution_time = 500", "max_statement_time = 0.500"),
        *("TRANSACTION READ ONLY", "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'"),
    ):
        assert setting in str(told.call_args_list)
    some = {"of": Many(["x'--"]), "id": 1}
    query, values = Database("mysql://me@localhost/hire")._bind("SELECT 1 IN :of, :id", some)
    assert list(ask(query, values)) == [(1,)]
    told.assert_called_with("SELECT 1 IN (%s), %s", ["x'--", 1])


def test_mysql_binds_values_by_name(tmp_path: Path) -> None:
    database = Database(place_of("hire", "mysql", tmp_path))
    some = "SELECT name FROM shops WHERE name IN :of OR (city LIKE '%o' AND shop_id = :id)"
    assert database.rows(some, of=Many(["Old Mill", "x'--"]), id=1) == [("Old Mill",)]
    assert database.rows("SELECT name FROM shops WHERE name IN :of", of=Many([])) == []
    database.close()
