"""Questions that can be asked of a database, made of the names in its semantic layer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from partwise.database.inflection import plural
from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo

MOST = 5
"""Questions that are made."""


def example_questions(layer: SemanticLayer) -> tuple[str, ...]:
    """A few questions of different kinds, about several tables where there are such."""
    tables = _by_weight(layer)
    makers = (_ranked, _counted, _measured, _grouped, _averaged, _filtered)
    made: dict[str, None] = {}
    for number, maker in enumerate(makers):
        # Each kind begins with another table.
        turned = tables[number % len(tables) :] + tables[: number % len(tables)] if tables else []
        made.update(dict.fromkeys(islice(maker(layer, turned), 1)))
    return tuple(made)[:MOST]


def _by_weight(layer: SemanticLayer) -> list[TableInfo]:
    """Tables to ask about; those first that others point to and that have much to ask about."""
    targets = [link.target for link in layer.schema.links if link.table != link.target]
    open_ = [one for one in layer.tables if not one.private and not one.bridge]
    return sorted(open_, key=lambda one: (-targets.count(one.name), -len(_numbers(one))))


def _visible(table: TableInfo) -> list[ColumnInfo]:
    return [one for one in table.columns if not one.private]


def _numbers(table: TableInfo) -> list[ColumnInfo]:
    return [one for one in _visible(table) if one.kind == "number"]


def _enumerations(table: TableInfo) -> list[ColumnInfo]:
    """What rows can be counted by; not what names them."""
    texts = (one for one in _visible(table) if one.kind == "text" and one.enumeration)
    return [one for one in texts if one.name not in table.display]


def _counted(layer: SemanticLayer, tables: list[TableInfo]) -> Iterator[str]:
    return (f"how many {plural(one.label)} are there?" for one in tables)


def _ranked(layer: SemanticLayer, tables: list[TableInfo]) -> Iterator[str]:
    """By what belongs to a row, as orders to a customer; those with the most come first."""
    for one in tables:
        for link in layer.schema.links:
            other = layer.table(link.table)
            if link.target == one.name and not (other.private or other.bridge or other == one):
                yield f"which {one.label} has the most {plural(other.label)}?"


def _measured(layer: SemanticLayer, tables: list[TableInfo]) -> Iterator[str]:
    return (f"what is the total {one.label}?" for one in layer.measures if one.function == "sum")


def _grouped(layer: SemanticLayer, tables: list[TableInfo]) -> Iterator[str]:
    for one in tables:
        for column in _enumerations(one):
            yield f"how many {plural(one.label)} are there per {column.label}?"


def _averaged(layer: SemanticLayer, tables: list[TableInfo]) -> Iterator[str]:
    for one in tables:
        for column in _numbers(one):
            yield f"what is the average {column.label} of the {plural(one.label)}?"


def _filtered(layer: SemanticLayer, tables: list[TableInfo]) -> Iterator[str]:
    for one in tables:
        for column in _enumerations(one):
            if column.values:
                yield f"{plural(one.label)} whose {column.label} is {column.values[0]}"
