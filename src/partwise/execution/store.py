"""What all stores of knowledge graphs share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from partwise.errors import ExecutionError
from partwise.language.query.sparql_write import is_iri, last_part

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
BATCH = 100
"""IRIs whose labels one query asks for."""
PER_IRI = 50
"""Labels that are read of one IRI, all its languages together."""


class Value(NamedTuple):
    """A value of a variable; `language` of a literal, in lower case, empty for none."""

    text: str
    language: str = ""


Row = Mapping[str, Value]
"""Values by variable, without the question mark; unbound variables are not there."""


class RowStore(ABC):
    """A store that gives rows; the rest follows.

    Args:
        language: of labels; one without a language, then any variant, is next best.
    """

    def __init__(self, language: str = "en") -> None:
        if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", language):
            raise ExecutionError(f"{language!r} is no language tag, such as 'en' or 'pt-BR'")
        self.language = language.lower()

    @abstractmethod
    def ask(self, query: str) -> bool:
        """Whether an ``ASK`` query has a match."""

    @abstractmethod
    def rows(self, query: str, limit: int) -> Sequence[Row]:
        """The first `limit` solutions of a ``SELECT`` query."""

    def select(self, query: str, limit: int) -> list[str]:
        """The first `limit` values of ``?x0``: IRIs, texts of literals, ``_:`` blank nodes."""
        return [row["x0"].text for row in self.rows(query, limit) if "x0" in row]

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        """A name for each IRI, its last part where the store has no label.

        What is no IRI (a literal, a blank node) is its own name.
        """
        names = {iri: last_part(iri) if is_iri(iri) else iri for iri in iris}
        known = sorted(iri for iri in names if is_iri(iri))
        for start in range(0, len(known), BATCH):
            names |= self._labels(known[start : start + BATCH])
        return names

    def _labels(self, iris: Sequence[str]) -> dict[str, str]:
        values = " ".join(f"<{iri}>" for iri in iris)
        where = f"VALUES ?x0 {{ {values} }} ?x0 <{LABEL}> ?label"
        best: dict[str, Value] = {}
        for row in self._named(where, PER_IRI * len(iris)):
            iri, label = row["x0"].text, row["label"]
            best[iri] = min(label, best.get(iri, label), key=self._rank)
        return {iri: label.text for iri, label in best.items() if iri in set(iris)}

    def _named(self, where: str, limit: int) -> list[Row]:
        """The solutions that have an ``x0`` and a ``label`` in the store's language or in none."""
        query = (
            f"SELECT ?x0 ?label WHERE {{ {where} "
            f'FILTER ( LANG(?label) = "" || LANGMATCHES(LANG(?label), "{self.language}") ) }} '
            f"LIMIT {limit}"
        )
        rows = self.rows(query, limit)
        return [row for row in rows if "x0" in row and row.get("label", Value("")).text]

    def _rank(self, label: Value) -> tuple[int, str]:
        order = {self.language: 0, "": 1}
        return order.get(label.language, 2), label.text

    def names(self, limit: int) -> dict[str, list[str]]:
        """Names and aliases -> the IRIs that they may stand for, from at most `limit` labels.

        What a `partwise.graph.linking.linker.Linker` is made from.
        """
        names: dict[str, set[str]] = {}
        for row in self._named(f"?x0 <{LABEL}>|<{ALIAS}> ?label", limit):
            if is_iri(row["x0"].text):
                names.setdefault(row["label"].text, set()).add(row["x0"].text)
        return {name: sorted(names[name]) for name in sorted(names)}
