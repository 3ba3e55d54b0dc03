"""Numbers of a program in the unit that a question asks for: "total hours watched"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.durations import SPANS
from partwise.database.units import factor
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Belonging,
    Elapsed,
    Field,
    Figure,
    Grouping,
    Listing,
    Program,
    Value,
    rebuilt,
)


class InUnit:
    """Converts what one program shows.

    Args:
        asked: the unit; empty if none was asked for.

    Attributes:
        found: whether some number has a unit that can be converted.
    """

    def __init__(self, layer: SemanticLayer, asked: str) -> None:
        self.layer, self.asked = layer, asked
        self.found = False

    def __call__(self, program: Program) -> Program:
        """The same with its numbers in the unit that was asked for."""
        if not self.asked:
            return program
        match program:
            case Listing():
                shown = tuple(self._in_unit(one, program.rows.table) for one in program.shown)
                return replace(program, shown=shown)
            case Grouping():
                figures = tuple(self._in_unit(one, program.rows.table) for one in program.figures)
                return replace(program, figures=figures)
            case Figure(_, Aggregate(_, Elapsed())):
                return replace(program, aggregate=self._lasting(program.aggregate))
            case Figure():
                times = self._times(program.aggregate.of, program.rows.table)
                return program if times is None else Arithmetic("/", program, Value(times))
            case _:
                return program

    def _in_unit(self, one: Any, table: str) -> Any:
        of = one.of if isinstance(one, Aggregate) else one
        if isinstance(one, Belonging):
            of, table = one.figure.aggregate.of, one.figure.rows.table
        if isinstance(of, Elapsed):
            return self._lasting(one)
        times = self._times(of, table)
        return one if times is None else Arithmetic("/", one, Value(times))

    def _times(self, of: Any, table: str) -> float | None:
        """What numbers are divided by; None for what has no such unit."""
        if not isinstance(of, Field):
            return None
        unit = self.layer.column(self.layer.schema.end(table, of.path), of.column).unit
        times = factor(unit, self.asked)
        self.found = self.found or times is not None
        return None if times == 1 else times

    def _lasting(self, node: Any) -> Any:
        """The same with times in the unit that was asked for."""
        span = SPANS.get(self.asked)
        if span is None:
            return node
        self.found = True
        return rebuilt(
            node, lambda one: replace(one, unit=span) if isinstance(one, Elapsed) else one
        )
