"""Programs in English, so that who asks sees how a question was understood.

Everything that a program says is said, and programs that differ are told differently: what tables,
columns, links and values are called, what rows have and how they are chosen, whole programs, and
the columns of an answer. What stands within something else and could be taken for a part of it is
put in brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta

from partwise.database.inflection import plural
from partwise.database.layer.model import Measure, SemanticLayer
from partwise.database.units import LARGE, MONEY, asked_in, factor, unit_name
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    And,
    Arithmetic,
    Attribute,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    DatePart,
    Elapsed,
    Exists,
    Field,
    Figure,
    Function,
    Grouping,
    Having,
    Holds,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Sign,
    Union,
    Value,
)
from partwise.execution.relational.schema import Kind, Link, Path

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)


class SchemaLabels:
    """What the parts of a database are called.

    Args:
        layer: what is known of the database.
    """

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer = layer
        labels = [one.label for one in layer.tables]
        self._same = {one for one in labels if labels.count(one) > 1}

    def table(self, name: str) -> str:
        """One row of a table; with the stored name where two tables have one label."""
        label = self.layer.table(name).label
        return f"{label} ({name})" if label in self._same else label

    def rows(self, name: str) -> str:
        """The rows of a table."""
        label = self.layer.table(name).label
        return f"{plural(label)} ({name})" if label in self._same else plural(label)

    def column(self, table: str, name: str) -> str:
        """A column of a table; with the stored name where two columns have one label."""
        info = self.layer.column(table, name)
        same = [one.label for one in self.layer.table(table).columns].count(info.label) > 1
        return f"{info.label} ({name})" if same else info.label

    def end(self, table: str, path: Path) -> str:
        """What a path leads to: ``artist``, or ``artist of the album`` if there is a nearer one."""
        end = path[-1].target
        if path == self.layer.schema.path(table, end):
            return self.table(end) if len(path) > 1 else self.link(path[0])
        return " of the ".join(self.link(one) for one in reversed(path))

    def link(self, link: Link) -> str:
        """What a link leads to, with its own name where others lead there or names differ."""
        leaving = list(self.layer.schema.leaving(link.table))
        said = self.layer.links.get(link, ())
        single = [one.target for one in leaving].count(link.target) == 1
        plain = not said and link == next(
            (one for one in leaving if one.target == link.target), None
        )
        if (single or plain) and link.target != link.table:
            return self.table(link.target)
        name = said[0] if said else self.column(link.table, link.column)
        return f"{self.table(link.target)} ({name})"

    def unit(self, table: str, column: str) -> str | None:
        """The unit of a column, if it is one that has a name."""
        unit = self.layer.column(table, column).unit
        return None if unit == MONEY else unit


def literal(value: Value, unit: str | None = None) -> str:
    """A value: texts in quotes, days written out, numbers with their unit.

    Args:
        unit: what the number counts; it is told in a larger one, too, if that is shorter.
    """
    said = value.value
    match said:
        case bool():
            return str(said).lower()
        case datetime():
            return f"{day(said)} {said:%H:%M:%S}"
        case date():
            return day(said)
        case str():
            return f"“{said}”"
    number = f"{said!r}"
    if unit is None:
        return number
    return f"{number} {unit_name(unit, said)}{_larger(said, unit)}"


def _larger(number: float, unit: str) -> str:
    """The same in the largest unit that makes a short number of it: ``(48 minutes)``."""
    others = [one for one in asked_in(unit) if one not in LARGE or unit in LARGE]
    sizes = sorted(((factor(unit, one) or 1, one) for one in others), reverse=True)
    for size, one in sizes:
        many = number / size
        if size > 1 and abs(number) >= 1000 and many == round(many, 2) and abs(many) >= 1:
            return f" ({many:g} {unit_name(one, many)})"
    return ""


def day(said: date) -> str:
    """A day: ``1 March 2024``."""
    return f"{said.day} {_MONTHS[said.month - 1]} {said.year}"


def period(low: object, high: object) -> str | None:
    """A year, month or day by its name; None if these are not its first day and that of the next.

    Args:
        high: the day after the last.
    """
    if type(low) is not date or type(high) is not date:
        return None
    if (low.month, low.day) == (1, 1) and high == date(low.year + 1, 1, 1):
        return f"in {low.year}"
    following = date(low.year + low.month // 12, low.month % 12 + 1, 1)
    if low.day == 1 and high == following:
        return f"in {_MONTHS[low.month - 1]} {low.year}"
    return f"on {day(low)}" if high == low + timedelta(days=1) else None


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Several things, with a word before the last."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


NOTHING = ""
"""No table: what is said is about all rows of whatever table."""
_SIGNS: Mapping[Sign, str] = {
    **{"=": "is", "!=": "is not", "<": "is less than", "<=": "is at most"},
    **{">": "is more than", ">=": "is at least"},
}
_DATES: Mapping[Sign, str] = {
    **{"=": "is", "!=": "is not", "<": "is before", "<=": "is on or before"},
    **{">": "is after", ">=": "is on or after"},
}
_TIMES = {**_DATES, "<=": "is at the latest", ">=": "is at the earliest"}
"""Texts are compared where they are times of day."""
_OTHERS: Mapping[Sign, str] = {"=": "is the same as", "!=": "is not the same as"}
NUMBERS: Mapping[Sign, str] = {
    **{"=": "exactly", "!=": "not exactly", "<": "fewer than", "<=": "at most"},
    **{">": "more than", ">=": "at least"},
}
_NEGATED: Mapping[Sign, Sign] = {
    **{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
}
_FUNCTIONS: Mapping[Function, str] = {
    **{"sum": "total", "average": "average", "median": "median"},
    **{"minimum": "lowest", "maximum": "highest", "count": "number of values of"},
}
_OF_DATES: Mapping[Function, str] = {"minimum": "earliest", "maximum": "latest"}
_ARITHMETIC = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_TEXTS = {
    "anywhere": ("contains", "does not contain"),
    "start": ("starts with", "does not start with"),
    "end": ("ends with", "does not end with"),
}
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
    ordered by the total of invoices, largest first, the first 3``. Columns that name a row are not
    said where they are all that is shown."""
    said = _Restating(layer).program(program)
    return said[:1].upper() + said[1:]


class _Restating:
    """Writes programs over one database."""

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer, self.schema = layer, layer.schema
        self.names = SchemaLabels(layer)

    def program(self, program: Program) -> str:
        """A program, without a capital letter."""
        match program:
            case Figure():
                return f"the {self.figure(program, self.rows)}"
            case Arithmetic():
                return f"the {self.attribute(program, NOTHING)}"
            case Exists(rows):
                return f"whether there are {self.rows(rows)}"
            case Holds(condition):
                return f"whether {self.holds(condition, NOTHING)}"
            case Listing():
                return ", ".join(self._listing(program))
            case Grouping():
                return ", ".join(self._grouping(program))
            case Union(parts):
                every = [f"({self.program(one)})" for one in parts]
                return f"all different rows of {listed(every)}"

    def _listing(self, program: Listing) -> list[str]:
        table, rows = program.rows.table, self.rows(program.rows)
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
        last = self.attribute(of, table).rsplit(" ", 1)[-1]
        noun = len(last) > 2 and not last.endswith("ed")
        return isinstance(of, Field) and not of.path and noun

    def _named(self, program: Listing) -> bool:
        """Whether what names the rows is all that is shown."""
        display = self.layer.table(program.rows.table).display
        return program.shown == tuple(Field((), one) for one in display) != ()

    def _several(self, attributes: Sequence[Attribute | Aggregate], table: str) -> str:
        say = self.attribute if len(attributes) == 1 else self.value
        return listed([say(one, table) for one in attributes])

    def _grouping(self, program: Grouping) -> list[str]:
        table, rows = program.rows.table, self.rows(program.rows)
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
            return self.figure(Figure(Rows(table), figure))
        said = self.value(figure, table)
        return f"({said})" if isinstance(figure, Figure) else said

    def _having(self, having: Having, table: str) -> str:
        if having.aggregate == Aggregate("count") and isinstance(having.value, Value):
            number = literal(having.value)
            return f"{NUMBERS[having.sign]} {number} {self.names.rows(table)}"
        kind = self.kind(having.aggregate, table)
        unit = self.unit(having.aggregate, table)
        word = self.compared(having.sign, kind)
        value = self.value(having.value, table, unit)
        return f"a {self.value(having.aggregate, table)} that {word} {value}"

    def _order(self, orders: Sequence[Order], table: str) -> list[str]:
        if not orders:
            return []
        said = []
        for one in orders:
            way = _ORDERS[self.kind(one.by, table)][one.descending]
            what = self.value(one.by, table)
            said.append(f"{what}, {way}" if len(orders) == 1 else f"{what} ({way})")
        return [f"ordered by {', then by '.join(said)}"]

    def rows(self, rows: Rows) -> str:
        """Rows, with what chooses them."""
        said = self.names.rows(rows.table)
        return said if rows.where is None else f"{said} {self.holds(rows.where, rows.table)}"

    def inner_rows(self, rows: Rows) -> str:
        """The same within something else."""
        said = self.names.rows(rows.table)
        return said if rows.where is None else f"{said} ({self.holds(rows.where, rows.table)})"

    def value(self, of: Attribute | Aggregate, table: str, unit: str | None = None) -> str:
        """An attribute, within something else.

        Args:
            table: whose rows have it.
            unit: of what it is compared with.
        """
        said = self.attribute(of, table, unit)
        known = isinstance(of, Arithmetic) and (
            self._converted(of, table) or self._percents(of, table)
        )
        loose = isinstance(of, Arithmetic) and not known
        return f"({said})" if loose else said

    def attribute(self, of: Attribute | Aggregate, table: str, unit: str | None = None) -> str:
        """What each row has, or a figure of a group."""
        match of:
            case Value():
                return literal(of, unit)
            case Field(path, column):
                name = self.names.column(self.schema.end(table, path), column)
                return f"{name} of the {self.names.end(table, path)}" if path else name
            case DatePart(part, inner):
                said = part.replace("_", " and ")
                return f"{said} of the {self.value(inner, table)}"
            case Elapsed(span, start, end):
                both = self.value(start, table), self.value(end, table)
                return f"{span}s from the {both[0]} to the {both[1]}"
            case Arithmetic(sign, left, right):
                if (converted := self._converted(of, table)) is not None:
                    return converted
                if (percents := self._percents(of, table)) is not None:
                    return percents
                both = self.value(left, table), self.value(right, table)
                return f"{both[0]} {_ARITHMETIC[sign]} {both[1]}"
            case Belonging(path, figure):
                whose = f" of the {self.names.end(table, path)}" if path else ""
                return self.figure(figure, lambda rows: f"{self.inner_rows(rows)}{whose}")
            case Figure():
                return self.figure(of, lambda rows: f"all {self.inner_rows(rows)}")
            case Aggregate(of=None):
                return self.figure(Figure(Rows(table), of), self.rows)
            case Aggregate():
                return self.figure(Figure(Rows(table), of))

    def _percents(self, of: Arithmetic, table: str) -> str | None:
        """A share in percent, of a group or of some rows; None for other numbers."""
        match of:
            case Arithmetic("*", Value(100), Arithmetic("/", Figure() as part, Figure() as whole)):
                return f"percentage that the {self.value(part, table)} is of the " + self.value(
                    whole, table
                )
            case Arithmetic(
                "*", Value(100), Arithmetic("/", Aggregate() as part, Figure() as every)
            ):
                if every.aggregate == part:
                    return f"percentage (of the {self.value(every, table)})"
        return None

    def _converted(self, of: Arithmetic, table: str) -> str | None:
        """A number that is only shown in another unit: ``length in minutes``."""
        unit = self.unit(of.left, table)
        if of.sign == "/" and isinstance(of.right, Value) and unit is not None:
            for one in asked_in(unit):
                if factor(unit, one) == of.right.value and one != unit:
                    return f"{self.value(of.left, table)} in {unit_name(one)}"
        return None

    def figure(self, figure: Figure, say: Callable[[Rows], str] | None = None) -> str:
        """A figure over rows, by its name if it has one.

        Args:
            say: how the rows are said; None if that is done elsewhere.
        """
        aggregate, rows = figure.aggregate, figure.rows
        for measure in sorted(self.layer.measures, key=lambda one: one.where is None):
            left = _without(rows, measure)
            if left is not None and measure.aggregate == aggregate:
                return f"{measure.label} of {say(left)}" if say else measure.label
        named = f" of {say(rows)}" if say else ""
        if aggregate.of is None:
            return f"number{named}"
        kind = self.kind(aggregate.of, rows.table)
        word = _FUNCTIONS[aggregate.function]
        if kind == "date":
            word = _OF_DATES.get(aggregate.function, word)
        if aggregate.function == "count" and aggregate.distinct:
            word = "number of different values of"
        said = self.attribute(aggregate.of, rows.table)
        inner = f"({said})" if isinstance(aggregate.of, Belonging | Figure | Arithmetic) else said
        return f"{word} {inner}{named}"

    def kind(self, of: Attribute | Aggregate, table: str) -> Kind:
        """What the values of an attribute are."""
        match of:
            case Field(path, column):
                return self.schema.column(self.schema.end(table, path), column).kind
            case Belonging(_, figure) | (Figure() as figure):
                return self.kind(figure.aggregate, figure.rows.table)
            case Aggregate(function, inner) if function in _OF_DATES and inner is not None:
                return self.kind(inner, table)
            case Value(value):
                return (
                    "date"
                    if isinstance(value, date)
                    else "text"
                    if isinstance(value, str)
                    else "number"
                )
            case _:
                return "number"

    def unit(self, of: Attribute | Aggregate, table: str) -> str | None:
        """What the numbers of an attribute count."""
        match of:
            case Field(path, column):
                return self.names.unit(self.schema.end(table, path), column)
            case Belonging(_, figure) | (Figure() as figure):
                return self.unit(figure.aggregate, figure.rows.table)
            case Aggregate(function, inner) if function != "count" and inner is not None:
                return self.unit(inner, table)
            case _:
                return None

    def holds(self, condition: Condition, table: str, negated: bool = False) -> str:
        """A condition, behind what it is about: ``whose country is “Brazil”``.

        Args:
            negated: whether it is not to hold.
        """
        match condition:
            case Not(part):
                return self.holds(part, table, not negated)
            case And(parts) | Or(parts):
                word = "and" if isinstance(condition, And) else "or"
                said = listed([self._part(one, table) for one in parts], word)
                return f"not ({said})" if negated else said
            case Related(path, rows):
                return self._has(path, rows, table, negated)
            case Compare(Belonging((), Figure(rows, Aggregate("count", None))), sign, Value() as n):
                sign = _NEGATED[sign] if negated else sign
                return f"that have {NUMBERS[sign]} {literal(n)} {self.inner_rows(rows)}"
            case Compare(left, sign, right):
                return self._compared(left, _NEGATED[sign] if negated else sign, right, table)
        return f"{self._whose(condition.of, table)} {self._is(condition, table, negated)}"

    def _part(self, part: Condition, table: str) -> str:
        said = self.holds(part, table)
        return f"({said})" if isinstance(part, And | Or) else said

    def _whose(self, of: Attribute | Aggregate, table: str) -> str:
        if isinstance(of, Field) and of.path:
            end = self.names.end(table, of.path)
            if end.replace(" ", "").isalnum() and " of the " not in end:
                return f"whose {end}'s {self.names.column(of.path[-1].target, of.column)}"
        said = self.value(of, table)
        if table == NOTHING:
            return said if isinstance(of, Value) else f"the {said}"
        return f"{'where' if isinstance(of, Value | Figure) else 'whose'} {said}"

    def compared(self, sign: Sign, kind: Kind) -> str:
        """A comparison, as words."""
        return (_DATES if kind == "date" else _SIGNS)[sign]

    def _compared(
        self, left: Attribute | Aggregate, sign: Sign, right: Attribute | Aggregate, table: str
    ) -> str:
        timed = isinstance(right, Value) and isinstance(right.value, str)
        word = _TIMES[sign] if timed else self.compared(sign, self.kind(left, table))
        unit = self.unit(left, table)
        if not isinstance(right, Value):
            word = _OTHERS.get(sign, word)
        return f"{self._whose(left, table)} {word} {self._other(right, table, unit)}"

    def _other(self, right: Attribute | Aggregate, table: str, unit: str | None) -> str:
        """What something is compared with."""
        said = self.value(right, table, unit)
        return said if isinstance(right, Value) or said[0] == "(" else f"the {said}"

    def _has(self, path: Path, rows: Rows, table: str, negated: bool) -> str:
        end = self.schema.end(table, path)
        one = self.schema.path(end, rows.table) is not None and not self.schema.mutual(
            end, rows.table
        )
        verb = ("belong to", "belongs to") if one else ("have", "has")
        whose = f"whose {self.names.end(table, path)} {verb[1]}" if path else f"that {verb[0]}"
        return f"{whose} {'no ' if negated else ''}{self.inner_rows(rows)}"

    def _is(
        self, condition: Between | Contains | Missing | OneOf | Among, table: str, negated: bool
    ) -> str:
        """What is said of an attribute."""
        unit = self.unit(condition.of, table)
        no = "is not" if negated else "is"
        match condition:
            case Between(_, low, high, open_):
                return f"{no} {_range(low, high, open_, unit)}"
            case Contains(_, text, at):
                return f"{_TEXTS[at][negated]} {literal(Value(text))}"
            case Missing():
                return f"{no} missing"
            case OneOf(_, values):
                return f"{no} {listed([literal(one, unit) for one in values], 'or')}"
            case Among(_, values):
                return f"{no} among ({self.program(values)})"


def _without(rows: Rows, measure: Measure) -> Rows | None:
    """The rows without the condition of a measure; None if these are not those it is over."""
    if rows.table != measure.table or measure.where is None:
        return rows if rows.table == measure.table else None
    every, some = _parts(rows.where), _parts(measure.where)
    left = tuple(one for one in every if one not in some)
    if len(left) + len(some) != len(every):
        return None
    return Rows(rows.table, None if not left else left[0] if len(left) == 1 else And(left))


def _parts(where: Condition | None) -> tuple[Condition, ...]:
    return where.parts if isinstance(where, And) else () if where is None else (where,)


def _range(low: Value, high: Value, open_: bool, unit: str | None) -> str:
    named = period(low.value, high.value)
    if open_ and named is not None:
        return named
    if open_:
        return f"from {literal(low, unit)} to before {literal(high, unit)}"
    return f"between {literal(low, unit)} and {literal(high, unit)}"


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


_HEADINGS = {
    **{"sum": "total", "average": "average", "median": "median", "minimum": "lowest"},
    **{"maximum": "highest", "count": "number of"},
}
"""What stands before the name of a column for a figure over its values."""


def headings(program: Program, layer: SemanticLayer) -> tuple[str, ...]:
    """A name for each column of an answer; no two are the same."""
    return _different(_headings(program, layer))


def _headings(program: Program, layer: SemanticLayer) -> list[str]:
    match program:
        case Listing(rows, shown):
            return [_value_name(one, rows.table, layer) for one in shown]
        case Grouping(rows, _, figures):
            every = (*program.showing, *figures)
            return [_value_name(one, rows.table, layer) for one in every]
        case Union(parts):
            return _headings(parts[0], layer)
        case Exists() | Holds():
            return ["answer"]
        case Figure() | Arithmetic():
            return [_value_name(program, "", layer)]


def _value_name(of: Attribute | Aggregate, table: str, layer: SemanticLayer) -> str:
    """The name of a value that each row of a table has, or of a figure over such rows."""
    match of:
        case Field(path, column):
            end = layer.table(layer.schema.end(table, path))
            name = end.column(column).label
            return name if not path or end.label in name else f"{end.label} {name}"
        case DatePart(part):
            return part.split("_")[-1]
        case Elapsed(unit):
            return f"{unit}s"
        case Value(value):
            return str(value)
        case Belonging(_, figure) | (Figure() as figure):
            return _value_name(figure.aggregate, figure.rows.table, layer)
        case Aggregate():
            return _figure_name(of, table, layer)
        case Arithmetic():
            return _Restating(layer).attribute(of, table)


def _figure_name(aggregate: Aggregate, table: str, layer: SemanticLayer) -> str:
    for measure in layer.measures:
        same = (measure.table, measure.function, measure.of) == (
            *(table, aggregate.function, aggregate.of),
        )
        if same and measure.where is None:
            return measure.label
    if aggregate.of is None:
        return f"number of {plural(layer.table(table).label)}"
    name = _value_name(aggregate.of, table, layer)
    different = "different " if aggregate.distinct else ""
    return f"{_HEADINGS[aggregate.function]} {different}{name}"


def _different(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with numbers where several are the same."""
    made: list[str] = []
    for name in names:
        other, number = name, 1
        while other in made:
            number += 1
            other = f"{name} {number}"
        made.append(other)
    return tuple(made)
