"""The values of a source that a value index is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.listed import parts_of
from partwise.database.source.catalogue import read_catalogue
from partwise.database.source.connections import Source
from partwise.database.source.index_builder import IndexBuilder
from partwise.database.source.normal import tokens_of
from partwise.database.source.roles import FIRST, LAST
from partwise.database.source.words import words_of_name
from partwise.errors import ExecutionError

MOST_VALUES = 1_500_000
"""The most distinct values of a column that is indexed."""
CHARACTERS = 300_000_000
SECONDS = 120.0
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
    """All text values of a source that are neither private nor long free texts.

    Raises:
        DomainError: if the source cannot be opened or reached.
    """
    made = Collected()
    stored = {
        (table.name, one.name): one.type
        for table in read_catalogue(source)
        for one in table.columns
    }
    for table in layer.tables:
        if table.private:
            continue
        words = set(_words(table))
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
            _collect_column(source, table, one, made)
        shown = [one for name in table.display for one in texts if one.name == name]
        if len(shown) > 1:
            _collect_people(source, table, shown, made)
    return made


def _words(table: TableInfo) -> Iterator[str]:
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


def _is_long(source: Source, table: str, column: str, most: int) -> bool:
    one: sa.ColumnClause[Any] = sa.column(column)
    some = sa.select(one).select_from(sa.table(table)).where(one.is_not(None)).limit(LOOKED_AT)
    values = [str(row[0]) for row in source.run(some, _limits(source, LOOKED_AT)).rows]
    return sum(map(len, values)) > most * len(values)


def _distinct(source: Source, table: str, columns: tuple[str, ...]) -> list[tuple[Any, ...]] | None:
    named = sa.table(table, *(sa.column(one) for one in columns))
    every = sa.select(*named.c).where(*(one.is_not(None) for one in named.c)).distinct()
    fetched = source.run(every, _limits(source, MOST_VALUES))
    return None if fetched.truncated else fetched.rows


def _limits(source: Source, rows: int) -> Any:
    return replace(source.limits, rows=rows, characters=CHARACTERS, seconds=SECONDS, memory=4 << 30)
