"""Values of an answer as people write them: separators, units, "Mar 2024"."""

from __future__ import annotations

import re
from calendar import day_name, month_abbr, month_name
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from partwise.interface.prediction import Cell, ColumnKind, ResultColumn, ResultTable, spell

_FORMS: Mapping[ColumnKind, re.Pattern[str]] = {
    "date": re.compile(r"\d{4}-\d\d-\d\d(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?"),
    "month": re.compile(r"\d{4}-(?:0[1-9]|1[0-2])"),
    "quarter": re.compile(r"\d{4}-Q[1-4]"),
}
"""How dates and periods of a certain year are written."""
_PARTS: Mapping[ColumnKind, Collection[int]] = {
    **{"year": range(1000, 3000), "month": range(1, 13), "quarter": range(1, 5)},
    **{"weekday": range(7), "boolean": range(2)},
}
"""Numbers that stand for parts of dates, or for truth values."""
_SIZES: Mapping[ColumnKind, int] = {"month": 12, "quarter": 4}
"""How many there are in a year."""
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
    if column.kind in ("date", "datetime"):
        return replace(column, kind=_guess("", values) if values else "date")
    return column


def _guess(name: str, values: Sequence[Cell]) -> ColumnKind:
    """What values are, by themselves and by the name of their column."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        last = name.split()[-1:]
        for part, known in _PARTS.items():
            if last == [part] and all(value in known for value in values):
                return part
        return "key" if last in (["id"], ["key"]) else "integer"
    if kinds and kinds <= {int, float}:
        return "number"
    return _guess_text([str(value) for value in values]) if kinds == {str} else "text"


def _guess_text(texts: Sequence[str]) -> ColumnKind:
    for kind, form in _FORMS.items():
        matches = [match for match in map(form.fullmatch, texts) if match]
        if len(matches) == len(texts):
            timed = kind == "date" and any(match[1] not in (None, "00:00") for match in matches)
            return "datetime" if timed else kind
    return "text"


def _whole(values: Iterable[Cell]) -> bool:
    return all(type(value) is int for value in values)


def ordinal(value: Cell, kind: ColumnKind) -> Any:
    """A period as a number, so that the next one is one more; a time as a text that sorts; None for
    what is none."""
    if kind == "datetime":
        return value if isinstance(value, str) and _FORMS["date"].fullmatch(value) else None
    if not isinstance(value, str) or kind not in _FORMS:
        return value if type(value) is int else None
    if not _FORMS[kind].fullmatch(value):
        return None
    if kind != "date":
        return int(value[:4]) * _SIZES[kind] + int(value[5:].strip("Q")) - 1
    try:
        return date.fromisoformat(value[:10]).toordinal()
    except ValueError:
        return None


def period(number: int, kind: ColumnKind, like: Cell) -> Cell:
    """The period of a number, as `ordinal` gives it, written as another one is."""
    if not isinstance(like, str):
        return number
    if kind == "date":
        return str(date.fromordinal(number))
    whole, part = divmod(number, _SIZES[kind])
    return f"{whole:04}-Q{part + 1}" if kind == "quarter" else f"{whole:04}-{part + 1:02}"


def show_value(value: Cell, column: ResultColumn) -> str:
    """A value for people, with its unit; nothing for a missing one."""
    if value is None or isinstance(value, bool):
        return spell(value)
    if isinstance(value, int | float):
        return _figure(value, column) if column.kind in FIGURES else _named(value, column.kind)
    form = _FORMS.get(column.kind)
    if column.kind == "boolean" and value in ("0", "1"):
        return spell(value == "1")
    if column.kind == "datetime":
        return re.sub(r"(:\d\d)(:00)?(\.0+)?$", r"\1", value)
    if form is None or not form.fullmatch(value):
        return value
    if column.kind == "date":
        return value[:10]
    year, part = value.split("-")
    return f"{part if column.kind == 'quarter' else month_abbr[int(part)]} {year}"


def _named(value: int | float, kind: ColumnKind) -> str:
    """A part of a date, or a truth value that is stored as a number."""
    if value not in _PARTS.get(kind, ()):
        return spell(value)
    number = int(value)
    # The calendar's week begins with Monday.
    names = {"month": month_name[number % 13], "weekday": day_name[number % 7 - 1]}
    names |= {"boolean": spell(number == 1), "quarter": f"Q{number}"}
    return names.get(kind, str(number))


def _figure(value: int | float, column: ResultColumn) -> str:
    places = {"money": ",.2f", "percent": ",.1f"}.get(column.kind, ",.2f")
    if column.kind == "number" and 0 < abs(value) < 1:
        places = ".3g"
    whole = isinstance(value, int) or abs(value) > 1e15
    text = format(abs(value), "," if whole else places)
    if column.kind != "money" and "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    sign = "%" if column.kind == "percent" else column.sign
    if column.kind == "money":
        text = f"{sign}{text}" if sign else f"{text} {column.unit or ''}".rstrip()
    elif sign:
        text = f"{text} {sign}"
    return f"-{text}" if value < 0 else text
