"""Names that a question may go on with, by their beginnings: of the layer, and stored values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import takewhile
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
        self._labels = sorted(name for name, label in _names(layer) if label)
        self._synonyms = sorted(name for name, label in _names(layer) if not label)
        self._values = sorted({*_enumerated(layer), *_indexed(layer, index)})

    def is_of(self, layer: SemanticLayer, index: ValueIndex) -> bool:
        """Whether it is of these, as they are now."""
        return self._of[0] is layer and self._of[1] is index.state

    def __call__(self, text: str, k: int) -> list[Completion]:
        """Up to `k` names that begin with the last words of a text, with as many as can be."""
        for start in _starts(text):
            begun = text[start:].casefold()
            some = (self._labels, self._values, self._synonyms)
            found: dict[str, Completion] = {}
            for kind in some if len(begun) >= LEAST else some[:1]:
                for key, name, what, of in _beginning(kind, begun, k):
                    if key != begun:
                        found.setdefault(key, Completion(name, what, of, start))
            if found:
                return list(found.values())[:k]
        return []


def _beginning(ordered: list[Name], begun: str, k: int) -> Iterator[Name]:
    start = bisect_left(ordered, (begun,))
    # One of them may be what stands there already.
    return takewhile(lambda name: name[0].startswith(begun), ordered[start : start + k + 1])


def _starts(text: str) -> list[int]:
    """Where the last words of a text begin, of the most words first."""
    begins = [at for at in range(len(text)) if text[at] > " " and (not at or text[at - 1] <= " ")]
    return begins[-WORDS:]


def _names(layer: SemanticLayer) -> Iterator[tuple[Name, bool]]:
    """What tables, columns and measures are called, and whether that is the label."""
    open_ = [table for table in layer.tables if not table.private]
    columns = [(table, one) for table in open_ for one in table.columns if not one.private]
    called = [("table", "", [*map(plural, table.names)]) for table in open_]
    called += [("table", "", [table.label]) for table in open_]
    called += [("column", t.label, [*one.names]) for t, one in columns if one.kind != "id"]
    called += [("measure", "", [*measure.names]) for measure in layer.measures]
    for kind, of, names in called:
        for name in names:
            label = name == names[0]
            yield (name.casefold(), name, kind, of if label or of else names[0]), label


def _enumerated(layer: SemanticLayer) -> Iterator[Name]:
    for table in layer.tables:
        for column in table.columns:
            if column.enumeration and not (table.private or column.private):
                for value in column.values:
                    yield value.casefold(), value, "value", f"{table.label} {column.label}"


def _indexed(layer: SemanticLayer, index: ValueIndex) -> Iterator[Name]:
    known: dict[tuple[tuple[str, str], ...], str] = {}
    for text, places in index.texts() if len(index) <= MOST_VALUES else ():
        if places not in known:
            known[places] = _owner(layer, places)
        if known[places] and len(text) <= LONGEST:
            yield text.casefold(), text, "value", known[places]


def _owner(layer: SemanticLayer, places: tuple[tuple[str, str], ...]) -> str:
    """Whose a value is that some columns have; "" if one of them is private."""
    found = [(layer.table(table), layer.column(table, column)) for table, column in places]
    if any(table.private or column.private for table, column in found):
        return ""
    tables = " or ".join(dict.fromkeys(table.label for table, _ in found))
    return tables if len(found) > 1 else f"{tables} {found[0][1].label}"
