"""A reading for people: what each phrase gave, and what was added without a word."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.derivation import PhraseDerivation, PhrasePart
from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.label import Label, Quantity
from partwise.database.reading.period import Period, Recurring
from partwise.database.reading.readings import Reading, Used
from partwise.database.reading.text import Word
from partwise.database.units import unit_name

_OPERATIONS = {
    **{"dir:desc": "largest first", "dir:asc": "smallest first", "count": "number of"},
    **{"sort:asc": "in rising order", "sort:desc": "in falling order", "per": "for each"},
    **{"yesno": "yes or no", "both": "both", "or": "or", "not": "not", "between": "between"},
    **{"distinct": "each value once", "everything": "all columns", "missing": "has no value"},
    **{"present": "has a value", "contains": "contains", "starts": "starts with"},
    **{"ends": "ends with", "between_and": "to", "limit": "the first"},
}
_SHIFTS = {
    "silent_name": "shown by name",
    "silent_count": "counted",
    "silent_event": "how often it occurs",
    "silent_order": "by what is usual",
    "silent_total": "added up",
    "silent_distinct": "each value once",
    "silent_head": "rows of the table that was named",
}


def derivation(reading: Reading, words: Sequence[Word], layer: SemanticLayer) -> PhraseDerivation:
    """Which words gave what."""
    parts = tuple(_part(one, words, layer) for one in reading.used)
    silent = dict.fromkeys(_SHIFTS[one] for one in reading.shifts if one in _SHIFTS)
    return PhraseDerivation(parts, tuple(silent))


def _part(used: Used, words: Sequence[Word], layer: SemanticLayer) -> PhrasePart:
    label = used.label
    inside = words[label.start : label.end]
    text = " ".join(word.text for word in inside)
    return PhrasePart(label.start, label.end, text, _meaning(label, layer))


def _meaning(label: Label, layer: SemanticLayer) -> str:
    name = _name(label, layer)
    match label.kind:
        case "value":
            return f"{name} is {label.value}"
        case "number" if isinstance(label.value, Quantity):
            return f"{label.value.number} {unit_name(label.value.unit, label.value.number)}"
        case "number" | "text":
            return str(label.value)
        case "unit":
            return f"in {unit_name(label.value)}"
        case "part":
            return f"for each {label.value}"
        case "period":
            return _period(label.value)
        case "name":
            return "name"
        case "op":
            said = _OPERATIONS.get(label.op, label.op.partition(":")[2] or label.op)
            return f"{said} by {name}" if name else said
        case _:
            return name


def _name(label: Label, layer: SemanticLayer) -> str:
    if label.thing is None:
        return ""
    if label.thing.kind == "measure":
        return layer.measure(label.thing.table).label
    table = layer.table(label.thing.table)
    if not label.thing.column:
        return table.label
    return f"{table.label} {table.column(label.thing.column).label}"


def _period(what: Period | Recurring) -> str:
    if isinstance(what, Recurring):
        return f"{what.part} {what.number}"
    return f"{what.start} to before {what.end}"
