"""Query graphs as text: as CFQ writes them, as MCWQ's canonical form does, and as SPARQL 1.1.

Lines are sorted bytewise in each dialect, so equal graphs give equal texts. Variables keep their
names; see `partwise.language.query.canonical` for texts that are equal up to renaming.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from partwise.errors import QueryError
from partwise.language.query.binding import is_iri
from partwise.language.query.graph import ANSWER, QueryGraph

Dialect = Literal["cfq", "wikidata", "sparql"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


def write_query(
    graph: QueryGraph, dialect: Dialect, prefixes: Mapping[str, str] | None = None
) -> str:
    """The text of a query.

    Args:
        dialect: ``cfq`` (``SELECT count(*)`` asks whether; all lines sorted together),
            ``wikidata`` (one line; triples sorted, then FILTERs sorted) or ``sparql`` (the same
            order, a line each; runs on an endpoint once all placeholders are bound).
        prefixes: prefix -> IRI, as `GraphDomain.prefixes`, for ``sparql``.

    Raises:
        QueryError: for an unknown dialect, or a prefix that stands for no IRI.
    """
    if dialect not in DIALECTS:
        raise QueryError(f"no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    triples = sorted(map(str, graph.triples))
    filters = sorted(f"FILTER ( {one} != {other} )" for one, other in graph.filters)
    asking = "SELECT count(*)" if dialect == "cfq" else "ASK"
    head = f"{asking if graph.head == 'ask' else f'SELECT DISTINCT {ANSWER}'} WHERE {{"
    if dialect == "cfq":
        return "\n".join([head, " .\n".join(sorted(triples + filters)), "}"])
    if dialect == "wikidata":
        return " ".join(part for part in (head, " . ".join(triples + filters), "}") if part)
    for name, iri in (prefixes or {}).items():
        if not is_iri(iri):
            raise QueryError(f"{name} stands for {iri!r:.80}, which is no IRI; give a full one")
    lines = [f"PREFIX {name}: <{iri}>" for name, iri in (prefixes or {}).items()]
    return "\n".join([*lines, head, *(f"  {line} ." for line in triples + filters), "}"])
