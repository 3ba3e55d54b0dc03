"""Whole programs in English."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.inflection import plural
from partwise.database.layer.model import SemanticLayer
from partwise.database.restating.names import SchemaNames, listed, literal
from partwise.database.restating.phrases import NOTHING, NUMBERS, Phrases
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Attribute,
    Exists,
    Field,
    Figure,
    Grouping,
    Having,
    Holds,
    Listing,
    Order,
    Program,
    Rows,
    Union,
    Value,
)
from partwise.execution.relational.schema import Kind

_ORDERS: dict[Kind, tuple[str, str]] = {
    "number": ("smallest first", "largest first"),
    "date": ("earliest first", "latest first"),
    "text": ("from A to Z", "from Z to A"),
    "boolean": ("no first", "yes first"),
    "id": ("smallest first", "largest first"),
}


ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    "tenth",
)


def restate(program: Program, layer: SemanticLayer) -> str:
    """What a program asks, as a part of an English sentence: ``Customers whose country is “Brazil”,
    ordered by the total of invoices, largest first, the first 3``.

    Columns that name a row are not said where they are all that is shown.
    """
    said = _Restating(layer).program(program)
    return said[:1].upper() + said[1:]


class _Restating:
    """Writes programs over one database."""

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer = layer
        self.phrases = Phrases(layer, self.program)
        self.names = SchemaNames(layer)

    def program(self, program: Program) -> str:
        """A program, without a capital letter."""
        match program:
            case Figure():
                return f"the {self.phrases.figure(program, self.phrases.rows)}"
            case Arithmetic():
                return f"the {self.phrases.attribute(program, NOTHING)}"
            case Exists(rows):
                return f"whether there are {self.phrases.rows(rows)}"
            case Holds(condition):
                return f"whether {self.phrases.holds(condition, NOTHING)}"
            case Listing():
                return ", ".join(self._listing(program))
            case Grouping():
                return ", ".join(self._grouping(program))
            case Union(parts):
                every = [f"({self.program(one)})" for one in parts]
                return f"all different rows of {listed(every)}"

    def _listing(self, program: Listing) -> list[str]:
        table, rows = program.rows.table, self.phrases.rows(program.rows)
        shown = self._several(program.shown, table)
        if program.distinct:
            several = len(program.shown) == 1 and self._has_plural(program.shown[0], table)
            said = [f"the different {plural(shown) if several else shown} of {rows}"]
        else:
            said = [rows if self._named(program) else f"the {shown} of {rows}"]
        said += self._order(program.order, table)
        each = f" for each {self._several(program.each, table)}" if program.each else ""
        if program.limit is not None:
            said.append(f"{_first(program)}{each}")
        elif each:
            said.append(f"those that have a {self._several(program.each, table)}")
        return said

    def _has_plural(self, of: Attribute, table: str) -> bool:
        """Whether a column's name is a noun: no ``joined``, no ``paid by``."""
        last = self.phrases.attribute(of, table).rsplit(" ", 1)[-1]
        noun = len(last) > 2 and not last.endswith("ed")
        return (isinstance(of, Field) and not of.path and noun) or last == "age"

    def _named(self, program: Listing) -> bool:
        """Whether what names the rows is all that is shown."""
        display = self.layer.table(program.rows.table).display
        return program.shown == tuple(Field((), one) for one in display) != ()

    def _several(self, attributes: Sequence[Attribute | Aggregate], table: str) -> str:
        say = self.phrases.attribute if len(attributes) == 1 else self.phrases.value
        return listed([say(one, table) for one in attributes])

    def _grouping(self, program: Grouping) -> list[str]:
        table, rows = program.rows.table, self.phrases.rows(program.rows)
        figures = [self._figure(one, table) for one in program.figures]
        what = self._key(program) or self._several(program.by, table)
        if not figures:
            said = [f"each {what} of {rows}"]
        else:
            said = [f"the {listed(figures)} of {rows}"]
            said += [f"for each {what}"] if program.by else []
        if program.shown is not None and self._key(program) is None:
            shown = self._several(program.shown, table) or "nothing"
            said.append(f"shown with {shown}" if program.shown else "shown alone")
        said += [f"only those with {self._having(one, table)}" for one in program.having]
        said += self._order(program.order, table)
        if program.limit is not None:
            said.append(_first(program))
        return said

    def _key(self, program: Grouping) -> str | None:
        """What groups are called that are the rows of a table, shown with what names them."""
        if len(program.by) != 1 or not isinstance(program.by[0], Field) or not program.shown:
            return None
        (by,), table = program.by, program.rows.table
        assert isinstance(by, Field)
        end = self.layer.schema.end(table, by.path)
        display = tuple(Field(by.path, one) for one in self.layer.table(end).display)
        if by.column != self.layer.schema.table(end).key or program.shown != display:
            return None
        return self.names.end(table, by.path) if by.path else self.names.table(table)

    def _figure(self, figure: Attribute | Aggregate, table: str) -> str:
        """A figure of the rows that are said after it."""
        if isinstance(figure, Aggregate):
            return self.phrases.figure(Figure(Rows(table), figure))
        said = self.phrases.value(figure, table)
        return f"({said})" if isinstance(figure, Figure) else said

    def _having(self, having: Having, table: str) -> str:
        if having.aggregate == Aggregate("count") and isinstance(having.value, Value):
            number = literal(having.value)
            return f"{NUMBERS[having.sign]} {number} {self.names.rows(table)}"
        kind = self.phrases.kind(having.aggregate, table)
        unit = self.phrases.unit(having.aggregate, table)
        word = self.phrases.compared(having.sign, kind)
        value = self.phrases.value(having.value, table, unit)
        return f"a {self.phrases.value(having.aggregate, table)} that {word} {value}"

    def _order(self, orders: Sequence[Order], table: str) -> list[str]:
        if not orders:
            return []
        said = []
        for one in orders:
            way = _ORDERS[self.phrases.kind(one.by, table)][one.descending]
            what = self.phrases.value(one.by, table)
            said.append(f"{what}, {way}" if len(orders) == 1 else f"{what} ({way})")
        return [f"ordered by {', then by '.join(said)}"]


def _first(program: Listing | Grouping) -> str:
    """What of all in their order is wanted."""
    limit = program.limit
    assert limit is not None
    if program.only and limit > 1:
        return f"the {ORDINALS[limit - 1]} one" if limit <= len(ORDINALS) else f"number {limit}"
    first = "the first one" if limit == 1 else f"the first {limit}"
    return (
        f"{first} and those that tie with the last of these"
        if program.ties or program.only
        else first
    )
