"""Values of an answer as people write them: separators, units, "Mar 2024"."""

from __future__ import annotations

import re
from calendar import day_name, month_abbr, month_name
from collections.abc import Iterable, Sequence
from dataclasses import replace

from partwise.interface.prediction import Cell, ColumnKind, ResultColumn, ResultTable, spell

DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?")
_MONTH, _QUARTER = re.compile(r"(\d{4})-(\d\d)"), re.compile(r"(\d{4})-(Q[1-4])")
FIGURES: tuple[ColumnKind, ...] = ("integer", "number", "money", "percent")
"""What can be measured."""
LOOKED_AT = 1000
"""Values of a column that tell what it holds."""


def typed_columns(table: ResultTable) -> tuple[ResultColumn, ...]:
    """What the columns of a table hold, by what its domain says of them and by their values."""
    rows = table.rows[:LOOKED_AT]
    known = table.types or [None] * len(table.columns)
    return tuple(
        _typed(name, column, [row[number] for row in rows if row[number] is not None])
        for number, (name, column) in enumerate(zip(table.columns, known, strict=True))
    )


def _typed(name: str, column: ResultColumn | None, values: Sequence[Cell]) -> ResultColumn:
    if column is None:
        return ResultColumn(name, _guess(name.lower(), values))
    numbers = all(isinstance(value, int | float) for value in values)
    if column.kind in FIGURES and not numbers:
        return replace(column, kind=_guess("", values))
    if column.kind == "number" and values and _whole(values):
        return replace(column, kind="integer")
    if column.kind == "year" and not _whole(values):
        return replace(column, kind=_guess("", values))
    if column.kind == "date":
        return replace(column, kind=_guess("", values) if values else "date")
    return column


def _guess(name: str, values: Sequence[Cell]) -> ColumnKind:
    """What values are, by themselves and by the name of their column."""
    if not values:
        return "text"
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    if all(isinstance(value, int | float) for value in values):
        if not _whole(values):
            return "number"
        parts: tuple[tuple[ColumnKind, int, int], ...]
        parts = (("year", 1000, 2999), ("month", 1, 12), ("quarter", 1, 4))
        for part, low, high in parts:
            if name.split()[-1:] == [part] and all(
                low <= int(value or 0) <= high for value in values
            ):
                return part
        return "key" if re.search(r"\b(id|key)$", name) else "integer"
    if not all(isinstance(value, str) for value in values):
        return "text"
    forms: tuple[tuple[ColumnKind, re.Pattern[str]], ...]
    forms = (("date", DATE), ("month", _MONTH), ("quarter", _QUARTER))
    for kind, form in forms:
        matches = [form.fullmatch(str(value)) for value in values]
        if all(matches):
            timed = kind == "date" and any(m and m[1] not in (None, "00:00") for m in matches)
            return "datetime" if timed else kind
    return "text"


def _whole(values: Iterable[Cell]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def show_value(value: Cell, column: ResultColumn, unit: bool = True, short: bool = False) -> str:
    """A value for people; nothing for a missing one.

    Args:
        unit: whether its unit is said where that is no sign.
        short: whether months and weekdays are shortened.
    """
    if value is None or isinstance(value, bool):
        return spell(value)
    if isinstance(value, int | float):
        if column.kind in FIGURES:
            return _figure(value, column, unit)
        whole = isinstance(value, int) or value.is_integer()
        return (_named(int(value), column.kind, short) if whole else "") or spell(value)
    if month := _MONTH.fullmatch(value) if column.kind == "month" else None:
        return f"{month_abbr[int(month[2])]} {month[1]}" if 0 < int(month[2]) < 13 else value
    if quarter := _QUARTER.fullmatch(value) if column.kind == "quarter" else None:
        return f"{quarter[2]} {quarter[1]}"
    if column.kind == "boolean" and value in ("0", "1"):
        return spell(value == "1")
    if column.kind == "date":
        return value[:10]
    return re.sub(r"(:\d\d)(:00)?(\.0+)?$", r"\1", value) if column.kind == "datetime" else value


def _named(number: int, kind: ColumnKind, short: bool) -> str:
    """A part of a date, or a truth value that is stored as a number."""
    if kind == "month" and 0 < number < 13:
        return (month_abbr if short else month_name)[number]
    if kind == "weekday" and 0 <= number < 7:
        # The calendar's week begins with Monday.
        name = day_name[number - 1]
        return name[:3] if short else name
    if kind == "boolean" and number in (0, 1):
        return spell(bool(number))
    return f"Q{number}" if kind == "quarter" else ""


def _figure(value: int | float, column: ResultColumn, unit: bool) -> str:
    if column.kind == "money":
        text = f"{abs(value):,.2f}" if isinstance(value, float) else f"{abs(value):,}"
        said = f" {column.unit}" if column.unit and unit and not column.sign else ""
        return f"{'-' * (value < 0)}{column.sign}{text}{said}"
    if isinstance(value, int) or not abs(value) < 1e15:
        text = f"{value:,}"
    elif column.kind == "percent":
        text = f"{value:,.1f}".removesuffix(".0")
    else:
        text = f"{value:,.2f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"
        text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    if column.kind == "percent":
        return f"{text} %"
    return f"{text} {column.sign}" if column.sign and unit else text
