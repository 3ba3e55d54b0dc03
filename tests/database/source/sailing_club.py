"""A sailing club on every kind of source: decimals, booleans, times, nulls, accents, a bridge."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pymysql
from tests.database.source.hire_shop import mysql_socket, postgresql_place

KINDS = ("sqlite", "postgresql", "mysql", "duckdb", "csv", "parquet")
COLUMNS = {
    "members": {
        "member_id": "INTEGER PRIMARY KEY", "first_name": "VARCHAR(40)", "last_name": "VARCHAR(40)",
        "city": "VARCHAR(40)", "birth_date": "DATE", "joined": "DATE", "zip_code": "VARCHAR(10)",
    },
    "boats": {
        "boat_id": "INTEGER PRIMARY KEY", "name": "VARCHAR(40)", "type": "VARCHAR(40)",
        "length_m": "DECIMAL(5, 2)", "built": "INTEGER", "insured": "BOOLEAN",
        "price_per_day": "DECIMAL(8, 2)",
    },
    "instructors": {
        "instructor_id": "INTEGER PRIMARY KEY", "first_name": "VARCHAR(40)",
        "last_name": "VARCHAR(40)", "hire_date": "DATE", "salary": "DECIMAL(10, 2)",
        "manager_id": "INTEGER REFERENCES instructors (instructor_id)",
    },
    "courses": {
        "course_id": "INTEGER PRIMARY KEY", "title": "VARCHAR(60)", "level": "VARCHAR(20)",
        "instructor_id": "INTEGER REFERENCES instructors (instructor_id)",
        "fee": "DECIMAL(8, 2)", "start_date": "DATE",
    },
    "enrolments": {
        "member_id": "INTEGER REFERENCES members (member_id)",
        "course_id": "INTEGER REFERENCES courses (course_id)",
        "enrolled_on": "DATE", "score": "DOUBLE PRECISION",
    },
    "rentals": {
        "rental_id": "INTEGER PRIMARY KEY", "boat_id": "INTEGER REFERENCES boats (boat_id)",
        "member_id": "INTEGER REFERENCES members (member_id)", "start_time": "TIMESTAMP",
        "hours": "INTEGER", "amount": "DECIMAL(8, 2)", "paid": "BOOLEAN",
    },
}  # fmt: skip
"""Table -> column -> what it is declared as."""
ENDS = {"enrolments": ", PRIMARY KEY (member_id, course_id)"}
TARGETS = {
    **{"member_id": "members", "boat_id": "boats", "course_id": "courses"},
    **{"instructor_id": "instructors", "manager_id": "instructors"},
}
"""Column -> the table that it leads to, where it is not that table's key."""
_PEOPLE = (
    ("Marta", "Lindqvist", "Malmö"), ("Jürgen", "Weiß", "Kiel"), ("Siobhan", "O'Leary", "Cork"),
    ("Renée", "Dubois", "Brest"), ("Tomasz", "Zieliński", "Gdynia"), ("Ines", "Falcão", "Cascais"),
    ("Oskar", "Brandt", "Kiel"), ("Hanne", "Solberg", "Bergen"), ("Pavel", "Novotny", None),
    ("Aoife", "Brennan", "Cork"), ("Lars", "Holm", "Bergen"), ("Greta", "Maurer", "Kiel"),
)  # fmt: skip
_BOATS = (
    ("Sea Sparrow", "dinghy", "4.20", 2011, True, "60.00"),
    ("Blue Heron", "keelboat", "8.75", 2004, True, "210.50"),
    ("L'Étoile", "keelboat", "9.10", 1998, False, "185.00"),
    ("Puffin", "dinghy", "3.65", 2019, True, "45.25"),
    ("Storm Petrel", "catamaran", "6.40", 2015, True, "130.00"),
    ("Grey Seal", "catamaran", "5.90", 2008, False, None),
    ("Old Tern", "dinghy", "4.20", 1987, False, "30.00"),
    ("Northern Light", "yacht", "12.35", 2001, True, "480.00"),
)
_INSTRUCTORS = (
    ("Freya", "Nordahl", date(2009, 4, 1), "4200.00", None),
    ("Declan", "Roche", date(2014, 3, 15), "3350.50", 1),
    ("Beatriz", "Serrano", date(2018, 5, 2), "3100.00", 1),
    ("Kuba", "Wolski", date(2021, 6, 20), "2780.25", 2),
)
_COURSES = (
    ("Dinghy Basics", "beginner", 2, "150.00", date(2024, 4, 8)),
    ("Night Sailing", "advanced", 1, "320.00", date(2024, 6, 3)),
    ("Coastal Navigation", "intermediate", 3, "240.50", date(2024, 5, 13)),
    ("Knots and Ropes", "beginner", 4, "45.00", date(2023, 10, 2)),
    ("Racing Tactics", "advanced", 2, "275.00", date(2023, 9, 4)),
    ("First Aid at Sea", "intermediate", None, "90.00", date(2024, 2, 19)),
)


def rows(table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, as Python values."""
    match table:
        case "members":
            for at, (first, last, city) in enumerate(_PEOPLE, 1):
                born = date(1960 + 3 * at, 1 + at % 12, 1 + 2 * at)
                joined = date(2015 + at % 9, 1 + 5 * at % 12, 10 + at)
                yield at, first, last, city, born, joined, f"0{1000 + 37 * at}"
        case "boats":
            for at, (name, kind, length, built, insured, price) in enumerate(_BOATS, 1):
                cost = None if price is None else Decimal(price)
                yield at, name, kind, Decimal(length), built, insured, cost
        case "instructors":
            for at, (first, last, hired, salary, manager) in enumerate(_INSTRUCTORS, 1):
                yield at, first, last, hired, Decimal(salary), manager
        case "courses":
            for at, (title, level, by, fee, start) in enumerate(_COURSES, 1):
                yield at, title, level, by, Decimal(fee), start
        case "enrolments":
            for at in range(30):
                member, course = 1 + at % 11, 1 + (at * 5 + at // 11) % 6
                score = None if at % 7 == 3 else 50 + (at * 13 % 45) + 0.5 * (at % 2)
                yield member, course, date(2024, 1, 5) - timedelta(days=9 * at), score
        case _:
            for at in range(1, 61):
                start = datetime(2023, 5, 2, 9, 30) + timedelta(days=11 * at, minutes=45 * (at % 6))
                amount = Decimal(25 * (1 + at % 7)) + Decimal(at % 4) / 4
                yield at, 1 + at * 5 % 7, 1 + at * 7 % 10, start, 2 + at % 5, amount, at % 6 != 0


def statements() -> list[str]:
    """What makes the tables and fills them."""
    made = []
    for table, columns in COLUMNS.items():
        declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        made.append(f"CREATE TABLE {table} ({declared}{ENDS.get(table, '')})")
        for row in rows(table):
            made.append(f"INSERT INTO {table} VALUES ({', '.join(map(_written, row))})")
    return made


def _written(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | Decimal):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def sailing_club(kind: str, folder: Path) -> str:
    """The place of the sailing club on a kind of source, for `connect`."""
    match kind:
        case "sqlite":
            with closing(sqlite3.connect(folder / "club.db")) as made:
                for one in statements():
                    made.execute(one)
                made.commit()
            return f"sqlite:///{folder}/club.db"
        case "postgresql":
            return _on_postgresql()
        case "mysql":
            return _on_mysql()
        case "csv":
            return _csv(folder / "files")
        case _:
            return _through_duckdb(kind, folder)


def _on_postgresql() -> str:
    place = postgresql_place()
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS club")
        connection.execute("CREATE DATABASE club")
    place = place.replace("/postgres?", "/club?")
    with psycopg.connect(place, autocommit=True) as connection:
        for one in statements():
            connection.execute(one.encode())
    return place


def _on_mysql() -> str:
    socket = mysql_socket()
    with (
        pymysql.connect(unix_socket=str(socket), user="root", autocommit=True) as made,
        made.cursor() as cursor,
    ):
        begin = ("DROP DATABASE IF EXISTS club", "CREATE DATABASE club CHARACTER SET utf8mb4")
        for one in (*begin, "USE club", *statements()):
            cursor.execute(one.replace("TIMESTAMP", "DATETIME"))
    return f"mysql://root@localhost/club?unix_socket={socket}"


def _through_duckdb(kind: str, folder: Path) -> str:
    path = folder / "club.duckdb"
    with duckdb.connect(str(path)) as connection:
        for one in statements():
            connection.execute(one)
        if kind == "duckdb":
            return f"duckdb:///{path}"
        (folder / "files").mkdir()
        for table in COLUMNS:
            connection.execute(f"COPY {table} TO '{folder}/files/{table}.{kind}' (FORMAT {kind})")
    return str(folder / "files")


def _csv(folder: Path) -> str:
    """Files as other programs write them."""
    folder.mkdir()
    for table, columns in COLUMNS.items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(rows(table))
    return str(folder)
