"""Texts that list several things."""

from __future__ import annotations

import pytest

from partwise.database.layer.model import ColumnInfo
from partwise.database.source.values import parts_of, separator

LANGUAGES = ("English, French", "English", "English, Dutch", "German")


@pytest.mark.parametrize(
    ("values", "sign"),
    [
        (LANGUAGES, ", "),
        (("rock;jazz", "jazz;folk", "folk"), ";"),
        (("rock", "jazz", "folk"), None),
        # A town in longer addresses, or a first name behind a last one, is not listed.
        (("1 Elm Row, Oslo", "4 Sea Lane, Oslo", "Oslo"), None),
        (("Moe, Ada", "Lund, Bo", "Vik, Ada"), None),
        (("salt, and a little more pepper than usual", "salt, oil", "salt"), None),
    ],
)
def test_what_stands_between_things(values: tuple[str, ...], sign: str | None) -> None:
    assert separator(ColumnInfo("c", "c", "text", values=values)) == sign


def test_parts_are_each_thing_once() -> None:
    column = ColumnInfo("speaks", "speaks", "text", values=LANGUAGES)
    assert parts_of(column, LANGUAGES) == {"English", "French", "Dutch", "German"}
    assert parts_of(ColumnInfo("n", "n", "text", values=("Ada", "Bo")), ["Ada, Bo"]) == set()
    hidden = ColumnInfo("speaks", "speaks", "text", values=LANGUAGES, private=True)
    assert parts_of(hidden, LANGUAGES) == set()
