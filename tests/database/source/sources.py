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
from itertools import count
from pathlib import Path

import duckdb
import psycopg
import pymysql
import pytest
from tests.attacks.servers import INSTALLED, mysql_server, server
from tests.attacks.servers import program as installed

KINDS = ("sqlite", "duckdb", "postgresql", "mysql", "csv", "parquet")
_SERVERS = ExitStack()
_NUMBERS = count()
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


def made_on_postgresql(script: str, name: str = "") -> str:
    """The place of a new database that a script fills."""
    name = name or f"made{next(_NUMBERS)}"
    place = _server().replace("/postgres?", f"/{name}?")
    with psycopg.connect(_server(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute(script.encode())
    return place


@cache
def _on_postgresql(name: str) -> str:
    more = ["COMMENT ON COLUMN bicycles.colour IS 'of the frame'"] if name == "hire" else []
    return made_on_postgresql(";\n".join(statements(name) + more), name)


@cache
def _socket() -> Path:
    if not INSTALLED:
        pytest.skip("MariaDB is not installed")
    return _SERVERS.enter_context(mysql_server())


@cache
def _on_mysql(name: str) -> str:
    return made_on_mysql(";\n".join(statements(name)), name)


def made_on_mysql(script: str, name: str = "") -> str:
    """The place of a new database that a script fills, with dates that are none."""
    socket, name = _socket(), name or f"made{next(_NUMBERS)}"
    begin = (f"CREATE DATABASE {name} CHARACTER SET utf8mb4", f"USE {name}", "SET sql_mode = ''")
    with (
        pymysql.connect(unix_socket=str(socket), user="root", autocommit=True) as made,
        made.cursor() as cursor,
    ):
        for one in (*begin, *script.split(";\n")):
            cursor.execute(one.replace("TIMESTAMP", "DATETIME"))
    return f"mysql://root@localhost/{name}?unix_socket={socket}"
