"""Answers of query graphs, compared: a query is right if it gives what the gold query gives."""

from __future__ import annotations

from collections.abc import Mapping

from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import NO_PARSE
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.answer import QueryStore
from partwise.language.query.binding import bound
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_write import write_query

Denotation = bool | frozenset[str]
"""Whether there is a match, or what was asked for."""
EMPTY = "the query says nothing"
LIMIT = 100_000
"""Values that are read of an answer; more is an error, as the rest could not be compared."""


class Denotations:
    """Runs each distinct query once on a store."""

    def __init__(self, store: QueryStore, domain: GraphDomain) -> None:
        self.store, self.domain = store, domain
        self._known: dict[str, Denotation | PartwiseError] = {}

    def denotation(self, graph: QueryGraph, bindings: Mapping[str, str]) -> Denotation:
        """What a query gives.

        Args:
            bindings: placeholder -> IRI.

        Raises:
            PartwiseError: if it cannot be written or run, or gives too much.
        """
        found = bound(graph, bindings, self.domain.prefixes)
        query = write_query(found, "sparql", prefixes=self.domain.prefixes)
        if query not in self._known:
            try:
                self._known[query] = self._run(query, graph.head == "ask")
            except PartwiseError as error:
                self._known[query] = error
        known = self._known[query]
        if isinstance(known, PartwiseError):
            raise known
        return known

    def _run(self, query: str, asks: bool) -> Denotation:
        if asks:
            return self.store.ask(query)
        values = self.store.select(f"{query}\nLIMIT {LIMIT + 1}", LIMIT + 1)
        if len(values) > LIMIT:
            raise DataError(f"the query gives more than {LIMIT:,} values")
        return frozenset(values)

    def compare(
        self, example: Example[QueryGraph], guess: QueryGraph | None
    ) -> tuple[bool, str | None]:
        """Whether a predicted query gives what the gold query gives; if it does not run, why.

        Raises:
            DataError: if the gold query fails to run.
        """
        bindings = bindings_of(example)
        try:
            gold = self.denotation(example.meaning, bindings)
        except PartwiseError as error:
            raise DataError(
                f"{example.source or example.question}: the gold query fails to run, so no answer "
                f"can be compared with it: {error}"
            ) from error
        if guess is None:
            return False, NO_PARSE
        if not guess.triples:
            # It would run, and be true of every graph.
            return False, EMPTY
        try:
            return self.denotation(guess, bindings) == gold, None
        except PartwiseError as error:
            return False, str(error)


def bindings_of(example: Example[QueryGraph]) -> dict[str, str]:
    """What the placeholders of an example stand for, where its data say so."""
    return dict(example.context) if isinstance(example.context, tuple) else {}
