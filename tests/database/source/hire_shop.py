"""A small bicycle hire, on every kind of source."""

from __future__ import annotations

import atexit
import sqlite3
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path

import duckdb
import psycopg
import pymysql
import pytest
from tests.attacks.mysql_server import INSTALLED, mysql_server
from tests.attacks.postgres_server import program as installed
from tests.attacks.postgres_server import server

KINDS = ("sqlite", "duckdb", "postgresql", "mysql", "csv", "parquet")
TABLES = """
CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40));
CREATE TABLE employees (
    employee_id INTEGER PRIMARY KEY, first_name VARCHAR(40), last_name VARCHAR(40),
    hire_date DATE, manager_id INTEGER REFERENCES employees (employee_id),
    shop_id INTEGER REFERENCES shops (shop_id), password_hash VARCHAR(40)
);
CREATE TABLE bicycles (
    bicycle_id INTEGER PRIMARY KEY, model VARCHAR(40), frame_no VARCHAR(20), colour VARCHAR(20),
    weight_kg DOUBLE PRECISION, electric BOOLEAN
);
CREATE TABLE rentals (
    rental_id INTEGER PRIMARY KEY, bicycle_id INTEGER REFERENCES bicycles (bicycle_id),
    employee_id INTEGER REFERENCES employees (employee_id), rental_date DATE,
    amount_paid DOUBLE PRECISION
);
CREATE TABLE shop_bicycles (
    shop_id INTEGER REFERENCES shops (shop_id), bicycle_id INTEGER REFERENCES bicycles (bicycle_id),
    PRIMARY KEY (shop_id, bicycle_id)
)
"""
_SERVERS = ExitStack()
atexit.register(_SERVERS.close)
COLOURS = ("red", "sky blue", "green")
MODELS = (
    *("Café Racer", "Penny-Farthing", "Mountain King", "O'Neill 29", "Tandem", "Cargo Mule"),
    *("Little Rocket", "City Star", "Night Rider", "Gravel Queen", "Old Faithful", "Swift"),
)


def statements() -> list[str]:
    """What makes the tables and fills them."""
    people = [("Ines", "Martins"), ("Björn", "Åkesson"), ("Mary", "Peacock"), ("Ken", "Adams")]
    made = TABLES.strip().split(";\n")
    made.append("INSERT INTO shops VALUES (1, 'North Yard', 'Lisbon'), (2, 'Old Mill', 'Oslo')")
    for number, (first, last) in enumerate(people, 11):
        manager = "NULL" if number == 11 else "11"
        made.append(
            f"INSERT INTO employees VALUES ({number}, '{first}', '{last}', '2020-0{number - 8}-15',"
            f" {manager}, {1 + number % 2}, 'x{number}f')"
        )
    for number, model in enumerate(MODELS, 101):
        name, electric = model.replace("'", "''"), "TRUE" if number % 2 else "FALSE"
        made.append(
            f"INSERT INTO bicycles VALUES ({number}, '{name}', '0{number}', "
            f"'{COLOURS[number % 3]}', {number / 10}, {electric})"
        )
    for number in range(1001, 1031):
        day = f"2024-0{1 + number % 9}-{10 + number % 18}"
        made.append(
            f"INSERT INTO rentals VALUES ({number}, {101 + number % 12}, {11 + number % 4}, "
            f"'{day}', {number / 100})"
        )
    made += [f"INSERT INTO shop_bicycles VALUES ({1 + at % 2}, {101 + at})" for at in range(12)]
    return made


def hire_shop(kind: str, folder: Path) -> str:
    """The place of the bicycle hire on a kind of source, for `connect`.

    A server is started once, and ends with the tests.
    """
    if kind == "postgresql":
        return _postgresql()
    if kind == "mysql":
        return _mysql()
    if kind != "sqlite":
        return _through_duckdb(kind, folder)
    with closing(sqlite3.connect(folder / "hire.db")) as made:
        for one in statements():
            made.execute(one)
        made.commit()
    return f"sqlite:///{folder}/hire.db"


@cache
def postgresql_place() -> str:
    """The place of a PostgreSQL server that ends with the tests."""
    if installed("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    return _SERVERS.enter_context(server())[0]


@cache
def mysql_socket() -> Path:
    """The socket of a MariaDB server that ends with the tests."""
    if not INSTALLED:
        pytest.skip("MariaDB is not installed")
    return _SERVERS.enter_context(mysql_server())


@cache
def _postgresql() -> str:
    place = postgresql_place()
    with psycopg.connect(place, autocommit=True) as connection:
        for one in statements():
            connection.execute(one.encode())
        connection.execute("COMMENT ON COLUMN bicycles.colour IS 'of the frame'")
    return place


@cache
def _mysql() -> str:
    socket = mysql_socket()
    with (
        pymysql.connect(unix_socket=str(socket), user="root", autocommit=True) as made,
        made.cursor() as cursor,
    ):
        for one in ("CREATE DATABASE hire CHARACTER SET utf8mb4", "USE hire", *statements()):
            cursor.execute(one)
    return f"mysql://root@localhost/hire?unix_socket={socket}"


def _through_duckdb(kind: str, folder: Path) -> str:
    path = folder / "hire.duckdb"
    with duckdb.connect(str(path)) as connection:
        for one in statements():
            connection.execute(one)
        if kind == "duckdb":
            return f"duckdb:///{path}"
        (folder / "files").mkdir()
        for table in ("shops", "employees", "bicycles", "rentals", "shop_bicycles"):
            connection.execute(f"COPY {table} TO '{folder}/files/{table}.{kind}' (FORMAT {kind})")
    return str(folder / "files")
