"""Programs and SQL over SQLite files, run in this process: many thousand a minute."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError

from partwise.errors import PartwiseError
from partwise.execution.relational.program import Program
from partwise.execution.relational.schema import Schema
from partwise.execution.relational.sql import Compiler
from partwise_papers.spider.answers import Record

MOST = 3000
"""Rows of an answer that are looked at."""
SECONDS = 2.0
"""That one statement may take."""
STEPS = 20_000
"""Instructions of SQLite between two looks at the clock."""
FAILURES = (sqlite3.Error, SQLAlchemyError, PartwiseError, NotImplementedError, OverflowError)
"""What a program raises that cannot be run."""


class SqliteRows:
    """The rows of programs on files with the same tables; for training data, whose SQL is ours.

    Args:
        schema: of the files.
        files: SQLite databases; they are only read.
    """

    def __init__(self, schema: Schema, files: Sequence[Path]) -> None:
        self._compiler = Compiler(schema, texts=True)
        self._dialect = sqlite.dialect(paramstyle="named")
        self._connections = [_opened(file) for file in files]

    def of_program(self, program: Program) -> list[list[Record]] | None:
        """The rows on each file; None if the program cannot be run."""
        try:
            made = self._compiler.select(program).compile(
                dialect=self._dialect, compile_kwargs={"render_postcompile": True}
            )
            return self._of(made.string, made.construct_params())
        except FAILURES:
            return None

    def of_sql(self, sql: str) -> list[list[Record]] | None:
        """The rows on each file; None if the statement fails."""
        try:
            return self._of(sql, {})
        except FAILURES:
            return None

    def close(self) -> None:
        """Close the files."""
        for one in self._connections:
            one.close()

    def _of(self, sql: str, values: Mapping[str, Any]) -> list[list[Record]]:
        return [_fetched(one, sql, values) for one in self._connections]


def _opened(file: Path) -> sqlite3.Connection:
    made = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    made.text_factory = lambda stored: stored.decode(errors="replace")
    return made


def _fetched(connection: sqlite3.Connection, sql: str, values: Mapping[str, Any]) -> list[Record]:
    end = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    return connection.execute(sql, values).fetchmany(MOST)
