"""Why a row of ours differs from the published figure: texts in `notes.toml`, by table and row."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from partwise.errors import DataError

FILE = "notes.toml"
OPEN = "not explained yet"


def note(table: str, row: str) -> str:
    """What is noted of a row; `OPEN` for nothing.

    Raises:
        DataError: if the file is damaged.
    """
    return _notes().get(table, {}).get(row, OPEN)


@cache
def _notes() -> Mapping[str, Mapping[str, str]]:
    return read_notes((files(__package__) / FILE).read_text(encoding="utf-8"))


def read_notes(text: str) -> Mapping[str, Mapping[str, str]]:
    """The content of the file: table -> row -> note.

    Raises:
        DataError: if it is no TOML, or has anything else in it.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{FILE}: {error}; correct that line") from error
    for table, rows in content.items():
        if not isinstance(rows, dict) or not all(isinstance(one, str) for one in rows.values()):
            raise DataError(f'{FILE}: [{table}] must have lines like seq2seq = "why"')
    return content
