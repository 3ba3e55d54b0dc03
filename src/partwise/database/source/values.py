"""Stored values in questions: exact ones, misspelt ones, parts of long ones, words for places.

All texts of a source that are neither private nor long free texts are collected; texts that list
several things, as ``English, French``, give each of them. They lie in a folder as arrays that are
looked up on the disk, and are read again (`ValueIndex.refresh`) without any training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.source.catalogue import read_catalogue
from partwise.database.source.connections import Source
from partwise.database.source.names import words_of_name
from partwise.database.source.roles import FIRST, LAST
from partwise.database.source.value_arrays import (
    PART,
    IndexArrays,
    IndexBuilder,
    phrase_number,
    tokens_of,
    word_number,
)
from partwise.database.source.value_search import (
    QuestionTokens,
    ValueMatch,
    ValueSearch,
    is_covered,
    is_respelt,
)
from partwise.errors import DataError, ExecutionError
from partwise.execution.relational.sql import table_clause
from partwise.interface.files import as_it_stands, write_folder_whole

SEPARATORS = ("; ", ", ", " | ", " / ", ";", "|", ",")
LEAST = 2
"""The fewest texts that list something."""
PART_WORDS, PART_CHARACTERS = 3, 30
"""The most of a part."""


def separator(column: ColumnInfo) -> str | None:
    """What stands between the things that a column's texts list; None if they list nothing.
    Something is listed if another text has it alone or again, so that a place in a longer address
    is not."""
    return None if column.kind != "text" or column.private else _separator(column.values)


@lru_cache(maxsize=1024)
def _separator(values: tuple[str, ...]) -> str | None:
    for sign in SEPARATORS:
        lists = [one.split(sign) for one in values if sign in one]
        parts = [part.strip() for one in lists for part in one]
        if len(lists) >= LEAST and all(map(_is_part, parts)):
            alone = {one for one in values if sign not in one}
            again = {one for one in parts if parts.count(one) > 1}
            if alone & set(parts) and len(alone - set(parts)) <= len(alone) / 2 and again:
                return sign
    return None


def parts_of(column: ColumnInfo, values: Iterable[str]) -> set[str]:
    """The things that some texts of a column list; none if it lists nothing."""
    sign = separator(column)
    if sign is None:
        return set()
    return {part.strip() for one in values for part in one.split(sign) if part.strip()}


def _is_part(text: str) -> bool:
    short = 1 <= len(text.split()) <= PART_WORDS and len(text) <= PART_CHARACTERS
    return short and not any(letter.isdigit() for letter in text)


MOST_VALUES = 1_500_000
"""The most distinct values of a column that is indexed."""
CHARACTERS = 300_000_000
SECONDS, SECONDS_IN_ALL = 120.0, 600.0
"""Of one query, and after which none begins."""
LOOKED_AT = 200
"""Values by which a column is judged to hold long free texts."""
LONGEST, LONGEST_KEY = 100, 24
"""The most characters, on average, of values and of keys that somebody may say."""


@dataclass
class Collected:
    """Values, and what is known of them.

    Attributes:
        schema_words: words of the names of tables and columns.
        left_out: columns that are not in, with the reason.
    """

    builder: IndexBuilder = field(default_factory=IndexBuilder)
    schema_words: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)


def collect(source: Source, layer: SemanticLayer) -> Collected:
    """All text values of a source that are neither private nor long free texts. Raises DomainError
    if the source cannot be opened or reached."""
    made, bounded = Collected(), source.within(SECONDS_IN_ALL)
    stored = {
        (table.name, one.name): one.type
        for table in read_catalogue(source)
        for one in table.columns
    }
    for table in layer.tables:
        if table.private:
            continue
        words = set(_schema_words(table))
        made.schema_words |= words | {f"{one}s" for one in words}
        texts = [
            one
            for one in table.columns
            if not one.private
            and (
                one.kind == "text"
                or (one.kind == "id" and stored.get((table.name, one.name)) == "text")
            )
        ]
        for one in texts:
            _collect_column(bounded, table, one, made)
        shown = [one for name in table.display for one in texts if one.name == name]
        if len(shown) > 1:
            _collect_people(bounded, table, shown, made)
    return made


def _schema_words(table: TableInfo) -> Iterator[str]:
    """The words of names, and names of one word."""
    columns = [one for one in table.columns if not one.private]
    for label in (table.label, *(one.label for one in columns)):
        yield from tokens_of(label)
    for name in (*table.synonyms, *(one for column in columns for one in column.synonyms)):
        if " " not in name:
            yield from tokens_of(name)


def _collect_column(source: Source, table: TableInfo, column: ColumnInfo, made: Collected) -> None:
    place = (table.name, column.name)
    try:
        if _is_long(source, *place, LONGEST_KEY if column.kind == "id" else LONGEST):
            made.left_out.append(f"{table.name}.{column.name}: its texts are long")
            return
        rows = _distinct(source, table.name, (column.name,))
    except ExecutionError as error:
        made.left_out.append(f"{table.name}.{column.name}: {error!s:.200}")
        return
    if rows is None:
        made.left_out.append(f"{table.name}.{column.name}: more than {MOST_VALUES:,} values")
        return
    values = [str(row[0]) for row in rows]
    full = table.person and table.display == (column.name,)
    # "Who speaks French" asks for it among others, too.
    values += sorted(parts_of(column, values) - set(values))
    made.builder.add(place, values, _score(column), full, column.in_full)
    for value, names in column.value_names.items():
        for name in names:
            made.builder.add_alias(name, value, place)


def _score(column: ColumnInfo) -> int:
    """Of 100: first names, and last names, alone say less than other values."""
    words = words_of_name(column.label)
    return 80 if words in FIRST else 90 if words in LAST else 100


def _collect_people(
    source: Source, table: TableInfo, columns: Sequence[ColumnInfo], made: Collected
) -> None:
    people = [one for one in columns if words_of_name(one.label) in (*FIRST, *LAST)]
    # Beside the names of people may stand those of firms.
    names = tuple(one.name for one in people or columns)
    try:
        rows = _distinct(source, table.name, names)
    except ExecutionError as error:
        made.left_out.append(f"{table.name}.{'+'.join(names)}: {error!s:.200}")
        return
    places = [(table.name, name) for name in names]
    made.builder.add_people(places, ([str(one) for one in row] for row in rows or ()))


MOST_COMPARED = 100_000
"""Values of a private column that others are compared with."""
SAME = 0.5
"""The share of a column's values that are those of a private one, from which on it is private."""


def same_as_private(source: Source, layer: SemanticLayer) -> set[tuple[str, str]]:
    """The open columns that hold the texts of a private one. Texts that many rows share, as a
    private status, tell nothing of a row, and are not looked for elsewhere."""
    every = [(table, one) for table in layer.tables for one in table.columns]
    hidden = [(t.name, one.name) for t, one in every if t.private or one.private]
    told = [
        texts
        for place in hidden
        if (texts := _texts(source, place)) and 2 * len(texts) > _count(source, *place)
    ]
    kinds = ("text", "id") if told else ()
    open_ = [(t.name, one.name) for t, one in every if one.kind in kinds]

    def is_same(values: set[str]) -> bool:
        return any(len(values & texts) >= SAME * len(values) for texts in told if values)

    return {one for one in open_ if one not in hidden and is_same(_texts(source, one))}


def _texts(source: Source, place: tuple[str, str]) -> set[str]:
    """The texts of a column; none where they cannot be read or are too many."""
    try:
        rows = _distinct(source, place[0], (place[1],)) or []
    except ExecutionError:
        return set()
    return {row[0] for row in rows[:MOST_COMPARED] if isinstance(row[0], str)}


def _count(source: Source, table: str, column: str) -> int:
    """How many rows have a value."""
    named = table_clause(table, column)
    every = sa.select(sa.func.count(named.c[column]))
    return int(source.run(every, _limits(source, 1)).rows[0][0])


def _is_long(source: Source, table: str, column: str, most: int) -> bool:
    one: sa.ColumnClause[Any] = sa.column(column)
    some = sa.select(one).select_from(table_clause(table)).where(one.is_not(None)).limit(LOOKED_AT)
    values = [str(row[0]) for row in source.run(some, _limits(source, LOOKED_AT)).rows]
    return sum(map(len, values)) > most * len(values)


def _distinct(source: Source, table: str, columns: tuple[str, ...]) -> list[tuple[Any, ...]] | None:
    named = table_clause(table, *columns)
    every = sa.select(*named.c).where(*(one.is_not(None) for one in named.c)).distinct()
    fetched = source.run(every, _limits(source, MOST_VALUES))
    return None if fetched.truncated else fetched.rows


def _limits(source: Source, rows: int) -> Any:
    return replace(source.limits, rows=rows, characters=CHARACTERS, seconds=SECONDS, memory=4 << 30)


TRIES = 3
"""How often arrays are read that vanish while they are read."""


class ValueIndex:
    """Finds the values of a database in questions. `left_out`: columns that are not in it, with the
    reason."""

    def __init__(self, arrays: IndexArrays, left_out: tuple[str, ...] = ()) -> None:
        self.left_out = left_out
        self._arrays = arrays
        self._folder: Path | None = None

    def __len__(self) -> int:
        return len(self._arrays)

    @property
    def state(self) -> object:
        """Another one after each `refresh`."""
        return self._arrays

    def texts(self) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        """The values, with the columns that have them."""
        for number in range(len(self)):
            value = self._arrays.entry(number)
            yield value.text.replace(PART, " "), value.group.places

    @classmethod
    def build(cls, source: Source, layer: SemanticLayer) -> ValueIndex:
        """The index of all texts of a source that are not private. Raises DomainError if the source
        cannot be opened or reached."""
        return cls.of(collect(source, layer))

    @classmethod
    def of(cls, collected: Collected) -> ValueIndex:
        """The index of some values."""
        arrays, groups = collected.builder.build()
        made = IndexArrays(arrays, groups, frozenset(collected.schema_words))
        return cls(made, tuple(collected.left_out))

    @classmethod
    def load(cls, folder: Path | str) -> ValueIndex:
        """The index that was saved to a folder; its arrays are read when they are needed. Raises
        DataError if the folder has none."""
        place = Path(folder)
        made = cls(_arrays_of_one_time(place))
        made._folder = place
        return made

    def save(self, folder: Path | str) -> None:
        """Write the index to a folder, whole or not at all."""
        write_folder_whole(Path(folder), self._arrays.save)
        self._folder = Path(folder)

    def refresh(self, source: Source, layer: SemanticLayer) -> None:
        """Read all values again, and save them where they were saved before."""
        made = ValueIndex.build(source, layer)
        self._arrays, self.left_out = made._arrays, made.left_out
        if self._folder is not None:
            self.save(self._folder)
            self._arrays = _arrays_of_one_time(self._folder)

    def find(self, words: Sequence[str]) -> list[ValueMatch]:
        """The stored values that some words of a question may mean, the best of each span first.
        `words`: of the question in order; quotation marks may be words of their own."""
        question = QuestionTokens(words)
        made = self._found(question)
        empty = [one for one in question.quoted if not _within(made, question, one)]
        if not any(one[1] > one[0] for one in empty):
            return made
        # No value is all that is in quotes: some may be a part of it.
        plain = QuestionTokens(words, quotes=False)
        found = self._found(plain)
        return made + [one for span in empty for one in _within(found, plain, span)]

    def spellings(self, place: tuple[str, str], text: str) -> tuple[str, ...]:
        """The values of a column that differ from a text in case and spaces alone, or not."""
        key = phrase_number(map(word_number, tokens_of(text)))
        stored = [self._arrays.entry(entry) for _, entry, _ in self._arrays.with_keys([key])]
        own = {one.text for one in stored if place in one.group.places and not one.group.parts}
        return tuple(sorted(one for one in own if _folded(one) == _folded(text)))

    def _found(self, question: QuestionTokens) -> list[ValueMatch]:
        search = ValueSearch(self._arrays, question)
        whole = [*search.whole(), *search.joined(), *search.places()]
        hits = [*whole, *search.parts()]
        likely = (one for one in hits if not is_covered(one, whole))
        return search.matches([one for one in likely if not is_respelt(one, question, whole)])


def _arrays_of_one_time(folder: Path) -> IndexArrays:
    """The arrays of the folder that stands there, though another process puts a new one in its
    place meanwhile. Raises DataError as `IndexArrays.load`."""
    for _ in range(TRIES):
        with suppress(DataError, OSError), as_it_stands(folder) as place:
            return IndexArrays.load(place)
    return IndexArrays.load(folder)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _within(
    matches: Sequence[ValueMatch], question: QuestionTokens, span: tuple[int, int]
) -> list[ValueMatch]:
    """The matches inside a span of tokens."""
    if span[0] == span[1]:
        return []
    start, end = question.words(*span)
    return [one for one in matches if start <= one.start and one.end <= end]
