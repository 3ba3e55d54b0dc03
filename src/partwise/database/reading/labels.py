"""What each span of a question may be: the labels that a reading chooses from."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import is_plan
from partwise.database.reading.beside import besides, ends_there
from partwise.database.reading.label import COVERED, WEAK, Label
from partwise.database.reading.literals import (
    Literals,
    behind_texts,
    quoted_parts,
)
from partwise.database.reading.named_labels import NamedLabels
from partwise.database.reading.operators import Operators
from partwise.database.reading.people import (
    headcounts,
    of_people_said,
    titled,
    who_what,
)
from partwise.database.reading.places import places_in
from partwise.database.reading.stored import (
    alike_beside_or,
    behind_their_table,
    says,
)
from partwise.database.reading.totals import sold_in
from partwise.database.reading.value_labels import ValueFinder, ValueLabels
from partwise.database.reading.who import Who
from partwise.database.spans.names import LayerNames, Meanings, Named, SchemaItem
from partwise.database.spans.periods import is_amount, periods_in
from partwise.database.spans.text import Word
from partwise.database.spans.types import types_of

PLACES = {"city", "country", "address", "location", "place", "town", "venue", "region", "state"}
"""Stems are not needed: these are whole words of columns that answer "where"."""
PART = 0.75
"""The least score of a part of a name that is spelt right."""


class Labeller:
    """Finds the labels of questions about one database.

    Args:
        values: finds stored values.
    """

    def __init__(self, layer: SemanticLayer, values: ValueFinder) -> None:
        self.layer, self.values = layer, values
        self.names, self.types = LayerNames(layer), types_of(layer)
        self._columns = [
            (table, column)
            for table in layer.tables
            for column in table.columns
            if not table.private and not column.private
        ]
        texts = {
            SchemaItem("column", table.name, column.name)
            for table, column in self._columns
            if column.kind == "text" and not column.enumeration
            if column.name not in table.display
        }
        self._stored = ValueLabels(layer, values, self._columns, self.types)
        self._people = {one.name for one in layer.tables if one.person}
        self._who = Who(layer, self.names)
        # A cost is that which came of it, where the words do not say that it was planned.
        plans = {
            SchemaItem("column", table.name, column.name)
            for table, column in self._columns
            if is_plan(layer, table.name, column.name)
        }
        self._named = NamedLabels(layer, plans, self._who.anybody)
        self._operators = Operators(layer, self.names, self._columns)
        self._literals = Literals(self.names, texts)

    def labels(
        self, words: Sequence[Word], today: date, meanings: Meanings | None = None
    ) -> list[list[Label]]:
        """The labels that begin at each word.

        Args:
            meanings: how alike words and names are, for names that nobody listed.
        """
        result: list[list[Label]] = [[] for _ in words]
        near, places = besides(words), places_in(words)
        found = [
            one
            for one in self._all(words, today, meanings)
            if one.start not in places or one.end > one.start + 1
        ]
        found += [Label(at, at + 1, "op", op="place", value=n) for at, n in places.items()]
        for one in of_people_said(self.layer, self._people, words, found):
            known = "" if one.thing is None else self.types[one.thing]
            beside = one.kind in {"column", "table", "part"} and one.start in near
            result[one.start].append(replace(one, type=known, beside=beside))
        return result

    def _all(
        self, words: Sequence[Word], today: date, meanings: Meanings | None
    ) -> Iterator[Label]:
        found = self.names.find(words, meanings)
        exact = [one for one in found if one.exact]
        behind = behind_texts(words)
        values = self._valued(words, exact, behind)
        yield from values
        yield from self._whole(words, found, values, behind)
        stored = {at for one in values if one.match[0] for at in range(one.start, one.end)}
        yield from self._operators.find(words, stored, today)
        yield from self._asked(words)
        yield from self._literals.find(words, stored, exact, behind)
        for one in periods_in(words, today):
            if not is_amount(words, one):
                yield Label(one.start, one.end, "period", value=one.what)

    def _valued(
        self, words: Sequence[Word], exact: Sequence[Named], behind: Mapping[int, int]
    ) -> list[Label]:
        """Stored values.

        Args:
            exact: names that are spelt out.
            behind: see `behind_texts`.
        """
        apart = quoted_parts(words)
        values = [one for one in self._stored.find(words, exact, behind) if one.start not in apart]
        values += titled(self._people, words, values)
        return behind_their_table(words, exact, alike_beside_or(words, values))

    def _whole(
        self,
        words: Sequence[Word],
        found: Sequence[Named],
        values: Sequence[Label],
        behind: Mapping[int, int],
    ) -> list[Label]:
        """Names, without those that are part of something else."""
        named = self._sold(words, list(self._named.find(words, found)))
        said = {*_spelt(words, values, self._people)}
        said |= {(start, at + 1) for at, start in behind.items()}
        return [one for one in named if one.match[1] > 0 or not _inside(one, said)]

    def _sold(self, words: Sequence[Word], named: Sequence[Label]) -> Iterator[Label]:
        """How many were sold, in place of the rows that say so: "tickets sold"."""
        sold = {}
        for at, measure in sold_in(self.layer, words):
            sold[at] = SchemaItem("table", self.layer.measure(measure).table)
            yield Label(
                at, at + 1, "measure", SchemaItem("measure", measure), "sold", match=COVERED
            )
        yield from (
            one for one in named if one.end - one.start > 1 or sold.get(one.start) != one.thing
        )

    def _asked(self, words: Sequence[Word]) -> Iterator[Label]:
        """What "who", "when", "where" and "headcount" ask for."""
        for start, end in who_what(words):
            yield Label(start, end, "op", op="who_what")
        for start, end, name in headcounts(self.layer, words):
            yield Label(start, end, "table", SchemaItem("table", name), "headcount", match=WEAK)
        for at in range(len(words)):
            yield from self._who.find(words, at)
            yield from self._asked_at(words, at)

    def _asked_at(self, words: Sequence[Word], at: int) -> Iterator[Label]:
        """What "what", "name" and "where" ask for."""
        word = words[at]
        if word.plain == "what" and ends_there(words, at):
            for table in self.layer.tables:
                if table.display and not (table.person or table.private):
                    thing = SchemaItem("table", table.name)
                    yield Label(at, at + 1, "table", thing, "what", match=WEAK)
        elif word.stem == "name":
            begin = at - (at > 0 and words[at - 1].plain in {"full", "complete"})
            yield Label(begin, at + 1, "name")
        elif word.plain == "where":
            for table, column in self._columns:
                if column.kind == "text" and PLACES & {*column.label.split()}:
                    thing = SchemaItem("column", table.name, column.name)
                    yield Label(at, at + 1, "column", thing, "where", match=WEAK)


def _spelt(
    words: Sequence[Word], values: Sequence[Label], people: Container[str]
) -> Iterator[tuple[int, int]]:
    """Spans of what values or people are called, which has not to be guessed by its meaning."""
    for one in values:
        person = one.thing is not None and one.thing.table in people
        # A first name alone says less than a whole name, and still no table.
        if says(one, words) or (person and one.match[1] == 1 and one.match[3] >= PART):
            yield one.start, one.end


def _inside(label: Label, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether the words of a label are within one of some spans."""
    return any(start <= label.start and label.end <= end for start, end in spans)


def marked(words: Sequence[Word], labels: Iterable[Iterable[Label]]) -> tuple[Word, ...]:
    """Words, with those marked that say a stored value, or the part of one that is asked for."""
    stored = {*behind_texts(words)} | {
        at
        for some in labels
        for one in some
        if one.kind == "value" and says(one, words)
        for at in range(one.start, one.end)
    }
    return tuple(one._replace(stored=at in stored) for at, one in enumerate(words))
