"""What all stores of knowledge graphs share."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from partwise.errors import ExecutionError
from partwise.language.graph_domain import QueryStore
from partwise.language.sparql import is_iri, last_part

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
BATCH = 100
"""IRIs whose labels one query asks for."""
PER_IRI = 50
"""Labels that are read of one IRI, all its languages together."""


class GraphValue(NamedTuple):
    """A value of a variable; `language` of a literal, in lower case, empty for none."""

    text: str
    language: str = ""


Row = Mapping[str, GraphValue]
"""Values by variable, without the question mark; unbound variables are not there."""


class RowStore(QueryStore):
    """A store that asks and gives rows; the rest follows.

    Args:
        language: of labels; one without a language, then any variant, is next best.
    """

    def __init__(self, language: str = "en") -> None:
        if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", language):
            raise ExecutionError(f"{language!r} is no language tag, such as 'en' or 'pt-BR'")
        self.language = language.lower()

    @abstractmethod
    def rows(self, query: str, limit: int) -> Sequence[Row]:
        """The first `limit` solutions of a ``SELECT`` query."""

    def select(self, query: str, limit: int) -> list[str]:
        return [row["x0"].text for row in self.rows(query, limit) if "x0" in row]

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        """What is no IRI (a literal, a blank node) is its own name."""
        names = {iri: last_part(iri) if is_iri(iri) else iri for iri in iris}
        known = sorted(iri for iri in names if is_iri(iri))
        for start in range(0, len(known), BATCH):
            names |= self._labels(known[start : start + BATCH])
        return names

    def _labels(self, iris: Sequence[str]) -> dict[str, str]:
        values = " ".join(f"<{iri}>" for iri in iris)
        where = f"VALUES ?x0 {{ {values} }} ?x0 <{LABEL}> ?label"
        order = {self.language: 0, "": 1}
        best: dict[str, tuple[int, str]] = {}
        for iri, label in self._named(where, PER_IRI * len(iris)):
            rank = order.get(label.language, 2), label.text
            best[iri] = min(rank, best.get(iri, rank))
        return {iri: best[iri][1] for iri in iris if iri in best}

    def _named(self, where: str, limit: int) -> Iterator[tuple[str, GraphValue]]:
        """The solutions that have an ``x0`` and a ``label`` in the store's language or in none."""
        query = (
            f"SELECT ?x0 ?label WHERE {{ {where} "
            f'FILTER ( LANG(?label) = "" || LANGMATCHES(LANG(?label), "{self.language}") ) }} '
            f"LIMIT {limit}"
        )
        for row in self.rows(query, limit):
            if "x0" in row and row.get("label", GraphValue("")).text:
                yield row["x0"].text, row["label"]

    def names(self, limit: int) -> dict[str, list[str]]:
        names: dict[str, set[str]] = {}
        for iri, label in self._named(f"?x0 <{LABEL}>|<{ALIAS}> ?label", limit):
            if is_iri(iri):
                names.setdefault(label.text, set()).add(iri)
        return {name: sorted(names[name]) for name in sorted(names)}
