"""Query graphs as text: as CFQ writes them, as MCWQ's canonical form does, and as SPARQL 1.1.

Lines are sorted bytewise in each dialect, so equal graphs give equal texts. Variables keep their
names; see `partwise.language.query.canonical` for texts that are equal up to renaming. Before a
query runs, its placeholders are bound to IRIs, and its terms checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

from partwise.errors import ExecutionError, QueryError
from partwise.language.query.graph import ANSWER, ENTITY, Head, QueryGraph

Dialect = Literal["cfq", "wikidata", "sparql"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
"""An IRIREF of SPARQL 1.1 (grammar rule 139) with a scheme."""
_IRI = rf"<{_ABSOLUTE.pattern}>"
_NAME = r"[\w.-]*:[\w.%-]+"
_STRING = r'"(?:[^"\\\n\r]|\\[tbnrf"\'\\])*"'
_TAG = rf"@[A-Za-z][A-Za-z0-9-]*|\^\^(?:{_IRI}|{_NAME})"
_ALLOWED = {
    "node": re.compile(rf"{_IRI}|{_NAME}|\?x\d+"),
    "predicate": re.compile(rf"(?:{_IRI}|{_NAME}|a|[/|^()*+?!])+"),
    "constant": re.compile(rf"{_IRI}|{_NAME}|{_STRING}(?:{_TAG})?|[+-]?\d+(?:\.\d+)?|true|false"),
}


def heads(dialect: Dialect) -> dict[Head, str]:
    """How queries begin, up to the bracket."""
    asking = "SELECT count(*)" if dialect == "cfq" else "ASK"
    return {"ask": f"{asking} WHERE {{", "select": f"SELECT DISTINCT {ANSWER} WHERE {{"}


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI that can stand between ``<`` and ``>``."""
    return _ABSOLUTE.fullmatch(text) is not None and text.isprintable()


def last_part(iri: str) -> str:
    """What comes after the last ``/``, ``#`` or ``:`` of an IRI; all of it if that is nothing."""
    return re.split(r"[/#:]", iri.rstrip("/#:"))[-1] or iri


def named(
    graph: QueryGraph, bindings: Mapping[str, str], prefixes: Mapping[str, str] | None = None
) -> QueryGraph:
    """The graph with ``<its IRI>`` in the place of each placeholder that has a binding.

    Args:
        bindings: placeholder -> IRI, or a prefixed name whose prefix is in `prefixes`.

    Raises:
        ExecutionError: for a binding that is no absolute IRI.
    """
    iris: dict[str, str] = {}
    prefixes = prefixes or {}
    for node in (node for node in graph.entities if node in bindings):
        prefix, colon, rest = bindings[node].partition(":")
        iri = prefixes[prefix] + rest if colon and prefix in prefixes else bindings[node]
        if not is_iri(iri):
            raise ExecutionError(f"{node} is bound to {bindings[node]!r}, which is no absolute IRI")
        iris[node] = f"<{iri}>"
    return graph.renamed(iris)


def bound(
    graph: QueryGraph, bindings: Mapping[str, str], prefixes: Mapping[str, str] | None = None
) -> QueryGraph:
    """The graph with each placeholder bound, as `named` does, and all its terms checked.

    Raises:
        ExecutionError: for a placeholder without an IRI, or a term that no query may have.
    """
    made = named(graph, bindings, prefixes)
    terms = [("node", node) for node in sorted(made.nodes.union(*made.filters))]
    terms += [("predicate", triple.predicate) for triple in made.triples]
    terms += [("constant", attribute.object) for attribute in made.attributes]
    for what, text in terms:
        if ENTITY.fullmatch(text) and what == "node":
            raise ExecutionError(f"{text} stands for no entity: give its IRI in the bindings")
        if not _ALLOWED[what].fullmatch(text) or not text.isprintable():
            raise ExecutionError(f"{text!r} cannot stand in a query as a {what}")
    return made


def write_query(
    graph: QueryGraph, dialect: Dialect, prefixes: Mapping[str, str] | None = None
) -> str:
    """The text of a query.

    Args:
        dialect: ``cfq`` (``SELECT count(*)`` asks whether; all lines sorted together),
            ``wikidata`` (one line; triples sorted, then FILTERs sorted) or ``sparql`` (the same
            order, a line each; runs on an endpoint once all placeholders are bound).
        prefixes: prefix -> IRI, for ``sparql``.

    Raises:
        QueryError: for an unknown dialect, or a prefix that stands for no IRI.
    """
    if dialect not in DIALECTS:
        raise QueryError(f"no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    triples = sorted(map(str, graph.triples))
    filters = sorted(f"FILTER ( {one} != {other} )" for one, other in graph.filters)
    head = heads(dialect)[graph.head]
    if dialect == "cfq":
        return "\n".join([head, " .\n".join(sorted(triples + filters)), "}"])
    if dialect == "wikidata":
        return " ".join(part for part in (head, " . ".join(triples + filters), "}") if part)
    for name, iri in (prefixes or {}).items():
        if not is_iri(iri):
            raise QueryError(f"{name} stands for {iri!r:.80}, which is no IRI; give a full one")
    lines = [f"PREFIX {name}: <{iri}>" for name, iri in (prefixes or {}).items()]
    return "\n".join([*lines, head, *(f"  {line} ." for line in triples + filters), "}"])
