"""Values of a database for questions about it."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal

from partwise.database.layer.model import SemanticLayer

TableRows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Table -> its rows, each column -> value."""
Shape = Literal["text", "number", "date", "none"]
_LONGEST = 32
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


class Samples:
    """Draws values that are in the database."""

    def __init__(self, layer: SemanticLayer, rows: TableRows, rng: random.Random) -> None:
        self.layer, self.rows, self.rng = layer, rows, rng
        self._values: dict[tuple[str, str], list[Any]] = {}

    def values(self, table: str, column: str) -> list[Any]:
        """The values of a column, nulls left out."""
        key = (table, column)
        if key not in self._values:
            rows = self.rows.get(table, ())
            self._values[key] = [row[column] for row in rows if row.get(column) is not None]
        return self._values[key]

    def shape(self, table: str, column: str) -> Shape:
        """What questions can say of a column: by its kind, and by its values."""
        info = self.layer.column(table, column)
        values = self.values(table, column)
        if info.private or not values:
            return "none"
        if info.kind == "number":
            return "number" if all(isinstance(one, int | float) for one in values) else "none"
        if info.kind == "date":
            return "date" if all(day_of(one) is not None for one in values) else "none"
        return "text" if info.kind == "text" and self.texts(table, column) else "none"

    def texts(self, table: str, column: str) -> list[str]:
        """Short texts of a column that a question could hold."""
        values = [one for one in self.values(table, column) if isinstance(one, str)]
        return [one for one in values if 0 < len(one) <= _LONGEST and _sayable(one)]

    def text(self, table: str, column: str) -> str:
        """A text, a frequent one more likely."""
        return self.rng.choice(self.texts(table, column))

    def two_texts(self, table: str, column: str) -> tuple[str, str] | None:
        """Two different texts; None if there is but one."""
        some = sorted(set(self.texts(table, column)))
        if len(some) < 2:
            return None
        one, other = self.rng.sample(some, 2)
        return one, other

    def few(self, table: str, column: str) -> bool:
        """Whether a column has few different values, many rows each."""
        values = self.values(table, column)
        return 1 < len(Counter(values)) <= max(3, len(values) // 4)

    def repeats(self, table: str, column: str) -> bool:
        """Whether some of a column's values have several rows."""
        values = self.values(table, column)
        return 1 < len(set(values)) < 0.9 * len(values)

    def number(self, table: str, column: str) -> int | float:
        """A round number within the range of a column."""
        value = self.rng.choice(self.values(table, column))
        return rounded(value, self.rng)

    def day(self, table: str, column: str) -> date:
        """A day of a column of dates."""
        day = day_of(self.rng.choice(self.values(table, column)))
        assert day is not None
        return day


def rounded(value: int | float, rng: random.Random) -> int | float:
    """A number as people say it: years and small ones as they are, others round."""
    whole = int(value)
    if abs(whole) < 100 or 1500 < whole < 2100:
        return whole if value == whole or rng.random() < 0.7 else round(value, 1)
    digits = len(str(abs(whole)))
    return round(whole, -(digits - rng.choice((1, 1, 2))))


def day_of(value: Any) -> date | None:
    """The day of a stored date; None if it is none."""
    if isinstance(value, date):
        return date(value.year, value.month, value.day)
    parts = _DAY.match(value) if isinstance(value, str) else None
    try:
        return date(*(int(one) for one in parts.groups())) if parts else None
    except ValueError:
        return None


def _sayable(text: str) -> bool:
    if text.endswith(":") or " ," in text or (len(text) == 1 and text.islower()):
        return False
    return len(text.split()) <= 5 and any(one.isalnum() for one in text) and "\n" not in text
