"""A semantic layer from the entries of its file, with what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from partwise.database.layer.entries import ColumnEntry, FileEntry, MeasureEntry, TableEntry
from partwise.database.layer.formulas import read_formula
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.layer.naming import readable, singular
from partwise.errors import DomainError, ProgramSyntaxError
from partwise.execution.relational.schema import Column, Link, Schema, Table

Keys = tuple[str, ...]
"""Where something stands in the file: ``("tables", "Invoice", "date")``."""


class Fault(NamedTuple):
    """Something in a file that does not hold together."""

    keys: Keys
    what: str


def build_layer(entry: FileEntry) -> tuple[SemanticLayer | None, list[Fault]]:
    """The layer, or what is wrong."""
    faults = [
        fault
        for name, table in entry.tables.items()
        for fault in (*_names(name, table), *_links(name, table, entry.tables))
    ]
    if faults:
        return None, faults
    preferred, others = _ordered_links(entry)
    try:
        schema = Schema(tuple(_table(*item) for item in entry.tables.items()), preferred + others)
    except DomainError as error:
        return None, [Fault(("tables",), str(error))]
    measures = list(_measures(entry, schema, faults))
    called = {
        link: table.links[link.column].called
        for link in schema.links
        if (table := entry.tables[link.table]).links[link.column].called
    }
    if faults:
        return None, faults
    tables = tuple(_info(*item) for item in entry.tables.items())
    return SemanticLayer(
        entry.name, schema, tables, tuple(measures), called, preferred=preferred
    ), []


def _names(name: str, table: TableEntry) -> Iterator[Fault]:
    """The names of columns and measures that a table gives."""
    here = ("tables", name)
    named = [("key", table.key), ("date", table.date), *(("display", one) for one in table.display)]
    for key, column in named:
        if column is not None and column not in table.columns:
            known = ", ".join(table.columns)
            yield Fault((*here, key), f"{name} has no column {column}; it has {known}")
    for column in table.links:
        if column not in table.columns:
            known = ", ".join(table.columns)
            what = f"{name} has no column {column}; it has {known}"
            yield Fault((*here, "links", column), what)


def _links(name: str, table: TableEntry, tables: Mapping[str, TableEntry]) -> Iterator[Fault]:
    for column, link in table.links.items():
        where = ("tables", name, "links", column)
        if link.to is None:
            continue
        if link.to not in tables:
            yield Fault(where, f"there is no table {link.to}; there are {', '.join(tables)}")
        elif tables[link.to].key is None:
            what = f"{column} cannot point to {link.to}: give {link.to} a key"
            yield Fault(where, what)


def _ordered_links(entry: FileEntry) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """The links: first those to prefer."""
    listed = [
        (Link(name, column, link.to), link.prefer)
        for name, table in entry.tables.items()
        for column, link in table.links.items()
        if link.to is not None
    ]
    preferred = tuple(link for link, prefer in listed if prefer)
    return preferred, tuple(link for link, prefer in listed if not prefer)


def _table(name: str, table: TableEntry) -> Table:
    columns = (
        Column(column, one.kind, one.stored_as_text or one.read_as_text)
        for column, one in table.columns.items()
    )
    return Table(name, tuple(columns), table.key)


def _info(name: str, table: TableEntry) -> TableInfo:
    return TableInfo(
        name=name,
        label=table.label or singular(name),
        columns=tuple(_column(*item, table.private) for item in table.columns.items()),
        **table.model_dump(
            include={"synonyms", "description", "private", "display", "date", "measure", "bridge"}
        ),
        person=table.person,
    )


def _column(name: str, column: ColumnEntry, private: bool) -> ColumnInfo:
    """A column, of a private table or not; of what is private no values are kept."""
    shared = {"kind", "synonyms", "description", "unit", "private", "value_names"}
    shared |= {"in_full", "prefer"}
    stated = column.examples if column.values is None else column.values
    return ColumnInfo(
        name=name,
        label=column.label or readable(name),
        values=() if private or column.private else stated,
        enumeration=column.values is not None and not (private or column.private),
        **column.model_dump(include=shared),
    )


def _measures(entry: FileEntry, schema: Schema, faults: list[Fault]) -> Iterator[Measure]:
    """The measures of all tables; what is wrong is added to the faults."""
    tables: dict[str, str] = {}
    for table, one in entry.tables.items():
        for name, measure in one.measures.items():
            keys = ("tables", table, "measures", name)
            if measure.formula is None:
                continue
            if (what := _bad_name(name, tables)) is not None:
                faults.append(Fault(keys, what))
                continue
            tables[name] = table
            try:
                yield _measure(name, measure, measure.formula, schema, table)
            except ProgramSyntaxError as error:
                at = f"{error.text[: error.position]}>>>{error.text[error.position :]}"
                faults.append(Fault(keys, f"{error.message}, at >>> in: {at}"))
    for table, one in entry.tables.items():
        if one.measure is not None and one.measure not in tables:
            known = ", ".join(tables) or "none"
            what = f"there is no measure {one.measure}; there are {known}"
            faults.append(Fault(("tables", table, "measure"), what))


def _bad_name(name: str, tables: Mapping[str, str]) -> str | None:
    """Why a measure cannot have a name; None if it can."""
    if name in tables:
        return f"{tables[name]} has a measure {name}, too; give this one another name"
    if not name.isidentifier():
        return f"the name {name!r} has more than letters, digits and _; put words into its label"
    return None


def _measure(name: str, one: MeasureEntry, formula: str, schema: Schema, table: str) -> Measure:
    read = read_formula(formula, schema, table)
    return Measure(
        name=name,
        label=one.label or readable(name),
        table=table,
        **read._asdict(),
        **one.model_dump(include={"synonyms", "description", "unit"}),
    )
