"""Labels of stored values."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Protocol

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.cues import cue_words
from partwise.database.reading.label import Label
from partwise.database.reading.stored import guessed, is_counted
from partwise.database.spans.names import Named, SchemaItem
from partwise.database.spans.text import Word, stems_of

_WITHIN = {"in", "at", "from", "within", "of"}
"""Words before a value: "the average salary in sales" is that of a department."""
FURTHER = {"second", "secondary", "other", "alternative", "additional", "previous", "former"}
"""How labels of columns begin that hold one more of what another holds."""


class ValueFinder(Protocol):
    """Finds stored values in questions; `partwise.database.source.values.ValueIndex` is one."""

    def find(self, words: Sequence[str]) -> Sequence[Any]:
        """Matches with `start`, `end`, `text`, `places` (table, column) and `score`."""
        ...


class ValueLabels:
    """Finds stored values in questions, in the columns that may be meant.

    Args:
        columns: those that a question may speak of, with their tables.
        types: what each column is like.
    """

    def __init__(
        self,
        layer: SemanticLayer,
        values: ValueFinder,
        columns: Sequence[tuple[TableInfo, ColumnInfo]],
        types: Mapping[SchemaItem, str],
    ) -> None:
        self.layer, self.values, self.types = layer, values, types
        self._columns = columns
        self._preferred = {(table.name, column.name) for table, column in columns if column.prefer}

    def find(
        self, words: Sequence[Word], exact: Sequence[Named], behind: Container[int]
    ) -> Iterator[Label]:
        """Stored values, each in its columns.

        Args:
            exact: the names that the words spell out.
            behind: the words of texts that a question quotes without quotation marks.
        """
        said = self._said(exact) if self._preferred else set()
        tables = {
            (one.start, one.end): stems_of(self.layer.table(one.thing.table).label)
            for one in exact
            if one.thing.kind == "table"
        }
        for one in self.values.find([word.text for word in words]):
            called = tables.get((one.start, one.end)) == stems_of(one.text)
            if one.score < 1 and _is_another(words, one, called, behind):
                continue
            people = getattr(one, "people", ())
            places = self._plainer(one.places, exact)
            if self._preferred & set(places):
                places = [place for place in places if place in self._preferred | said]
            share = 1 / max(1, len(places) + len(people))
            match = (float(one.score == 1), 1.0, 0.0, one.score, one.score, 0.0, share)
            for table, column in places:
                thing = SchemaItem("column", table, column)
                yield Label(one.start, one.end, "value", thing, value=one.text, match=match)
            for person in people:
                thing = SchemaItem("column", person.table, person.columns[0])
                yield Label(
                    *(one.start, one.end, "value", thing),
                    value=one.text,
                    match=match,
                    columns=tuple(person.columns),
                    values=tuple(person.values),
                )

    def _plainer(
        self, places: Sequence[tuple[str, str]], exact: Sequence[Named]
    ) -> list[tuple[str, str]]:
        """Columns without those that are a further one of their table: who plays the violin has it
        as instrument, not as second instrument; and without texts that nobody speaks of where the
        value is the name of a row: what is by U2 need not be composed by them."""
        labels = {(table, self.layer.column(table, column).label) for table, column in places}
        types = {one: self.types[SchemaItem("column", *one)] for one in places}
        said = self._said(exact) if "name" in types.values() else set()
        return [
            one
            for one in places
            if (words := self.layer.column(*one).label.split(maxsplit=1))[0] not in FURTHER
            or (one[0], words[-1]) not in labels
            if types[one] != "text" or one in said or "name" not in types.values()
        ]

    def _said(self, exact: Sequence[Named]) -> set[tuple[str, str]]:
        """The columns that are named, and those that name the rows of tables that are."""
        named = {one.thing for one in exact}
        return {
            (table.name, column.name)
            for table, column in self._columns
            if SchemaItem("column", table.name, column.name) in named
            or (SchemaItem("table", table.name) in named and column.name in table.display)
        }


def _is_another(words: Sequence[Word], one: Any, called: bool, behind: Container[int]) -> bool:
    """Whether words that are only like a stored value mean something else.

    Args:
        called: whether they are a table's name.
        behind: as in `ValueLabels.find`.
    """
    little, typed = cue_words(), words[one.start : one.end]
    known = all(word.stem in little or is_counted(word) for word in typed)
    if one.start in behind or (known and guessed(typed, one.text)):
        # "Contains street" asks for no street that is stored.
        return True
    # Teachers are no "Teacher" that stands somewhere else.
    return called and (words[one.start - 1].plain if one.start else "") not in _WITHIN
