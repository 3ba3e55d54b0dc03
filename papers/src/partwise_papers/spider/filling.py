"""SQLite files with made-up rows for databases whose contents cannot be had.

Keys and links fit. A column that the queries compare with a literal holds that literal in part of
its rows, so that most queries give rows. Two queries that differ in meaning give different results
on most fills: compare them on several seeds (Zhong et al. 2020 call that a test suite). Whoever
prints a figure measured on these rows says that they are made up.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from partwise_papers.spider.data import (
    SpiderColumn,
    SpiderQuestion,
    SpiderSchema,
    SpiderTable,
    links_of,
)

Literals = Mapping[str, Sequence[Any]]
"""Column in lower case -> what the queries compare it with."""
_FIRST = (
    "Ada Bo Cem Dina Egon Faye Gil Hana Ivo Jun Kim Lars Mina Nils Ola Pia Quin Rosa Sam Tara Uma "
    "Vera Wim Xenia Yuri Zoe"
)
_WORDS = (
    "amber birch cedar delta ember fjord grove harbor indigo juniper kelp linden maple nectar "
    "olive pepper quartz river saffron timber umber violet willow yarrow zephyr"
)
_LITERAL = r""""[^"]*"|'[^']*'|-?\d+(?:\.\d+)?"""
_COMPARED = re.compile(
    r"""(?:\w+\.)?["`]?(\w+)["`]?\s*"""
    r"""(=|!=|<>|<=|>=|<|>|not\s+like|like|between|not\s+in|in)\s*\(?\s*"""
    rf"({_LITERAL})(?:\s*and\s*({_LITERAL}))?",
    re.I,
)
_STORED = {"number": "NUMERIC"}
_FIRST_DAY = date(2010, 1, 1)


def literals_of(questions: Iterable[SpiderQuestion]) -> dict[str, Literals]:
    """Database -> column in lower case -> the literals that its queries compare it with."""
    known: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        for column, sign, *said in _COMPARED.findall(question.sql):
            for text in filter(None, said):
                value, listed = _literal(text, sign), known[question.db][column.lower()]
                if value not in listed:
                    listed.append(value)
    return {db: dict(columns) for db, columns in known.items()}


def fill(schema: SpiderSchema, literals: Literals, path: Path, seed: int, rows: int = 40) -> None:
    """Writes one database; a file that is there is replaced.

    Args:
        seed: of the made-up rows.
        rows: at most so many rows a table.
    """
    made = _Filler(schema, literals, random.Random(f"{schema.db} {seed}"), rows).tables()
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".new")
    written.unlink(missing_ok=True)
    with closing(sqlite3.connect(written)) as connection, connection:
        for table in schema.tables:
            connection.execute(_definition(schema, table))
            marks = ", ".join("?" * len(table.columns))
            values = [
                tuple(row[column.name] for column in table.columns) for row in made[table.name]
            ]
            connection.executemany(f'INSERT OR IGNORE INTO "{table.name}" VALUES ({marks})', values)
    written.replace(path)


def _literal(text: str, sign: str) -> Any:
    if text[0] in "\"'":
        return text[1:-1].replace("%", "") if "like" in sign.lower() else text[1:-1]
    return float(text) if "." in text else int(text)


class _Filler:
    """Makes the rows of one database, tables that others point to first."""

    def __init__(
        self, schema: SpiderSchema, literals: Literals, rng: random.Random, rows: int
    ) -> None:
        self.schema, self.literals, self.rng, self.rows = schema, literals, rng, rows
        self.links = {(link.table, link.column): link.target for link in links_of(schema)}
        self.made: dict[str, list[dict[str, Any]]] = {}

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Table -> its rows."""
        for table in self.schema.tables:
            self._make(table, ())
        return self.made

    def _make(self, table: SpiderTable, trail: tuple[str, ...]) -> None:
        if table.name in self.made or table.name in trail:
            return
        for column in table.columns:
            target = self.links.get((table.name, column.name), table.name)
            self._make(self.schema.table(target), (*trail, table.name))
        rows: list[dict[str, Any]] = []
        keys = [one.name for one in table.columns if one.key]
        seen = set()
        for number in range(self.rows if len(table.columns) > 1 else min(self.rows, 12)):
            row = {one.name: self._cell(table, one, number, rows) for one in table.columns}
            values = tuple(row[key] for key in keys)
            if not keys or values not in seen:
                seen.add(values)
                rows.append(row)
        self.made[table.name] = rows

    def _cell(
        self, table: SpiderTable, column: SpiderColumn, number: int, rows: Sequence[dict[str, Any]]
    ) -> Any:
        target = self.links.get((table.name, column.name), "")
        own = list(self.literals.get(column.name.lower(), ()))
        if self.made.get(target):
            return self.rng.choice(self.made[target])[self.schema.table(target).key or ""]
        if table.key == column.name:
            taken = {row[column.name] for row in rows}
            return self._key(column, number, [value for value in own if value not in taken])
        return None if self.rng.random() < 0.02 and not column.key else self._value(column, own)

    def _key(self, column: SpiderColumn, number: int, own: Sequence[Any]) -> Any:
        if own and self.rng.random() < 0.5:
            return own[0]
        if column.type == "text":
            return f"{self.rng.choice(_WORDS.split())} {number + 1}"
        small = any(isinstance(value, int) and value < 1000 for value in own)
        return 1000 + number if small else number + 1

    def _value(self, column: SpiderColumn, own: Sequence[Any]) -> Any:
        if own and self.rng.random() < 0.6:
            return self._near(self.rng.choice(own), column)
        name = column.name.lower()
        if column.type == "boolean":
            return self.rng.choice("TF")
        if "year" in name:
            year = self.rng.randint(1950, 2024)
            return year if column.type == "number" else str(year)
        if column.type == "number":
            return self._number()
        if column.type == "time" or "date" in name:
            return self._day("time" in name)
        if "name" in name:
            first = self.rng.choice(_FIRST.split())
            return _name_part(name, first, self.rng.choice(_WORDS.split()).capitalize())
        return " ".join(self.rng.sample(_WORDS.split(), self.rng.choice((1, 1, 2))))

    def _near(self, value: Any, column: SpiderColumn) -> Any:
        if isinstance(value, str) or column.type == "text":
            return value
        if isinstance(value, int):
            return value + self.rng.choice((-2, -1, 0, 0, 0, 1, 2, 5))
        return round(value + self.rng.uniform(-1, 1), 2)

    def _number(self) -> float:
        small, large = self.rng.randint(1, 60), self.rng.randint(100, 90000)
        return self.rng.choice((small, self.rng.randint(1, 60), large, self._fraction()))

    def _fraction(self) -> float:
        return round(self.rng.uniform(1, 99), 2)

    def _day(self, clock: bool) -> str:
        day = (_FIRST_DAY + timedelta(days=self.rng.randint(0, 4000))).isoformat()
        return (
            f"{day} {self.rng.randint(0, 23):02}:{self.rng.randint(0, 59):02}:00" if clock else day
        )


def _name_part(column: str, first: str, last: str) -> str:
    """What of a name a column holds: the first, the last, or both."""
    if re.search(r"first|given|fore|^f_?name", column):
        return first
    return last if re.search(r"last|sur|family|^l_?name", column) else f"{first} {last}"


def _definition(schema: SpiderSchema, table: SpiderTable) -> str:
    """CREATE TABLE, with the foreign keys as they are declared."""
    parts = [f'"{column.name}" {_STORED.get(column.type, "TEXT")}' for column in table.columns]
    if keys := ", ".join(f'"{column.name}"' for column in table.columns if column.key):
        parts.append(f"PRIMARY KEY ({keys})")
    parts += [
        f'FOREIGN KEY ("{column}") REFERENCES "{target}" ("{key}")'
        for here, column, target, key in schema.foreign_keys
        if here == table.name
    ]
    return f'CREATE TABLE "{table.name}" ({", ".join(parts)})'
