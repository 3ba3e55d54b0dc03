"""What answers query graphs, and what they gave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


class QueryStore(Protocol):
    """Answers queries over a knowledge graph; all methods raise ExecutionError."""

    def ask(self, query: str) -> bool:
        """Whether an ``ASK`` query has a match."""

    def select(self, query: str, limit: int) -> list[str]:
        """The first `limit` values of ``?x0``: IRIs, texts of literals, ``_:`` blank nodes."""

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        """A name for each IRI, its last part where the store has no label."""

    def names(self, limit: int) -> dict[str, list[str]]:
        """Names and aliases -> the IRIs that they may stand for, from at most `limit` labels."""


@dataclass(frozen=True)
class GraphAnswer:
    """What a query graph gave.

    Attributes:
        truth: of a query that asks whether; None for one that selects, and without an answer.
        values: IRIs and texts of literals, each once; in the order of their names if they have
            some.
        names: a label for each value, if they were asked for.
        more: whether there are more values than the limit let through.
        query: the SPARQL text that ran; None if there is none.
        reason: why there is no answer, if so.
    """

    truth: bool | None = None
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    more: bool = False
    query: str | None = None
    reason: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The answer for a person: yes, no, or names; empty if there is none."""
        return self.names if self.truth is None else ("yes" if self.truth else "no",)
