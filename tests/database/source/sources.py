"""The same data on every kind of source, made by the statements of a file beside this one.

`hire.sql` is a small bicycle hire; `club.sql` a sailing club with decimals, booleans, times, nulls,
accents and a bridge. A server is started once, and ends with the tests.
"""

from __future__ import annotations

import atexit
import re
import sqlite3
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path

import duckdb
import psycopg
import pymysql
import pytest
from tests.attacks.servers import INSTALLED, mysql_server, server
from tests.attacks.servers import program as installed

KINDS = ("sqlite", "duckdb", "postgresql", "mysql", "csv", "parquet")
_SERVERS = ExitStack()
atexit.register(_SERVERS.close)


def statements(name: str) -> list[str]:
    """What makes the tables and fills them."""
    text = Path(__file__).with_name(f"{name}.sql").read_text("utf-8")
    return [one for one in text.split(";\n") if one]


def place_of(name: str, kind: str, folder: Path) -> str:
    """The place of some data on a kind of source, for `connect`."""
    if kind == "postgresql":
        return _on_postgresql(name)
    if kind == "mysql":
        return _on_mysql(name)
    if kind == "sqlite":
        with closing(sqlite3.connect(folder / f"{name}.db")) as made:
            made.executescript(";\n".join(statements(name)))
        return f"sqlite:///{folder}/{name}.db"
    path = folder / f"{name}.duckdb"
    with duckdb.connect(str(path)) as connection:
        for one in statements(name):
            connection.execute(one)
        if kind == "duckdb":
            return f"duckdb:///{path}"
        (folder / "files").mkdir()
        for table in re.findall(r"CREATE TABLE (\w+)", ";".join(statements(name))):
            connection.execute(f"COPY {table} TO '{folder}/files/{table}.{kind}' (FORMAT {kind})")
    return str(folder / "files")


@cache
def _server() -> str:
    if installed("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    return _SERVERS.enter_context(server())[0]


@cache
def _on_postgresql(name: str) -> str:
    place = _server().replace("/postgres?", f"/{name}?")
    with psycopg.connect(_server(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    with psycopg.connect(place, autocommit=True) as connection:
        for one in statements(name):
            connection.execute(one.encode())
        if name == "hire":
            connection.execute("COMMENT ON COLUMN bicycles.colour IS 'of the frame'")
    return place


@cache
def _socket() -> Path:
    if not INSTALLED:
        pytest.skip("MariaDB is not installed")
    return _SERVERS.enter_context(mysql_server())


@cache
def _on_mysql(name: str) -> str:
    socket = _socket()
    begin = (f"CREATE DATABASE {name} CHARACTER SET utf8mb4", f"USE {name}")
    with (
        pymysql.connect(unix_socket=str(socket), user="root", autocommit=True) as made,
        made.cursor() as cursor,
    ):
        for one in (*begin, *statements(name)):
            cursor.execute(one.replace("TIMESTAMP", "DATETIME"))
    return f"mysql://root@localhost/{name}?unix_socket={socket}"
