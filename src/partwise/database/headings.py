"""What the columns of an answer are called, for people."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.inflection import plural
from partwise.database.layer.model import SemanticLayer
from partwise.database.restating import restate
from partwise.database.restating.phrases import Phrases
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Attribute,
    Belonging,
    DatePart,
    Elapsed,
    Exists,
    Field,
    Figure,
    Grouping,
    Holds,
    Listing,
    Program,
    Union,
    Value,
)

WORDS = {
    **{"sum": "total", "average": "average", "median": "median", "minimum": "lowest"},
    **{"maximum": "highest", "count": "number of"},
}
"""What stands before the name of a column for a figure over its values."""


def headings(program: Program, layer: SemanticLayer) -> tuple[str, ...]:
    """A name for each column of an answer; no two are the same."""
    return _different(_headings(program, layer))


def _headings(program: Program, layer: SemanticLayer) -> list[str]:
    match program:
        case Listing(rows, shown):
            return [_attribute(one, rows.table, layer) for one in shown]
        case Grouping(rows, _, figures):
            every = (*program.showing, *figures)
            return [_attribute(one, rows.table, layer) for one in every]
        case Union(parts):
            return _headings(parts[0], layer)
        case Exists() | Holds():
            return ["answer"]
        case Figure() | Arithmetic():
            return [_attribute(program, "", layer)]


def _attribute(of: Attribute | Aggregate, table: str, layer: SemanticLayer) -> str:
    """The name of a value that each row of a table has, or of a figure over such rows."""
    match of:
        case Field(path, column):
            end = layer.table(layer.schema.end(table, path))
            name = end.column(column).label
            return name if not path or end.label in name else f"{end.label} {name}"
        case DatePart(part):
            return part.split("_")[-1]
        case Elapsed("year", Field(path, column), Value()):
            end = layer.table(layer.schema.end(table, path))
            return "age" if end.column(column).birth else "years"
        case Elapsed(unit):
            return f"{unit}s"
        case Value(value):
            return str(value)
        case Belonging(_, figure) | (Figure() as figure):
            return _attribute(figure.aggregate, figure.rows.table, layer)
        case Aggregate():
            return _aggregate(of, table, layer)
        case Arithmetic():
            return Phrases(layer, lambda one: restate(one, layer)).attribute(of, table)


def _aggregate(aggregate: Aggregate, table: str, layer: SemanticLayer) -> str:
    for measure in layer.measures:
        same = (measure.table, measure.function, measure.of) == (
            *(table, aggregate.function, aggregate.of),
        )
        if same and measure.where is None:
            return measure.label
    if aggregate.of is None:
        return f"number of {plural(layer.table(table).label)}"
    name = _attribute(aggregate.of, table, layer)
    different = "different " if aggregate.distinct else ""
    return f"{WORDS[aggregate.function]} {different}{name}"


def _different(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with numbers where several are the same."""
    made: list[str] = []
    for name in names:
        other, number = name, 1
        while other in made:
            number += 1
            other = f"{name} {number}"
        made.append(other)
    return tuple(made)
