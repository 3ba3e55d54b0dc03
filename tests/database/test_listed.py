"""Texts that list several things."""

from __future__ import annotations

from cases import cases
from partwise.database.layer.model import ColumnInfo
from partwise.database.source.values import parts_of, separator

LANGUAGES = ("English, French", "English", "English, Dutch", "German")


@cases("values, sign")
def test_what_stands_between_things(values: tuple[str, ...], sign: str | None) -> None:
    assert separator(ColumnInfo("c", "c", "text", values=values)) == sign


def test_parts_are_each_thing_once() -> None:
    column = ColumnInfo("speaks", "speaks", "text", values=LANGUAGES)
    assert parts_of(column, LANGUAGES) == {"English", "French", "Dutch", "German"}
    assert parts_of(ColumnInfo("n", "n", "text", values=("Ada", "Bo")), ["Ada, Bo"]) == set()
    hidden = ColumnInfo("speaks", "speaks", "text", values=LANGUAGES, private=True)
    assert parts_of(hidden, LANGUAGES) == set()
