"""The arrays of a value index, which are looked up where they lie on the disk.

`IndexBuilder` makes them; `IndexArrays` reads them. An *entry* is a stored value, or the name of a
person in several columns, with the columns that have it. A *key* is the number of a phrase that
stands for an entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from partwise.database.source.normal import deletions_of
from partwise.errors import DataError

VERSION = 1
RARE = 50
"""The most entries that a word is in which alone points to a longer text."""
FUZZY, LONGEST_FUZZY = 5, 24
"""The least and the most letters of a word that may be misspelt."""
JOINED = 3
"""The most words of a phrase that may be written as one."""
PART = "\x1f"
"""Between the parts of a name that is stored in several columns."""
MOST = 24
"""The most entries that one key gives, and the most words that a misspelt one is taken for."""
_ARRAYS = (
    "texts", "text_starts", "groups", "key_numbers", "key_entries", "key_scores", "words",
    "word_starts", "word_numbers", "post_starts", "post_entries", "deletion_numbers",
    "deletion_words",
)  # fmt: skip


class ValueColumns(NamedTuple):
    """Columns that have a value.

    Attributes:
        places: tables and columns.
        parts: whether each column has a part of the value, as first and last name.
    """

    places: tuple[tuple[str, str], ...]
    parts: bool = False


class StoredValue(NamedTuple):
    """A stored value."""

    text: str
    group: ValueColumns


@dataclass(frozen=True)
class IndexArrays:
    """Looks up entries by keys, words by their spelling, and entries by rare words.

    Attributes:
        schema_words: words of the names of tables and columns.
    """

    arrays: Mapping[str, npt.NDArray[Any]]
    groups: tuple[ValueColumns, ...]
    schema_words: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.arrays["groups"])

    @classmethod
    def load(cls, folder: Path) -> IndexArrays:
        """The arrays of a folder, which are read when they are needed.

        Raises:
            DataError: if the folder has none, or those of another version.
        """
        try:
            about = json.loads((folder / "groups.json").read_text("utf-8"))
            if about["version"] != VERSION:
                raise DataError(f"{folder}: this is version {about['version']}; make it again")
            arrays = {name: _mapped(folder / f"{name}.npy") for name in _ARRAYS}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{folder}: this is no value index: {error}; make it again") from error
        groups = (
            ValueColumns(tuple((t, c) for t, c in places), parts)
            for places, parts in about["groups"]
        )
        return cls(arrays, tuple(groups), frozenset(about["schema_words"]))

    def save(self, folder: Path) -> None:
        """Write the arrays to a folder that exists."""
        about = {
            "version": VERSION,
            "groups": self.groups,
            "schema_words": sorted(self.schema_words),
        }
        (folder / "groups.json").write_text(json.dumps(about, ensure_ascii=False), "utf-8")
        for name, one in self.arrays.items():
            np.save(folder / f"{name}.npy", one, allow_pickle=False)

    def entry(self, number: int) -> StoredValue:
        """An entry by its number."""
        return StoredValue(
            self._text("texts", "text_starts", number), self.groups[self.arrays["groups"][number]]
        )

    def with_keys(self, keys: Sequence[int]) -> Iterator[tuple[int, int, float]]:
        """Which of some keys an entry has, that entry, and how close its key is, from 0 to 1."""
        for at, place in _equal(self.arrays["key_numbers"], keys):
            yield (
                at,
                int(self.arrays["key_entries"][place]),
                float(self.arrays["key_scores"][place]) / 100,
            )

    def has_words(self, numbers: Sequence[int]) -> list[int | None]:
        """The places of words in the vocabulary, by their numbers; None for unknown ones."""
        made: list[int | None] = [None] * len(numbers)
        for at, place in _equal(self.arrays["word_numbers"], numbers):
            made[at] = place
        return made

    def spelt_like(self, word: str) -> list[tuple[str, int]]:
        """Words of the vocabulary that differ from a word by a letter or two, and their places."""
        found = _equal(self.arrays["deletion_numbers"], deletions_of(word))
        places = dict.fromkeys(int(self.arrays["deletion_words"][place]) for _, place in found)
        return [(self._text("words", "word_starts", place), place) for place in places]

    def entries_with(self, word: int) -> list[int]:
        """The entries of several words that have a word, by its place, if they are few."""
        start, end = self.arrays["post_starts"][word : word + 2]
        return [int(one) for one in self.arrays["post_entries"][start:end]]

    def _text(self, name: str, starts: str, number: int) -> str:
        start, end = self.arrays[starts][number : number + 2]
        return self.arrays[name][start:end].tobytes().decode("utf-8", "surrogatepass")


def _mapped(path: Path) -> npt.NDArray[Any]:
    try:
        made: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        # An empty file cannot be mapped.
        made = np.load(path, allow_pickle=False)
    return made


def _equal(ordered: npt.NDArray[Any], keys: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Which keys are in an ordered array, and where; a few places for each."""
    asked = np.array(keys, dtype=np.uint64)
    starts = np.searchsorted(ordered, asked)
    inside = np.flatnonzero(starts < len(ordered))
    for at in inside[ordered[starts[inside]] == asked[inside]]:
        place = int(starts[at])
        last = min(place + MOST, len(ordered))
        while place < last and ordered[place] == asked[at]:
            yield int(at), place
            place += 1
