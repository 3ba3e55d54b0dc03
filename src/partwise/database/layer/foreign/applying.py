"""What other tools say, put into a layer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from partwise.database.layer.foreign.model import (
    ForeignColumn,
    ForeignLink,
    ForeignMetric,
    ForeignSemantics,
    ForeignTable,
)
from partwise.database.layer.foreign.sql import Translator
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.layer.naming import readable, singular
from partwise.errors import DomainError
from partwise.execution.relational.schema import Column, Link, Schema, Table

_PLAIN = re.compile(r"[\W_]+")


def apply(layer: SemanticLayer, foreign: ForeignSemantics) -> tuple[SemanticLayer, tuple[str, ...]]:
    """The layer with what another tool says, and what could not be put into it.

    Names, descriptions and measures of the tool stand before those of the layer; synonyms are
    added. A table or column that the database does not have is left out.
    """
    applier = _Applier(layer, foreign)
    applier.schema = applier.linked()
    tables = tuple(applier.table(one) for one in layer.tables)
    measures = {one.name: one for one in layer.measures} | applier.measures()
    made = replace(layer, schema=applier.schema, tables=tables, measures=tuple(measures.values()))
    return made, (*foreign.left_out, *applier.left_out)


class _Applier:
    def __init__(self, layer: SemanticLayer, foreign: ForeignSemantics) -> None:
        self.layer, self.foreign, self.schema = layer, foreign, layer.schema
        self.left_out: list[str] = []
        self.tables: dict[str, tuple[str, ForeignTable]] = {}
        stored = [one.name for one in layer.tables]
        for one in foreign.tables:
            place = _match(one.stored.rpartition(".")[2] or one.stored, stored)
            if place is None:
                why = f"the database has no table {one.stored}"
                self.left_out.append(f"table {one.name}: {why}")
            else:
                self.tables[one.name] = place, _joined(self.tables.get(one.name), one)

    def linked(self) -> Schema:
        """The schema with the keys and links of the tool."""
        tables = {one.name: one for one in self.schema.tables}
        for stored, foreign in self.tables.values():
            key = _match(foreign.key, [one.name for one in tables[stored].columns])
            if key is not None and tables[stored].key is None:
                tables[stored] = _with_id(replace(tables[stored], key=key), key)
        links = list(self.schema.links)
        for one in self.foreign.links:
            link = self._link(one, tables)
            if link is not None and (link.table, link.column) not in {
                (other.table, other.column) for other in links
            }:
                links.append(link)
                tables[link.table] = _with_id(tables[link.table], link.column)
        return Schema(tuple(tables.values()), tuple(links))

    def _link(self, one: ForeignLink, tables: Mapping[str, Table]) -> Link | None:
        if one.table not in self.tables or one.target not in self.tables:
            return None
        table, target = self.tables[one.table][0], self.tables[one.target][0]
        column = _match(one.column, [column.name for column in tables[table].columns])
        if column is None or tables[target].key is None or column == tables[table].key:
            self.left_out.append(
                f"link {one.table}.{one.column} to {one.target}: there is no such column, or "
                f"{target} has no key"
            )
            return None
        return Link(table, column, target)

    def table(self, info: TableInfo) -> TableInfo:
        """A table with what the tool says of it."""
        kinds = {one.name: one.kind for one in self.schema.table(info.name).columns}
        columns = {one.name: replace(one, kind=kinds[one.name]) for one in info.columns}
        for stored, foreign in self.tables.values():
            if stored != info.name:
                continue
            for one in foreign.columns:
                name = _match(one.expression, list(columns))
                if name is None:
                    why = f"it is computed, by {one.expression}"
                    self.left_out.append(f"column {foreign.name}.{one.name}: {why}")
                else:
                    columns[name] = _column(columns[name], one)
            date = _match(_expression(foreign, foreign.date), list(columns))
            label, synonyms = _named(
                info.names, foreign.label, singular(foreign.name), foreign.synonyms
            )
            info = replace(
                info,
                label=label,
                synonyms=synonyms,
                description=foreign.description or info.description,
                date=date if date and columns[date].kind == "date" else info.date,
            )
        return replace(info, columns=tuple(columns.values()))

    def measures(self) -> dict[str, Measure]:
        """The figures that a measure can say."""
        translator = Translator(self.schema, self.tables)
        made: dict[str, Measure] = {}
        for one in self.foreign.metrics:
            try:
                made[_identifier(one.name)] = _measure(one, translator)
            except DomainError as error:
                self.left_out.append(f"metric {one.name}: {error}")
            except RecursionError:
                self.left_out.append(f"metric {one.name}: its expression is too deep")
        return made


def _measure(metric: ForeignMetric, translator: Translator) -> Measure:
    figure = translator.figure(metric.expression, metric.table, metric.where)
    label = (metric.label or readable(metric.name)).lower()
    return Measure(
        _identifier(metric.name),
        label,
        figure.table,
        figure.function,
        figure.of,
        figure.where,
        tuple(dict.fromkeys(one for one in metric.synonyms if one.lower() != label)),
        metric.description,
        distinct=figure.distinct,
    )


def _column(info: ColumnInfo, foreign: ForeignColumn) -> ColumnInfo:
    label, synonyms = _named(info.names, foreign.label, readable(foreign.name), foreign.synonyms)
    description = foreign.description or info.description
    return replace(info, label=label, synonyms=synonyms, description=description)


def _named(
    names: tuple[str, ...], label: str, name: str, synonyms: Iterable[str]
) -> tuple[str, tuple[str, ...]]:
    """A label and synonyms: the label that the tool gives, else the layer's; then all others."""
    first = label.lower() or names[0]
    others = dict.fromkeys([*names, name, *synonyms])
    return first, tuple(one for one in others if one.lower() != first)


def _expression(table: ForeignTable, name: str) -> str:
    return table.expressions().get(name, name)


def _joined(before: tuple[str, ForeignTable] | None, other: ForeignTable) -> ForeignTable:
    """What two files say of a table."""
    if before is None:
        return other
    one = before[1]
    known = {column.name for column in one.columns}
    return replace(
        one,
        label=one.label or other.label,
        description=one.description or other.description,
        columns=(*one.columns, *(new for new in other.columns if new.name not in known)),
        key=one.key or other.key,
        date=one.date or other.date,
    )


def _match(name: str, names: Iterable[str]) -> str | None:
    """The name that is the same, but for case and separators."""
    listed = list(names)
    if name in listed:
        return name
    alike = [one for one in listed if _PLAIN.sub("", one).lower() == _PLAIN.sub("", name).lower()]
    return alike[0] if name and len(alike) == 1 else None


def _with_id(table: Table, column: str) -> Table:
    columns = (
        Column(one.name, "id", one.texts) if one.name == column else one for one in table.columns
    )
    return replace(table, columns=tuple(columns))


def _identifier(name: str) -> str:
    plain = re.sub(r"\W+", "_", name)
    return plain if plain.isidentifier() else f"m_{plain}"
