"""Checks of a semantic layer against its database: what cannot work, and what likely misleads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from partwise.database.domain import is_open, used
from partwise.database.layer.model import LayerFile, Measure, SemanticLayer
from partwise.database.source.catalogue import read_catalogue
from partwise.database.source.connections import Source
from partwise.database.source.lexicon import word_set
from partwise.database.units import UNITS
from partwise.errors import PartwiseError
from partwise.execution.relational import program as P
from partwise.execution.relational.formats import unread
from partwise.execution.relational.schema import Column, Link
from partwise.execution.relational.sql import Compiler
from partwise.interface.domain import Issue, Severity

_IMPORT = "take it out, or import the database again"
_FORMAT = "correct its kind, or say its format, as 1.234,5 or dd.mm.yyyy"
_COUNT = P.Aggregate("count")


_OF_NUMBERS = ("sum", "average", "median")


class _Named(NamedTuple):
    """Something that has names.

    Attributes:
        keys: where it is said, below the tables of the file.
        table: of a column; "" for tables and measures, which any question may name.
    """

    names: tuple[str, ...]
    what: str
    keys: tuple[str, ...]
    table: str = ""
    unit: str | None = None


def _named(layer: SemanticLayer) -> Iterator[_Named]:
    for table in layer.tables:
        yield _Named(table.names, f"table {table.name}", (table.name,))
        for one in table.columns:
            what, keys = f"column {table.name}.{one.name}", (table.name, "columns", one.name)
            yield _Named(one.names, what, keys, table.name, one.unit)
    for measure in layer.measures:
        keys = (measure.table, "measures", measure.name)
        yield _Named(measure.names, f"measure {measure.name}", keys, unit=measure.unit)


class LayerChecks:
    """The checks, one by one."""

    def __init__(self, file: LayerFile, source: Source) -> None:
        self.file, self.layer, self.source = file, file.layer, source
        self.compiler = Compiler(self.layer.schema, source.texts)
        self.named = list(_named(self.layer))

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
            rows = self._run(P.Figure(P.Rows(one.table, one.where), one.aggregate))
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
            by = tuple(P.Field((), one) for one in table.display)
            several = (P.Having(_COUNT, ">", P.Value(1)),)
            keys = (table.name, "display")
            rows = self._run(P.Grouping(P.Rows(table.name), by, (_COUNT,), several))
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

    def shared(self) -> Iterator[Issue]:
        """Names that two things have: tables and measures, or columns of one table."""
        first: dict[tuple[str, str], _Named] = {}
        shared: dict[tuple[_Named, _Named], list[str]] = defaultdict(list)
        for one in self.named:
            for name in dict.fromkeys(" ".join(name.lower().split()) for name in one.names):
                other = first.setdefault((one.table, name), one)
                if other is not one:
                    shared[other, one].append(name)
        for (other, one), names in shared.items():
            said = ", ".join(names)
            why = f"{other.what} is called the same ({said}), so questions may mean either"
            advice = "take these names from one of them, or make them longer"
            yield self._issue("warning", "shared-name", why, advice, *one.keys, what=one.what)

    def little(self) -> Iterator[Issue]:
        """Labels that are made of words of any question."""
        for one in self.named:
            label = one.names[0]
            if set(label.lower().split()) <= word_set("function words"):
                why = f"its label {label!r} is a word of any question, so none can mean it"
                advice, keys = "give it another label", one.keys
                yield self._issue("warning", "function-word", why, advice, *keys, what=one.what)

    def units(self) -> Iterator[Issue]:
        """Units that nothing is known of."""
        for one in self.named:
            if one.unit is not None and one.unit not in UNITS:
                why = f"the unit {one.unit!r} is not known: it is shown, and never converted"
                advice = f"if it is one of these, write it so: {', '.join(UNITS)}"
                keys = (*one.keys, "unit")
                yield self._issue("note", "unknown-unit", why, advice, *keys, what=one.what)

    def hidden(self) -> Iterator[Issue]:
        """What is private and yet used."""
        for table in self.layer.tables:
            for column in table.display:
                if table.column(column).private:
                    why = f"its rows are named by {column}, which is private"
                    advice = "name them by another column, or let it be shown"
                    keys = (table.name, "display")
                    yield self._issue("error", "private-display", why, advice, *keys)
        for measure in self.layer.measures:
            hidden = [one for one in _places(measure, self.layer) if not is_open(self.layer, *one)]
            if hidden:
                place = ".".join(part for part in hidden[0] if part)
                why = f"it is made of {place}, which is private, so it is never answered"
                advice = "take the measure out, or let it be shown"
                yield self._of_measure("private-measure", measure, why, advice)

    def kinds(self) -> Iterator[Issue]:
        """Measures that add up what is no number; some databases add up texts as zeros."""
        for measure in self.layer.measures:
            if measure.function not in _OF_NUMBERS:
                continue
            for table, name in used(_numbers(measure.of), measure.table, self.layer.schema):
                if name is not None and self.layer.column(table, name).kind != "number":
                    kind = self.layer.column(table, name).kind
                    why = f"{table}.{name} is of kind {kind}, which has no {measure.function}"
                    advice = "use a column of numbers, or correct the kind of this one"
                    yield self._of_measure("no-number", measure, why, advice)

    def values(self) -> Iterator[Issue]:
        """Columns with values that are not of their kind, which count as missing or worse."""
        texts = {
            (table.name, one.name)
            for table in read_catalogue(self.source)
            for one in table.columns
            if one.type == "text"
        }
        for table in self.layer.schema.tables:
            for one in table.columns:
                if one.kind not in ("number", "date"):
                    continue
                keys = (table.name, "columns", one.name)
                plain = not (one.format or one.texts or self.source.texts)
                if plain and (table.name, one.name) in texts:
                    why = f"its values are texts, and its kind is {one.kind}"
                    yield self._issue("error", "wrong-kind", why, _FORMAT, *keys)
                elif not plain:
                    yield from self._unread(table.name, one, *keys)

    def _unread(self, table: str, column: Column, *keys: str) -> Iterator[Issue]:
        """How many values of a column do not read as its kind says, and one of them."""
        rows = self.compiler.table(table)
        bad, stored = unread(column, rows.c[column.name], self.source.texts)
        some = sa.select(sa.func.count(), sa.func.min(stored)).select_from(rows).where(bad)
        try:
            ((count, example),) = self.source.run(some).rows
        except PartwiseError as error:
            yield self._unchecked(str(error), *keys)
            return
        if count:
            hidden = not is_open(self.layer, table, column.name)
            shown = "" if hidden else f", as {str(example)[:30]!r}"
            why = f"{count:,} of its values are no {column.kind}{shown}"
            why += ", and count as missing" if column.format else ""
            severity: Severity = "note" if column.format else "warning"
            yield self._issue(severity, "wrong-value", why, _FORMAT, *keys)

    def unlinked(self) -> Iterator[Issue]:
        """Tables that no link leads to or from."""
        linked = {one for link in self.layer.schema.links for one in (link.table, link.target)}
        for table in self.layer.tables:
            if linked and table.name not in linked and not table.private:
                why = "no link leads to it or from it, so it can only be asked about by itself"
                advice = "if one of its columns points to another table, say so under links"
                yield self._issue("note", "unlinked-table", why, advice, table.name)

    def _issue(
        self, severity: Severity, kind: str, why: str, advice: str, *keys: str, what: str = ""
    ) -> Issue:
        """An issue of a table, or of something in it."""
        table, *inner = keys
        own = f"{inner[0].removesuffix('s')} {table}.{inner[1]}" if inner[1:] else f"table {table}"
        return Issue(severity, kind, what or own, why, advice, self.file.where("tables", *keys))

    def _of_measure(self, kind: str, measure: Measure, why: str, advice: str) -> Issue:
        keys = (measure.table, "measures", measure.name)
        return self._issue("error", kind, why, advice, *keys, what=f"measure {measure.name}")

    def _unchecked(self, why: str, *keys: str) -> Issue:
        return self._issue("note", "unchecked", f"it could not be checked: {why}", "", *keys)

    def _run(self, program: P.Program) -> list[tuple[Any, ...]] | str:
        """The rows of a program, or why it does not run."""
        try:
            return self.source.run(self.compiler.select(program)).rows
        except PartwiseError as error:
            return str(error)


def _dangling(link: Link, key: str) -> P.Program:
    """How many rows have a value that leads nowhere."""
    lost = P.And((P.Not(P.Missing(P.Field((), link.column))), P.Missing(P.Field((link,), key))))
    return P.Figure(P.Rows(link.table, lost), _COUNT)


def _numbers(attribute: object) -> object:
    """The parts of an attribute that must be numbers; a part of a date is one."""
    if isinstance(attribute, P.Arithmetic):
        return (_numbers(attribute.left), _numbers(attribute.right))
    return attribute if isinstance(attribute, P.Field) else ()


def _places(measure: Measure, layer: SemanticLayer) -> Iterator[tuple[str, str | None]]:
    """The tables and columns that a measure is made of."""
    yield measure.table, None
    for part in (measure.aggregate, measure.where):
        yield from used(part, measure.table, layer.schema)


def check_layer(file: LayerFile, source: Source) -> list[Issue]:
    """What is wrong or worth knowing, with the line of the file and what to do. Raises DomainError
    if the database cannot be opened or reached."""
    checks = LayerChecks(file, source)
    gone = list(checks.gone())
    issues = [*gone, *checks.hidden(), *checks.shared(), *checks.little(), *checks.units()]
    issues += [*checks.kinds(), *checks.unlinked()]
    # Nothing runs over what is not there.
    return (
        issues
        if gone
        else [*issues, *checks.measures(), *checks.displays(), *checks.links(), *checks.values()]
    )
