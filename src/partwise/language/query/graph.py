"""QueryGraph: a conjunctive query as a graph of entities, variables, typed edges and attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from partwise.errors import QueryError

Head = Literal["ask", "select"]
"""``ask``: whether there is a match (CFQ writes it as a count); ``select``: what `ANSWER` is."""
ANSWER = "?x0"
"""The variable that a selecting query asks for."""
ENTITY = re.compile(r"M\d+")
"""Placeholders of the entities that a question names, in the order of the data."""
VARIABLE = re.compile(r"\?x\d+")


class Triple(NamedTuple):
    """Subject, predicate and object; a predicate may be a property path, kept as one text."""

    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True)
class QueryGraph:
    """A conjunctive query.

    Attributes:
        edges: triples between nodes (entities and variables).
        attributes: triples from a node to a constant: its type, gender, nationality.
        filters: pairs of nodes that must differ.

    Raises:
        QueryError: for a selecting query without `ANSWER`.
    """

    head: Head
    edges: frozenset[Triple]
    attributes: frozenset[Triple] = field(default=frozenset())
    filters: frozenset[tuple[str, str]] = field(default=frozenset())

    def __post_init__(self) -> None:
        if self.head == "select" and ANSWER not in self.nodes:
            raise QueryError(f"a query that selects {ANSWER} must say something of it")

    @cached_property
    def nodes(self) -> frozenset[str]:
        """Entities and variables."""
        ends = {end for edge in self.edges for end in (edge.subject, edge.object)}
        return frozenset(ends | {attribute.subject for attribute in self.attributes})

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables, by number."""
        nodes = (node for node in self.nodes if VARIABLE.fullmatch(node))
        return tuple(sorted(nodes, key=lambda name: int(name[2:])))

    @property
    def entities(self) -> tuple[str, ...]:
        """The nodes that are no variables, in order."""
        nodes = (node for node in self.nodes if not node.startswith("?"))
        return tuple(sorted(nodes, key=lambda name: (len(name), name)))

    @property
    def triples(self) -> frozenset[Triple]:
        """Edges and attributes."""
        return self.edges | self.attributes

    def renamed(self, names: Mapping[str, str]) -> QueryGraph:
        """The graph with nodes renamed; those that are not in `names` keep theirs."""

        def to(node: str) -> str:
            return names.get(node, node)

        return QueryGraph(
            self.head,
            frozenset(Triple(to(s), p, to(o)) for s, p, o in self.edges),
            frozenset(Triple(to(s), p, o) for s, p, o in self.attributes),
            frozenset((to(one), to(other)) for one, other in self.filters),
        )

    def __iter__(self) -> Iterator[Triple]:
        return iter(sorted(self.triples))
