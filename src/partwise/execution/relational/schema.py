"""What a relational database holds: tables, columns, and links from many rows to one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from partwise.errors import DomainError

Kind = Literal["number", "text", "date", "boolean", "id"]
"""What a column's values are. An id is a key or points to one: it can be counted and compared for
equality, and is never added up or ranked."""


@dataclass(frozen=True)
class Column:
    """A column of a table. `texts`: whether its numbers or dates are stored as texts, or its texts
    as something else, as a time of day or a UUID; `format`: how its numbers or dates are written,
    as `formats` has it, where not all of them are as the database writes them."""

    name: str
    kind: Kind
    texts: bool = False
    format: str = ""


@dataclass(frozen=True)
class Table:
    """A table. `key`: the column that tells its rows apart; None if no single one does."""

    name: str
    columns: tuple[Column, ...]
    key: str | None = None

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that tell its rows apart as well as they can be."""
        return tuple(column.name for column in self.columns) if self.key is None else (self.key,)


@dataclass(frozen=True)
class Link:
    """A column whose values are keys of another table's rows, or of its own: many rows to one."""

    table: str
    column: str
    target: str


Path = tuple[Link, ...]
"""Links to follow one after the other. Each row leads to one row at most, so nothing repeats."""


class Association(NamedTuple):
    """Which rows of a table belong to a row of another. A row at the end of `outer` (from the row
    that something belongs to) and a row of `base`, whose rows say what belongs together, at the end
    of `end` are the same row; then what is at the end of `inner`, from `base`, belongs to the
    former."""

    outer: Path
    base: str
    end: Path
    inner: Path


@dataclass(frozen=True)
class Schema:
    """The tables of a database, and their links. Raises DomainError if two tables or two columns of
    a table have one name, or if a link begins or ends at nothing."""

    tables: tuple[Table, ...]
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        names = [table.name for table in self.tables]
        if twice := {name for name in names if names.count(name) > 1}:
            raise DomainError(f"two tables are called {min(twice)}; give each its own name")
        for table in self.tables:
            columns = [column.name for column in table.columns]
            if len(set(columns)) < len(columns):
                raise DomainError(f"two columns of {table.name} have one name: {columns}")
            if table.key is not None and table.key not in columns:
                raise DomainError(f"the key of {table.name} is no column of it: {table.key}")
        for link in self.links:
            self.column(link.table, link.column)
            if self.table(link.target).key is None:
                raise DomainError(
                    f"{link.table}.{link.column} cannot point to {link.target}: it has no key"
                )

    def __hash__(self) -> int:
        # Paths are looked up by it, thousands of times a question.
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.tables, self.links))

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return {table.name: table for table in self.tables}

    def table(self, name: str) -> Table:
        if name not in self._tables:
            raise DomainError(f"there is no table {name}; there are {', '.join(self._tables)}")
        return self._tables[name]

    def column(self, table: str, name: str) -> Column:
        columns = self.table(table).columns
        for column in columns:
            if column.name == name:
                return column
        known = ", ".join(column.name for column in columns)
        raise DomainError(f"{table} has no column {name}; it has {known}")

    def key(self, table: str) -> str:
        key = self.table(table).key
        if key is None:
            raise DomainError(f"no column tells the rows of {table} apart")
        return key

    def end(self, table: str, path: Path) -> str:
        """The table that a path from a table leads to. Raises DomainError if the links do not
        follow on each other."""
        for link in path:
            if link.table != table or link not in self.links:
                raise DomainError(f"no link {link.table}.{link.column} leads on from {table}")
            table = link.target
        return table

    def path(self, table: str, target: str) -> Path | None:
        """The shortest path from many rows to one, of such ones the first declared; None if none
        is."""
        return self.paths(table).get(target)

    @lru_cache(maxsize=4096)  # noqa: B019
    def paths(self, table: str) -> dict[str, Path]:
        """The same to all tables that there is one to."""
        paths: dict[str, Path] = {table: ()}
        todo = deque([table])
        while todo:
            here = todo.popleft()
            for link in self.leaving(here):
                if link.target not in paths:
                    paths[link.target] = (*paths[here], link)
                    todo.append(link.target)
        return paths

    @lru_cache(maxsize=4096)  # noqa: B019
    def relation(self, table: str, other: str) -> Association | None:
        """Which rows of another table belong to a row of a table; None if they are not linked.
        Those that it leads to; else those that lead to it; else those that a third table's rows
        link with it, as orders link customers with products; else those that lead to the same row.
        Of several ways the shortest is taken. Of two tables that lead to each other, as a
        department to its head and employees to their department, those that lead to it belong to
        it."""
        if table == other:
            return None
        there = self.path(table, other)
        if there is not None and not self.mutual(table, other):
            return Association(there, other, (), ())
        if (back := self.path(other, table)) is not None:
            return Association((), other, back, ())
        both = self._leading_to(table) & self._leading_to(other)
        between = [
            Association((), name, self.paths(name)[table], self.paths(name)[other])
            for name in sorted(both, key=self._places.__getitem__)
        ]
        if between:
            return min(between, key=lambda one: len(one.end) + len(one.inner))
        mine, others = self.paths(table), self.paths(other)
        common = [
            Association(mine[name], other, others[name], ()) for name in mine if name in others
        ]
        return min(common, key=lambda one: len(one.outer) + len(one.end), default=None)

    @lru_cache(maxsize=4096)  # noqa: B019
    def _leading_to(self, table: str) -> frozenset[str]:
        """The tables with a path to a table, which is one of them."""
        found, todo = {table}, [table]
        while todo:
            here = todo.pop()
            more = {link.table for link in self._links_of.get(here, ()) if link.target == here}
            todo += more - found
            found |= more
        return frozenset(found)

    @lru_cache(maxsize=4096)  # noqa: B019
    def linked(self, table: str) -> frozenset[str]:
        """The tables that links connect with a table, in whatever direction."""
        found, todo = {table}, [table]
        while todo:
            links = self._links_of.get(todo.pop(), ())
            more = {end for link in links for end in (link.table, link.target)}
            todo += more - found
            found |= more
        return frozenset(found)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {table.name: place for place, table in enumerate(self.tables)}

    @cached_property
    def _links_of(self) -> dict[str, list[Link]]:
        """The links from and to each table, in their order."""
        made: dict[str, list[Link]] = {}
        for link in self.links:
            for table in {link.table, link.target}:
                made.setdefault(table, []).append(link)
        return made

    def mutual(self, table: str, other: str) -> bool:
        ends = {(link.table, link.target) for link in self._links_of.get(table, ())}
        return table != other and {(table, other), (other, table)} <= ends

    def related(self, table: str, other: str) -> Association:
        """The same of tables that must be linked. Raises DomainError if they are not."""
        if (relation := self.relation(table, other)) is None:
            raise DomainError(f"nothing links {table} with {other}")
        return relation

    def leaving(self, table: str) -> Iterator[Link]:
        return (link for link in self._links_of.get(table, ()) if link.table == table)
