"""Formulas of measures, written so that `formulas` reads the same again."""

from __future__ import annotations

import re
from datetime import date

from partwise.database.layer.formulas import PARTS, RESERVED, Formula, next_link
from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Compare,
    Condition,
    Contains,
    DatePart,
    Field,
    Missing,
    Not,
    OneOf,
    Or,
    Value,
)
from partwise.execution.relational.schema import Path, Schema

Operand = Attribute | Aggregate
_CONTAINS = {"anywhere": "contains", "start": "starts with", "end": "ends with"}


def write_formula(formula: Formula, schema: Schema, table: str) -> str:
    """A formula over the rows of a table.

    Raises:
        DomainError: if it asks for rows of other tables that belong to a row, which no formula can.
    """
    writer = _Writer(schema, table)
    text: str = formula.function
    if formula.of is not None:
        text += f" of {'distinct ' * formula.distinct}{writer.sum(formula.of)}"
    if formula.where is not None:
        text += f" where {writer.condition(formula.where)}"
    return text


class _Writer:
    def __init__(self, schema: Schema, table: str) -> None:
        self.schema, self.table = schema, table

    def sum(self, of: Operand) -> str:
        """A value, where signs of any kind may stand."""
        if isinstance(of, Arithmetic) and of.sign in ("+", "-"):
            return f"{self.sum(of.left)} {of.sign} {self.product(of.right)}"
        return self.product(of)

    def product(self, of: Operand) -> str:
        if isinstance(of, Arithmetic) and of.sign in ("*", "/"):
            return f"{self.product(of.left)} {of.sign} {self.single(of.right)}"
        return self.single(of)

    def single(self, of: Operand) -> str:
        match of:
            case Value(value):
                return _constant(value)
            case Field(path, column):
                return ".".join([*self._steps(path), _name(column)])
            case DatePart(part, inner):
                return f"{part} of {self.single(inner)}"
            case Arithmetic():
                return f"({self.sum(of)})"
        raise DomainError(
            f"a measure over {self.table} asks for more than columns of a row, which no formula "
            "can say; keep it in the Python form"
        )

    def _steps(self, path: Path) -> list[str]:
        steps, table = [], self.table
        for link in path:
            by_target = next_link(self.schema, table, link.target) == link
            steps.append(_name(link.target if by_target else link.column))
            table = link.target
        return steps

    def condition(self, condition: Condition) -> str:
        match condition:
            case And(parts):
                return " and ".join(self._part(one) for one in parts)
            case Or(parts):
                return " or ".join(self._part(one) for one in parts)
            case Not(part):
                return f"not {self._part(part)}"
            case Compare(left, sign, right):
                return f"{self.sum(left)} {sign} {self.sum(right)}"
            case Missing(of):
                return f"{self.sum(of)} is missing"
        return self._test(condition)

    def _test(self, condition: Condition) -> str:
        match condition:
            case Between(of, low, high, open_):
                last = f"{'below ' * open_}{_constant(high.value)}"
                return f"{self.sum(of)} between {_constant(low.value)} and {last}"
            case Contains(of, text, at):
                return f"{self.sum(of)} {_CONTAINS[at]} {_constant(text)}"
            case OneOf(of, values):
                return f"{self.sum(of)} in ({', '.join(_constant(one.value) for one in values)})"
        raise DomainError(
            f"a measure over {self.table} has a condition on rows of other tables, which no "
            "formula can say; keep it in the Python form"
        )

    def _part(self, condition: Condition) -> str:
        text = self.condition(condition)
        return f"({text})" if isinstance(condition, And | Or) else text


def _constant(value: str | int | float | bool | date) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else repr(value)


def _name(name: str) -> str:
    plain = re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in RESERVED | set(PARTS)
    return name if plain else '"' + name.replace('"', '""') + '"'
