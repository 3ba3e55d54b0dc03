"""Names of variables that depend on what a query says alone, and what follows from its triples."""

from __future__ import annotations

from collections.abc import Collection

from partwise.language.query.graph import Head, QueryGraph, Triple
from partwise.language.query.naming import Naming


def canonical(graph: QueryGraph) -> QueryGraph:
    """The graph with its n variables named ?x0 to ?x(n-1), equal for equal queries.

    Of all such namings, the one whose (sorted triples, sorted FILTERs) is smallest, bytewise. In a
    query that selects, ?x0 keeps its name.

    Raises:
        QueryError: for more than `naming.MAX_VARIABLES` variables, or for so many that are alike
            that `naming.MAX_READS` steps do not tell them apart; never for up to 7 variables.
    """
    names = Naming(graph).best()
    return graph if all(old == new for old, new in names.items()) else graph.renamed(names)


def same(a: QueryGraph, b: QueryGraph) -> bool:
    """Whether two queries are equal up to the names of variables (?x0 of a selecting one stays).

    Raises:
        QueryError: as `canonical`; not for queries that differ in more than names.
    """
    return a == b or (_nameless(a) == _nameless(b) and canonical(a) == canonical(b))


def _nameless(graph: QueryGraph) -> tuple[Head, list[Triple], list[tuple[str, str]]]:
    def blank(node: str) -> str:
        return "?" if node.startswith("?") else node

    triples = sorted(Triple(blank(s), p, blank(o)) for s, p, o in graph.triples)
    return graph.head, triples, sorted((blank(s), blank(o)) for s, o in graph.filters)


def with_filters(graph: QueryGraph, differing: Collection[str]) -> QueryGraph:
    """The graph with the FILTERs that its triples call for, in place of those it has.

    Args:
        differing: predicates whose ends must differ, as `GraphDomain.differing`.
    """
    filters = frozenset((s, o) for s, p, o in graph.edges if p in differing)
    return QueryGraph(graph.head, graph.edges, graph.attributes, filters)


def expected_head(question: str, asking: Collection[str]) -> Head:
    """What a question's query gives, by its first word.

    Args:
        asking: first words, in lower case, of questions that ask whether.
    """
    return "ask" if "".join(question.split()[:1]).lower() in asking else "select"
