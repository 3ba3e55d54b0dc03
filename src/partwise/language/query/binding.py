"""Placeholders of a query bound to IRIs; terms are checked before they become query text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from partwise.errors import ExecutionError
from partwise.language.query.graph import ENTITY, QueryGraph

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
"""An IRIREF of SPARQL 1.1 (grammar rule 139) with a scheme."""
_IRI = rf"<{_ABSOLUTE.pattern}>"
_NAME = r"[\w.-]*:[\w.%-]+"
_STRING = r'"(?:[^"\\\n\r]|\\[tbnrf"\'\\])*"'
_TAG = rf"@[A-Za-z][A-Za-z0-9-]*|\^\^(?:{_IRI}|{_NAME})"
_NODE = re.compile(rf"{_IRI}|{_NAME}|\?x\d+")
_PATH = re.compile(rf"(?:{_IRI}|{_NAME}|a|[/|^()*+?!])+")
_CONSTANT = re.compile(rf"{_IRI}|{_NAME}|{_STRING}(?:{_TAG})?|[+-]?\d+(?:\.\d+)?|true|false")


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI that can stand between ``<`` and ``>``."""
    return _ABSOLUTE.fullmatch(text) is not None and text.isprintable()


def last_part(iri: str) -> str:
    """What comes after the last ``/``, ``#`` or ``:`` of an IRI; all of it if that is nothing."""
    return re.split(r"[/#:]", iri.rstrip("/#:"))[-1] or iri


def bound(
    graph: QueryGraph, bindings: Mapping[str, str], prefixes: Mapping[str, str] | None = None
) -> QueryGraph:
    """The graph with each placeholder replaced by ``<its IRI>``.

    Args:
        bindings: placeholder -> IRI, or a prefixed name whose prefix is in `prefixes`.

    Raises:
        ExecutionError: for a placeholder without a binding, a binding that is no absolute IRI,
            and any other term that could not stand in a query.
    """
    names = {node: _bound(node, bindings, prefixes or {}) for node in graph.entities}
    made = graph.renamed({node: iri for node, iri in names.items() if iri})
    for node in made.nodes | {end for pair in made.filters for end in pair}:
        _check(_NODE, node, "node")
    for triple in made.triples:
        _check(_PATH, triple.predicate, "predicate")
    for attribute in made.attributes:
        _check(_CONSTANT, attribute.object, "constant")
    return made


def _bound(node: str, bindings: Mapping[str, str], prefixes: Mapping[str, str]) -> str | None:
    if node not in bindings:
        if ENTITY.fullmatch(node):
            raise ExecutionError(f"{node} stands for no entity: give its IRI in the bindings")
        return None
    given = bindings[node]
    prefix, colon, rest = given.partition(":")
    iri = prefixes[prefix] + rest if colon and prefix in prefixes else given
    if not is_iri(iri):
        raise ExecutionError(f"{node} is bound to {given!r}, which is no absolute IRI")
    return f"<{iri}>"


def _check(allowed: re.Pattern[str], text: str, what: str) -> None:
    if not allowed.fullmatch(text) or not text.isprintable():
        raise ExecutionError(f"{text!r} cannot stand in a query as a {what}")
