"""Lexicons: tables of phrases in text files, one reader for all of them.

A row is a line of at most three parts with tabs between: phrases, what they stand for, and a
comment. Several phrases, or meanings, have a comma and a blank between. A line in brackets begins
a section; empty lines and those that begin with ``#`` are left out::

    [columns]
    # What columns are called by people.
    price	cost, charge	not "fee", which is a column of its own
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

_LISTED = re.compile(r",\s+")


class LexiconRow(NamedTuple):
    """A row of a lexicon: what is said, what it stands for, and the section it is in."""

    phrase: str
    meaning: str = ""
    section: str = ""

    @property
    def phrases(self) -> tuple[str, ...]:
        return _several(self.phrase)

    @property
    def meanings(self) -> tuple[str, ...]:
        return _several(self.meaning)


def read_lexicon(package: str, name: str) -> tuple[LexiconRow, ...]:
    """The rows of a file that comes with a package, in the order of the file. Raises
    FileNotFoundError if there is no such file, and ValueError for a line with more than three
    parts, or with none before the first tab."""
    rows: list[LexiconRow] = []
    section = ""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            continue
        parts = [part.strip() for part in line.split("\t")]
        if not parts[0] or len(parts) > 3:
            raise ValueError(f"{package}, {name}, line {number}: not phrase, meaning, comment")
        phrase, meaning, *_ = (*parts, "")
        rows.append(LexiconRow(phrase, meaning, section))
    return tuple(rows)


def _several(text: str) -> tuple[str, ...]:
    return tuple(_LISTED.split(text)) if text else ()
