"""What tables, columns, links and values are called in a restatement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from partwise.database.inflection import plural
from partwise.database.layer.model import SemanticLayer
from partwise.database.units import LARGE, MONEY, asked_in, factor, unit_name
from partwise.execution.relational.program import Value
from partwise.execution.relational.schema import Link, Path

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)


class SchemaNames:
    """What the parts of a database are called.

    Args:
        layer: what is known of the database.
    """

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer = layer
        labels = [one.label for one in layer.tables]
        self._same = {one for one in labels if labels.count(one) > 1}

    def table(self, name: str) -> str:
        """One row of a table; with the stored name where two tables have one label."""
        label = self.layer.table(name).label
        return f"{label} ({name})" if label in self._same else label

    def rows(self, name: str) -> str:
        """The rows of a table."""
        label = self.layer.table(name).label
        return f"{plural(label)} ({name})" if label in self._same else plural(label)

    def column(self, table: str, name: str) -> str:
        """A column of a table; with the stored name where two columns have one label."""
        info = self.layer.column(table, name)
        same = [one.label for one in self.layer.table(table).columns].count(info.label) > 1
        return f"{info.label} ({name})" if same else info.label

    def end(self, table: str, path: Path) -> str:
        """What a path leads to: ``artist``, or ``artist of the album`` if there is a nearer one."""
        end = path[-1].target
        if path == self.layer.schema.path(table, end):
            return self.table(end) if len(path) > 1 else self.link(path[0])
        return " of the ".join(self.link(one) for one in reversed(path))

    def link(self, link: Link) -> str:
        """What a link leads to, with its own name where others lead there or names differ."""
        leaving = list(self.layer.schema.leaving(link.table))
        said = self.layer.links.get(link, ())
        single = [one.target for one in leaving].count(link.target) == 1
        plain = not said and link == next(
            (one for one in leaving if one.target == link.target), None
        )
        if (single or plain) and link.target != link.table:
            return self.table(link.target)
        name = said[0] if said else self.column(link.table, link.column)
        return f"{self.table(link.target)} ({name})"

    def unit(self, table: str, column: str) -> str | None:
        """The unit of a column, if it is one that has a name."""
        unit = self.layer.column(table, column).unit
        return None if unit == MONEY else unit


def literal(value: Value, unit: str | None = None) -> str:
    """A value: texts in quotes, days written out, numbers with their unit.

    Args:
        unit: what the number counts; it is told in a larger one, too, if that is shorter.
    """
    said = value.value
    match said:
        case bool():
            return str(said).lower()
        case datetime():
            return f"{day(said)} {said:%H:%M:%S}"
        case date():
            return day(said)
        case str():
            return f"“{said}”"
    number = f"{said!r}"
    if unit is None:
        return number
    return f"{number} {unit_name(unit, said)}{_larger(said, unit)}"


def _larger(number: float, unit: str) -> str:
    """The same in the largest unit that makes a short number of it: ``(48 minutes)``."""
    others = [one for one in asked_in(unit) if one not in LARGE or unit in LARGE]
    sizes = sorted(((factor(unit, one) or 1, one) for one in others), reverse=True)
    for size, one in sizes:
        many = number / size
        if size > 1 and abs(number) >= 1000 and many == round(many, 2) and abs(many) >= 1:
            return f" ({many:g} {unit_name(one, many)})"
    return ""


def day(said: date) -> str:
    """A day: ``1 March 2024``."""
    return f"{said.day} {_MONTHS[said.month - 1]} {said.year}"


def period(low: object, high: object) -> str | None:
    """A year, month or day by its name; None if these are not its first day and that of the next.

    Args:
        high: the day after the last.
    """
    if type(low) is not date or type(high) is not date:
        return None
    if (low.month, low.day) == (1, 1) and high == date(low.year + 1, 1, 1):
        return f"in {low.year}"
    following = date(low.year + low.month // 12, low.month % 12 + 1, 1)
    if low.day == 1 and high == following:
        return f"in {_MONTHS[low.month - 1]} {low.year}"
    return f"on {day(low)}" if high == low + timedelta(days=1) else None


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Several things, with a word before the last."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"
