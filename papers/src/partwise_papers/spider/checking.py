"""Programs that give the rows of a query, on databases with made-up rows.

Two answers are the same if their rows are, in any order of columns, numbers rounded to 6 digits. A
query's rows are told twice: as SQLite gives them, and under the conventions of programs, where
SQLite's own say nothing about a question. A null makes no group where groups are chosen, comes last
in an order, and is in no set. A value that equals the one column of a query equals one of its rows,
not SQLite's first. Groups that tie at a limit are ordered by what makes them.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlglot import exp

from partwise.errors import ExecutionError, PartwiseError
from partwise.execution.relational.program import Program
from partwise.execution.relational.schema import Schema
from partwise.execution.relational.sql import Compiler
from partwise_papers.spider.converter import candidates, read_sql

Record = tuple[Any, ...]
"""A row of an answer."""
Verdict = Literal["same", "usual", "ties", "repeats", "different"]
"""How an answer compares: the same rows; the same under the
conventions of programs for nulls, single values and ties of groups;
the same but for the choice among rows that tie or for their order; the same once each row is listed
once; different."""
VERDICTS: tuple[Verdict, ...] = ("same", "usual", "ties", "repeats", "different")
"""From the best to the worst."""
WIDEST = 5
"""Columns up to which all orders are tried; of more, only those in which the columns fit."""


class Gold(NamedTuple):
    """The rows of the right answer.

    Attributes:
        rows: in their order.
        keys: what each of `every` is ordered by; empty without an order.
        every: all rows, as if there were no limit.
        ordered: whether the order matters.
    """

    rows: list[Record]
    keys: list[Record]
    every: list[Record]
    ordered: bool

    def verdict(self, predicted: Sequence[Record]) -> Verdict:
        """How predicted rows compare with these."""
        mine = [tuple(map(_plain, row)) for row in predicted]
        gold = self._with_rows(*([tuple(map(_plain, row)) for row in rows] for rows in self[:3]))
        best: Verdict = "different"
        for order in _orders(mine, gold.every):
            moved = [tuple(row[place] for place in order) for row in mine]
            found = gold._compare_records(moved)
            if found == "same":
                return "same"
            if found != "different":
                best = found if best == "different" or found == "ties" else best
        return best

    def _with_rows(self, rows: list[Record], keys: list[Record], every: list[Record]) -> Gold:
        return Gold(rows, keys, every, self.ordered)

    def _compare_records(self, mine: list[Record]) -> Verdict:
        if mine == self.rows if self.ordered else Counter(mine) == Counter(self.rows):
            return "same"
        if self.keys and len(mine) == len(self.rows) and self._follows_order(mine):
            return "ties"
        once, gold = list(dict.fromkeys(mine)), list(dict.fromkeys(self.rows))
        cut = len(self.rows) < len(self.every)
        if not cut and (once == gold if self.ordered and not self.keys else set(once) == set(gold)):
            return "repeats"
        return "different"

    def _follows_order(self, mine: list[Record]) -> bool:
        """Whether rows follow the order, with any of those that tie."""
        start = 0
        while start < len(mine):
            key, end = self.keys[start], start
            while end < len(self.keys) and self.keys[end] == key:
                end += 1
            tied = Counter(self.every[start:end])
            if Counter(mine[start:end]) - tied:
                return False
            start = end
        return True


class Expected(NamedTuple):
    """The rows of the right answer: as SQLite gives them, and under the conventions of programs."""

    plain: Gold
    usual: Gold

    def verdict(self, predicted: Sequence[Record]) -> Verdict:
        """How predicted rows compare with these, at best."""
        plain = self.plain.verdict(predicted)
        if plain == "same":
            return plain
        usual = self.usual.verdict(predicted)
        return min(plain, "usual" if usual == "same" else usual, key=VERDICTS.index)


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return round(value, 6) if isinstance(value, float) else value


def _orders(mine: Sequence[Record], gold: Sequence[Record]) -> Iterator[tuple[int, ...]]:
    """The orders of the columns in which predicted rows can be the right ones."""
    width = len(gold[0]) if gold else len(mine[0]) if mine else 0
    if mine and len(mine[0]) != width:
        return
    if width > WIDEST or not mine or not gold:
        yield tuple(range(width))
        return
    columns = [set(column) for column in zip(*mine, strict=True)]
    right = [set(column) for column in zip(*gold, strict=True)]
    for order in permutations(range(width)):
        if all(columns[place] <= right[number] for number, place in enumerate(order)):
            yield order


_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


def conventional(tree: exp.Expression) -> exp.Expression:
    """A query with these conventions written out; the tree given stays as it is."""
    tree = tree.copy()
    for ordered in list(tree.find_all(exp.Ordered)):
        ordered.set("nulls_first", False)
    for select in list(tree.find_all(exp.Select)):
        for key in _keys(select):
            select.where(exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null())), copy=False)
        group, order = select.args.get("group"), select.args.get("order")
        if group is not None and order is not None and select.args.get("limit"):
            for key in group.expressions:
                last = exp.Ordered(this=key.copy(), desc=False, nulls_first=False)
                order.append("expressions", last)
    for equal in list(tree.find_all(exp.EQ)):
        if isinstance(equal.expression, exp.Subquery) and _lists(equal.expression.this):
            equal.replace(exp.In(this=equal.this.copy(), query=equal.expression.copy()))
    return tree


def sqlite_text(tree: exp.Expression) -> str:
    """A query as SQLite reads it."""
    return tree.sql(dialect="sqlite")


def _keys(select: exp.Select) -> list[exp.Expression]:
    if isinstance(select.parent, exp.SetOperation):
        shown = [
            expression for expression in select.expressions if isinstance(expression, exp.Column)
        ]
        return [*shown, *_made(select)]
    return _made(select)


def _made(select: exp.Select) -> list[exp.Expression]:
    group = select.args.get("group")
    if group is not None:
        chosen = select.args.get("limit") or select.args.get("having")
        return list(group.expressions) if chosen else []
    if select.args.get("distinct") and select.args.get("order") and select.args.get("limit"):
        return [
            expression for expression in select.expressions if isinstance(expression, exp.Column)
        ]
    return []


def _lists(query: exp.Expression) -> bool:
    return not (isinstance(query, exp.Select) and query.expressions[0].find(*_AGGREGATES))


MOST = 3000
"""Rows of an answer that are looked at."""
SECONDS = 2.0
"""That one statement may take."""
STEPS, MOST_STEPS = 20_000, 5_000_000
"""Steps of SQLite's machine between two looks at the clock; and those after which a query is given
up where no clock is looked at."""
FAILURES = (sqlite3.Error, SQLAlchemyError, PartwiseError, NotImplementedError, OverflowError)
"""What a program raises that cannot be run."""
NO_VALUES: Mapping[str, Any] = {}


class Checked(NamedTuple):
    """A program, and how its rows compare with those of the query on the worst of the databases."""

    program: Program
    verdict: Verdict


class SqliteRows:
    """The rows of programs and of SQL on files with the same tables, run in this process, many
    thousand a minute; for training data, whose SQL is ours.

    Args:
        schema: of the files.
        files: SQLite databases; they are only read.
    """

    def __init__(self, schema: Schema, files: Sequence[Path]) -> None:
        self.schema = schema
        self._compiler = Compiler(schema, texts=True)
        self._dialect = sqlite.dialect(paramstyle="named")
        # This takes longer than most statements do.
        self._write = lru_cache(maxsize=512)(self._compile)
        self._connections = [_open(file) for file in files]

    def run(self, program: Program) -> list[list[Record]]:
        """The rows of a program on each file; raises PartwiseError if it does not run."""
        return list(self.each(program))

    def of_program(self, program: Program) -> list[list[Record]] | None:
        """The rows on each file; None if the program cannot be run."""
        try:
            return self.run(program)
        except FAILURES:
            return None

    def each(self, program: Program) -> Iterator[list[Record]]:
        """The rows on one file after the other, so that the later ones may be spared."""
        statement, values = self._write(program)
        for connection in self._connections:
            yield self._fetch(connection, statement, values)

    def _compile(self, program: Program) -> tuple[str, Mapping[str, Any]]:
        made = self._compiler.select(program).compile(
            dialect=self._dialect, compile_kwargs={"render_postcompile": True}
        )
        return made.string, made.construct_params()

    def of_sql(self, sql: str) -> list[list[Record]] | None:
        """The rows on each file; None if the statement fails."""
        try:
            return [self._fetch(connection, sql) for connection in self._connections]
        except FAILURES:
            return None

    def close(self) -> None:
        """Close the files."""
        for connection in self._connections:
            connection.close()

    def _fetch(
        self, connection: sqlite3.Connection, sql: str, values: Mapping[str, Any] = NO_VALUES
    ) -> list[Record]:
        """At most `MOST` rows, in `SECONDS`."""
        end = time.monotonic() + SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
        return connection.execute(sql, values).fetchmany(MOST)


class Fills(SqliteRows):
    """The same database with several sets of made-up rows; all rows of a query are compared."""

    def gold(self, sql: str) -> list[Expected]:
        """The rows of a query on each of the databases, also under the conventions of programs;
        raises ExecutionError if it does not run."""
        plain = [self._fetch(database, sql) for database in self._connections]
        try:
            tree = read_sql(sql)
        except PartwiseError:
            return [Expected(*[Gold(answer, [], answer, False)] * 2) for answer in plain]
        usual = conventional(tree)
        made = []
        for connection, rows in zip(self._connections, plain, strict=True):
            agreed = self._fetch(connection, sqlite_text(usual))
            golds = ((tree, rows), (usual, agreed))
            made.append(Expected(*(self._gold(connection, *answer) for answer in golds)))
        return made

    def check(self, sql: str) -> list[Checked]:
        """The programs for a query that are right on all databases, or but for ties or repeats.

        Raises:
            UnsupportedSqlError: if no program can be made of it.
            ExecutionError: if it does not run.
        """
        gold = self.gold(sql)
        checked = [
            Checked(candidate, self.verdict(candidate, gold))
            for candidate in candidates(sql, self.schema)
        ]
        return [candidate for candidate in checked if candidate.verdict != "different"]

    def verdict(self, program: Program, gold: Sequence[Expected]) -> Verdict:
        """How a program's rows compare with the right ones, on the worst of the databases."""
        try:
            answers = self.run(program)
        except PartwiseError:
            return "different"
        pairs = zip(gold, answers, strict=True)
        return max((expected.verdict(rows) for expected, rows in pairs), key=VERDICTS.index)

    def _gold(
        self, connection: sqlite3.Connection, tree: exp.Expression, rows: list[Record]
    ) -> Gold:
        """Rows with what they are ordered by, and those beyond a limit.

        A set operation's order cannot be told so: its rows are compared in any order. So are those
        of a query for distinct rows.
        """
        order = tree.args.get("order")
        if not isinstance(tree, exp.Select) or order is None or tree.args.get("distinct"):
            return Gold(rows, [], rows, False)
        every = self._fetch(connection, sqlite_text(_show_keys(tree)))
        width = len(every[0]) - len(order.expressions) if every else 0
        return Gold(rows, [row[width:] for row in every], [row[:width] for row in every], True)

    def _fetch(
        self, connection: sqlite3.Connection, sql: str, values: Mapping[str, Any] = NO_VALUES
    ) -> list[Record]:
        """All rows; raises ExecutionError if the query does not run."""
        connection.set_progress_handler(lambda: 1, MOST_STEPS)
        try:
            return connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise ExecutionError(f"the query does not run: {error}") from None


def _show_keys(tree: exp.Select) -> exp.Select:
    """The query without a limit, with what it orders by as last columns."""
    names = {
        expression.alias.lower(): expression.this
        for expression in tree.expressions
        if expression.alias
    }
    every = tree.copy()
    for term in tree.args["order"].expressions:
        by = term.this
        every = every.select(names.get(by.name.lower(), by).copy(), copy=False)
    every.set("limit", None)
    return every


def _open(file: Path) -> sqlite3.Connection:
    made = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    made.text_factory = lambda stored: stored.decode(errors="replace")
    return made
