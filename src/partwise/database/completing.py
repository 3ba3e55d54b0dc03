"""Names that a question may go on with, by their beginnings: of the layer, and stored values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from partwise.database.inflection import plural
from partwise.database.layer.model import SemanticLayer
from partwise.interface.prediction import Completion

if TYPE_CHECKING:
    from partwise.database.source.values import ValueIndex

MOST_VALUES = 100_000
"""Stored values that are known by their beginnings; of more, none are."""
WORDS = 4
"""The most words that are the beginning of one name."""
LEAST = 2
"""Characters that a value is offered for."""
LONGEST = 80
"""Characters of a value that is offered."""

Name = tuple[str, str, str, str]
"""What it begins with in small letters, the name, what it is, and whose."""


class Completer:
    """Completes a text, by what is open in a layer and what is in an index."""

    def __init__(self, layer: SemanticLayer, index: ValueIndex) -> None:
        self._of = layer, index.state
        self._names = sorted(_names(layer))
        self._values = sorted(_values(layer, index)) if len(index) <= MOST_VALUES else []

    def is_of(self, layer: SemanticLayer, index: ValueIndex) -> bool:
        """Whether it is of these, as they are now."""
        return self._of[0] is layer and self._of[1] is index.state

    def __call__(self, text: str, k: int) -> list[Completion]:
        """Up to `k` names that begin with the last words of a text, with as many as can be."""
        for start in _starts(text):
            begun = text[start:].casefold()
            kinds = (self._names, self._values) if len(begun) >= LEAST else (self._names,)
            found: dict[str, Completion] = {}
            for kind in kinds:
                for key, name, what, of in islice(_beginning(kind, begun), k):
                    if key != begun:
                        found.setdefault(key, Completion(name, what, of, start))
            if found:
                return list(found.values())[:k]
        return []


def _beginning(ordered: list[Name], begun: str) -> Iterator[Name]:
    some = islice(ordered, bisect_left(ordered, (begun,)), None)
    return takewhile(lambda name: name[0].startswith(begun), some)


def _starts(text: str) -> list[int]:
    """Where the last words of a text begin, of the most words first."""
    begins = [at for at in range(len(text)) if text[at] > " " and (not at or text[at - 1] <= " ")]
    return begins[-WORDS:]


def _names(layer: SemanticLayer) -> Iterator[Name]:
    tables = [table for table in layer.tables if not table.private]
    for table in tables:
        for name in map(plural, table.names):
            yield name.casefold(), name, "table", ""
        for column in table.columns:
            if not (column.private or column.kind == "id"):
                for name in column.names:
                    yield name.casefold(), name, "column", table.label
                for value in column.values if column.enumeration else ():
                    yield value.casefold(), value, "value", f"{table.label} {column.label}"
    for measure in layer.measures:
        for name in measure.names:
            yield name.casefold(), name, "measure", ""


def _values(layer: SemanticLayer, index: ValueIndex) -> Iterable[Name]:
    for text, places in index.texts():
        open_ = not any(layer.table(t).private or layer.column(t, c).private for t, c in places)
        if open_ and len(text) <= LONGEST:
            of = " or ".join(dict.fromkeys(layer.table(table).label for table, _ in places))
            if len(places) == 1:
                of += f" {layer.column(*places[0]).label}"
            yield text.casefold(), text, "value", of
