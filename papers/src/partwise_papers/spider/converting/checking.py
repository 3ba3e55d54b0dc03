"""Programs that give the rows of a query, on databases with made-up rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.dialects import sqlite
from sqlglot import exp

from partwise.errors import ExecutionError, PartwiseError
from partwise.execution.relational.program import Program
from partwise.execution.relational.schema import Schema
from partwise.execution.relational.sql import Compiler
from partwise_papers.spider.answers import VERDICTS, Expected, Gold, Record, Verdict
from partwise_papers.spider.converting.conventions import conventional, sqlite_text
from partwise_papers.spider.converting.converter import candidates, read_sql

STEPS = 5_000_000
"""Steps of SQLite's machine after which a query is given up."""


class Checked(NamedTuple):
    """A program, and how its rows compare with those of the query on the worst of the databases."""

    program: Program
    verdict: Verdict


class Fills:
    """The same database with several sets of made-up rows.

    Args:
        files: SQLite files.
    """

    def __init__(self, schema: Schema, files: Sequence[Path]) -> None:
        self.schema = schema
        self.compiler = Compiler(schema, texts=True)
        self._connections = [_opened(one) for one in files]

    def close(self) -> None:
        """Closes the files."""
        for one in self._connections:
            one.close()

    def run(self, program: Program) -> list[list[Record]]:
        """The rows of a program on each of the databases.

        Raises:
            PartwiseError: if it does not run.
        """
        statement = self.compiler.select(program)
        compiled = statement.compile(
            dialect=sqlite.dialect(), compile_kwargs={"render_postcompile": True}
        )
        values = [compiled.params[one] for one in compiled.positiontup or ()]
        return [_rows(one, str(compiled), values) for one in self._connections]

    def gold(self, sql: str) -> list[Expected]:
        """The rows of a query on each of the databases, also under the conventions of programs.

        Raises:
            ExecutionError: if it does not run.
        """
        plain = [_rows(one, sql) for one in self._connections]
        try:
            tree = read_sql(sql)
        except PartwiseError:
            return [Expected(*[Gold(one, [], one, False)] * 2) for one in plain]
        usual = conventional(tree)
        made = []
        for connection, rows in zip(self._connections, plain, strict=True):
            agreed = _rows(connection, sqlite_text(usual))
            made.append(Expected(_gold(connection, tree, rows), _gold(connection, usual, agreed)))
        return made

    def check(self, sql: str) -> list[Checked]:
        """The programs for a query that are right on all databases, or but for ties or repeats.

        Raises:
            UnsupportedSqlError: if no program can be made of it.
            ExecutionError: if it does not run.
        """
        gold = self.gold(sql)
        checked = [Checked(one, self.verdict(one, gold)) for one in candidates(sql, self.schema)]
        return [one for one in checked if one.verdict != "different"]

    def verdict(self, program: Program, gold: Sequence[Expected]) -> Verdict:
        """How a program's rows compare with the right ones, on the worst of the databases."""
        try:
            answers = self.run(program)
        except PartwiseError:
            return "different"
        pairs = zip(gold, answers, strict=True)
        return max((one.verdict(rows) for one, rows in pairs), key=VERDICTS.index)


def _gold(connection: sqlite3.Connection, tree: exp.Expression, rows: list[Record]) -> Gold:
    """Rows with what they are ordered by, and those beyond a limit.

    A set operation's order cannot be told so: its rows are compared in any order. So are those of a
    query for distinct rows.
    """
    order = tree.args.get("order")
    if not isinstance(tree, exp.Select) or order is None or tree.args.get("distinct"):
        return Gold(rows, [], rows, False)
    every = _rows(connection, sqlite_text(_keyed(tree)))
    width = len(every[0]) - len(order.expressions) if every else 0
    return Gold(rows, [one[width:] for one in every], [one[:width] for one in every], True)


def _keyed(tree: exp.Select) -> exp.Select:
    """The query without a limit, with what it orders by as last columns."""
    names = {one.alias.lower(): one.this for one in tree.expressions if one.alias}
    every = tree.copy()
    for one in tree.args["order"].expressions:
        by = one.this
        every = every.select(names.get(by.name.lower(), by).copy(), copy=False)
    every.set("limit", None)
    return every


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = lambda one: one.decode("utf8", "replace")
    return connection


def _rows(connection: sqlite3.Connection, sql: str, values: Sequence[object] = ()) -> list[Record]:
    connection.set_progress_handler(lambda: 1, STEPS)
    try:
        return connection.execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise ExecutionError(f"the query does not run: {error}") from None
