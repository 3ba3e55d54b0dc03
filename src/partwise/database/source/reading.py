"""A source as it is read once: tables with samples and kinds, and what was noted on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from partwise.database.source.catalogue import StoredColumn, StoredTable
from partwise.database.source.connections import Source
from partwise.database.source.kinds import Meant, meaning, pattern_of
from partwise.database.source.sampling import SAMPLE, Sample, all_match, take_sample
from partwise.database.source.words import column_words, row_words
from partwise.errors import ExecutionError


@dataclass(frozen=True)
class ReadTable:
    """A table with what was seen of it.

    Attributes:
        columns: those that can be asked about.
        meant: what their values are.
        words: of one row of the table.
        column_words: column -> its words.
        called: what its key calls its rows, if that is not the table's name.
    """

    stored: StoredTable
    columns: tuple[StoredColumn, ...]
    sample: Sample
    meant: dict[str, Meant]
    words: tuple[str, ...]
    column_words: dict[str, tuple[str, ...]]
    called: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As it is stored."""
        return self.stored.name

    def values(self, column: str) -> list[Any]:
        """Values of a column that were seen, without nulls."""
        return self.sample.values(column)


@dataclass
class Notes:
    """What was inferred, and what was left out, a sentence each."""

    inferred: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_table(
    source: Source,
    stored: StoredTable,
    words: Mapping[str, tuple[str, ...]],
    notes: Notes,
    most: int = SAMPLE,
) -> ReadTable | None:
    """A table with a sample of its rows; None if nothing of it can be read.

    Args:
        words: of each table of the source.
    """
    columns = tuple(one for one in stored.columns if one.type not in ("bytes", "other"))
    for one in stored.columns:
        if one not in columns:
            what = "bytes" if one.type == "bytes" else "lists or structures"
            notes.left_out.append(f"{stored.name}.{one.name}: it holds {what}")
    if not columns:
        notes.left_out.append(f"{stored.name}: it has no column that can be read")
        return None
    try:
        sample = take_sample(source, stored, columns, most)
    except ExecutionError as error:
        notes.left_out.append(f"{stored.name}: it cannot be read: {error!s:.200}")
        return None
    meant = {one.name: meaning(stored.name, one, sample.values(one.name)) for one in columns}
    for name, (kind, texts, _) in meant.items():
        # A text that is no number would stop each query that reads it as one.
        unsure = texts and not sample.complete and source.kind != "sqlite"
        if unsure and not all_match(source, stored.name, name, pattern_of(kind)):
            meant[name] = Meant("text")
    notes.inferred += [one.note for one in meant.values() if one.note]
    called = row_words(stored.key, words.values())
    named = column_words([one.name for one in columns], words[stored.name], words, called)
    return ReadTable(stored, columns, sample, meant, words[stored.name], named, called)
