"""Checks of what the file says against the rows of the database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from partwise.database.layer.files import LayerFile
from partwise.database.source.catalogue import read_catalogue
from partwise.database.source.connections import Source
from partwise.errors import PartwiseError
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Field,
    Figure,
    Grouping,
    Having,
    Missing,
    Not,
    Program,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise.execution.relational.sql import Compiler
from partwise.interface.issues import Issue, Severity

_IMPORT = "take it out, or import the database again"
_COUNT = Aggregate("count")


class DataChecks:
    """The checks, one by one."""

    def __init__(self, file: LayerFile, source: Source) -> None:
        self.file, self.layer, self.source = file, file.layer, source
        self.compiler = Compiler(self.layer.schema, source.texts)

    def gone(self) -> Iterator[Issue]:
        """Tables and columns of the file that the database does not have."""
        stored = {one.name: [c.name for c in one.columns] for one in read_catalogue(self.source)}
        for table in self.layer.tables:
            if table.name not in stored:
                why = f"the database has no such table; it has {', '.join(stored)}"
                yield self._issue("error", "gone-table", why, _IMPORT, table.name)
                continue
            for column in table.columns:
                if column.name not in stored[table.name]:
                    why = f"the table has no such column; it has {', '.join(stored[table.name])}"
                    keys = (table.name, "columns", column.name)
                    yield self._issue("error", "gone-column", why, _IMPORT, *keys)

    def measures(self) -> Iterator[Issue]:
        """Measures that do not run, or come to nothing."""
        for one in self.layer.measures:
            keys = (one.table, "measures", one.name)
            rows = self._run(Figure(Rows(one.table, one.where), one.aggregate))
            if isinstance(rows, str):
                yield self._issue("error", "failing-measure", rows, "change its formula", *keys)
            elif rows[0][0] is None:
                why, advice = "no row has a value for it", "look at its formula"
                yield self._issue("warning", "empty-measure", why, advice, *keys)

    def displays(self) -> Iterator[Issue]:
        """Names of rows that several rows have."""
        for table in self.layer.tables:
            hidden = table.private or any(table.column(one).private for one in table.display)
            key = self.layer.schema.table(table.name).key
            if hidden or not table.display or key in table.display:
                continue
            by = tuple(Field((), one) for one in table.display)
            several = (Having(_COUNT, ">", Value(1)),)
            keys = (table.name, "display")
            rows = self._run(Grouping(Rows(table.name), by, (_COUNT,), several))
            if isinstance(rows, str):
                yield self._unchecked(rows, *keys)
            elif rows:
                shown = " ".join(str(one) for one in rows[0][:-1])
                why = f"several rows have the same name, {len(rows)} times; one is {shown!r}"
                advice = "name rows by one more column, if they are to be told apart"
                yield self._issue("note", "repeated-display", why, advice, *keys)

    def links(self) -> Iterator[Issue]:
        """Links with values that are no keys of the table that they lead to."""
        for link in self.layer.schema.links:
            keys = (link.table, "links", link.column)
            rows = self._run(_dangling(link, self.layer.schema.key(link.target)))
            if isinstance(rows, str):
                yield self._unchecked(rows, *keys)
            elif rows[0][0]:
                why = f"{rows[0][0]} of its values are no keys of {link.target}"
                advice = f"if it does not point to {link.target}, write {link.column}: ~"
                yield self._issue("warning", "dangling-link", why, advice, *keys)

    def _issue(self, severity: Severity, kind: str, why: str, advice: str, *keys: str) -> Issue:
        """An issue of a table, or of something in it."""
        table, *inner = keys
        what = f"{inner[0].removesuffix('s')} {table}.{inner[1]}" if inner[1:] else f"table {table}"
        return Issue(severity, kind, what, why, advice, self.file.where("tables", *keys))

    def _unchecked(self, why: str, *keys: str) -> Issue:
        return self._issue("note", "unchecked", f"it could not be checked: {why}", "", *keys)

    def _run(self, program: Program) -> list[tuple[Any, ...]] | str:
        """The rows of a program, or why it does not run."""
        try:
            return self.source.run(self.compiler.select(program)).rows
        except PartwiseError as error:
            return str(error)


def _dangling(link: Link, key: str) -> Program:
    """How many rows have a value that leads nowhere."""
    lost = And((Not(Missing(Field((), link.column))), Missing(Field((link,), key))))
    return Figure(Rows(link.table, lost), _COUNT)
