"""Connections that can only read: files and servers behind one class.

Queries run in processes of their own with limits of time, rows and memory; see
`partwise.execution.database`. What has no engine of its own (CSV, Parquet) is copied to a DuckDB
file, which goes with the program, or is kept until the files change. A connection is saved without
its secrets, which stand in environment variables.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import sqlite3
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import sqlalchemy as sa
from sqlalchemy import NullPool
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import operators

from partwise.database.source.csv_files import load_csv
from partwise.errors import DomainError, ExecutionError
from partwise.execution.database import Database, parts_of
from partwise.execution.worker import open_sqlite
from partwise.interface.files import hold


def mysql_dialect(shown: bool = False) -> Dialect:
    """The dialect of MySQL. `shown`: whether it is for people, with names in backticks; else it is
    for the worker."""
    from sqlalchemy.dialects.mysql.base import MySQLCompiler, MySQLIdentifierPreparer
    from sqlalchemy.dialects.mysql.pymysql import MySQLDialect_pymysql

    class NullsLast(MySQLCompiler):
        """MySQL has no ``NULLS LAST``: whether a value is missing is sorted by first."""

        def visit_nulls_last_op_unary_modifier(
            self, unary: sa.UnaryExpression[Any], operator: Any, **kw: Any
        ) -> str:
            inner: Any = unary.element
            ordered = isinstance(inner, sa.UnaryExpression) and inner.modifier in (
                operators.desc_op,
                operators.asc_op,
            )
            value = inner.element if ordered else inner
            return f"{self.process(value, **kw)} IS NULL, {self.process(inner, **kw)}"

    made: Any = MySQLDialect_pymysql(paramstyle="named" if shown else "format")
    made.statement_compiler = NullsLast
    made.identifier_preparer = MySQLIdentifierPreparer(made, server_ansiquotes=not shown)
    return made  # type: ignore[no-any-return]


_SQLITE = (".sqlite", ".sqlite3", ".db", ".db3")
IN_FILES = frozenset(["sqlite", "duckdb"])
"""Engines whose data lie in a file."""
_WORDS_OF_DUCKDB = (
    "anti asof at by collation concurrently describe glob lambda lateral pivot pivot_longer "
    "pivot_wider positional qualify semi show summarize tablesample unpack unpivot"
)
"""What is a name in PostgreSQL, and in DuckDB within quotation marks alone."""


def _postgres_dialect() -> Dialect:
    # Each of these dialects imports its drivers' own: some hundredths of a second.
    from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

    made: Any = PGDialect_psycopg
    return made(paramstyle="numeric_dollar")  # type: ignore[no-any-return]


def _duckdb_dialect() -> Dialect:
    made: Any = _postgres_dialect()
    known = made.identifier_preparer.reserved_words
    made.identifier_preparer.reserved_words = known | {*_WORDS_OF_DUCKDB.split()}
    return made  # type: ignore[no-any-return]


_DIALECTS: dict[str, Callable[[], Dialect]] = {
    "sqlite": lambda: sqlite.dialect(paramstyle="numeric"),
    "postgresql": _postgres_dialect,
    "duckdb": _duckdb_dialect,
    "mysql": mysql_dialect,
}
_HOW = (
    "write sqlite:///FILE, duckdb:///FILE, postgresql://USER@HOST/NAME, mysql://USER@HOST/NAME, or "
    "a file or folder of CSV or Parquet"
)


@dataclass(frozen=True)
class QueryLimits:
    """What one query may take.

    Attributes:
        seconds: then it is stopped.
        rows: of an answer; the first ones are given.
        characters: of all values of an answer.
        memory: bytes of address space of the process that runs it.
    """

    seconds: float = 10.0
    rows: int = 10_000
    characters: int = 5_000_000
    memory: int = 2 << 30


class Fetched(NamedTuple):
    """The rows that a query gave.

    Attributes:
        truncated: whether there are more, which the limit left out.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool


class Source:
    """Data that is only read.

    Args:
        place: as the user wrote it, with environment variables for secrets.
        kind: ``sqlite``, ``postgresql``, ``mysql`` or ``duckdb``.
        url: the connection text of the engine.
        limits: of each query.

    Attributes:
        notes: what was unusual in the files that were just copied.
    """

    def __init__(self, place: str, kind: str, url: str, limits: QueryLimits) -> None:
        self.place, self.kind, self.url, self.limits = place, kind, url, limits
        self.dialect = _DIALECTS[kind]()
        self.notes: tuple[str, ...] = ()
        self._end: tuple[float, float] | None = None
        self._databases: dict[QueryLimits, Database] = {}

    @property
    def texts(self) -> bool:
        """Whether dates are stored as texts, as `Compiler` asks."""
        return self.kind == "sqlite"

    @property
    def name(self) -> str:
        """The source in messages, without secrets."""
        named = "://" in self.place or self.place.startswith(_WHOLE)
        return parts_of(self.url)[2] if named else self.place

    def run(
        self, statement: sa.sql.selectable.GenerativeSelect, limits: QueryLimits | None = None
    ) -> Fetched:
        """The rows of a statement. Raises DomainError if the source cannot be opened or reached.
        Raises ExecutionError if the statement fails, takes too long or gives too much."""
        limits = limits or self.limits
        if self._end is not None and time.monotonic() >= self._end[0]:
            raise ExecutionError(f"the {self._end[1]:g} seconds for reading the database are over")
        bounded = _at_most(statement, limits.rows + 1)
        query, values = self._compiled(bounded)
        rows = self._database(limits).fetch(query, values)
        if any(isinstance(one, bytes) for row in rows for one in row):
            rows = [tuple(map(_text, row)) for row in rows]
        columns = tuple(str(one.key) for one in statement.selected_columns)
        return Fetched(columns, rows[: limits.rows], len(rows) > limits.rows)

    def within(self, seconds: float) -> Source:
        """The same source, which begins no query later than so long from now. It needs this one."""
        made = copy(self)
        made._end = time.monotonic() + seconds, seconds
        return made

    def sql(self, statement: sa.sql.selectable.GenerativeSelect) -> str:
        """A statement as it is shown to people, with its values."""
        dialect = mysql_dialect(shown=True) if self.kind == "mysql" else self.dialect
        try:
            made = statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True})
        except (NotImplementedError, sa.exc.CompileError):
            made = statement.compile(dialect=dialect)
        return str(made)

    @contextmanager
    def catalogue(self) -> Iterator[Callable[..., list[tuple[Any, ...]]]]:
        """What gives the rows of a statement on the catalogue, in this process. Raises DomainError
        if the source cannot be opened or reached."""
        place = unquote(urlsplit(self.url).path).removeprefix("/")
        with ExitStack() as stack:
            try:
                if self.kind == "sqlite":
                    file = stack.enter_context(closing(open_sqlite(place)[0]))
                    yield lambda sql, *given: file.execute(sql, given).fetchall()
                elif self.kind == "duckdb":
                    settings = {"read_only": True, "config": {"enable_external_access": "false"}}
                    made = stack.enter_context(duckdb_connection(Path(place), **settings))
                    yield lambda sql: made.execute(sql).fetchall()
                else:
                    driver = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}
                    url = sa.make_url(self.url).set(drivername=driver[self.kind])
                    engine = sa.create_engine(url, poolclass=NullPool)
                    server = stack.enter_context(engine.connect())
                    for one in _READ_ONLY[self.kind]:
                        server.exec_driver_sql(one)
                    yield lambda sql: list(map(tuple, server.exec_driver_sql(sql)))
            except (sa.exc.DBAPIError, sqlite3.Error) as error:
                what = getattr(error, "orig", error)
                raise DomainError(f"{self.name}: cannot be read: {what}") from None

    def close(self) -> None:
        """End the processes; a later query starts others."""
        for one in self._databases.values():
            one.close()

    def _database(self, limits: QueryLimits) -> Database:
        if limits not in self._databases:
            self._databases[limits] = Database(
                self.url,
                limits.seconds,
                max_rows=limits.rows + 1,
                max_characters=limits.characters,
                max_memory=limits.memory,
                name=self.name,
            )
        return self._databases[limits]

    def _compiled(self, statement: sa.sql.selectable.GenerativeSelect) -> tuple[str, object]:
        made = statement.compile(dialect=self.dialect, compile_kwargs={"render_postcompile": True})
        given = {
            name: one.isoformat() if isinstance(one, date) else one
            for name, one in made.construct_params().items()
        }
        assert isinstance(made, sa.sql.compiler.SQLCompiler)
        ordered = [given[name] for name in made.positiontup or ()]
        if self.kind == "sqlite":
            return made.string, {str(number): one for number, one in enumerate(ordered, 1)}
        return made.string, ordered


def connect(
    place: str | Path, limits: QueryLimits | None = None, keep: Path | None = None
) -> Source:
    """Open data to read it.

    Args:
        place: ``sqlite:///FILE``, ``duckdb:///FILE``, ``postgresql://USER@HOST/NAME``,
            ``mysql://USER@HOST/NAME``, the path of a SQLite or DuckDB file, of a CSV or Parquet
            file, or of a folder of such files. ``${NAME}`` in it is an environment
            variable; ``env:NAME`` is a connection that is all in one.
        limits: of each query, unless it is given others.
        keep: a folder for the copy of what has no engine of its own; it is used again until the
            files change. None for a copy that goes with the program.

    Raises DomainError if there is no such file, or nothing that can be read.
    """
    limits, place = limits or QueryLimits(), str(place)
    where = expanded(place)
    if "://" in where:
        kind = _kind(where)
        where = f"{kind}://{where.partition('://')[2]}"
        if kind in IN_FILES:
            _existing(Path(unquote(urlsplit(where).path).removeprefix("/")))
        return Source(place, kind, where, limits)
    path = _existing(Path(where))
    if (engine := _engine_of(path)) is not None:
        return Source(place, engine, _url(engine, path), limits)
    if path.is_dir() or path.name.lower().endswith(TABULAR):
        return _copied(place, limits, path, keep)
    raise DomainError(f"{path}: it is not known how to read this; {_HOW}")


def _engine_of(path: Path) -> str | None:
    """The engine whose file this is, by its first bytes; an empty one by its name."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        start = file.read(16)
    if start == b"SQLite format 3\0" or (not start and path.suffix.lower() in _SQLITE):
        return "sqlite"
    return "duckdb" if start[8:12] == b"DUCK" else None


def _url(engine: str, path: Path) -> str:
    return f"{engine}:///{quote(str(path.absolute()))}"


def _copied(place: str, limits: QueryLimits, path: Path, keep: Path | None) -> Source:
    """A source that is copied to a DuckDB file, for as long as the program needs it or longer."""
    if keep is not None and (kept := kept_copy(keep, path)) is not None:
        source = Source(place, "duckdb", _url("duckdb", kept), limits)
        with ExitStack() as stack, suppress(OSError):
            # Other programs do not remove it while this one reads it.
            stack.enter_context(hold(kept.parent, shared=True))
            weakref.finalize(source, stack.pop_all().close)
        return source
    folder = Path(tempfile.mkdtemp(prefix="partwise-"))
    try:
        notes = load_files(path, folder / "copy.duckdb")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    source = Source(place, "duckdb", _url("duckdb", folder / "copy.duckdb"), limits)
    source.notes = tuple(notes)
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


def _kind(url: str) -> str:
    kind = urlsplit(url).scheme.partition("+")[0]
    kind = {"postgres": "postgresql", "mariadb": "mysql"}.get(kind, kind)
    if kind not in _DIALECTS:
        raise DomainError(f"{kind}://... cannot be read; {_HOW}")
    return kind


def _existing(path: Path) -> Path:
    if not path.exists():
        raise DomainError(f"{path}: there is no such file or folder; {_HOW}")
    return path


_READ_ONLY = {
    "postgresql": ("SET default_transaction_read_only = on", "SET statement_timeout = 60000"),
    "mysql": ("SET SESSION TRANSACTION READ ONLY",),
}
"""Settings of the connections on which catalogues are read."""


def _at_most(
    statement: sa.sql.selectable.GenerativeSelect, rows: int
) -> sa.sql.selectable.GenerativeSelect:
    own = statement._limit_clause
    limit = getattr(own, "value", None)
    return statement if limit is not None and limit <= rows else statement.limit(rows)


def _text(value: Any) -> Any:
    """A value, with bytes that stand in a column of texts as a text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


_VARIABLE = re.compile(r"\$\{(\w+)\}")
_WHOLE = "env:"
_SECRET = re.compile(r"pass|secret|token|key$", re.IGNORECASE)


def expanded(place: str) -> str:
    """A connection with the values of the environment variables that it names. ``env:SHOP_URL`` is
    all of a connection, ``${SHOP_PASSWORD}`` a part of one. Raises DomainError if a variable is not
    set."""
    if place.startswith(_WHOLE):
        return _variable(place.removeprefix(_WHOLE))
    return _VARIABLE.sub(lambda match: quote(_variable(match[1]), safe=""), place)


def savable(place: str) -> str:
    """The connection itself, if it holds no secret and may be written to a folder. Raises
    DomainError if it holds one; says where to put it."""
    if "://" not in place:
        return place
    parts = urlsplit(place)
    user = parts.netloc.rpartition("@")[0]
    given = [("password", unquote(user.partition(":")[2]))]
    given += [one for one in parse_qsl(parts.query) if _SECRET.search(one[0])]
    if any(value and not _VARIABLE.fullmatch(value) for _, value in given):
        raise DomainError(
            "the connection holds a password, which is never written to a folder; put it into an "
            f"environment variable and write {parts.scheme}://USER:${{SHOP_PASSWORD}}@HOST/NAME, "
            "or put the whole connection there and write env:SHOP_URL"
        )
    return place


def _variable(name: str) -> str:
    if (value := os.environ.get(name)) is None:
        raise DomainError(f"the connection needs the environment variable {name}; set it")
    return value


LOADED = 2
"""Of how files become tables."""
COPY = "copy.duckdb"


def kept_copy(folder: Path, path: Path) -> Path | None:
    """The copy of files in a folder, made where there is none of what they are now; None if nothing
    can be written there. `path`: the file, or the folder of files. Raises DomainError if the files
    cannot be read."""
    state = folder / _state(path)
    if not (state / COPY).is_file():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part = TemporaryDirectory(dir=folder, prefix="part-", ignore_cleanup_errors=True)
        except OSError:
            return None
        with part as name:
            new = Path(name) / state.name
            new.mkdir()
            load_files(path, new / COPY)
            # Another process may have been faster; its copy is as good.
            with suppress(OSError):
                new.rename(state)
        _forget_others(folder, state)
    return state / COPY if (state / COPY).is_file() else None


def _state(path: Path) -> str:
    """A name for what the files are, by their sizes and times."""
    files = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    stats = [(one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in files]
    return sha256(repr((LOADED, str(path.resolve()), stats)).encode()).hexdigest()[:16]


def _forget_others(folder: Path, state: Path) -> None:
    """Remove older copies that no program reads."""
    for other in folder.iterdir():
        if other != state and len(other.name) == len(state.name):
            with suppress(OSError), hold(other):
                shutil.rmtree(other, ignore_errors=True)


CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PARQUET = (".parquet", ".pq")
TABULAR = (*CSV, *PARQUET)


def load_files(path: Path, target: Path) -> list[str]:
    """Copy a file, or each file of a folder, to a table of its own, named after it. Returns what
    was unusual. Raises DomainError if there is none, two would have one name, or one cannot be
    read."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    named: dict[str, Path] = {}
    for file in files:
        if not file.name.lower().endswith(TABULAR):
            continue
        name = re.sub(r"\.(?:csv|tsv|parquet|pq)(?:\.gz)?$", "", file.name, flags=re.IGNORECASE)
        if name in named:
            raise DomainError(f"{named[name]} and {file} would both be the table {name}; move one")
        named[name] = file
    if not named:
        raise DomainError(f"{path}: there is no CSV or Parquet file (*{', *'.join(TABULAR)})")
    with duckdb_connection(target) as connection:
        notes = (_load(connection, name, file, target) for name, file in named.items())
        return [note for some in notes for note in some]


def duckdb_connection(path: Path, **settings: Any) -> Any:
    """A connection of this process to a DuckDB file. Raises DomainError if DuckDB is not installed
    or the file cannot be opened."""
    try:
        import duckdb
    except ImportError as error:
        raise DomainError(f"{error}; install it with: pip install 'partwise[duckdb]'") from error
    try:
        return duckdb.connect(str(path), **settings)
    except duckdb.Error as error:
        raise DomainError(f"{path}: cannot be opened as DuckDB: {error}") from error


def _load(connection: Any, name: str, file: Path, target: Path) -> list[str]:
    import duckdb

    quoted = '"' + name.replace('"', '""') + '"'
    with TemporaryDirectory(dir=target.parent) as folder:
        try:
            if not file.name.lower().endswith(PARQUET):
                return load_csv(connection, quoted, file, Path(folder) / "even.csv")
            made = f"CREATE TABLE {quoted} AS SELECT * FROM read_parquet($1)"
            connection.execute(made, [str(file)])
        except (duckdb.Error, csv.Error) as error:
            first = str(error).partition("\n")[0]
            raise DomainError(f"{file}: cannot be read as a table: {first}") from error
    return []
