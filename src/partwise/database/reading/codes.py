"""Stored codes that question words may stand for: "paperbacks" for PB, "out of print" for OP.

Many databases keep a letter or a few in place of a word, and nothing in them says which word. A
word that names nothing else may be meant if the letters are its beginning or its initials, or stand
in it in their order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from string import ascii_lowercase
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.cues import adjectives, cue_words, cues
from partwise.database.reading.people import PEOPLE, TITLES
from partwise.database.reading.periods import PARTS
from partwise.database.reading.text import Word, stem

LONGEST_CODE = 4
"""The most letters of a code."""
MOST_WORDS = 3
"""The most words that a code stands for."""
MOST_PLACES = 3
"""The most columns that one word is taken to speak of."""
_OTHERS = {*map(stem, PARTS), *PEOPLE, "whose", "what", "which", "when", "where"}
GRADES = 3
"""The fewest letters that are an order."""
LETTER, LETTERS = 0.4, 0.7
"""How sure a match is: of one letter, of several."""


class Coded(NamedTuple):
    """Words that may stand for a stored code."""

    start: int
    end: int
    table: str
    column: str
    code: str
    sure: float


class Codes:
    """The codes that the columns of a database hold."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._codes = [
            (table.name, column.name, value)
            for table in layer.tables
            for column in table.columns
            if not (table.private or column.private)
            if column.enumeration and column.kind == "text"
            if len(column.values) > 1 and all(map(_is_code, column.values))
            if not _are_grades(column.values)
            for value in column.values
            if not column.value_names.get(value)
        ]

    def find(
        self, words: Sequence[Word], known: Set[int], tables: Collection[str]
    ) -> Iterator[Coded]:
        """What words may stand for which codes.

        Args:
            known: numbers of the words that are names or values themselves.
            tables: those that the question speaks of, whose columns come first.
        """
        for start, end in _spans(words, known) if self._codes else ():
            said = [one.plain for one in words[start:end]]
            found = [
                Coded(start, end, table, column, code, sure)
                for table, column, code in self._codes
                if (sure := _stands_for(code.lower(), said))
            ]
            found.sort(key=lambda one: (one.table not in tables, -one.sure))
            yield from found[:MOST_PLACES]


def _is_code(value: str) -> bool:
    # "Mr" is no code of anything.
    return (
        value.lower() not in TITLES
        and 1 <= len(value) <= LONGEST_CODE
        and value.isascii()
        and value.isalpha()
    )


def _are_grades(values: Sequence[str]) -> bool:
    """Whether values are the first letters of the alphabet, which stand for no words."""
    letters = sorted(one.lower() for one in values)
    return len(letters) >= GRADES and letters == list(ascii_lowercase[: len(letters)])


def _spans(words: Sequence[Word], known: Set[int]) -> Iterator[tuple[int, int]]:
    """Words that are nothing else, and such words with little ones between or before them."""
    little = cue_words()
    for start, first in enumerate(words):
        for end in range(start + 1, min(len(words), start + MOST_WORDS) + 1):
            last = words[end - 1]
            if end - 1 in known or not last.plain.isalpha():
                break
            alone = end == start + 1 and (first.stem in little or first.stem in _OTHERS)
            # "Costing above" is no CA.
            compares = end > start + 1 and any(_compares(one) for one in words[start:end])
            if len(last.plain) > 2 and not (alone or compares):
                yield start, end


def _compares(word: Word) -> bool:
    """Whether a word alone compares, counts or orders."""
    said = cues().get((word.stem,), ())
    compares = any(one.startswith(("sign:", "agg:", "dir:", "sort:")) for one in said)
    return compares or (word.stem,) in adjectives()


def _stands_for(code: str, said: Sequence[str]) -> float:
    """How sure it is that words stand for a code; 0 if they do not."""
    if len(said) > 1:
        if len(code) > 2 and "".join(said).startswith(code):
            # "No shows" for NOSH.
            return 1.0
        whole = "".join(one[0] for one in said)
        telling = "".join(one[0] for one in said if len(one) > 2)
        return LETTERS if len(code) > 1 and code in {whole, telling} else 0.0
    word = said[0]
    if len(word) <= len(code) or not word.startswith(code[0]):
        return 0.0
    if len(code) == 1:
        return LETTER
    letters = iter(word)
    if not all(one in letters for one in code):
        return 0.0
    return 1.0 if word.startswith(code) else LETTERS
