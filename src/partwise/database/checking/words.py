"""Checks of what the file says: names, units, what is private."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from partwise.database.layer.files import LayerFile
from partwise.database.layer.model import Measure, SemanticLayer
from partwise.database.source.lexicon import word_set
from partwise.database.units import UNITS
from partwise.database.visible import is_open, used
from partwise.execution.relational.program import Arithmetic, Field
from partwise.interface.issues import Issue

_OF_NUMBERS = ("sum", "average", "median")


class _Named(NamedTuple):
    """Something that has names.

    Attributes:
        keys: where it is said, below the tables of the file.
        table: of a column; "" for tables and measures, which any question may name.
    """

    names: tuple[str, ...]
    what: str
    keys: tuple[str, ...]
    table: str = ""
    unit: str | None = None


def _named(layer: SemanticLayer) -> Iterator[_Named]:
    for table in layer.tables:
        yield _Named(table.names, f"table {table.name}", (table.name,))
        for one in table.columns:
            what, keys = f"column {table.name}.{one.name}", (table.name, "columns", one.name)
            yield _Named(one.names, what, keys, table.name, one.unit)
    for measure in layer.measures:
        keys = (measure.table, "measures", measure.name)
        yield _Named(measure.names, f"measure {measure.name}", keys, unit=measure.unit)


class WordChecks:
    """The checks, one by one."""

    def __init__(self, file: LayerFile) -> None:
        self.file, self.layer = file, file.layer
        self.named = list(_named(file.layer))

    def shared(self) -> Iterator[Issue]:
        """Names that two things have: tables and measures, or columns of one table."""
        first: dict[tuple[str, str], _Named] = {}
        shared: dict[tuple[_Named, _Named], list[str]] = defaultdict(list)
        for one in self.named:
            for name in dict.fromkeys(" ".join(name.lower().split()) for name in one.names):
                other = first.setdefault((one.table, name), one)
                if other is not one:
                    shared[other, one].append(name)
        for (other, one), names in shared.items():
            said = ", ".join(names)
            why = f"{other.what} is called the same ({said}), so questions may mean either"
            advice = "take these names from one of them, or make them longer"
            yield self._issue("shared-name", one, why, advice)

    def little(self) -> Iterator[Issue]:
        """Labels that are made of words of any question."""
        for one in self.named:
            label = one.names[0]
            if set(label.lower().split()) <= word_set("function words"):
                why = f"its label {label!r} is a word of any question, so none can mean it"
                yield self._issue("function-word", one, why, "give it another label")

    def _issue(self, kind: str, one: _Named, why: str, advice: str) -> Issue:
        return Issue("warning", kind, one.what, why, advice, self._where(*one.keys))

    def _where(self, *keys: str) -> str:
        return self.file.where("tables", *keys)

    def units(self) -> Iterator[Issue]:
        """Units that nothing is known of."""
        for one in self.named:
            if one.unit is not None and one.unit not in UNITS:
                why = f"the unit {one.unit!r} is not known: it is shown, and never converted"
                advice = f"if it is one of these, write it so: {', '.join(UNITS)}"
                where = self._where(*one.keys, "unit")
                yield Issue("note", "unknown-unit", one.what, why, advice, where)

    def hidden(self) -> Iterator[Issue]:
        """What is private and yet used."""
        for table in self.layer.tables:
            for column in table.display:
                if table.column(column).private:
                    why = f"its rows are named by {column}, which is private"
                    where = self._where(table.name, "display")
                    advice = "name them by another column, or let it be shown"
                    what = f"table {table.name}"
                    yield Issue("error", "private-display", what, why, advice, where)
        for measure in self.layer.measures:
            hidden = [one for one in _places(measure, self.layer) if not is_open(self.layer, *one)]
            if hidden:
                place = ".".join(part for part in hidden[0] if part)
                why = f"it is made of {place}, which is private, so it is never answered"
                where = self._where(measure.table, "measures", measure.name)
                advice = "take the measure out, or let it be shown"
                what = f"measure {measure.name}"
                yield Issue("error", "private-measure", what, why, advice, where)

    def kinds(self) -> Iterator[Issue]:
        """Measures that add up what is no number; some databases add up texts as zeros."""
        for measure in self.layer.measures:
            if measure.function not in _OF_NUMBERS:
                continue
            for table, name in used(_numbers(measure.of), measure.table, self.layer.schema):
                if name is not None and self.layer.column(table, name).kind != "number":
                    kind = self.layer.column(table, name).kind
                    why = f"{table}.{name} is of kind {kind}, which has no {measure.function}"
                    advice = "use a column of numbers, or correct the kind of this one"
                    where = self._where(measure.table, "measures", measure.name)
                    what = f"measure {measure.name}"
                    yield Issue("error", "no-number", what, why, advice, where)

    def unlinked(self) -> Iterator[Issue]:
        """Tables that no link leads to or from."""
        linked = {one for link in self.layer.schema.links for one in (link.table, link.target)}
        for table in self.layer.tables:
            if linked and table.name not in linked and not table.private:
                why = "no link leads to it or from it, so it can only be asked about by itself"
                advice = "if one of its columns points to another table, say so under links"
                where = self._where(table.name)
                yield Issue("note", "unlinked-table", f"table {table.name}", why, advice, where)


def _numbers(attribute: object) -> object:
    """The parts of an attribute that must be numbers; a part of a date is one."""
    if isinstance(attribute, Arithmetic):
        return (_numbers(attribute.left), _numbers(attribute.right))
    return attribute if isinstance(attribute, Field) else ()


def _places(measure: Measure, layer: SemanticLayer) -> Iterator[tuple[str, str | None]]:
    """The tables and columns that a measure is made of."""
    yield measure.table, None
    for part in (measure.aggregate, measure.where):
        yield from used(part, measure.table, layer.schema)
