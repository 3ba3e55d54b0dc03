"""Phrases that ask for a column without its name: "who do I speak to", "what does Ann do"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer, TableInfo
from partwise.database.reading.cues import Key, key_of, lines_of
from partwise.database.reading.durations import is_stay, lasting, spans_of
from partwise.database.reading.label import EXACT, WEAK, Label
from partwise.database.reading.names import Thing
from partwise.database.reading.since import beginnings
from partwise.database.reading.text import Word, stem, stems_of

MOST_PHRASE = 5
"""The most words of a phrase."""
JOBS = ("job title", "job", "position", "role", "occupation", "profession", "function", "work")
"""What the column may be called that says what somebody does."""
_DOES = {"does", "do", "did"}
_SITES = (
    "branch venue room hall shop store hotel site location campus office showroom farm field "
    "station airport clinic depot warehouse restaurant cinema theatre theater place building "
    "gym studio court stable track plant stadium arena library museum school port harbour"
)
SITES = frozenset(stems_of(_SITES))
"""Stems of what tables of places are called."""


class Asked(NamedTuple):
    """Words that ask for a column.

    Attributes:
        op: ``phrase``; ``lasted`` for the time up to a date; ``when`` or ``where``; ``address``.
        unit: what a time is wanted in, one of `SPANS`; empty if that was not said.
        columns: all columns of an address.
    """

    start: int
    end: int
    table: str
    column: str
    op: str = "phrase"
    unit: str = ""
    columns: tuple[str, ...] = ()


class Asking:
    """The columns of a database that phrases ask for."""

    def __init__(self, layer: SemanticLayer) -> None:
        tables = [one for one in layer.tables if not one.private]
        self._of: dict[Key, list[tuple[str, str]]] = {
            key: [(table.name, one) for table in tables for one in _called(table, names)]
            for key, names in _phrases().items()
        }
        people = [one for one in tables if one.person]
        self._jobs = [
            (table.name, one) for table in people for one in _called(table, _stemmed(JOBS))
        ]
        self._sites = [
            (table.name, table.display[0])
            for table in tables
            if table.display and not table.person and SITES & {*stems_of(table.label)}
        ]
        parts = {one.name: address_of(one) for one in tables}
        self._addresses = {name: some for name, some in parts.items() if some}
        self._lasting = list(lasting(layer))
        self._stays = [ref for ref, _ in self._lasting if is_stay(layer.table(ref.table))]
        self._begins = beginnings(layer)

    def find(self, words: Sequence[Word]) -> Iterator[Asked]:
        """All phrases of a question that ask for columns."""
        stems = [word.stem for word in words]
        for start, word in enumerate(words):
            for end in range(start + 1, min(len(words), start + MOST_PHRASE) + 1):
                for table, column in self._of.get(tuple(stems[start:end]), ()):
                    yield Asked(start, end, table, column)
            if word.plain == "where":
                for table, column in self._sites:
                    yield Asked(start, start + 1, table, column, "where")
            elif word.stem == _ADDRESS and not (start and words[start - 1].stem in _NO_PLACES):
                for name, columns in self._addresses.items():
                    yield Asked(start, start + 1, name, columns[0], "address", "", columns)
        yield from self._done(words)
        yield from self._times(words)

    def _done(self, words: Sequence[Word]) -> Iterator[Asked]:
        """ "What does Ann do", "what did Ann Lee do here"."""
        plain = [word.plain for word in words]
        for at, word in enumerate(plain[2:], 2):
            if word in {"do", "doing"} and any(
                plain[before] in {"what", "whats"} and plain[before + 1] in {*_DOES, "is", "are"}
                for before in range(at - 1)
            ):
                for table, column in self._jobs:
                    yield Asked(at, at + 1, table, column)

    def _stayed(self, words: Sequence[Word]) -> Iterator[Asked]:
        """ "Length of stay", "how long do guests stay": of rows from an arrival to a departure."""
        plain = [word.plain for word in words]
        if not self._stays or not _STAYS & {*plain}:
            return
        for at in range(len(words) - 1):
            end = at
            if plain[at] in _LENGTHS and plain[at + 1] == "of" and plain[at + 2 : at + 3]:
                end = at + 3 if plain[at + 2] in _STAYS else at
            elif (plain[at] in _STAYS and plain[at + 1] in _LENGTHS) or (
                plain[at],
                plain[at + 1],
            ) == ("how", "long"):
                end = at + 2
            for ref in self._stays if end > at else ():
                yield Asked(at, end, *ref[:2], "lasted")

    def _times(self, words: Sequence[Word]) -> Iterator[Asked]:
        """ "How long was Ann with us", "how many days did order 7 take"."""
        for start, word in enumerate(words):
            if word.plain in _LENGTHS:
                for ref, _ in self._lasting:
                    yield Asked(start, start + 1, *ref[:2], "lasted")
        yield from self._stayed(words)
        for start, word in enumerate(words[:-1]):
            pair = (word.plain, words[start + 1].plain)
            if pair == ("since", "when") or (pair == ("how", "long") and _has(words, start + 2)):
                for ref in self._begins:
                    yield Asked(start, start + 2, *ref[:2], "when")
            if word.plain == "how":
                yield from self._how_long(words, start)

    def _how_long(self, words: Sequence[Word], start: int) -> Iterator[Asked]:
        """How long something lasted, where "how" begins the question for it."""
        end, unit = _unit_behind(words, start + 2)
        if words[start + 1].plain == "long" and _plain_at(words, end) in _PAST:
            for ref, person in self._lasting:
                if person and not unit:
                    yield Asked(start, end, *ref[:2], "lasted", "year")
                yield Asked(start, end, *ref[:2], "lasted", unit)
        elif words[start + 1].plain == "many":
            for code in spans_of(_plain_at(words, start + 2)):
                for ref, _ in self._lasting:
                    yield Asked(start, start + 3, *ref[:2], "lasted", code)


def asking_labels(found: Iterable[Asked]) -> Iterator[Label]:
    """What phrases ask for as labels."""
    for one in found:
        thing = Thing("column", one.table, one.column)
        match = EXACT if one.columns else WEAK
        yield Label(
            *(one.start, one.end, "column", thing, one.op, one.unit, match), columns=one.columns
        )


def address_of(table: TableInfo) -> tuple[str, ...]:
    """The columns that make an address together, in the order of the table; none where a single one
    has it, or where there is no street."""
    columns = [
        (one.name, one.label.removesuffix(" id")) for one in table.columns if not one.private
    ]
    if any(_ADDRESS in stems_of(label) for _, label in columns if label not in _STREETS):
        return ()
    found = [name for name, label in columns if label in _STREETS | _PLACES]
    return tuple(found) if any(label in _STREETS for _, label in columns) else ()


_ADDRESS = stem("address")
_STREETS = {"street", "street name", "street address", "address line 1", "address line", "road"}
_PLACES = {
    *("house number", "street number", "building number", "address line 2", "postcode"),
    *("post code", "postal code", "zip", "zip code", "city", "town", "village", "state"),
    *("county", "house no", "street no"),
}
_STAYS = {"stay", "stays", "visit", "visits"}
_NO_PLACES = frozenset(stems_of("email mail e web ip mac url"))
_LENGTHS = {"length", "duration", "durations"}
_PAST = {"was", "were", "did", "has", "have", "had", "wasnt"}
"""Words behind "how long" of what happened once; else it asks for a column or for a mean."""


def _has(words: Sequence[Word], at: int) -> bool:
    return _plain_at(words, at) in {"has", "have", "is", "are"}


def _plain_at(words: Sequence[Word], at: int) -> str:
    return words[at].plain if at < len(words) else ""


def _unit_behind(words: Sequence[Word], at: int) -> tuple[int, str]:
    """ "In days" behind "how long": where it ends, and its code; the place and nothing without."""
    spans = spans_of(_plain_at(words, at + 1)) if _plain_at(words, at) == "in" else []
    return (at + 2, spans[0]) if spans else (at, "")


def _called(table: TableInfo, names: Sequence[Key]) -> list[str]:
    """The columns of a table with the likeliest of some names that it has."""
    columns = [
        (one.name, set(stems_of(one.label)))
        for one in table.columns
        if not one.private and one.kind != "date"
    ]
    for name in names:
        same = [column for column, own in columns if set(name) == own]
        found = same or [column for column, own in columns if set(name) <= own]
        if found:
            return found[:1]
    return []


def _stemmed(names: Sequence[str]) -> list[Key]:
    return [stems_of(one) for one in names]


@cache
def _phrases() -> dict[Key, list[Key]]:
    """Phrases -> what the columns that they ask for may be called."""
    made: dict[Key, list[Key]] = {}
    for line in lines_of("asking.txt"):
        phrases, _, names = line.partition(": ")
        for one in phrases.split(", "):
            made.setdefault(key_of(one), []).extend(_stemmed(names.split(", ")))
    return made
