"""What each span of a question may be: the labels that a reading chooses from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple, Protocol

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.ages import ages_in, birth_dates
from partwise.database.reading.asking import Asking
from partwise.database.reading.beside import besides, ends_there
from partwise.database.reading.cues import (
    adjectives,
    cue_words,
    cues,
    function_words,
    longest_cue,
)
from partwise.database.reading.degrees import degree_at, leads
from partwise.database.reading.durations import pairs_of
from partwise.database.reading.families import Families
from partwise.database.reading.frame import Ref
from partwise.database.reading.names import TYPO, Meanings, Named, Names, Thing, ratio
from partwise.database.reading.numbers import numbers_in
from partwise.database.reading.owned import Owned
from partwise.database.reading.parties import who_what
from partwise.database.reading.periods import PARTS, periods_in
from partwise.database.reading.rates import is_of_rate, is_rate, rate_at
from partwise.database.reading.sorts import sorts
from partwise.database.reading.staff import headcounts
from partwise.database.reading.states import States
from partwise.database.reading.text import Word, stems_of
from partwise.database.reading.types import types_of
from partwise.database.reading.ways import Ways
from partwise.database.units import UNITS, factor
from partwise.database.units import WORDS as UNIT_WORDS

CURRENCIES = {"$", "€", "£", "¥"}
TEXTS = {"contains", "starts", "ends"}
"""Operations on texts."""
PLACES = {"city", "country", "address", "location", "place", "town", "venue", "region", "state"}
"""Stems are not needed: these are whole words of columns that answer "where"."""
ANY_DATE = ("*",)
"""In a list of what an adjective may speak of: any date."""
SAYS = {"is", "are", "was", "were", "not", "=", "of", "as", "equals", "called", "named", "to"}
"""Words behind which a value may stand, although it is not stored."""
EITHER = {"more": "desc", "fewer": "asc", "less": "asc"}
"""Words behind which one of two is asked for."""
PEOPLE = {
    "who",
    "whos",
    "people",
    "person",
    "persons",
    "everybody",
    "everyone",
    "anyone",
    "anybody",
}
"""Words that speak of people, whatever their table is called."""
PER_SPAN = 6
"""The most names that one span is taken for."""
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’"}


class ValueFinder(Protocol):
    """Finds stored values in questions; `partwise.database.source.values.ValueIndex` is one."""

    def find(self, words: Sequence[str]) -> Sequence[Any]:
        """Matches with `start`, `end`, `text`, `places` (table, column) and `score`."""
        ...


@dataclass(frozen=True, slots=True)
class Label:
    """What a span is taken for.

    Attributes:
        start: its first word.
        end: behind its last word.
        kind: ``table``, ``column``, ``measure``, ``value``, ``number``, ``period``, ``text``,
            ``name`` (what names a row), ``unit``, ``part`` (of a date), ``age`` (as a period of
            birth), ``state`` (conditions that a state sets) or ``op``.
        thing: the table, column or measure; the column of a value; what an adjective speaks of.
        op: the operation, of an adjective too.
        value: of a value (its text), a number, a period or a text.
        match: how well the words fit, as `MATCH` names the figures.
        columns: further columns of a value: of a person's name in two columns.
        values: the parts of the value, one for each column, where there are several.
        via: of a value, the link that leads to its row, where one of several was said.
        type: what `thing` is, one of `types.TYPES`.
        beside: whether it stands behind "and" or "with".
    """

    start: int
    end: int
    kind: str
    thing: Thing | None = None
    op: str = ""
    value: Any = None
    match: tuple[float, ...] = ()
    columns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    via: tuple[str, str] | None = None
    type: str = ""
    beside: bool = False


MATCH = ("exact", "covered", "first", "typed", "alike", "rank", "places")
"""The figures of a match: those of `Named`, how soon an adjective's list has the column (from 1
down), and one over the number of columns that hold a value."""


class Labeller:
    """Finds the labels of questions about one database.

    Args:
        values: finds stored values.
    """

    def __init__(self, layer: SemanticLayer, values: ValueFinder) -> None:
        self.layer, self.values = layer, values
        self.names, self.types = Names(layer), types_of(layer)
        self._ways, self._births = Ways(layer), birth_dates(layer)
        self._families, self._owned = Families(layer), Owned(layer)
        self._asking = Asking(layer)
        self._deadlines, self._states = list(pairs_of(layer)), States(layer)
        self._columns = [
            (table, column)
            for table in layer.tables
            for column in table.columns
            if not table.private and not column.private
        ]
        self._texts = {
            Thing("column", table.name, column.name)
            for table, column in self._columns
            if column.kind == "text" and not column.enumeration
            if column.name not in table.display
        }
        self._preferred = {
            (table.name, column.name) for table, column in self._columns if column.prefer
        }

    def labels(
        self, words: Sequence[Word], today: date, meanings: Meanings | None = None
    ) -> list[list[Label]]:
        """The labels that begin at each word.

        Args:
            meanings: how alike words and names are, for names that nobody listed.
        """
        result: list[list[Label]] = [[] for _ in words]
        near = besides(words)
        for one in self._all(words, today, meanings):
            known = "" if one.thing is None else self.types[one.thing]
            beside = one.kind in {"column", "table"} and one.start in near
            result[one.start].append(replace(one, type=known, beside=beside))
        return result

    def _all(
        self, words: Sequence[Word], today: date, meanings: Meanings | None
    ) -> Iterator[Label]:
        named = list(self._named(words, meanings))
        yield from named
        values = list(self._valued(words))
        values += [
            replace(one, via=link)
            for one in values
            if one.thing is not None
            for link in self._ways.said(words, one.start, one.thing.table)
        ]
        yield from values
        yield from self._stated(words, today, [*named, *values])
        stored = {at for one in values if one.match[0] for at in range(one.start, one.end)}
        yield from self._operations(words, stored)
        yield from self._counted(words)
        yield from self._degrees(words)
        for start, end, said, table, column in self._ways.bosses(words):
            yield Label(start, end, "column", Thing("column", table, column), said, match=_BOSS)
        yield from self._phrases(words)
        yield from self._asked(words)
        yield from _quoted(words)
        yield from self._parted(words, stored)
        if any(TEXTS & {*cues().get((word.stem,), ())} for word in words):
            yield from _bare(words)
        yield from self._literal(words, stored)
        yield from _numbers(words)
        yield from _parts(words)
        for aged in ages_in(self._births, words, today):
            thing = Thing("column", aged.table, aged.column)
            op = "aged" if aged.said else ""
            yield Label(aged.start, aged.end, "age", thing, op, aged.born)
        for one in periods_in(words, today):
            yield Label(one.start, one.end, "period", value=one.what)

    def _phrases(self, words: Sequence[Word]) -> Iterator[Label]:
        """Phrases that ask for columns, or that say how rows of one table, or two, are related."""
        for start, end, table, column, other in self._owned.find(words):
            thing = Thing("column", table, column)
            yield Label(start, end, "column", thing, "own", Ref(*other), match=_BOSS)
        for said in self._families.find(words):
            thing = Thing("column", said.table, said.column)
            yield Label(said.start, said.end, "column", thing, said.op, match=_BOSS)
        for asked in self._asking.find(words):
            thing = Thing("column", asked.table, asked.column)
            yield Label(
                *(asked.start, asked.end, "column", thing, asked.op), asked.unit, match=_WEAK
            )

    def _named(self, words: Sequence[Word], meanings: Meanings | None) -> Iterator[Label]:
        of_span: dict[tuple[int, int, str], list[Named]] = {}
        for one in self.names.find(words, meanings):
            of_span.setdefault((one.start, one.end, one.thing.kind), []).append(one)
        said = {
            one.thing.table
            for some in of_span.values()
            for one in some
            if one.thing.kind == "table"
        }
        whole = {(start, end) for (start, end, _), some in of_span.items() if _exact(some)}
        for at, table, column in sorts(self.layer, words, said):
            thing = Thing("column", table, column)
            if thing not in {one.thing for one in of_span.get((at, at + 1, "column"), ())}:
                yield Label(at, at + 1, "column", thing, "sort", match=_WEAK)
        for (start, end, _), some in of_span.items():
            # Where words are just a name, nothing has to be guessed by their meaning.
            if (start, end) in whole:
                some = [one for one in some if one.covered > 0]
            # An "id" is sooner one of a table that is said.
            best = sorted(some, key=lambda one: (-one.quality, one.thing.table not in said))
            for one in best[:PER_SPAN]:
                match = (float(one.exact), one.covered, float(one.first), one.typed, one.alike)
                yield Label(one.start, one.end, one.thing.kind, one.thing, match=(*match, 0.0, 0.0))

    def _valued(self, words: Sequence[Word]) -> Iterator[Label]:
        said = self._said(words) if self._preferred else set()
        for one in self.values.find([word.text for word in words]):
            people = getattr(one, "people", ())
            places = one.places
            if self._preferred & set(places):
                places = [place for place in places if place in self._preferred | said]
            share = 1 / max(1, len(places) + len(people))
            match = (float(one.score == 1), 1.0, 0.0, one.score, one.score, 0.0, share)
            for table, column in places:
                thing = Thing("column", table, column)
                yield Label(one.start, one.end, "value", thing, value=one.text, match=match)
            for person in people:
                thing = Thing("column", person.table, person.columns[0])
                yield Label(
                    *(one.start, one.end, "value", thing),
                    value=one.text,
                    match=match,
                    columns=tuple(person.columns),
                    values=tuple(person.values),
                )

    def _said(self, words: Sequence[Word]) -> set[tuple[str, str]]:
        """The columns that are named, and those that name the rows of tables that are."""
        named = {one.thing for one in self.names.find(words) if one.exact}
        return {
            (table.name, column.name)
            for table, column in self._columns
            if Thing("column", table.name, column.name) in named
            or (Thing("table", table.name) in named and column.name in table.display)
        }

    def _stated(
        self, words: Sequence[Word], today: date, known: Sequence[Label]
    ) -> Iterator[Label]:
        """States that are said without a column, first of the tables that the words speak of."""
        whole = [one for one in known if one.thing is not None and one.match[0] == 1.0]
        said = {one.thing.table for one in whole if one.thing and one.kind in {"table", "value"}}
        people = {one.name for one in self.layer.tables if one.person}
        who = people if any(one.plain in PEOPLE for one in words) else set()
        tables = (said | who) or {one.thing.table for one in whole if one.thing}
        for one in self._states.find(words, today, tables):
            thing = Thing("column", *one.ref[:2])
            match = (float(one.near), 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)
            yield Label(one.start, one.end, "state", thing, one.role, one.conds, match)

    def _counted(self, words: Sequence[Word]) -> Iterator[Label]:
        """Units, of each column that counts in them: "total tonnes", "how many hours"."""
        for at in range(len(words)):
            if self.names.label(words[at].stem):
                continue
            for code in _units(words, at):
                for table, column in self._columns:
                    if column.kind == "number" and factor(column.unit, code) is not None:
                        thing = Thing("column", table.name, column.name)
                        yield Label(at, at + 1, "column", thing, "unit", code, _WEAK)

    def _degrees(self, words: Sequence[Word]) -> Iterator[Label]:
        """ "How big", of each column that it may speak of."""
        for at in range(len(words)):
            if (degree := degree_at(words, at)) is not None:
                for one in self._speaking_of(at, at + 2, degree.op, degree.names):
                    yield replace(one, kind="column", op="degree")

    def _operations(self, words: Sequence[Word], stored: Set[int] = frozenset()) -> Iterator[Label]:
        """Cues and adjectives; a word of a stored value is none that is misspelt."""
        stems = [word.stem if at in stored else self._cue(word) for at, word in enumerate(words)]
        yield from _either(words)
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + longest_cue()) + 1):
                key = _without_the(stems[start:end])
                for op in cues().get(key, ()):
                    if op.startswith("late"):
                        for pair in self._deadlines:
                            yield Label(start, end, "op", op=op, value=pair)
                    else:
                        yield Label(start, end, "op", op=op)
                for number, adjective in enumerate(adjectives().get(_apart(key), ())):
                    last = end == len(words) or not self.names.of_column(words[end].stem)
                    plain = not number and adjective.op.startswith("dir")
                    if (
                        plain
                        and adjective.op not in cues().get(key, ())
                        and leads(words, end, not last)
                    ):
                        yield Label(start, end, "op", op=adjective.op)
                    yield from self._speaking_of(start, end, adjective.op, adjective.names)

    def _literal(self, words: Sequence[Word], stored: Set[int]) -> Iterator[Label]:
        """Words that look like a value, although none is stored: names and codes, and what stands
        behind "is" and the like."""
        for start, word in enumerate(words):
            if start == 0 or not self._may_be_literal(word) or start in stored:
                continue
            before = words[start - 1]
            if before.plain in SAYS or _code(word):
                yield Label(start, start + 1, "text", op="said", value=word.text)
            end = start + 1
            if start > 1 and _code(before) and self._may_be_literal(before):
                continue
            while end < len(words) and _code(words[end]) and self._may_be_literal(words[end]):
                end += 1
            if end > start + 1 and _code(word):
                yield Label(start, end, "text", op="said", value=_spelt(words[start:end]))

    def _parted(self, words: Sequence[Word], stored: Set[int]) -> Iterator[Label]:
        """Unknown words in front of a column of texts, as a part of them: "a yahoo address"."""
        for one in self.names.find(words):
            at = one.start - 1
            if not one.exact or one.thing not in self._texts or at < 0 or at in stored:
                continue
            if self._may_be_literal(words[at]):
                yield Label(at, one.end, "text", one.thing, "part", words[at].text, _WEAK)

    def _may_be_literal(self, word: Word) -> bool:
        little = word.stem in function_words() or word.stem in cue_words()
        return word.text[:1].isalpha() and not little and not self.names.known(word.stem)

    def _cue(self, word: Word) -> str:
        """The stem of a word, of a misspelt one that of the cue that it is closest to."""
        known = cue_words()
        if word.stem in known or len(word.stem) < 5 or self.names.known(word.stem):
            return word.stem
        near = [one for one in known if len(one) > 3 and one[0] == word.stem[0]]
        score, closest = max(((ratio(word.stem, one), one) for one in near), default=(0.0, ""))
        return closest if score >= TYPO else word.stem

    def _speaking_of(
        self, start: int, end: int, op: str, names: Sequence[tuple[str, ...]]
    ) -> Iterator[Label]:
        """An adjective, of each column that it may speak of."""
        for table, column in self._columns:
            if column.kind not in {"number", "date"}:
                continue
            own = [stems_of(name) for name in column.names]
            ranks = [
                (1 - 0.5 * number / len(names)) * (1.0 if name in own else 0.7)
                for number, name in enumerate(names)
                if _of_kind(name, column) or any(name and set(name) <= set(one) for one in own)
            ]
            if ranks:
                thing = Thing("column", table.name, column.name)
                match = (0.0, 0.0, 0.0, 1.0, 0.0, max(ranks), 0.0)
                yield Label(start, end, "op", thing, op, match=match)

    def _asked(self, words: Sequence[Word]) -> Iterator[Label]:
        """What "who", "when", "where" and "headcount" ask for."""
        for start, end in who_what(words):
            yield Label(start, end, "op", op="who_what")
        for at in range(len(words)):
            if said := rate_at(words, at):
                for table, column in self._columns:
                    if is_of_rate(column, said):
                        thing = Thing("column", table.name, column.name)
                        yield Label(at, at + 2, "column", thing, "rate", match=_WEAK)
        for start, end, name in headcounts(self.layer, words):
            yield Label(start, end, "table", Thing("table", name), "headcount", match=_WEAK)
        for start, word in enumerate(words):
            if word.plain in {"who", "whos", "whom", "whose"}:
                for table in self.layer.tables:
                    if table.person and not table.private:
                        thing = Thing("table", table.name)
                        yield Label(start, start + 1, "table", thing, "who", match=_WEAK)
            elif word.plain == "what" and ends_there(words, start):
                for table in self.layer.tables:
                    if table.display and not (table.person or table.private):
                        thing = Thing("table", table.name)
                        yield Label(start, start + 1, "table", thing, "what", match=_WEAK)
            elif word.stem == "name":
                begin = start - (start > 0 and words[start - 1].plain in {"full", "complete"})
                yield Label(begin, start + 1, "name")
            elif word.plain in {"when", "where"}:
                for table, column in self._columns:
                    if _answers(word.plain, table, column):
                        thing = Thing("column", table.name, column.name)
                        yield Label(start, start + 1, "column", thing, word.plain, match=_WEAK)


def _of_kind(name: tuple[str, ...], column: ColumnInfo) -> bool:
    """Whether a column is of a kind that stands in place of a name: any date, or any number that
    measures such a quantity."""
    if name == ANY_DATE:
        return column.kind == "date"
    unit = UNITS.get(column.unit or "")
    return unit is not None and name == (f"@{unit.quantity}",) and column.kind == "number"


def _without_the(stems: Sequence[str]) -> tuple[str, ...]:
    """Stems as they are looked up: "earns the most" is "earns most" where only that is listed."""
    whole = tuple(stems)
    if whole in cues() or whole in adjectives() or "the" not in whole[1:-1]:
        return whole
    return (whole[0], *(one for one in whole[1:] if one != "the"))


def _apart(key: tuple[str, ...]) -> tuple[str, ...]:
    """Stems with the parts of words that have a hyphen: "longest-serving", "best-paid"."""
    if not any("-" in one[1:-1] for one in key):
        return key
    return tuple(part for one in key for part in stems_of(one.replace("-", " ")))


def _either(words: Sequence[Word]) -> Iterator[Label]:
    """ "More" and "less" of two: "who has more orders, Ann or Bob", "did we sell more in 2023 or
    2024"."""
    plain = [word.plain for word in words]
    if "than" in plain or "or" not in plain:
        return
    for at, word in enumerate(plain[: plain.index("or")]):
        if word in EITHER:
            yield Label(at, at + 1, "op", op=f"either:{EITHER[word]}")


def _exact(some: Sequence[Named]) -> bool:
    return any(one.exact and one.typed == 1 for one in some)


_BOSS = (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)
_WEAK = (0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)


def _code(word: Word) -> bool:
    """Whether a word is written as names and codes are: "Ada", "PIT", "B12"."""
    return word.text[:1].isupper() or any(one.isdigit() for one in word.text)


def _answers(word: str, table: TableInfo, column: ColumnInfo) -> bool:
    if word == "when":
        return column.kind == "date" or "year" in column.label.split()
    return column.kind == "text" and bool(PLACES & set(column.label.split()))


class Quantity(NamedTuple):
    """A number with its unit, a code of `partwise.database.units`."""

    number: int | float
    unit: str


def _numbers(words: Sequence[Word]) -> Iterator[Label]:
    """Numbers, with their unit if one stands there; and units on their own, as in "in minutes"."""
    found = {number.start: number for number in numbers_in(words)}
    for number in found.values():
        yield Label(number.start, number.end, "number", value=number.value)
        for code in _units(words, number.end):
            value = Quantity(number.value, code)
            yield Label(number.start, number.end + 1, "number", value=value)
        for code in _units(words, number.start - 1) if number.start else ():
            if words[number.start - 1].plain in CURRENCIES:
                value = Quantity(number.value, code)
                yield Label(number.start - 1, number.end, "number", value=value)
    for at in range(len(words)):
        for code in _units(words, at):
            yield Label(at, at + 1, "unit", op="unit", value=code)
            if at and is_rate(words, at - 1):
                yield Label(at - 1, at + 1, "op", op="rate")
            elif at and words[at - 1].plain in {"a", "an", "one", "1"}:
                yield Label(at - 1, at + 1, "number", value=Quantity(1, code))
            if at > 1 and words[at - 2].plain == "half" and words[at - 1].plain in {"a", "an"}:
                yield Label(at - 2, at + 1, "number", value=Quantity(0.5, code))


def _units(words: Sequence[Word], at: int) -> tuple[str, ...]:
    return UNIT_WORDS.get(words[at].plain, ()) if 0 <= at < len(words) else ()


def _parts(words: Sequence[Word]) -> Iterator[Label]:
    """Parts of dates that groups are made by: "per year", "monthly"."""
    for at, word in enumerate(words):
        if word.plain in PARTS:
            adverb = word.plain.endswith("ly") or word.plain == "annual"
            yield Label(at, at + 1, "part", op="adverb" if adverb else "", value=PARTS[word.plain])


def _quoted(words: Sequence[Word]) -> Iterator[Label]:
    """Texts in quotes."""
    for start, word in enumerate(words):
        if word.text in _QUOTES:
            for end in range(start + 1, min(len(words), start + 12)):
                if words[end].text == _QUOTES[word.text]:
                    if end > start + 1:
                        yield Label(start, end + 1, "text", value=_spelt(words[start + 1 : end]))
                    break


def _bare(words: Sequence[Word]) -> Iterator[Label]:
    """Words that something may contain, without quotes."""
    for start, word in enumerate(words):
        if word.text[:1].isalpha() and (len(word.text) == 1 or word.stem not in function_words()):
            yield Label(start, start + 1, "text", op="bare", value=word.text)
        if word.text == "@" and start + 1 < len(words):
            yield Label(start, start + 2, "text", op="bare", value="@" + words[start + 1].text)


def _spelt(words: Sequence[Word]) -> str:
    """Words as they were typed, with the blanks between them."""
    text = ""
    for number, word in enumerate(words):
        gap = number and word.start > words[number - 1].end
        text += (" " if gap else "") + word.text
    return text
