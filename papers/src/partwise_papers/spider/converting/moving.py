"""Attributes and conditions as seen from the start of a path that leads to their rows."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.execution.relational.program import (
    Aggregate,
    Among,
    And,
    Arithmetic,
    Attribute,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    DatePart,
    Elapsed,
    Field,
    Missing,
    Not,
    OneOf,
    Or,
    Related,
)
from partwise.execution.relational.schema import Path


@dataclass(frozen=True)
class Mover:
    """Puts a path before all paths."""

    path: Path

    def attribute(self, attribute: Attribute) -> Attribute:
        """The same value, further away."""
        match attribute:
            case Field(path, column):
                return Field((*self.path, *path), column)
            case DatePart(part, of):
                return DatePart(part, self.attribute(of))
            case Elapsed(unit, start, end):
                return Elapsed(unit, self.attribute(start), self.attribute(end))
            case Arithmetic(sign, left, right):
                if isinstance(left, Aggregate) or isinstance(right, Aggregate):
                    return attribute
                return Arithmetic(sign, self.attribute(left), self.attribute(right))
            case Belonging(path, figure):
                return Belonging((*self.path, *path), figure)
            case _:
                return attribute

    def condition(self, condition: Condition) -> Condition:
        """The same condition, on the row that the path leads to."""
        match condition:
            case Compare(left, sign, right):
                return Compare(self.attribute(left), sign, self.attribute(right))
            case Between(of, low, high, open_):
                return Between(self.attribute(of), low, high, open_)
            case Contains(of, text, at):
                return Contains(self.attribute(of), text, at)
            case Missing(of):
                return Missing(self.attribute(of))
            case OneOf(of, values):
                return OneOf(self.attribute(of), values)
            case Among(of, values):
                return Among(self.attribute(of), values)
            case Related(path, rows):
                return Related((*self.path, *path), rows)
            case And(parts):
                return And(tuple(self.condition(one) for one in parts))
            case Or(parts):
                return Or(tuple(self.condition(one) for one in parts))
            case Not(part):
                return Not(self.condition(part))
