"""Which words of a question gave which part of a program, and what was added without a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from partwise.database import phrases as M
from partwise.database.features import SchemaQuestion
from partwise.database.interpretation import Parse, constants_of
from partwise.database.layer.model import SemanticLayer
from partwise.database.meaning import TOLD
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.periods import Period, Recurring
from partwise.database.units import unit_name
from partwise.interface.prediction import PhraseDifference


class PhrasePart(NamedTuple):
    """Words that stand together, and what they gave.

    Attributes:
        start: number of the first word.
        end: number of the word after the last one.
        words: as they were typed.
        meaning: what they gave, for people: ``table customer``, ``country is Brazil``.
    """

    start: int
    end: int
    words: str
    meaning: str


@dataclass(frozen=True)
class PhraseDerivation:
    """How the words of a question gave its meaning, phrase by phrase.

    Attributes:
        parts: in the order of the words.
        silent: parts of the meaning that no word gave, for people: ``through invoice line``.
    """

    parts: tuple[PhrasePart, ...]
    silent: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "parts": [part._asdict() for part in self.parts],
            "silent": list(self.silent),
            "text": str(self),
        }

    def differences(self, other: PhraseDerivation) -> Sequence[PhraseDifference]:
        """Where another derivation of the same question takes words in another way."""
        mine, theirs = self._by_words(), other._by_words()
        places = sorted({*mine, *theirs})
        return [
            PhraseDifference(words, before, after)
            for place in places
            for words in [(mine.get(place) or theirs[place])[0]]
            for before, after in [(_given(mine.get(place)), _given(theirs.get(place)))]
            if before != after
        ]

    def _by_words(self) -> dict[tuple[int, int], tuple[str, str]]:
        return {(one.start, one.end): (one.words, one.meaning) for one in self.parts}

    def __str__(self) -> str:
        """One line a phrase."""
        wide = max((len(one.words) for one in self.parts), default=0)
        lines = [f"{one.words:{wide}}  {one.meaning}" for one in self.parts]
        return "\n".join([*lines, *(f"{'':{wide}}  {one}" for one in self.silent)])


def _given(part: tuple[str, str] | None) -> tuple[str, ...]:
    return () if part is None else (part[1],)


_OPERATIONS = {
    **{"COUNT": "number of", "EACH_COUNT": "the number of each", "PER": "for each"},
    **{"DISTINCT": "each value once", "STAR": "all columns", "YES": "yes or no"},
    **{"MISSING": "has no value", "PRESENT": "has a value"},
    **{"STARTS": "starts with", "ENDS": "ends with", "VERSUS": "beside each other"},
    **{"TOP desc": "largest first", "TOP asc": "smallest first", "OFTEN desc": "most often"},
    **{"OFTEN asc": "least often", "SORT asc": "in rising order", "SORT desc": "in falling order"},
}
"""What operations do that no column goes with."""


def explain(interpretation: Parse, asked: SchemaQuestion, layer: SemanticLayer) -> PhraseDerivation:
    """Which words gave what, and what no word said."""
    used = (asked.constants[number] for number in constants_of(interpretation.item))
    parts = []
    for constant in sorted(used, key=lambda constant: constant.start):
        text = " ".join(word.text for word in asked.words[constant.start : constant.end])
        meaning = _explained(constant, layer)
        parts.append(PhrasePart(constant.start, constant.end, text, meaning))
    silent = dict.fromkeys(TOLD[step] for step in interpretation.steps if step in TOLD)
    return PhraseDerivation(tuple(parts), tuple(silent))


def _explained(constant: M.SpanConstant, layer: SemanticLayer) -> str:
    name = item_name(constant.item, layer)
    match constant.meaning:
        case M.Falls(M.ColumnOf(table, column)) | M.Compares(M.ColumnOf(table, column)) if not name:
            item = SchemaItem("column", table, column)
            return _explained(constant._replace(item=item), layer)
        case M.PartOf(part):
            return f"{part} of {name}" if name else f"for each {part}"
        case Period() | Recurring() as period:
            return _period(period)
        case M.Falls(_, period):
            return f"{name} {_period(period)}"
        case M.Lacks():
            return f"{name} has no value"
        case M.Denies(M.Lacks()):
            return f"{name} has a value"
        case M.Compares(_, sign, M.Number(value)):
            return f"{name} {'is' if sign == '=' else sign} {value}"
        case M.OrderBy(_, descending):
            return f"{'largest' if descending else 'smallest'} first by {name}"
        case values if constant.kind == "VALUE":
            return f"{name} is {' '.join(str(value) for _, value in values)}"
        case text if constant.kind in ("NUMBER", "TEXT", "AGG", "SIGN"):
            return str(text)
        case (unit, *_) if constant.kind == "UNIT":
            return f"in {unit_name(unit)}"
        case (sign, _) if constant.kind == "COLUMN_SIGN":
            return f"{sign} by {name}"
    said = f"{constant.kind} {constant.meaning}".strip()
    return name or _OPERATIONS.get(said) or constant.role


def item_name(item: SchemaItem | None, layer: SemanticLayer) -> str:
    """What a table, a column or a measure is called."""
    if item is None:
        return ""
    if item.kind == "measure":
        return layer.measure(item.table).label
    table = layer.table(item.table)
    return f"{table.label} {table.column(item.column).label}" if item.column else table.label


def _period(what: Period | Recurring) -> str:
    if isinstance(what, Recurring):
        return f"{what.part} {what.number}"
    return f"{what.start} to before {what.end}"
