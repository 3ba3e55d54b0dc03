"""Query graphs as text: as CFQ writes them, as MCWQ's canonical form does, and as SPARQL 1.1.

Lines are sorted bytewise in each dialect, so equal graphs give equal texts. Variables keep their
names; see `partwise.language.query.canonical` for texts that are equal up to renaming.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from partwise.errors import QueryError
from partwise.language.query.graph import ANSWER, QueryGraph

Dialect = Literal["cfq", "wikidata", "sparql"]
DIALECTS: tuple[Dialect, ...] = ("cfq", "wikidata", "sparql")

_HEADS = {
    "cfq": {"ask": "SELECT count(*)", "select": f"SELECT DISTINCT {ANSWER}"},
    "wikidata": {"ask": "ASK", "select": f"SELECT DISTINCT {ANSWER}"},
    "sparql": {"ask": "ASK", "select": f"SELECT DISTINCT {ANSWER}"},
}
_BAD_IN_IRI = r"<>\"{}|^`\\\x00-\x20"
_IRI = re.compile(rf"[^\W\d_][\w+.\-]*:[^{_BAD_IN_IRI}]+")
_TERM = re.compile(rf"<[^{_BAD_IN_IRI}]+>|[^\W\d][\w\-]*:[\w\-]+(?:\.+[\w\-]+)*")


def write_query(
    graph: QueryGraph,
    dialect: Dialect,
    *,
    prefixes: Mapping[str, str] | None = None,
    bindings: Mapping[str, str] | None = None,
) -> str:
    """The text of a query.

    Args:
        dialect: ``cfq`` (``SELECT count(*)`` asks whether; all lines sorted together),
            ``wikidata`` (one line; triples sorted, then FILTERs sorted) or ``sparql`` (the same
            order, a line each; runs on an endpoint once all placeholders are bound).
        prefixes: prefix -> IRI, as `GraphDomain.prefixes`, for ``sparql``.
        bindings: placeholder -> IRI or prefixed name; placeholders without one stay as they are.

    Raises:
        QueryError: for an unknown dialect, or a prefix or binding that is no IRI.
    """
    if dialect not in DIALECTS:
        raise QueryError(f"no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    bound = graph.renamed({k: _term(k, v) for k, v in bindings.items()}) if bindings else graph
    triples = sorted(map(str, bound.triples))
    filters = sorted(f"FILTER ( {one} != {other} )" for one, other in bound.filters)
    head = f"{_HEADS[dialect][graph.head]} WHERE {{"
    if dialect == "cfq":
        return "\n".join([head, " .\n".join(sorted(triples + filters)), "}"])
    if dialect == "wikidata":
        return " ".join(part for part in (head, " . ".join(triples + filters), "}") if part)
    lines = [f"PREFIX {name}: <{_iri(name, iri)}>" for name, iri in (prefixes or {}).items()]
    return "\n".join([*lines, head, *(f"  {line} ." for line in triples + filters), "}"])


def _iri(name: str, iri: str) -> str:
    if not _IRI.fullmatch(iri):
        raise QueryError(f"{name} stands for {iri!r:.80}, which is no IRI; give a full one")
    return iri


def _term(placeholder: str, value: str) -> str:
    """An IRI in brackets, or a prefixed name as it is."""
    if _TERM.fullmatch(value):
        return value
    if "://" not in value:
        raise QueryError(
            f"{placeholder} is bound to {value!r:.80}, which is neither an IRI nor a prefixed name"
        )
    return f"<{_iri(placeholder, value)}>"
