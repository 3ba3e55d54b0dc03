"""The tables of a source as they are declared: columns, types, keys, foreign keys, and what their
comments say: other names of columns, and what stored codes mean.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa
from sqlalchemy.dialects.mysql import TINYINT

from partwise.database.source.connections import Source, duckdb_connection
from partwise.database.source.lexicon import word_set

StoredType = Literal["number", "text", "date", "boolean", "bytes", "other"]
"""What a column is declared as; ``other`` for lists, JSON and what cannot be asked about."""
_TYPES: tuple[tuple[type[sa.types.TypeEngine[Any]], StoredType], ...] = (
    (sa.types.LargeBinary, "bytes"),
    (sa.types.Boolean, "boolean"),
    (sa.types.Numeric, "number"),
    (sa.types.Integer, "number"),
    (sa.types.Date, "date"),
    (sa.types.DateTime, "date"),
    (sa.types.JSON, "other"),
    (sa.types.ARRAY, "other"),
)
_DUCKDB_TYPES = re.compile(
    r"(?P<other>STRUCT|MAP|UNION|JSON|LIST|.*\]$)|(?P<boolean>BOOLEAN)|(?P<bytes>BLOB|BIT)|"
    r"(?P<date>DATE|TIMESTAMP)|(?P<number>FLOAT|DOUBLE|DECIMAL|U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER)"
)


@dataclass(frozen=True)
class StoredColumn:
    """A column as it is declared.

    Attributes:
        whole: whether its numbers have no fraction.
        cast: whether it is a text for people alone: a time of day, a UUID, an enumeration of the
            database's own.
    """

    name: str
    type: StoredType
    whole: bool = False
    comment: str = ""
    cast: bool = False


@dataclass(frozen=True)
class ForeignKey:
    """A column whose values are declared to be those of a column of another table."""

    column: str
    target: str
    key: str


@dataclass(frozen=True)
class StoredTable:
    """A table or view as it is declared.

    Attributes:
        key: the columns of its primary key.
        unique: single columns of which no value repeats.
        links: foreign keys of one column.
        rows: about how many rows it has, where the database knows that.
    """

    name: str
    columns: tuple[StoredColumn, ...]
    key: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    links: tuple[ForeignKey, ...] = ()
    comment: str = ""
    view: bool = False
    rows: int | None = None


def read_catalogue(source: Source) -> tuple[StoredTable, ...]:
    """The tables and views of a source, by name. Raises DomainError if it cannot be opened or
    reached."""
    made = _of_duckdb(source) if source.kind == "duckdb" else _of_engine(source)
    return tuple(sorted(made, key=lambda table: table.name))


def _of_engine(source: Source) -> list[StoredTable]:
    with source.engine() as engine:
        inspector = sa.inspect(engine)
        tables = [_inspected(inspector, name, False) for name in inspector.get_table_names()]
        tables += [_inspected(inspector, name, True) for name in inspector.get_view_names()]
        if source.kind == "sqlite":
            return _commented(engine, tables)
        if source.kind != "postgresql":
            return tables
        with engine.connect() as connection:
            about = sa.text("SELECT relname, reltuples FROM pg_class WHERE relkind IN ('r', 'm')")
            rows = {name: int(count) for name, count in connection.execute(about) if count >= 0}
        return [replace(table, rows=rows.get(table.name)) for table in tables]


def _commented(engine: sa.Engine, tables: list[StoredTable]) -> list[StoredTable]:
    """The tables of a SQLite file, with the comments that stand in what created them."""
    about = sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
    with engine.connect() as connection:
        said = {name: of_statement(sql) for name, sql in connection.execute(about)}
    made = []
    for table in tables:
        comments = said.get(table.name, {})
        columns = [replace(one, comment=comments.get(one.name, "")) for one in table.columns]
        made.append(replace(table, columns=tuple(columns)))
    return made


def _inspected(inspector: sa.Inspector, name: str, view: bool) -> StoredTable:
    """A table; one without columns where a view stands on what is no more."""
    try:
        return _described(inspector, name, view)
    except sa.exc.DBAPIError:
        if not view:
            raise
        return StoredTable(name, (), view=True)


def _described(inspector: sa.Inspector, name: str, view: bool) -> StoredTable:
    columns = tuple(
        StoredColumn(
            *(one["name"], *_type(one["type"]), one.get("comment") or ""),
            inspector.dialect.name != "sqlite" and _is_cast(one["type"]),
        )
        for one in inspector.get_columns(name)
    )
    if view:
        return StoredTable(name, columns, comment=_comment(inspector, name), view=True)
    links = [
        ForeignKey(one["constrained_columns"][0], one["referred_table"], key)
        for one in inspector.get_foreign_keys(name)
        if len(one["constrained_columns"]) == 1
        for key in (one["referred_columns"] or [""])
    ]
    unique = [one["column_names"] for one in inspector.get_unique_constraints(name)]
    return StoredTable(
        name,
        columns,
        tuple(inspector.get_pk_constraint(name).get("constrained_columns", [])),
        tuple(names[0] for names in unique if len(names) == 1 and names[0]),
        tuple(links),
        _comment(inspector, name),
    )


def _comment(inspector: sa.Inspector, name: str) -> str:
    try:
        return inspector.get_table_comment(name).get("text") or ""
    except NotImplementedError:
        return ""


def _type(declared: sa.types.TypeEngine[Any]) -> tuple[StoredType, bool]:
    if isinstance(declared, TINYINT) and declared.display_width == 1:
        # What MySQL makes of a boolean.
        return "boolean", False
    whole = isinstance(declared, sa.types.Integer)
    for kind, meant in _TYPES:
        if isinstance(declared, kind):
            return meant, whole
    return "text", False


def _is_cast(declared: sa.types.TypeEngine[Any]) -> bool:
    own = isinstance(declared, sa.types.Enum) or not isinstance(declared, sa.types.String)
    return own and _type(declared)[0] == "text"


def _of_duckdb(source: Source) -> list[StoredTable]:
    path = Path(unquote(urlsplit(source.url).path).removeprefix("/"))
    settings = {"read_only": True, "config": {"enable_external_access": "false"}}
    with duckdb_connection(path, **settings) as connection:

        def rows(sql: str) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
            return found

        own = "WHERE NOT internal AND schema_name = current_schema()"
        tables = rows(f"SELECT table_name, comment, estimated_size FROM duckdb_tables() {own}")
        views = dict(rows(f"SELECT view_name, comment FROM duckdb_views() {own}"))
        columns = rows(
            f"SELECT table_name, column_name, data_type, comment FROM duckdb_columns() {own} "
            "ORDER BY table_name, column_index"
        )
        constraints = rows(
            "SELECT table_name, constraint_type, constraint_column_names, referenced_table, "
            "referenced_column_names FROM duckdb_constraints() "
            "WHERE schema_name = current_schema()"
        )
    made = _put_together(columns, constraints)
    comments = {name: comment for name, comment, _ in tables} | views
    sizes = {name: size for name, _, size in tables}
    return [
        replace(
            table,
            comment=comments.get(table.name) or "",
            view=table.name in views,
            rows=sizes.get(table.name),
        )
        for table in made
    ]


def _put_together(
    columns: list[tuple[Any, ...]], constraints: list[tuple[Any, ...]]
) -> list[StoredTable]:
    of_table: dict[str, list[StoredColumn]] = defaultdict(list)
    for table, name, declared, comment in columns:
        meant = _duckdb_type(declared)
        cast = meant[0] == "text" and declared != "VARCHAR"
        of_table[table].append(StoredColumn(name, *meant, comment or "", cast))
    keys: dict[str, tuple[str, ...]] = {}
    unique: dict[str, list[str]] = defaultdict(list)
    links: dict[str, list[ForeignKey]] = defaultdict(list)
    for table, kind, names, target, others in constraints:
        if kind == "PRIMARY KEY":
            keys[table] = tuple(names)
        elif kind == "UNIQUE" and len(names) == 1:
            unique[table].append(names[0])
        elif kind == "FOREIGN KEY" and len(names) == 1:
            links[table].append(ForeignKey(names[0], target, others[0]))
    return [
        StoredTable(
            table, tuple(some), keys.get(table, ()), tuple(unique[table]), tuple(links[table])
        )
        for table, some in of_table.items()
    ]


def _duckdb_type(declared: str) -> tuple[StoredType, bool]:
    found = _DUCKDB_TYPES.match(declared)
    meant: Any = "text" if found is None else found.lastgroup
    return meant, meant == "number" and "INT" in declared


MOST_WORDS = 4
"""The most words of a comment that is a name."""
LONGEST_CODE = 4
"""The most characters of a stored code."""
_COLUMN = re.compile(r"\s*(?:[\"`\[]([^\"`\]]+)[\"`\]]|(\w+))")
_TEXT = re.compile(r"'[^']*'")
_MEANT = r"(?<![\w'])['\"]?{code}['\"]?\s*(?:=|:|-|–|->|→|means\b|for\b|is\b)?\s*"
_MEANT += r"([a-z][a-z' -]*?)\s*(?=[,;/.|()]|$|\bor\b|\band\b)"
_OTHERWISE = {"if", "null", "see", "not", "never", "note", "todo", "unused"}
"""Words of comments that say something else than a name."""

_INSIDE = word_set("prepositions") | {"with", "as", "the", "a", "an"}
"""Words that no name begins with."""


def of_statement(sql: str) -> Mapping[str, str]:
    """Column -> the comment behind it, of a statement that creates a table. SQLite has no comments
    of its own; it keeps the statements as they were typed."""
    made: dict[str, str] = {}
    for line in sql.splitlines():
        named = _COLUMN.match(line)
        at = _TEXT.sub(lambda one: "_" * len(one[0]), line).find("--")
        if named and named.end() <= at and (said := line[at + 2 :].strip()):
            made.setdefault(named[1] or named[2], said)
    return made


def names_in(comment: str, label: str) -> tuple[str, ...]:
    """The name that a short comment gives a column; none if it says more, or something else.

    Args:
        label: the column's own name.
    """
    said = re.sub(r"^(?:1|y|yes)\s*=\s*", "", comment.lower()).strip(" .")
    words = said.split()
    plain = all(re.fullmatch(r"[a-z][a-z'-]*", one) for one in words)
    if not words or len(words) > MOST_WORDS or not plain or said == label:
        return ()
    return () if _OTHERWISE & set(words) or words[0] in _INSIDE else (said,)


def meanings_in(comment: str, values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What a comment says of stored codes: "A active, B blocked"."""
    made: dict[str, tuple[str, ...]] = {}
    for one in values:
        if 0 < len(one) <= LONGEST_CODE and one.isalnum():
            found = re.search(_MEANT.format(code=re.escape(one)), comment, re.IGNORECASE)
            if found and found[1].lower() != one.lower():
                made[one] = (found[1].strip().lower(),)
    # One alone may be a word of a sentence.
    return made if len(made) > 1 or "=" in comment else {}
