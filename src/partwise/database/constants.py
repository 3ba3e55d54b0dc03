"""What spans of a question may stand for: names, values, numbers, times, texts and operations.

Each source of constants is one method of `ConstantFinder`; what English words say is in
``language/lexicon.tsv``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from partwise.database.domain import DatabaseDomain
from partwise.database.phrases import (
    ColumnOf,
    Compares,
    Condition,
    Declared,
    Denies,
    Falls,
    Frame,
    Lacks,
    Lasting,
    MeasureList,
    Number,
    OrderBy,
    PartOf,
    Same,
    SpanConstant,
)
from partwise.database.spans.names import LayerNames, SchemaItem, Similarity
from partwise.database.spans.numbers import numbers_in
from partwise.database.spans.operations import (
    ANY_DATE,
    ENDS,
    LONGEST,
    SHORTEST,
    Operation,
    affixes,
    said_by,
    spelt,
    words_of_columns,
)
from partwise.database.spans.periods import PARTS, Period, on, periods_in
from partwise.database.spans.text import Word, function_words, stem, stems_of
from partwise.database.spans.types import FALSE, TRUE, types_of
from partwise.database.units import UNITS, WORDS
from partwise.execution.relational.program import SECONDS, Span

MOST_DATES, MOST_PAIRS, MOST_NOUNS, MOST_KEYS = 10, 12, 8, 10
"""How many dates, pairs of dates, columns of an operation and keys the same words get."""
LONGEST_TEXT = 3
"""The most words of a text that is not stored."""
LEAST_KEY = 100
"""The least number that may be a row's key by itself."""
_PARTLY, _ANY = 0.6, 0.5
"""How well a noun is a part of a column's name, and how well a date is any date."""
_PATTERNS = {"CONTAINS", "STARTS", "ENDS"}
_QUOTES = frozenset("\"'“‘")
Time = Span | Literal["year"]


class _Known(NamedTuple):
    item: SchemaItem
    kind: str
    names: frozenset[tuple[str, ...]]

    @property
    def column(self) -> ColumnOf:
        return ColumnOf(self.item.table, self.item.column)

    def long_stems(self) -> set[str]:
        """The stems of its names that say more than a short word does."""
        return {part for name in self.names for part in name if len(part) > 3}

    def has_word(self, some: frozenset[str]) -> bool:
        """Whether one of some words is in a name of the column."""
        return any(some.intersection(name) for name in self.names)

    def fits(self, noun: tuple[str, ...]) -> float:
        """How well a noun of the lexicon is a name of the column, from 0 to 1."""
        if noun == ANY_DATE:
            return _ANY * (self.kind == "date")
        if noun in self.names:
            return 1.0
        size = len(noun)
        return _PARTLY * any(noun in (name[-size:], name[:size]) for name in self.names)


class ConstantFinder:
    """Finds what spans of questions about one database may stand for. `names`: of the layer of the
    domain."""

    def __init__(self, domain: DatabaseDomain, names: LayerNames) -> None:
        self._layer, self._index, self._names = domain.layer, domain.index, names
        self._schema = self._layer.schema
        self.types = types_of(self._layer)
        tables = [table for table in self._layer.tables if not table.private]
        self._columns = [
            _Known(
                _item(ColumnOf(table.name, one.name)), one.kind, frozenset(map(stems_of, one.names))
            )
            for table in tables
            for one in table.columns
            if not one.private
        ]
        dates = [one for one in self._columns if one.kind == "date"]
        years = [
            one
            for one in self._columns
            if one.kind in {"number", "text"} and self._is_year(one.column)
        ]
        self._dates = [one.column for one in dates]
        self._years = [one.column for one in years]
        self._pairs = [
            (first, last)
            for first, last in combinations(self._dates, 2)
            if first.table == last.table
        ][:MOST_PAIRS]
        self._states = {
            one: one.long_stems()
            for one in self._columns
            if one.kind == "date" or self.types[one.item] == "flag"
        }
        self._lasting = {*self._states, *years}
        self._settled = [one.column for one in dates if one.has_word(words_of_columns(ENDS))]
        self._keys = [
            ColumnOf(table.name, key)
            for table in tables
            if (key := self._schema.table(table.name).key)
        ]
        self._people = [table.name for table in tables if table.person]
        self._spoken: dict[Operation, list[tuple[_Known, tuple[float, ...]]]] = {}

    def find(
        self, words: Sequence[Word], meanings: Similarity | None, today: date
    ) -> list[SpanConstant]:
        """All constants of a question. `meanings`: how alike its words and names are; None to
        compare spellings alone."""
        named = [*self._named(words, meanings), *self._stored(words)]
        told = self._told(named)
        sure = {
            at
            for one in named
            if one.kind == "VALUE" or one.match[0] == 1
            for at in range(one.start, one.end)
        }
        said = _best([*self._said(words, today), *self._superlatives(words, sure)])
        return [
            *named,
            *self._flags(named),
            *self._numbers(words, told),
            *self._units(words),
            *self._periods(words, today, told),
            *self._stated(words),
            *said,
            *self._texts(words, sure, [one for one in said if one.kind in _PATTERNS]),
        ]

    def _named(self, words: Sequence[Word], meanings: Similarity | None) -> Iterator[SpanConstant]:
        """Names of tables, columns and measures."""
        for one in self._names.find(words, meanings):
            how = (float(one.exact), one.covered, float(one.first), one.typed, one.alike, 0.0, 0.0)
            match, item = (*how, one.end - one.start - 1.0), one.thing
            span, type_ = (one.start, one.end), self.types[item]
            match item.kind:
                case "table":
                    yield SpanConstant(*span, "TABLE", item.table, "table", item, match, type_)
                case "column":
                    yield SpanConstant(*span, "COLUMN", _column(item), "column", item, match, type_)
                case _:
                    figures = MeasureList((Declared(item.table),))
                    yield SpanConstant(*span, "MEASURE", figures, "measure", item, match, type_)

    def _stored(self, words: Sequence[Word]) -> Iterator[SpanConstant]:
        """Stored values, each in each place that has it."""
        for one in self._index.find([word.text for word in words]):
            share = 1 / max(1, len(one.places) + len(one.people))
            how = (float(one.score == 1), 1.0, 0.0, one.score, one.score, 0.0, share)
            match = (*how, one.end - one.start - 1.0)
            values: list[tuple[tuple[ColumnOf, str], ...]] = [
                ((ColumnOf(*place), one.text),) for place in one.places
            ]
            values += [
                tuple(
                    (ColumnOf(person.table, column), value)
                    for column, value in zip(person.columns, person.values, strict=True)
                )
                for person in one.people
            ]
            span = (one.start, one.end, "VALUE")
            for meaning in values:
                item = _item(meaning[0][0])
                type_ = "name" if len(meaning) > 1 else self.types.get(item)
                if type_ is not None:
                    yield SpanConstant(*span, meaning, "value", item, match, type_)

    def _flags(self, named: Iterable[SpanConstant]) -> Iterator[SpanConstant]:
        """The name of a flag says that it holds, or that it does not."""
        for one in named:
            if one.kind == "COLUMN" and one.type == "flag":
                for truth in (True, False):
                    holds, role = self._holds(one.meaning, truth), f"flag {str(truth).lower()}"
                    yield one._replace(kind="CONDITION", meaning=holds, role=role)

    def _numbers(self, words: Sequence[Word], told: Sequence[str]) -> Iterator[SpanConstant]:
        """Numbers; a long one may be the key of a row: "balance 7506"."""
        keys = sorted(self._keys, key=lambda key: key.table not in told)[:MOST_KEYS]
        for start, end, value in numbers_in(words):
            yield SpanConstant(start, end, "NUMBER", value, "number")
            digits = words[start].plain[:1].isdigit()
            if not (isinstance(value, int) and value >= LEAST_KEY and digits):
                continue
            for place, key in enumerate(keys, 1):
                match = _match(float(key.table in told), 1 / place)
                meaning = Compares(key, "=", Number(value))
                role = "number as key"
                yield SpanConstant(start, end, "CONDITION", meaning, role, _item(key), match, "id")

    def _units(self, words: Sequence[Word]) -> Iterator[SpanConstant]:
        """Units beside a number: "120 minutes", "$5"."""
        beside = {at for start, end, _ in numbers_in(words) for at in (start - 1, end)}
        for at in sorted(beside.intersection(range(len(words)))):
            if codes := WORDS.get(words[at].plain):
                yield SpanConstant(at, at + 1, "UNIT", codes, "unit")

    def _periods(
        self, words: Sequence[Word], today: date, told: Sequence[str]
    ) -> Iterator[SpanConstant]:
        """Periods, alone and in dates that no word names: of what is told, or linked with it."""
        links = [{link.table, link.target} for link in self._schema.links]
        beside = [other for table in told for link in links if table in link for other in link]
        tables = dict.fromkeys([*told, *sorted(beside)])
        for start, end, what in periods_in(words, today):
            year = isinstance(what, Period) and what.year_only
            yield SpanConstant(start, end, "PERIOD", what, "period year" if year else "period")
            every = [*self._dates, *(self._years if year else ())]
            near = [column for table in tables for column in every if column.table == table]
            near = near or self._dates
            for column in near[:MOST_DATES]:
                usual = self._layer.table(column.table).date == column.name
                match = _match(float(usual), 1 / len(near), end - start)
                kind, meaning, item = "CONDITION", Falls(column, what), _item(column)
                yield SpanConstant(start, end, kind, meaning, "period silent", item, match, "date")

    def _stated(self, words: Sequence[Word]) -> Iterator[SpanConstant]:
        """States: "unpaid", "signed": whether a date is there, or whether a flag holds."""
        for at, word in enumerate(words):
            forms = [(word.stem, True)] if _ends(word, "state") else []
            forms += [
                (stem(word.plain.removeprefix(prefix).lstrip("-")), False)
                for prefix, _ in affixes().prefixes
                if word.plain.startswith(prefix) and len(word.plain) > SHORTEST
            ]
            for form, truth in forms:
                for known, parts in self._states.items():
                    if form in parts:
                        role, meaning = "state" if truth else "state not", self._is_so(known, truth)
                        type_ = self.types[known.item]
                        span = (at, at + 1, "CONDITION")
                        yield SpanConstant(*span, meaning, role, known.item, _match(), type_)

    def _texts(
        self, words: Sequence[Word], sure: set[int], patterns: Sequence[SpanConstant]
    ) -> Iterator[SpanConstant]:
        """What is in quotes or has a capital, though no name or value; a word of a pattern."""
        behind = {one.end for one in patterns if one.end > one.start + 1}
        for at, word in enumerate(words):
            if not at:
                continue
            quoted, little = words[at - 1].text in _QUOTES, word.plain in function_words()
            begins = word.text[:1].isupper() or (quoted and word.text[:1].isalnum())
            if begins and not little and at not in sure:
                for end in range(at + 1, min(len(words), at + LONGEST_TEXT) + 1):
                    yield SpanConstant(at, end, "TEXT", _written(words[at:end]), "text")
            elif patterns and word.plain[:1].isalnum() and (quoted or at in behind or not little):
                yield SpanConstant(at, at + 1, "TEXT", word.text, "text")

    def _superlatives(self, words: Sequence[Word], sure: set[int]) -> Iterator[SpanConstant]:
        """Words that end as superlatives do, though no row of the lexicon has them."""
        for at, word in enumerate(words):
            if at not in sure and _ends(word, "top") and not said_by([word], [word.stem]):
                yield SpanConstant(at, at + 1, "TOP", "desc", "superlative unknown", match=_match())

    def _said(self, words: Sequence[Word], today: date) -> Iterator[SpanConstant]:
        """Operations, with what they speak of."""
        stems = [spelt(word, self._names.known(word.stem)) for word in words]
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + LONGEST) + 1):
                for said in said_by(words[start:end], stems[start:end]):
                    if start and said.first:
                        continue
                    if said.name == "elapsed":
                        yield from self._elapsed(start, end, words)
                    elif said.name == "people":
                        yield from self._who(start, end)
                    elif said.name == "part":
                        yield from self._parts(start, end, said)
                    elif said.nouns:
                        yield from self._of_nouns(start, end, said, today)
                    else:
                        yield _bare(start, end, said, f"{said.name} {said.argument}")

    def _elapsed(self, start: int, end: int, words: Sequence[Word]) -> Iterator[SpanConstant]:
        """The times between two dates of a row."""
        units = (_unit(word.plain) for word in words)
        unit: Time = next((unit for unit in units if unit), "day")
        match = _match(0.0, 1 / max(1, len(self._pairs)), end - start)
        for first, last in self._pairs:
            meaning = Lasting(unit, first.name, last.table, last.name)
            yield SpanConstant(
                start, end, "COLUMN", meaning, "elapsed", _item(last), match, "number"
            )

    def _who(self, start: int, end: int) -> Iterator[SpanConstant]:
        match = _match(1.0, 1 / max(1, len(self._people)), end - start)
        for table in self._people:
            item = SchemaItem("table", table)
            yield SpanConstant(start, end, "TABLE", table, "who", item, match, "person")

    def _parts(self, start: int, end: int, said: Operation) -> Iterator[SpanConstant]:
        """A part of each date."""
        match, role = _match(words=end - start), f"part {said.argument}"
        for column in self._dates:
            meaning = PartOf(said.argument, column.table, column.name)  # type: ignore[arg-type]
            yield SpanConstant(start, end, "COLUMN", meaning, role, _item(column), match, "date")

    def _of_nouns(
        self, start: int, end: int, said: Operation, today: date
    ) -> Iterator[SpanConstant]:
        """An operation with each column that it may speak of; a degree also without any."""
        if said.name in {"top", "sign"}:
            yield _bare(start, end, said, f"bare {_degree(said)}")
        for known, (rank, share) in self._columns_of(said):
            match, type_ = _match(rank, share, end - start), self.types[known.item]
            for kind, meaning, role in self._composed(said, known, today):
                yield SpanConstant(start, end, kind, meaning, role, known.item, match, type_)

    def _composed(
        self, said: Operation, known: _Known, today: date
    ) -> Iterator[tuple[str, object, str]]:
        """What an operation is with a column: kind, meaning and role."""
        column, is_date = known.column, self.types[known.item] == "date"
        match said.name:
            case "top":
                yield "ORDER", OrderBy(column, said.argument == "desc", 1), _degree(said)
            case "sign":
                yield "COLUMN_SIGN", (said.argument, column), _degree(said)
            case "open" | "done" if known in self._lasting:
                yield "CONDITION", self._is_so(known, said.name == "done"), said.name
            case "coming" if is_date:
                yield "CONDITION", Falls(column, on(today), ">="), "coming"
            case "past" if is_date:
                gone = Falls(column, on(today), "<")
                yield "CONDITION", gone, "past"
                for done in self._settled:
                    if done.table == column.table and done != column:
                        yield "FRAGMENT", Frame(conditions=(Lacks(done), gone)), "past and open"
                        yield "CONDITION", Compares(done, ">", Same(column)), "done late"
            case "ask" | "where" | "when":
                yield "COLUMN", column, said.name

    def _columns_of(self, said: Operation) -> list[tuple[_Known, tuple[float, ...]]]:
        """The columns that the nouns of an operation fit best, with how good each is and its share
        of all that fit."""
        if said not in self._spoken:
            every = [
                (known, max(known.fits(noun) / at for at, noun in enumerate(said.nouns, 1)))
                for known in self._columns
            ]
            fit = sorted((one for one in every if one[1]), key=lambda one: -one[1])
            best = fit[:MOST_NOUNS]
            self._spoken[said] = [(known, (rank, 1 / len(fit))) for known, rank in best]
        return self._spoken[said]

    def _is_so(self, known: _Known, truth: bool) -> Condition:
        """That a flag holds, or that a date is there; or that this is not so."""
        if self.types[known.item] == "flag":
            return self._holds(known.column, truth)
        return Denies(Lacks(known.column)) if truth else Lacks(known.column)

    def _holds(self, flag: ColumnOf, truth: bool) -> Condition:
        """That a column says yes, or no, as it is stored there."""
        info, forms = self._layer.column(flag.table, flag.name), TRUE if truth else FALSE
        stored: object = next(
            (one for one in info.values if one.lower() in forms), forms[1][0].upper()
        )
        if info.kind in {"boolean", "number"}:
            stored = truth if info.kind == "boolean" else int(truth)
        return Compares(flag, "=", Number(stored))

    def _told(self, named: Iterable[SpanConstant]) -> list[str]:
        """Tables that are spoken of: of names, values and measures."""
        items = [
            one.item for one in named if one.item and (one.kind != "COLUMN" or one.match[0] == 1)
        ]
        tables = (
            self._layer.measure(one.table).table if one.kind == "measure" else one.table
            for one in items
        )
        return list(dict.fromkeys(tables))

    def _is_year(self, column: ColumnOf) -> bool:
        label = self._layer.column(column.table, column.name).label
        return any(PARTS.get(word) == "year" for word in label.split())


def _best(constants: Iterable[SpanConstant]) -> list[SpanConstant]:
    """Those that several rows of the lexicon make, once, as well as they fit."""
    made: dict[tuple[object, ...], SpanConstant] = {}
    for one in constants:
        key = (one.start, one.end, one.role, one.kind, one.meaning)
        if key not in made or made[key].match < one.match:
            made[key] = one
    return list(made.values())


def _item(column: ColumnOf) -> SchemaItem:
    return SchemaItem("column", column.table, column.name)


def _column(item: SchemaItem) -> ColumnOf:
    return ColumnOf(item.table, item.column)


def _match(rank: float = 0.0, share: float = 0.0, words: int = 1) -> tuple[float, ...]:
    """How an operation fits: see `phrases.MATCH`."""
    return (0.0, 0.0, 0.0, 0.0, 0.0, rank, share, words - 1.0)


def _bare(start: int, end: int, said: Operation, role: str) -> SpanConstant:
    """An operation by itself."""
    match, kind = _match(words=end - start), said.name.upper()
    return SpanConstant(
        start, end, kind, said.argument, role.replace("_", " ").strip(), match=match
    )


def _degree(said: Operation) -> str:
    return f"{'superlative' if said.name == 'top' else 'comparative'} {said.argument}"


def _ends(word: Word, name: str) -> bool:
    """Whether a word has an end that says an operation."""
    long = len(word.plain) > SHORTEST or name == "state"
    return long and any(
        word.plain.endswith(suffix) for suffix, said in affixes().suffixes if said.name == name
    )


def _unit(word: str) -> Time | None:
    """The unit of time that a word is, if it is one."""
    if PARTS.get(word) == "year":
        return "year"
    units = {UNITS[code].one for code in WORDS.get(word, ()) if len(word) > 1}
    return next((unit for unit in SECONDS if unit in units), None)


def _written(words: Sequence[Word]) -> str:
    """Words as they stand in the question."""
    text = words[0].text
    for last, word in pairwise(words):
        text += " " * (word.start > last.end) + word.text
    return text
