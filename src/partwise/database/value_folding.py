"""Stored values that are one value in several spellings: Germany, GERMANY and " germany".

A program that compares with one of them means all of them: those that differ in case and spaces
alone, and those that have a name in common in the layer's file.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from partwise.database.layer.model import SemanticLayer
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import Compare, Field, Not, OneOf, Program, Rows, Value
from partwise.execution.relational.schema import Link


class ValueFolding:
    """Puts all spellings of a value in its place.

    Attributes:
        notes: what was taken as one value, a sentence each.
    """

    def __init__(self, layer: SemanticLayer, index: ValueIndex) -> None:
        self.layer, self.index = layer, index
        self.notes: dict[str, None] = {}

    def spread(self, program: Program) -> Program:
        """A program with all spellings of the values that it names."""
        made: Program = self._changed(program, "")
        return made

    def _changed(self, part: Any, table: str) -> Any:
        if isinstance(part, tuple):
            return tuple(self._changed(one, table) for one in part)
        if not is_dataclass(part) or isinstance(part, Link):
            return part
        match part:
            case Compare(Field() as of, "=" | "!=" as sign, Value(str()) as value):
                values = self._all(of, (value,), table)
                some = OneOf(of, values)
                return part if len(values) == 1 else some if sign == "=" else Not(some)
            case OneOf(Field() as of, values):
                return replace(part, values=self._all(of, values, table))
            case Rows():
                table = part.table
        rows = getattr(part, "rows", None)
        inside = rows.table if isinstance(rows, Rows) else table
        changed = {one.name: self._changed(getattr(part, one.name), inside) for one in fields(part)}
        return replace(part, **changed)

    def _all(self, of: Field, values: tuple[Value, ...], table: str) -> tuple[Value, ...]:
        end = self.layer.schema.end(table, of.path)
        column = self.layer.column(end, of.column)
        if column.kind != "text" or column.private:
            return values
        made: dict[str, None] = {}
        for value in values:
            text = str(value.value)
            others = self.index.spellings((end, of.column), text)
            named = set(column.value_names.get(text, ()))
            others += tuple(one for one, said in column.value_names.items() if named & set(said))
            different = [one for one in dict.fromkeys(others) if one != text]
            made |= dict.fromkeys((text, *different))
            if different:
                listed = " and ".join(repr(one) for one in (text, *different))
                self.notes[f"{column.label}: {listed} are taken as one value"] = None
        return tuple(map(Value, made))
