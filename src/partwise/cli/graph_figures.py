"""Figures of graph parsers: the store that they need, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from partwise.cli.common import warn
from partwise.errors import ExecutionError
from partwise.graph.metrics import GraphMetrics
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.answer import QueryStore


@contextmanager
def graph_store(domain: GraphDomain, needed: bool) -> Iterator[QueryStore | None]:
    """The domain's graph, where it comes with the package.

    Args:
        needed: whether not to go on without it if it cannot be opened.
    """
    with ExitStack() as stack:
        store: QueryStore | None = None
        if domain.open_store is not None:
            try:
                store = stack.enter_context(domain.open_store())
            except ExecutionError as error:
                if needed:
                    raise
                warn(f"answers are not compared: {error}")
        yield store


def shown(metrics: GraphMetrics) -> str:
    """The figures in one line."""
    answers = "" if metrics.denotation is None else f"denotation {100 * metrics.denotation:.1f}  "
    failed = "" if metrics.denotation is None else f", {metrics.failed} failed"
    return (
        f"{answers}exact match {100 * metrics.exact_match:.1f}  "
        f"edges match {100 * metrics.edges_match:.1f}  "
        f"({metrics.n} questions, {metrics.no_parse} without a parse{failed})"
    )


def table(metrics: GraphMetrics) -> Iterator[str]:
    """The figures line by line, with what went wrong and by number of variables."""
    yield f"exact match  {100 * metrics.exact_match:6.2f} %"
    yield f"edges match  {100 * metrics.edges_match:6.2f} %"
    if metrics.denotation is not None:
        yield f"denotation   {100 * metrics.denotation:6.2f} %"
    yield f"questions    {metrics.n:6d}"
    yield f"no parse     {metrics.no_parse:6d}"
    if metrics.denotation is not None:
        yield f"failed runs  {metrics.failed:6d}"
    for kind, count in metrics.by_error().items():
        yield f"wrong        {count:6d}    {kind}"
    for number, (share, count) in metrics.by_variables().items():
        names = "1 variable" if number == 1 else f"{number} variables"
        yield f"exact match  {100 * share:6.2f} %  {names} ({count} questions)"
