"""The tables of a source as they are declared: columns, types, keys, foreign keys, and what their
comments say: other names of columns, and what stored codes mean.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from partwise.database.source.connections import Source
from partwise.database.source.lexicon import word_set

StoredType = Literal["number", "text", "date", "boolean", "bytes", "other", "denied"]
"""What a column is declared as; ``other`` for lists, JSON and what cannot be asked about."""
_TYPES = re.compile(
    r"(?P<other>(?:STRUCT|MAP|UNION)\(|JSON|.*\]$)|(?P<boolean>BOOL)|"
    r"(?P<bytes>\w*BLOB|BYTEA|(?:VAR)?BINARY)|(?P<date>DATE|TIMESTAMP)|"
    r"(?P<number>(?:UNSIGNED )?U?(?:TINY|SMALL|MEDIUM|BIG ?|HUGE|LONG)?INT(?:EGER|\d)?\b|FLOAT|"
    r"DOUBLE|REAL|DEC|NUMERIC|YEAR|BITS)|(?P<denied>DENIED)",
    re.IGNORECASE,
)
_TEXTS = re.compile(
    r"(?:VAR|N|TINY|MEDIUM|LONG)?(?:CHAR|TEXT)|(?:\w+\.)?CITEXT|NAME$|\"CHAR", re.IGNORECASE
)
_TEXTS_OF_SQLITE = re.compile(r"$|\w*(?:CHAR|CLOB|TEXT)|TIME", re.IGNORECASE)


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
        fault: why it cannot be read, where the catalogue says so.
    """

    name: str
    columns: tuple[StoredColumn, ...]
    key: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    links: tuple[ForeignKey, ...] = ()
    comment: str = ""
    view: bool = False
    rows: int | None = None
    fault: str = ""


class _Row(NamedTuple):
    """A column, and the table that it is of; None in place of the column for an empty table."""

    table: str
    view: bool
    rows: int | None
    comment: str | None
    column: str | None
    type: str
    column_comment: str | None
    fault: str = ""


class _KeyRow(NamedTuple):
    """A column of a constraint. `kind`: ``p`` for primary keys, ``u`` for unique ones, ``f`` for
    foreign ones."""

    table: str
    constraint: Any
    kind: str
    column: str
    target: str | None
    key: str | None


Run = Callable[..., list[tuple[Any, ...]]]
"""Gives the rows of a statement on the catalogue."""


def read_catalogue(source: Source) -> tuple[StoredTable, ...]:
    """The tables and views of a source, by name. Raises DomainError if it cannot be opened or
    reached."""
    with source.catalogue() as run:
        read = _of_sqlite(run) if source.kind == "sqlite" else _of_statements(source.kind, run)
    tables = _put_together(*read, source.kind == "sqlite")
    return tuple(sorted(tables, key=lambda table: table.name))


def _name(schema: str, table: str, plain: bool = True) -> str:
    """A table's name, behind that of its schema and a dot where it needs one. What begins as the
    names of the databases' own tables is found there first."""
    return table if plain and not re.search(r"\.|^pg_", table) else f"{schema}.{table}"


def _of_sqlite(run: Run) -> tuple[list[_Row], list[_KeyRow]]:
    every = "FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%'"
    hidden = set()
    if sqlite3.sqlite_version_info >= (3, 37):
        # Versions before do not know the tables in which full-text search keeps its own data.
        hidden = {name for (name,) in run("SELECT name FROM pragma_table_list WHERE type='shadow'")}
    columns: list[_Row] = []
    keys: list[_KeyRow] = []
    for stored, kind, sql in run(f"SELECT name, type, sql {every} ESCAPE '~'"):
        if stored in hidden:
            continue
        name, view = _name("main", stored), kind == "view"
        try:
            listed = run(
                "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1", stored
            )
            keys += _keys_of_sqlite(name, stored, run)
        except sqlite3.Error as error:
            # A view of what is no more, or a table of a module that is not loaded.
            columns.append(_Row(name, view, None, "", None, "", "", str(error)))
            continue
        comments = {} if view else of_statement(sql or "")
        columns += [
            _Row(
                name,
                view,
                None,
                "",
                one,
                re.split(r"[(\[]", declared)[0].strip(),
                comments.get(one),
            )
            for one, declared, _ in listed
        ]
        primary = sorted((at, one) for one, _, at in listed if at)
        keys += [_KeyRow(name, "", "p", one, None, None) for _, one in primary]
    return columns, keys


def _keys_of_sqlite(name: str, stored: str, run: Run) -> Iterator[_KeyRow]:
    unique = "FROM pragma_index_list(?) l, pragma_index_info(l.name) i WHERE l.origin = 'u'"
    for index, column in run(
        f"SELECT l.name, i.name {unique} ORDER BY l.seq DESC, i.seqno", stored
    ):
        yield _KeyRow(name, index, "u", column, None, None)
    foreign = "FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq"
    for number, column, target, key in run(f'SELECT id, "from", "table", "to" {foreign}', stored):
        yield _KeyRow(name, number, "f", column, _name("main", target), key)


_COLUMNS = {
    # Tables of extensions, and those that are parts of another one, are not asked for themselves.
    # Who gives a search path means its schemas alone.
    "postgresql": """
SELECT n.nspname, c.relname, pg_table_is_visible(c.oid), c.relkind IN ('v', 'm'),
    nullif(greatest(c.reltuples, -1), -1)::bigint, obj_description(c.oid, 'pg_class'), a.attname,
    CASE WHEN has_column_privilege(c.oid, a.attnum, 'SELECT')
        THEN format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), a.atttypmod)
        ELSE 'denied' END,
    col_description(c.oid, a.attnum)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname !~ '^pg_|^information_schema$' AND has_schema_privilege(n.oid, 'USAGE')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    AND (EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attnum > 0
            AND o.attislocal) OR NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid))
    AND (n.nspname = ANY (current_schemas(false))
        OR (SELECT source <> 'client' FROM pg_settings WHERE name = 'search_path'))
ORDER BY c.oid, a.attnum
""",
    "duckdb": """
SELECT c.schema_name, c.table_name, c.schema_name = current_schema(), v.view_name IS NOT NULL,
    t.estimated_size, coalesce(t.comment, v.comment), c.column_name, c.data_type, c.comment
FROM duckdb_columns() c LEFT JOIN duckdb_tables() t USING (database_name, schema_name, table_name)
    LEFT JOIN duckdb_views() v ON (v.database_name, v.schema_name, v.view_name)
        = (c.database_name, c.schema_name, c.table_name)
WHERE NOT c.internal AND c.database_name = current_database()
ORDER BY c.schema_name, c.table_name, c.column_index
""",
    "mysql": """
SELECT c.table_schema, c.table_name, 1, t.table_type = 'VIEW', t.table_rows,
    IF(t.table_type = 'VIEW', '', t.table_comment), c.column_name,
    CASE WHEN c.column_type IN ('tinyint(1)', 'bit(1)') THEN 'boolean'
        WHEN c.data_type = 'bit' THEN 'bits' ELSE c.column_type END, c.column_comment
FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = database() ORDER BY c.table_name, c.ordinal_position
""",
}
"""The columns by engine: the schema, the table and whether it is found without its schema, then the
fields of `_Row`."""
_KEYS = {
    "postgresql": """
SELECT n.nspname, c.relname, pg_table_is_visible(c.oid), k.oid, k.contype, a.attname,
    m.nspname, f.relname, pg_table_is_visible(f.oid), b.attname
FROM pg_constraint k CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY
        AS u(one, other, place)
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.one
    LEFT JOIN pg_class f ON f.oid = k.confrelid LEFT JOIN pg_namespace m ON m.oid = f.relnamespace
    LEFT JOIN pg_attribute b ON b.attrelid = f.oid AND b.attnum = u.other
WHERE k.contype IN ('p', 'u', 'f') AND k.conparentid = 0 ORDER BY k.oid, u.place
""",
    "duckdb": """
SELECT schema_name, table_name, schema_name = current_schema(), constraint_index,
    lower(constraint_type[1]), unnest(constraint_column_names), schema_name, referenced_table,
    schema_name = current_schema(), unnest(referenced_column_names)
FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
""",
    "mysql": """
SELECT k.table_schema, k.table_name, 1, k.constraint_name, lower(left(t.constraint_type, 1)),
    k.column_name, k.referenced_table_schema, k.referenced_table_name,
    k.referenced_table_schema = database(), k.referenced_column_name
FROM information_schema.key_column_usage k JOIN information_schema.table_constraints t
    USING (constraint_schema, constraint_name, table_schema, table_name)
WHERE k.table_schema = database() AND t.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
ORDER BY k.table_name, k.constraint_name, k.ordinal_position
""",
}
"""The columns of constraints: the schema, the table and whether it is found without its schema,
then the fields of `_KeyRow`, with the target as the table before."""


def _of_statements(kind: str, run: Run) -> tuple[list[_Row], list[_KeyRow]]:
    columns = [_Row(_name(*one[:3]), *one[3:]) for one in run(_COLUMNS[kind])]
    keys = []
    for schema, table, plain, constraint, sort, column, *target, key in run(_KEYS[kind]):
        there = _name(*target) if target[1] else None
        keys.append(_KeyRow(_name(schema, table, plain), constraint, sort, column, there, key))
    return columns, keys


def _put_together(
    columns: Iterable[_Row], constraints: Iterable[_KeyRow], sqlite: bool
) -> Iterator[StoredTable]:
    of_table: dict[str, list[_Row]] = defaultdict(list)
    for one in columns:
        of_table[one.table].append(one)
    grouped: dict[tuple[str, Any, str], list[_KeyRow]] = defaultdict(list)
    for key in constraints:
        grouped[key.table, key.constraint, key.kind].append(key)
    named: dict[tuple[str, str], list[list[_KeyRow]]] = defaultdict(list)
    for (table, _, kind), keys in grouped.items():
        named[table, kind].append(keys)
    for name, rows in of_table.items():
        first = rows[0]
        single = [keys[0] for keys in named[name, "f"] if len(keys) == 1]
        yield StoredTable(
            name,
            tuple(_column(one, sqlite) for one in rows if one.column is not None),
            tuple(one.column for keys in named[name, "p"] for one in keys),
            tuple(keys[0].column for keys in named[name, "u"] if len(keys) == 1),
            tuple(ForeignKey(one.column, one.target or "", one.key or "") for one in single),
            first.comment or "",
            bool(first.view),
            first.rows,
            first.fault if name.strip() else "the table has no name",
        )


def _column(row: _Row, sqlite: bool) -> StoredColumn:
    found = _TYPES.match(row.type)
    if found is None and sqlite and not _TEXTS_OF_SQLITE.match(row.type):
        meant: Any = "number"
    else:
        meant = found.lastgroup if found else "text"
    cast = meant == "text" and not sqlite and not _TEXTS.match(row.type)
    whole = meant == "number" and "INT" in row.type.upper()
    return StoredColumn(row.column or "", meant, whole, row.column_comment or "", cast)


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
    `label`: the column's own name."""
    said = re.sub(r"^(?:1|y|yes)\s*=\s*", "", comment.lower()).strip(" .")
    words = said.split()
    plain = all(re.fullmatch(r"[a-z][a-z'-]*", one) for one in words)
    if not words or len(words) > MOST_WORDS or not plain or said == label:
        return ()
    return () if _OTHERWISE & set(words) or words[0] in _INSIDE else (said,)


def meanings_in(comment: str, values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What a comment says of stored codes: "A active, B blocked"."""
    made: dict[str, tuple[str, ...]] = {}
    for one in values if comment else ():
        if 0 < len(one) <= LONGEST_CODE and one.isalnum():
            found = re.search(_MEANT.format(code=re.escape(one)), comment, re.IGNORECASE)
            if found and found[1].lower() != one.lower():
                made[one] = (found[1].strip().lower(),)
    # One alone may be a word of a sentence.
    return made if len(made) > 1 or "=" in comment else {}
