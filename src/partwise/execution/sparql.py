"""SPARQL: a knowledge graph that a domain's methods read, from a Turtle file or an endpoint."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path

from partwise.errors import ExecutionError
from partwise.execution.local import LocalStore
from partwise.execution.store import RowStore
from partwise.language.values import Number, Some, Truth

LIMIT = 100_000
"""Solutions that are read of one query."""
# Texts, IRIs and comments are passed over, so that only parameters are found.
_NAMED = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|<[^<>\s]*>|#[^\n]*|\$(?P<name>\w+)", re.S
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class SPARQL:
    """Reads a knowledge graph; a Turtle file or a store that is open.

    A file is opened when first asked. A ``$name`` in a query becomes the literal that is given for
    it, quoted as SPARQL has it, and for a set all of them: ``VALUES ?title $of`` with
    ``of=Many(["Emma", "Dracula"])``. The `prefixes` (-> IRI) are put in front of each query.
    """

    def __init__(
        self, store: str | Path | RowStore, prefixes: Mapping[str, str] | None = None
    ) -> None:
        self._store, self._lock = store, threading.Lock()
        prefixes = prefixes or {}
        self._head = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in prefixes.items())

    def column(self, query: str, **given: object) -> tuple[str, ...]:
        """The texts of a ``SELECT`` query's one variable, in its order.

        Args:
            given: a text, a number or a set of them for each ``$name`` in the query.

        Raises:
            ExecutionError: if the store cannot be opened, the query fails, selects several
                variables or gives more than `LIMIT` solutions, or a value is of another kind.
        """
        with self._lock:
            if not isinstance(self._store, RowStore):
                self._store = LocalStore(self._store)
        rows = self._store.rows(self._head + _filled(query, given), LIMIT + 1)
        if len(rows) > LIMIT:
            raise ExecutionError(f"more than {LIMIT:,} solutions of {query!r}; narrow it")
        if any(len(row) > 1 for row in rows):
            raise ExecutionError(f"{query!r} selects several variables; column takes one")
        return tuple(value.text for row in rows for value in row.values())


def _filled(query: str, given: Mapping[str, object]) -> str:
    """The query with literals in the places of its parameters."""

    def written(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match.group()
        if name not in given:
            raise ExecutionError(f"nothing is given for ${name} in the query {query!r}")
        value = given[name]
        values = map(literal, value) if isinstance(value, Some) else None
        return literal(value) if values is None else f"{{ {' '.join(values)} }}"

    return _NAMED.sub(written, query)


def literal(value: object) -> str:
    """A text, a number, or yes and no as SPARQL writes it.

    Raises:
        ExecutionError: for any other value.
    """
    if isinstance(value, Number | Truth):
        value = value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(letter, letter) for letter in value) + '"'
    raise ExecutionError(f"{value!r:.80} is no text or number, which a query may be given")
