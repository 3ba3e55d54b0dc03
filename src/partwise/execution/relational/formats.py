"""Numbers and dates that are stored as something else: how they are written, and SQL that reads
them in any database. What does not read so is missing.

A format is written as the values are. Of numbers, ``1,234.5`` and ``1.234,5`` with the signs around
them, as ``$1,234.5`` and ``1.234,5 kg``; ``NaN`` where some of the database's numbers are none. Of
dates, ``dd.mm.yyyy`` and the like, ``yyyy-mm-dd`` with texts among them that are none, ``zoned``
for times of several zones, ``seconds`` or ``milliseconds`` since 1970, and ``infinity`` or
``0000-00-00`` where some of the database's dates are that. A time may stand behind a date.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles

from partwise.execution.relational.schema import Column

Element = sa.ColumnElement[Any]
_NUMBER = r"^[-+]?([0-9]{1,18}[.]?[0-9]{0,18}|[.][0-9]{1,18})([eE][-+]?[0-9])?$"
_MONTHS = "(0?[13578]|1[02])-(0?[1-9]|[12][0-9]|3[01])|(0?[469]|11)-(0?[1-9]|[12][0-9]|30)"
_LEAP = "[0-9]{2}([02468][048]|[13579][26])-0?2-29"
_DATE = rf"^({_LEAP}|[0-9]{{4}}-({_MONTHS}|0?2-(0?[1-9]|1[0-9]|2[0-8])))"
_DATE += "([ T]([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?(Z|[-+][0-9:]{2,6})?)?$"
_AMOUNT = re.compile(r"([^\d.,]*)1(?P<group>\D?)234(?P<decimal>[.,])5([^\d.,]*)")
_DAY = re.compile(r"(yyyy|mm|dd)([-./])(yyyy|mm|dd)\2(yyyy|mm|dd)")
_EPOCH = {"seconds": 1, "milliseconds": 1000}


class Amount(NamedTuple):
    """How numbers are written: with a sign for fractions, and others that say nothing."""

    decimal: str
    dropped: tuple[str, ...]


def amount(written: str) -> Amount | None:
    """A format of numbers; None for other texts."""
    match = _AMOUNT.fullmatch(written)
    if match is None or match["group"] == match["decimal"]:
        return None
    around = re.findall(r"[^\W_]+|.", match[1] + match["group"] + match[4])
    return Amount(match["decimal"], tuple(dict.fromkeys(around)))


def is_format(kind: str, written: str) -> bool:
    """Whether the values of a kind may be written so."""
    if kind == "number":
        return written == "NaN" or amount(written) is not None
    named = written in ("zoned", "infinity", "0000-00-00", *_EPOCH)
    return kind == "date" and (named or sorted(re.split("[-./]", written)) == ["dd", "mm", "yyyy"])


class _Day(sa.sql.functions.FunctionElement[Any]):
    """A date of a text in a format of `_DAY`, ``zoned`` or `_EPOCH`."""

    type = sa.DateTime()
    inherit_cache = False
    name = "day"

    def __init__(self, stored: Element, written: str) -> None:
        self.written = written
        super().__init__(stored)

    @property
    def stored(self) -> Element:
        (only,) = self.clauses
        return only


@compiles(_Day)
def _on_servers(element: _Day, compiler: Any, **options: Any) -> str:
    """PostgreSQL and DuckDB."""
    stored: Any = element.stored
    if element.written in _EPOCH:
        text = compiler.process(stored, **options)
        return f"(to_timestamp({text} / {_EPOCH[element.written]}.0) AT TIME ZONE 'UTC')"
    if element.written == "zoned":
        text = compiler.process(stored, **options)
        return f"(CAST({text} AS TIMESTAMP WITH TIME ZONE) AT TIME ZONE 'UTC')"
    first, sign, second, third = _parts(element.written)
    places = {name: at for at, name in enumerate((first, second, third), 1)}
    digits = ("([0-9]{4})" if one == "yyyy" else "([0-9]{1,2})" for one in places)
    turned = rf"\{places['yyyy']}-\{places['mm']}-\{places['dd']}"
    stored = sa.cast(stored, sa.String)
    pattern = "^ *" + f"[{sign}]".join(digits)
    made = sa.func.rtrim(sa.func.regexp_replace(stored, pattern, turned), type_=sa.String)
    read = sa.case((made.regexp_match(_DATE), sa.cast(made, sa.DateTime)))
    return str(compiler.process(read, **options))


@compiles(_Day, "sqlite")
def _as_texts(element: _Day, compiler: Any, **options: Any) -> str:
    """SQLite, whose dates are texts."""
    stored: Any = element.stored
    if element.written in _EPOCH:
        read: Element = sa.func.datetime(stored / _EPOCH[element.written], "unixepoch")
        return str(compiler.process(read, **options))
    if element.written == "zoned":
        return str(compiler.process(sa.func.datetime(stored), **options))
    if element.written == "yyyy-mm-dd":
        whole = sa.and_(stored.op("GLOB")("????-??-??*"), sa.func.date(stored).is_not(None))
        return str(compiler.process(sa.case((whole, stored)), **options))
    first, sign, second, third = _parts(element.written)
    cut = sa.func.replace(sa.func.trim(stored), sign, '","')
    listed = sa.literal('["').concat(cut).concat('"]')
    of = {
        name: sa.func.json_extract(listed, f"$[{n}]")
        for n, name in enumerate((first, second, third))
    }
    # The last part may have a time behind it.
    size = 4 if third == "yyyy" else 2
    parts = [
        sa.func.substr(of[one], 1, size) if one == third else of[one]
        for one in ("yyyy", "mm", "dd")
    ]
    made = sa.func.printf("%s-%02d-%02d%s", *parts, sa.func.substr(of[third], size + 1))
    plain = stored.op("NOT GLOB")(f"*[^-0-9.:T {sign}]*")
    # One inside the other: what is no JSON would stop the query.
    read = sa.case((plain, sa.case((sa.func.date(made).is_not(None), made))))
    return str(compiler.process(read, **options))


@compiles(_Day, "mysql")
def _on_mysql(element: _Day, compiler: Any, **options: Any) -> str:
    stored: Any = element.stored
    if element.written in _EPOCH:
        text = compiler.process(stored / _EPOCH[element.written], **options)
        return f"CAST('1970-01-01' + INTERVAL {text} SECOND AS DATETIME)"
    if element.written == "zoned":
        return str(compiler.process(sa.cast(stored, sa.DateTime), **options))
    signs = {"yyyy": "%Y", "mm": "%m", "dd": "%d"}
    written = re.sub("[a-z]+", lambda one: signs[one[0]], element.written)
    timed = sa.func.str_to_date(stored, f"{written} %T")
    read = sa.case((stored.contains(":"), timed), else_=sa.func.str_to_date(stored, written))
    return str(compiler.process(read, **options))


def _parts(written: str) -> tuple[str, str, str, str]:
    match = _DAY.fullmatch(written)
    assert match is not None
    return match[1], match[2], match[3], match[4]


def read_as(kind: str, written: str, stored: Element, texts: bool) -> Element:
    """A column as its format says. `texts`: whether the database is SQLite."""
    if written in ("NaN", "0000-00-00"):
        sort: Any = sa.Double() if kind == "number" else None
        return sa.func.nullif(stored, sa.literal_column(f"'{written}'"), type_=sort)
    if written == "infinity":
        # It is compared as it is; `Scope` knows that it has no year.
        return stored
    if kind == "date":
        return _Day(stored, written)
    form = amount(written)
    assert form is not None
    text: Any = sa.cast(stored, sa.String) if texts else stored
    for sign in (*form.dropped, *("," if form.decimal == "," else "")):
        # A bookkeeper's "(5)" is -5.
        new = {"(": "-", form.decimal: "."}.get(sign, "")
        text = sa.func.replace(text, sign, new, type_=sa.String)
    number = sa.cast(text, sa.Numeric(38, 10))
    # SQLite compares a text with a number as a number where it is one to the end.
    good = number == text if texts else text.regexp_match(_NUMBER)
    return sa.case((good, number))


def unread(column: Column, stored: Element, texts: bool) -> tuple[Element, Element]:
    """Whether a value of a column is not of its kind, though there is one; and the value as text.
    `texts`: whether the database is SQLite."""
    written = sa.cast(stored, sa.String)
    text: Element = sa.func.trim(written)
    if column.format:
        value = read_as(column.kind, column.format, stored, texts)
    elif column.kind == "number":
        value = read_as("number", "1234.5", stored, texts)
    else:
        value = read_as("date", "yyyy-mm-dd", stored, texts)
    return sa.and_(stored.is_not(None), text != "", value.is_(None)), written
