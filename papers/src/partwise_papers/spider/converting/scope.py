"""The tables of one SELECT, and the links between them.

A program is about rows of one table. The *grain* of a SELECT is a table from which the links lead
to all others; a table that the grain does not lead to is asked for some row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from partwise.execution.relational.schema import Link, Path, Schema
from partwise_papers.spider.converting.style import UnsupportedSqlError


@dataclass(frozen=True)
class ColumnPlace:
    """A column of one of the tables: the table's alias, and the column's stored name."""

    alias: str
    column: str


@dataclass
class JoinedTables:
    """The tables of a SELECT by alias, and the equalities that join them."""

    schema: Schema
    tables: dict[str, str]
    joins: list[tuple[ColumnPlace, ColumnPlace]] = field(default_factory=list)

    def find(self, column: exp.Column) -> ColumnPlace | None:
        """Where a column stands; None if it is a text in double quotes."""
        name, alias = column.name.lower(), column.table.lower()
        for one, table in self.tables.items():
            if alias not in ("", one):
                continue
            for known in self.schema.table(table).columns:
                if known.name.lower() == name:
                    return ColumnPlace(one, known.name)
        if column.this.quoted and not alias:
            return None
        raise UnsupportedSqlError(f"unknown column: {column.sql()}")

    def edges(self) -> Iterator[tuple[str, Link, str]]:
        """Alias, link, alias: from many rows to one."""
        for one, other in self.joins:
            for here, there in ((one, other), (other, one)):
                target = self.tables[there.alias]
                link = Link(self.tables[here.alias], here.column, target)
                if self.schema.table(target).key == there.column and link in self.schema.links:
                    yield here.alias, link, there.alias

    def paths(self, grain: str) -> dict[str, Path]:
        """The way from an alias to each that it leads to."""
        paths: dict[str, Path] = {grain: ()}
        todo = deque([grain])
        edges = list(self.edges())
        while todo:
            here = todo.popleft()
            for start, link, end in edges:
                if start == here and end not in paths:
                    paths[end] = (*paths[here], link)
                    todo.append(end)
        return paths

    def grain(self, needed: Collection[str]) -> str:
        """The alias that leads to some others, by the shortest ways in all.

        Raises:
            UnsupportedSqlError: if none does.
        """
        found = []
        for alias in self.tables:
            paths = self.paths(alias)
            if all(one in paths for one in needed):
                found.append((sum(len(paths[one]) for one in needed), alias not in needed, alias))
        if not found:
            raise UnsupportedSqlError("tables that no link joins into one row")
        return min(found, key=lambda one: one[:2])[2]

    def joined(self) -> bool:
        """Whether one of the tables leads to all others."""
        return any(len(self.paths(one)) == len(self.tables) for one in self.tables)

    def around(self, inside: Collection[str], alias: str) -> dict[str, str]:
        """The aliases that hang on one that is outside of `inside`, itself first."""
        found = {alias: self.tables[alias]}
        todo = [alias]
        while todo:
            here = todo.pop()
            for one, other in self.joins:
                for start, end in ((one.alias, other.alias), (other.alias, one.alias)):
                    if start == here and end not in inside and end not in found:
                        found[end] = self.tables[end]
                        todo.append(end)
        return found


def scope_of(select: exp.Select, schema: Schema) -> tuple[JoinedTables, list[exp.Expression]]:
    """The tables of a SELECT, and the conditions that are not joins."""
    source = select.args.get("from_")
    if source is None:
        raise UnsupportedSqlError("SELECT without FROM")
    joins = select.args.get("joins") or []
    scope = JoinedTables(schema, {})
    known = {table.name.lower(): table.name for table in schema.tables}
    for one in [source.this, *(join.this for join in joins)]:
        if not isinstance(one, exp.Table):
            raise UnsupportedSqlError("subquery in FROM")
        if one.name.lower() not in known:
            raise UnsupportedSqlError(f"unknown table: {one.name}")
        scope.tables[one.alias_or_name.lower()] = known[one.name.lower()]
    every = [join.args["on"] for join in joins if join.args.get("on") is not None]
    where = select.args.get("where")
    conditions = [part for one in every for part in conjuncts(one)]
    conditions += conjuncts(where.this) if where else []
    return scope, [one for one in conditions if not _is_join(one, scope)]


def conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    """The parts of a conjunction."""
    if isinstance(condition, exp.Paren):
        return conjuncts(condition.this)
    if isinstance(condition, exp.And):
        return conjuncts(condition.this) + conjuncts(condition.expression)
    return [condition]


def _is_join(condition: exp.Expression, scope: JoinedTables) -> bool:
    """Whether a condition joins two tables; it is noted then."""
    if isinstance(condition, exp.Boolean):
        return True
    left, right = condition.args.get("this"), condition.args.get("expression")
    if not isinstance(condition, exp.EQ):
        return False
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return False
    one, other = scope.find(left), scope.find(right)
    if one is None or other is None or one.alias == other.alias:
        return False
    scope.joins.append((one, other))
    return True
