"""How far apart the tables are that a program puts together, and in how many ways they are linked.

"Races that a driver took part in" can be those of results, of lap times or of pit stops. Where a
schema links two tables in several ways, or far away, an interpretation is wrong more often.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Schema

FAR = 1.0
"""What counts for two tables that no link and no third table joins."""


def choice_of_ways(program: P.Program, schema: Schema) -> float:
    """The logarithms of how many ways there are from rows to what belongs to them, added up."""
    return sum(_ways(schema, *pair) for pair in _belonging(program, ""))


def links_passed(program: P.Program) -> float:
    """How many links are passed on the ways to columns, without the first of each way."""
    paths = {one.path for one in nodes_of(program) if isinstance(one, P.Field) and one.path}
    return float(sum(len(one) - 1 for one in paths))


@lru_cache(maxsize=4096)
def _ways(schema: Schema, table: str, other: str) -> float:
    """Of links between two tables; of third tables that link both, where there are none."""
    direct = sum({one.table, one.target} == {table, other} for one in schema.links)
    both = [{one.table for one in schema.links if one.target == end} for end in (table, other)]
    bridges = len((both[0] & both[1]) - {table, other})
    return math.log(direct or bridges) if direct or bridges else FAR


def _belonging(node: Any, base: str) -> Iterator[tuple[str, str]]:
    """Tables, and those whose rows are said to belong to theirs. `base`: the table whose rows are
    spoken of."""
    inner: Any = None
    if isinstance(node, P.Related):
        inner = node.rows
    elif isinstance(node, P.Belonging):
        inner = node.figure
    if inner is not None:
        if base:
            yield base, inner.table if isinstance(inner, P.Rows) else inner.rows.table
        yield from _belonging(inner, "")
        return
    if isinstance(node, P.Rows):
        yield from _belonging(node.where, node.table)
        return
    if isinstance(node, P.Listing | P.Grouping | P.Figure | P.Exists):
        base = node.rows.table
    for one in parts_of(node):
        yield from _belonging(one, base)


def nodes_of(node: Any) -> Iterator[Any]:
    """A program and all that is in it."""
    if hasattr(node, "__dict__"):
        yield node
    for one in parts_of(node):
        yield from nodes_of(one)


def parts_of(node: Any) -> Iterable[Any]:
    """What a node of a program, or a tuple of nodes, is made of."""
    return node if isinstance(node, tuple) else getattr(node, "__dict__", {}).values()
