"""What rows have, and how they are chosen, in English.

What stands within something else and could be taken for a part of it is put in brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from partwise.database.layer.model import Measure, SemanticLayer
from partwise.database.restating.names import SchemaNames, listed, literal, period
from partwise.database.units import asked_in, factor, unit_name
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
    Figure,
    Function,
    Grouping,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Related,
    Rows,
    Sign,
    Value,
)
from partwise.execution.relational.schema import Kind, Path

Answer = Callable[[Listing | Grouping], str]
"""How an answer within a program is written."""
NOTHING = ""
"""No table: what is said is about all rows of whatever table."""
_SIGNS: Mapping[Sign, str] = {
    **{"=": "is", "!=": "is not", "<": "is less than", "<=": "is at most"},
    **{">": "is more than", ">=": "is at least"},
}
_DATES: Mapping[Sign, str] = {
    **{"=": "is", "!=": "is not", "<": "is before", "<=": "is on or before"},
    **{">": "is after", ">=": "is on or after"},
}
_TIMES = {**_DATES, "<=": "is at the latest", ">=": "is at the earliest"}
"""Texts are compared where they are times of day."""
_OTHERS: Mapping[Sign, str] = {"=": "is the same as", "!=": "is not the same as"}
NUMBERS: Mapping[Sign, str] = {
    **{"=": "exactly", "!=": "not exactly", "<": "fewer than", "<=": "at most"},
    **{">": "more than", ">=": "at least"},
}
_NEGATED: Mapping[Sign, Sign] = {
    **{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
}
_FUNCTIONS: Mapping[Function, str] = {
    **{"sum": "total", "average": "average", "median": "median"},
    **{"minimum": "lowest", "maximum": "highest", "count": "number of values of"},
}
_OF_DATES: Mapping[Function, str] = {"minimum": "earliest", "maximum": "latest"}
_ARITHMETIC = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_TEXTS = {
    "anywhere": ("contains", "does not contain"),
    "start": ("starts with", "does not start with"),
    "end": ("ends with", "does not end with"),
}


class Phrases:
    """Writes the parts of programs.

    Args:
        answer: how an answer within a program is written.
    """

    def __init__(self, layer: SemanticLayer, answer: Answer) -> None:
        self.layer, self.schema = layer, layer.schema
        self.names = SchemaNames(layer)
        self._answer = answer

    def rows(self, rows: Rows) -> str:
        """Rows, with what chooses them."""
        said = self.names.rows(rows.table)
        return said if rows.where is None else f"{said} {self.holds(rows.where, rows.table)}"

    def inner_rows(self, rows: Rows) -> str:
        """The same within something else."""
        said = self.names.rows(rows.table)
        return said if rows.where is None else f"{said} ({self.holds(rows.where, rows.table)})"

    def value(self, of: Attribute | Aggregate, table: str, unit: str | None = None) -> str:
        """An attribute, within something else.

        Args:
            table: whose rows have it.
            unit: of what it is compared with.
        """
        said = self.attribute(of, table, unit)
        known = isinstance(of, Arithmetic) and (
            self._converted(of, table) or self._percents(of, table)
        )
        loose = isinstance(of, Arithmetic) and not known
        return f"({said})" if loose else said

    def attribute(self, of: Attribute | Aggregate, table: str, unit: str | None = None) -> str:
        """What each row has, or a figure of a group."""
        match of:
            case Value():
                return literal(of, unit)
            case Field(path, column):
                name = self.names.column(self.schema.end(table, path), column)
                return f"{name} of the {self.names.end(table, path)}" if path else name
            case DatePart(part, inner):
                said = part.replace("_", " and ")
                return f"{said} of the {self.value(inner, table)}"
            case Elapsed("year", Field(path, column), Value()) if self._birth(table, path, column):
                return f"age of the {self.names.end(table, path)}" if path else "age"
            case Elapsed(span, start, Value() as end):
                return f"{span}s from the {self.value(start, table)} to {literal(end)}"
            case Elapsed(span, start, end):
                both = self.value(start, table), self.value(end, table)
                return f"{span}s from the {both[0]} to the {both[1]}"
            case Arithmetic(sign, left, right):
                if (converted := self._converted(of, table)) is not None:
                    return converted
                if (percents := self._percents(of, table)) is not None:
                    return percents
                both = self.value(left, table), self.value(right, table)
                return f"{both[0]} {_ARITHMETIC[sign]} {both[1]}"
            case Belonging(path, figure):
                whose = f" of the {self.names.end(table, path)}" if path else ""
                return self.figure(figure, lambda rows: f"{self.inner_rows(rows)}{whose}")
            case Figure():
                return self.figure(of, lambda rows: f"all {self.inner_rows(rows)}")
            case Aggregate(of=None):
                return self.figure(Figure(Rows(table), of), self.rows)
            case Aggregate():
                return self.figure(Figure(Rows(table), of))

    def _birth(self, table: str, path: Path, column: str) -> bool:
        """Whether a column is a date of birth."""
        return self.layer.column(self.schema.end(table, path), column).birth

    def _percents(self, of: Arithmetic, table: str) -> str | None:
        """A share in percent, of a group or of some rows; None for other numbers."""
        match of:
            case Arithmetic("*", Value(100), Arithmetic("/", Figure() as part, Figure() as whole)):
                return f"percentage that the {self.value(part, table)} is of the " + self.value(
                    whole, table
                )
            case Arithmetic(
                "*", Value(100), Arithmetic("/", Aggregate() as part, Figure() as every)
            ):
                if every.aggregate == part:
                    return f"percentage (of the {self.value(every, table)})"
        return None

    def _converted(self, of: Arithmetic, table: str) -> str | None:
        """A number that is only shown in another unit: ``length in minutes``."""
        unit = self.unit(of.left, table)
        if of.sign == "/" and isinstance(of.right, Value) and unit is not None:
            for one in asked_in(unit):
                if factor(unit, one) == of.right.value and one != unit:
                    return f"{self.value(of.left, table)} in {unit_name(one)}"
        return None

    def figure(self, figure: Figure, say: Callable[[Rows], str] | None = None) -> str:
        """A figure over rows, by its name if it has one.

        Args:
            say: how the rows are said; None if that is done elsewhere.
        """
        aggregate, rows = figure.aggregate, figure.rows
        for measure in sorted(self.layer.measures, key=lambda one: one.where is None):
            left = _without(rows, measure)
            if left is not None and measure.aggregate == aggregate:
                return f"{measure.label} of {say(left)}" if say else measure.label
        named = f" of {say(rows)}" if say else ""
        if aggregate.of is None:
            return f"number{named}"
        kind = self.kind(aggregate.of, rows.table)
        word = _FUNCTIONS[aggregate.function]
        if kind == "date":
            word = _OF_DATES.get(aggregate.function, word)
        if aggregate.function == "count" and aggregate.distinct:
            word = "number of different values of"
        said = self.attribute(aggregate.of, rows.table)
        inner = f"({said})" if isinstance(aggregate.of, Belonging | Figure | Arithmetic) else said
        return f"{word} {inner}{named}"

    def kind(self, of: Attribute | Aggregate, table: str) -> Kind:
        """What the values of an attribute are."""
        match of:
            case Field(path, column):
                return self.schema.column(self.schema.end(table, path), column).kind
            case Belonging(_, figure) | (Figure() as figure):
                return self.kind(figure.aggregate, figure.rows.table)
            case Aggregate(function, inner) if function in _OF_DATES and inner is not None:
                return self.kind(inner, table)
            case Value(value):
                return (
                    "date"
                    if isinstance(value, date)
                    else "text"
                    if isinstance(value, str)
                    else "number"
                )
            case _:
                return "number"

    def unit(self, of: Attribute | Aggregate, table: str) -> str | None:
        """What the numbers of an attribute count."""
        match of:
            case Field(path, column):
                return self.names.unit(self.schema.end(table, path), column)
            case Belonging(_, figure) | (Figure() as figure):
                return self.unit(figure.aggregate, figure.rows.table)
            case Aggregate(function, inner) if function != "count" and inner is not None:
                return self.unit(inner, table)
            case _:
                return None

    def holds(self, condition: Condition, table: str, negated: bool = False) -> str:
        """A condition, behind what it is about: ``whose country is “Brazil”``.

        Args:
            negated: whether it is not to hold.
        """
        match condition:
            case Not(part):
                return self.holds(part, table, not negated)
            case And(parts) | Or(parts):
                word = "and" if isinstance(condition, And) else "or"
                said = listed([self._part(one, table) for one in parts], word)
                return f"not ({said})" if negated else said
            case Related(path, rows):
                return self._has(path, rows, table, negated)
            case Compare(Belonging((), Figure(rows, Aggregate("count", None))), sign, Value() as n):
                sign = _NEGATED[sign] if negated else sign
                return f"that have {NUMBERS[sign]} {literal(n)} {self.inner_rows(rows)}"
            case Compare(left, sign, right):
                return self._compared(left, _NEGATED[sign] if negated else sign, right, table)
        return f"{self._whose(condition.of, table)} {self._is(condition, table, negated)}"

    def _part(self, part: Condition, table: str) -> str:
        said = self.holds(part, table)
        return f"({said})" if isinstance(part, And | Or) else said

    def _whose(self, of: Attribute | Aggregate, table: str) -> str:
        if isinstance(of, Field) and of.path:
            end = self.names.end(table, of.path)
            if end.replace(" ", "").isalnum() and " of the " not in end:
                return f"whose {end}'s {self.names.column(of.path[-1].target, of.column)}"
        said = self.value(of, table)
        if table == NOTHING:
            return said if isinstance(of, Value) else f"the {said}"
        return f"{'where' if isinstance(of, Value | Figure) else 'whose'} {said}"

    def compared(self, sign: Sign, kind: Kind) -> str:
        """A comparison, as words."""
        return (_DATES if kind == "date" else _SIGNS)[sign]

    def _compared(
        self, left: Attribute | Aggregate, sign: Sign, right: Attribute | Aggregate, table: str
    ) -> str:
        timed = isinstance(right, Value) and isinstance(right.value, str)
        word = _TIMES[sign] if timed else self.compared(sign, self.kind(left, table))
        unit = self.unit(left, table)
        if not isinstance(right, Value):
            word = _OTHERS.get(sign, word)
        return f"{self._whose(left, table)} {word} {self._other(right, table, unit)}"

    def _other(self, right: Attribute | Aggregate, table: str, unit: str | None) -> str:
        """What something is compared with."""
        said = self.value(right, table, unit)
        return said if isinstance(right, Value) or said[0] == "(" else f"the {said}"

    def _has(self, path: Path, rows: Rows, table: str, negated: bool) -> str:
        end = self.schema.end(table, path)
        one = self.schema.path(end, rows.table) is not None and not self.schema.mutual(
            end, rows.table
        )
        verb = ("belong to", "belongs to") if one else ("have", "has")
        whose = f"whose {self.names.end(table, path)} {verb[1]}" if path else f"that {verb[0]}"
        return f"{whose} {'no ' if negated else ''}{self.inner_rows(rows)}"

    def _is(
        self, condition: Between | Contains | Missing | OneOf | Among, table: str, negated: bool
    ) -> str:
        """What is said of an attribute."""
        unit = self.unit(condition.of, table)
        no = "is not" if negated else "is"
        match condition:
            case Between(_, low, high, open_):
                return f"{no} {_range(low, high, open_, unit)}"
            case Contains(_, text, at):
                return f"{_TEXTS[at][negated]} {literal(Value(text))}"
            case Missing():
                return f"{no} missing"
            case OneOf(_, values):
                return f"{no} {listed([literal(one, unit) for one in values], 'or')}"
            case Among(_, values):
                return f"{no} among ({self._answer(values)})"


def _without(rows: Rows, measure: Measure) -> Rows | None:
    """The rows without the condition of a measure; None if these are not those it is over."""
    if rows.table != measure.table or measure.where is None:
        return rows if rows.table == measure.table else None
    every, some = _parts(rows.where), _parts(measure.where)
    left = tuple(one for one in every if one not in some)
    if len(left) + len(some) != len(every):
        return None
    return Rows(rows.table, None if not left else left[0] if len(left) == 1 else And(left))


def _parts(where: Condition | None) -> tuple[Condition, ...]:
    return where.parts if isinstance(where, And) else () if where is None else (where,)


def _range(low: Value, high: Value, open_: bool, unit: str | None) -> str:
    named = period(low.value, high.value)
    if open_ and named is not None:
        return named
    if open_:
        return f"from {literal(low, unit)} to before {literal(high, unit)}"
    return f"between {literal(low, unit)} and {literal(high, unit)}"
