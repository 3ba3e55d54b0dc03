"""How ``partwise parse`` and ``partwise ask`` respond with a graph parser."""

from __future__ import annotations

import json as jsonlib
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import typer

from partwise.cli.common import warn, write_text
from partwise.cli.showing import numbered, percent
from partwise.drawing import clean, draw_svg, draw_text
from partwise.errors import DataError, ExecutionError
from partwise.execution.endpoint import Endpoint
from partwise.graph.asking import (
    LABELS,
    Asker,
    Reply,
    query_text,
    read_bindings,
    reply_json,
)
from partwise.graph.linking.linker import Linker
from partwise.graph.parser import GraphParser
from partwise.language.query.answer import QueryStore

BATCH = 64
"""Questions are parsed and shown in portions of this many."""


def respond_graphs(
    parser: GraphParser,
    questions: Sequence[str],
    json: bool,
    svg: Path | None,
    tree: bool,
    ask: bool,
    endpoint: str | None = None,
    bind: Sequence[str] = (),
    at_least: float = 0.0,
) -> bool:
    """Read questions, with `ask` answer them, and show it all.

    Args:
        endpoint: URL of a SPARQL store, in place of the graph that comes with the package.
        bind: ``M0=IRI``, for questions that hold placeholders and no names.
        at_least: the probability that a graph must have to be taken.

    Returns:
        Whether every question had a query (and an answer).

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    bindings = read_bindings(bind)
    good = True
    with ExitStack() as stack:
        store = open_store(parser, endpoint, ask, stack)
        linker = linker_of(parser, store, bindings)
        asker = Asker(parser, linker, store if ask else None, bindings, at_least)
        for begin in range(0, len(questions), BATCH):
            for place, reply in enumerate(asker(questions[begin : begin + BATCH]), begin + 1):
                good = good and reply.reason is None
                _show(reply, parser, json, tree, ask, named=len(questions) > 1)
                if svg is not None:
                    _draw(reply, numbered(svg, place if len(questions) > 1 else None))
    return good


def open_store(
    parser: GraphParser, endpoint: str | None, ask: bool, stack: ExitStack
) -> QueryStore | None:
    """What questions are answered and names found in; None if a parse can do without."""
    domain = parser.domain
    if endpoint is not None:
        return Endpoint(endpoint)
    if domain.open_store is None:
        if ask:
            raise DataError(
                f"the knowledge graph of {domain.name} does not come with the package: give a "
                "store with --endpoint URL, or use `partwise parse` for the query alone"
            )
        return None
    try:
        return stack.enter_context(domain.open_store())
    except ExecutionError as error:
        if ask:
            raise
        warn(f"names are not linked: {error}")
        return None


def linker_of(
    parser: GraphParser, store: QueryStore | None, bindings: Mapping[str, str]
) -> Linker | None:
    """What finds names in questions; None where there is no store, or the user binds them."""
    if store is None or bindings:
        return None
    return Linker(store.names(LABELS), parser.domain)


def _show(
    reply: Reply, parser: GraphParser, json: bool, tree: bool, ask: bool, named: bool
) -> None:
    if json:
        found = reply_json(reply, parser.domain, ask)
        typer.echo(jsonlib.dumps(found, ensure_ascii=False))
        return
    for line in _text(reply, parser, tree, named):
        typer.echo(line)
    for note in _notes(reply):
        warn(note)


def _text(reply: Reply, parser: GraphParser, tree: bool, named: bool) -> Iterator[str]:
    """What a person reads: the answer first, then how it came about."""
    if named:
        yield clean(reply.question)
    if reply.reason is not None:
        front = "no parse: " if reply.graph is None else ""
        yield f"{front}{clean(reply.reason)}"
    elif reply.result is not None:
        yield from map(clean, reply.answer or ("(nothing)",))
        if reply.result.more:
            yield f"... (more than {len(reply.result.values)})"
    derivation = reply.derivation
    if derivation is not None:
        query = query_text(reply, parser.domain) or ""
        yield "\n".join(map(clean, query.splitlines()))
        if math.isfinite(reply.parse.probability):
            yield f"probability {percent(reply.parse.probability)}"
        if tree:
            yield draw_text(derivation, color=sys.stdout.isatty())
    if named:
        yield ""


def _notes(reply: Reply) -> Iterator[str]:
    for placeholder, iris in reply.linked.ambiguous.items():
        name, others = reply.linked.names[placeholder], ", ".join(iris[1:])
        yield f"{clean(name)!r} is taken for {iris[0]}; it may also be {others}"
    if reply.unknown and reply.reason is None:
        yield f"words never met in training: {', '.join(map(clean, reply.unknown))}"


def _draw(reply: Reply, file: Path) -> None:
    derivation = reply.derivation
    if derivation is None:
        warn(f"{file} is not drawn: {reply.reason}")
        return
    write_text(file, draw_svg(derivation))
