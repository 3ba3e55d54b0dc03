"""Programs in English, so that who asks sees how a question was understood.

Everything that a program says is said, and programs that differ are told differently: what tables,
columns, links and values are called, what rows have and how they are chosen, whole programs, and
the columns of an answer. What stands within something else and could be taken for a part of it is
put in brackets.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta

from partwise.database.inflection import plural, singular
from partwise.database.layer.model import Measure, SemanticLayer
from partwise.database.source.lexicon import word_set
from partwise.database.units import LARGE, MONEY, asked_in, factor, unit_name
from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Kind, Link, Path


class SchemaLabels:
    """What the parts of a database are called. `layer`: what is known of the database."""

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


def literal(value: P.Value, unit: str | None = None) -> str:
    """A value: texts in quotes, days written out, numbers with their unit. `unit`: what the number
    counts; it is told in a larger one, too, if that is shorter."""
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
    if unit == MONTH:
        return month_name[int(said)] if said in range(1, 13) else f"{said!r}"
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
    return f"{said.day} {month_name[said.month]} {said.year}"


def period(low: object, high: object) -> str | None:
    """A year, month or day by its name; None if these are not its first day and that of the next.
    `high`: the day after the last."""
    if type(low) is not date or type(high) is not date:
        return None
    if (low.month, low.day) == (1, 1) and high == date(low.year + 1, 1, 1):
        return f"in {low.year}"
    following = date(low.year + low.month // 12, low.month % 12 + 1, 1)
    if low.day == 1 and high == following:
        return f"in {month_name[low.month]} {low.year}"
    return f"on {day(low)}" if high == low + timedelta(days=1) else None


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Several things, with a word before the last."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


MONTH = "month of a year"
"""The unit of what is told by its name."""
NOTHING = ""
"""No table: what is said is about all rows of whatever table."""
_SIGNS: Mapping[P.Sign, str] = {
    **{"=": "is", "!=": "is not", "<": "is less than", "<=": "is at most"},
    **{">": "is more than", ">=": "is at least"},
}
_DATES: Mapping[P.Sign, str] = {
    **{"=": "is", "!=": "is not", "<": "is before", "<=": "is on or before"},
    **{">": "is after", ">=": "is on or after"},
}
_TIMES = {**_DATES, "<=": "is at the latest", ">=": "is at the earliest"}
"""Texts are compared where they are times of day."""
_OTHERS: Mapping[P.Sign, str] = {"=": "is the same as", "!=": "is not the same as"}
NUMBERS: Mapping[P.Sign, str] = {
    **{"=": "exactly", "!=": "not exactly", "<": "fewer than", "<=": "at most"},
    **{">": "more than", ">=": "at least"},
}
_NEGATED: Mapping[P.Sign, P.Sign] = {
    **{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
}
_FUNCTIONS: Mapping[P.Function, str] = {
    **{"sum": "total", "average": "average", "median": "median"},
    **{"minimum": "lowest", "maximum": "highest", "count": "number of values of"},
}
_OF_DATES: Mapping[P.Function, str] = {"minimum": "earliest", "maximum": "latest"}
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
_EXTREMES: Mapping[Kind, tuple[str, str]] = {
    **{"number": ("lowest", "highest"), "date": ("earliest", "latest")},
}
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    "tenth",
)


def restate(program: P.Program, layer: SemanticLayer, spoken: bool = False) -> str:
    """What a program asks, as a part of an English sentence: ``Customers whose country is “Brazil”,
    ordered by the total of invoices, largest first, the first 3``. Columns that name a row are not
    said where they are all that is shown.

    Args:
        spoken: as people say it, ``Of the customers whose country is “Brazil”, the 3 with the
            highest total of invoices``; the parser compares questions with the plain form.
    """
    said = _Restating(layer, spoken).program(program)
    return said[:1].upper() + said[1:]


class _Restating:
    """Writes programs over one database."""

    def __init__(self, layer: SemanticLayer, spoken: bool = False) -> None:
        self.layer, self.schema, self.spoken = layer, layer.schema, spoken
        self.names = SchemaLabels(layer)

    def program(self, program: P.Program) -> str:
        """A program, without a capital letter."""
        match program:
            case P.Figure():
                return f"the {self.figure(program, self.rows)}"
            case P.Arithmetic():
                return f"the {self.attribute(program, NOTHING)}"
            case P.Exists(rows):
                return f"whether there are {self.rows(rows)}"
            case P.Holds(condition):
                return f"whether {self.holds(condition, NOTHING)}"
            case P.Listing():
                return ", ".join(self._listing(program))
            case P.Grouping():
                return ", ".join(self._grouping(program))
            case P.Union(parts):
                every = [f"({self.program(one)})" for one in parts]
                return f"all different rows of {listed(every)}"

    def _listing(self, program: P.Listing) -> list[str]:
        table, rows = program.rows.table, self.rows(program.rows)
        shown = self._several(program.shown, table)
        if program.distinct:
            several = len(program.shown) == 1 and self._has_plural(program.shown[0], table)
            said = [f"the different {plural(shown) if several else shown} of {rows}"]
        else:
            named = "" if self._named(program) else f"the {shown} of "
            best = None if program.each else self._best(program, named)
            if best is not None:
                return [best]
            said = [f"{named}{rows}"]
        said += self._order(program.order, table)
        each = f" for each {self._several(program.each, table)}" if program.each else ""
        if program.limit is not None:
            said.append(f"{_first(program)}{each}")
        elif each:
            said.append(f"those that have a {self._several(program.each, table)}")
        return said

    def _best(self, program: P.Listing, named: str) -> str | None:
        """The first rows of an order as people say it: "the 3 products with the highest price";
        None where they would not. `named`: what is shown of them, if that is not their name."""
        extremes = self._extremes(program)
        if extremes is None:
            return None
        table, number = program.rows.table, _number(program)
        if program.rows.where is not None:
            return f"of the {self.rows(program.rows)}, {named}the {number or 'one'} with {extremes}"
        noun = self.names.rows(table) if number else self.names.table(table)
        return f"{named}the {f'{number} {noun}'.strip()} with {extremes}"

    def _extremes(self, program: P.Listing | P.Grouping) -> str | None:
        """What the first ones of an order have: "the highest price", "the second highest price"."""
        if not self.spoken or len(program.order) != 1 or program.limit is None or program.ties:
            return None
        (order,), table = program.order, program.rows.table
        words = _EXTREMES.get(self.kind(order.by, table))
        if words is None or (program.only and program.limit > len(ORDINALS)):
            return None
        place = f"{ORDINALS[program.limit - 1]} " if program.only and program.limit > 1 else ""
        return f"the {place}{words[order.descending]} {self.value(order.by, table)}"

    def _has_plural(self, of: P.Attribute, table: str) -> bool:
        """Whether a column's name is a noun: no ``joined``, no ``paid by``."""
        last = self.attribute(of, table).rsplit(" ", 1)[-1]
        noun = len(last) > 2 and not last.endswith("ed")
        return isinstance(of, P.Field) and not of.path and noun

    def _named(self, program: P.Listing) -> bool:
        """Whether what names the rows is all that is shown."""
        display = self.layer.table(program.rows.table).display
        return program.shown == tuple(P.Field((), one) for one in display) != ()

    def _several(self, attributes: Sequence[P.Attribute | P.Aggregate], table: str) -> str:
        say = self.attribute if len(attributes) == 1 else self.value
        return listed([say(one, table) for one in attributes])

    def _grouping(self, program: P.Grouping) -> list[str]:
        table, rows = program.rows.table, self.rows(program.rows)
        figures = [self._figure(one, table) for one in program.figures]
        what = self._key(program) or self._several(program.by, table)
        extremes = self._extremes(program)
        best = extremes if not figures and not program.having else None
        if best is not None:
            number = _number(program)
            what = plural(what) if number and len(program.by) == 1 else what
            said = [f"the {f'{number} {what}'.strip()} of {rows} with {best}"]
        elif not figures:
            said = [f"each {what} of {rows}"]
        else:
            said = [f"the {listed(figures)} of {rows}"]
            said += [f"for each {what}"] if program.by else []
        said += self._beside(program)
        said += [f"only those with {self._having(one, table)}" for one in program.having]
        if extremes is not None:
            return said if best else [*said, f"the {_number(program) or 'one'} with {extremes}"]
        said += self._order(program.order, table)
        return said if program.limit is None else [*said, _first(program)]

    def _beside(self, program: P.Grouping) -> list[str]:
        """What groups are shown with, unless that is what makes them."""
        told = self.spoken and program.shown == program.by
        if program.shown is None or self._key(program) is not None or told:
            return []
        shown = self._several(program.shown, program.rows.table) or "nothing"
        return [f"shown with {shown}" if program.shown else "shown alone"]

    def _key(self, program: P.Grouping) -> str | None:
        """What groups are called that are the rows of a table, shown with what names them."""
        if len(program.by) != 1 or not isinstance(program.by[0], P.Field) or not program.shown:
            return None
        (by,), table = program.by, program.rows.table
        assert isinstance(by, P.Field)
        end = self.layer.schema.end(table, by.path)
        display = tuple(P.Field(by.path, one) for one in self.layer.table(end).display)
        if by.column != self.layer.schema.table(end).key or program.shown != display:
            return None
        return self.names.end(table, by.path) if by.path else self.names.table(table)

    def _figure(self, figure: P.Attribute | P.Aggregate, table: str) -> str:
        """A figure of the rows that are said after it."""
        if isinstance(figure, P.Aggregate):
            return self.figure(P.Figure(P.Rows(table), figure))
        said = self.value(figure, table)
        return f"({said})" if isinstance(figure, P.Figure) else said

    def _having(self, having: P.Having, table: str) -> str:
        if having.aggregate == P.Aggregate("count") and isinstance(having.value, P.Value):
            number = literal(having.value)
            return f"{NUMBERS[having.sign]} {number} {self.names.rows(table)}"
        dated = self.kind(having.aggregate, table) == "date"
        word = (_DATES if dated else _SIGNS)[having.sign]
        value = self.value(having.value, table, self.unit(having.aggregate, table))
        return f"a {self.value(having.aggregate, table)} that {word} {value}"

    def _order(self, orders: Sequence[P.Order], table: str) -> list[str]:
        if not orders:
            return []
        said = []
        for one in orders:
            way = _ORDERS[self.kind(one.by, table)][one.descending]
            what = self.value(one.by, table)
            said.append(f"{what}, {way}" if len(orders) == 1 else f"{what} ({way})")
        return [f"ordered by {', then by '.join(said)}"]

    def rows(self, rows: P.Rows) -> str:
        """Rows, with what chooses them."""
        said = self.names.rows(rows.table)
        return said if rows.where is None else f"{said} {self.holds(rows.where, rows.table)}"

    def inner_rows(self, rows: P.Rows) -> str:
        """The same within something else."""
        said = self.names.rows(rows.table)
        return said if rows.where is None else f"{said} ({self.holds(rows.where, rows.table)})"

    def value(self, of: P.Attribute | P.Aggregate, table: str, unit: str | None = None) -> str:
        """An attribute, within something else. `table`: whose rows have it. `unit`: of what it is
        compared with."""
        said = self.attribute(of, table, unit)
        loose = isinstance(of, P.Arithmetic) and self._named_number(of, table) is None
        return f"({said})" if loose else said

    def attribute(self, of: P.Attribute | P.Aggregate, table: str, unit: str | None = None) -> str:
        """What each row has, or a figure of a group."""
        match of:
            case P.Value():
                return literal(of, unit)
            case P.Field(path, column):
                name = self.names.column(self.schema.end(table, path), column)
                return f"{name} of the {self.names.end(table, path)}" if path else name
            case P.DatePart(part, inner):
                said = part.replace("_", " and ")
                return f"{said} of the {self.value(inner, table)}"
            case P.Elapsed(span, start, end):
                both = self.value(start, table), self.value(end, table)
                return f"{span}s from the {both[0]} to the {both[1]}"
            case P.Arithmetic(sign, left, right):
                if (named := self._named_number(of, table)) is not None:
                    return named
                both = self.value(left, table), self.value(right, table)
                return f"{both[0]} {_ARITHMETIC[sign]} {both[1]}"
            case P.Belonging(path, figure):
                whose = f" of the {self.names.end(table, path)}" if path else ""
                return self.figure(figure, lambda rows: f"{self.inner_rows(rows)}{whose}")
            case P.Figure():
                return self.figure(of, lambda rows: f"all {self.inner_rows(rows)}")
            case P.Aggregate(of=inner):
                return self.figure(P.Figure(P.Rows(table), of), None if inner else self.rows)

    def _named_number(self, of: P.Arithmetic, table: str) -> str | None:
        """A number in another unit, as ``length in minutes``, or a share in percent, of a group or
        of some rows; None for others."""
        match of:
            case P.Arithmetic("/", left, P.Value(size)) if unit := self.unit(left, table):
                for one in asked_in(unit):
                    if factor(unit, one) == size and one != unit:
                        return f"{self.value(left, table)} in {unit_name(one)}"
            case P.Arithmetic("*", P.Value(100), P.Arithmetic("/", part, P.Figure() as whole)):
                every = self.value(whole, table)
                if isinstance(part, P.Figure):
                    return f"percentage that the {self.value(part, table)} is of the {every}"
                if whole.aggregate == part:
                    return f"percentage (of the {every})"
        return None

    def figure(self, figure: P.Figure, say: Callable[[P.Rows], str] | None = None) -> str:
        """A figure over rows, by its name if it has one. `say`: how the rows are said; None if that
        is done elsewhere."""
        aggregate, rows = figure.aggregate, figure.rows
        for measure in sorted(self.layer.measures, key=lambda one: one.where is None):
            left = _without(rows, measure)
            if left is not None and measure.aggregate == aggregate:
                return f"{measure.label} of {say(left)}" if say else measure.label
        named = f" of {say(rows)}" if say else ""
        if aggregate.of is None:
            return f"number{named}"
        word = _FUNCTIONS[aggregate.function]
        if self.kind(aggregate.of, rows.table) == "date":
            word = _OF_DATES.get(aggregate.function, word)
        if aggregate.function == "count" and aggregate.distinct:
            word = "number of different values of"
        said = self.attribute(aggregate.of, rows.table)
        several = self.spoken and self._has_plural(aggregate.of, rows.table)
        if several and word.endswith("different values of"):
            word, said = word.removesuffix(" values of"), plural(said)
        if isinstance(aggregate.of, P.Belonging | P.Figure | P.Arithmetic):
            said = f"({said})"
        return f"{word} {said}{named}"

    def kind(self, of: P.Attribute | P.Aggregate, table: str) -> Kind:
        """What the values of an attribute are."""
        match of:
            case P.Field(path, column):
                return self.schema.column(self.schema.end(table, path), column).kind
            case P.Belonging(_, figure) | (P.Figure() as figure):
                return self.kind(figure.aggregate, figure.rows.table)
            case P.Aggregate(function, inner) if function in _OF_DATES and inner is not None:
                return self.kind(inner, table)
            case P.Value(date()):
                return "date"
            case P.Value(str()):
                return "text"
        return "number"

    def unit(self, of: P.Attribute | P.Aggregate, table: str) -> str | None:
        """What the numbers of an attribute count."""
        match of:
            case P.DatePart("month"):
                return MONTH if self.spoken else None
            case P.Field(path, column):
                unit = self.layer.column(self.schema.end(table, path), column).unit
                return None if unit == MONEY else unit
            case P.Belonging(_, figure) | (P.Figure() as figure):
                return self.unit(figure.aggregate, figure.rows.table)
            case P.Aggregate(function, inner) if function != "count" and inner is not None:
                return self.unit(inner, table)
        return None

    def holds(self, condition: P.Condition, table: str, negated: bool = False) -> str:
        """A condition, behind what it is about: ``whose country is “Brazil”``. `negated`: whether
        it is not to hold."""
        match condition:
            case P.Not(part):
                return self.holds(part, table, not negated)
            case P.And(parts) | P.Or(parts):
                word = "and" if isinstance(condition, P.And) else "or"
                if self.spoken and word == "and":
                    parts = _ranges(parts)
                said = listed([self._part(one, table) for one in parts], word)
                return f"not ({said})" if negated else said
            case P.Related(path, rows):
                return self._has(path, rows, table, negated)
            case P.Compare(
                P.Belonging((), P.Figure(rows, P.Aggregate("count", None))), sign, P.Value() as n
            ):
                sign = _NEGATED[sign] if negated else sign
                return f"that have {NUMBERS[sign]} {literal(n)} {self.inner_rows(rows)}"
            case P.Compare(left, sign, right):
                return self._compared(left, _NEGATED[sign] if negated else sign, right, table)
        return f"{self._whose(condition.of, table)} {self._is(condition, table, negated)}"

    def _part(self, part: P.Condition, table: str) -> str:
        said = self.holds(part, table)
        return f"({said})" if isinstance(part, P.And | P.Or) else said

    def _whose(self, of: P.Attribute | P.Aggregate, table: str) -> str:
        if isinstance(of, P.Field) and of.path:
            end = self.names.end(table, of.path)
            if end.replace(" ", "").isalnum() and " of the " not in end:
                return f"whose {end}'s {self.names.column(of.path[-1].target, of.column)}"
        said = self.value(of, table)
        if table == NOTHING:
            return said if isinstance(of, P.Value) else f"the {said}"
        if self.spoken and self.kind(of, table) == "date":
            *_, last = said.split(" ")
            noun = not last.endswith("ed") and last not in word_set("prepositions")
            said = said if noun else f"{said} date"
        return f"{'where' if isinstance(of, P.Value | P.Figure) else 'whose'} {said}"

    def _agreed(self, of: P.Attribute | P.Aggregate, table: str, word: str) -> str:
        """A verb that fits what is said of an attribute: "whose seats are"."""
        if not self.spoken or not isinstance(of, P.Field) or word[:2] != "is":
            return word
        name = self.names.column(self.schema.end(table, of.path), of.column)
        return f"are{word[2:]}" if plural(name) == name != singular(name) else word

    def _compared(
        self,
        left: P.Attribute | P.Aggregate,
        sign: P.Sign,
        right: P.Attribute | P.Aggregate,
        table: str,
    ) -> str:
        timed = isinstance(right, P.Value) and isinstance(right.value, str)
        words = _TIMES if timed else _DATES if self.kind(left, table) == "date" else _SIGNS
        said, word = self.value(right, table, self.unit(left, table)), words[sign]
        if not isinstance(right, P.Value):
            word = _OTHERS.get(sign, word)
            said = said if said[0] == "(" else f"the {said}"
        return f"{self._whose(left, table)} {self._agreed(left, table, word)} {said}"

    def _has(self, path: Path, rows: P.Rows, table: str, negated: bool) -> str:
        end = self.schema.end(table, path)
        one = self.schema.path(end, rows.table) is not None and not self.schema.mutual(
            end, rows.table
        )
        verb = ("belong to", "belongs to") if one else ("have", "has")
        whose = f"whose {self.names.end(table, path)} {verb[1]}" if path else f"that {verb[0]}"
        return f"{whose} {'no ' if negated else ''}{self.inner_rows(rows)}"

    def _is(
        self,
        condition: P.Between | P.Contains | P.Missing | P.OneOf | P.Among,
        table: str,
        negated: bool,
    ) -> str:
        """What is said of an attribute."""
        unit = self.unit(condition.of, table)
        no = self._agreed(condition.of, table, "is not" if negated else "is")
        match condition:
            case P.Between(_, low, high, open_):
                if self.spoken and type(high.value) is date:
                    days = timedelta(days=1)
                    last = high.value - days if open_ else high.value
                    named = period(low.value, last + days)
                    return f"{no} {named or _range(low, P.Value(last), False, unit)}"
                return f"{no} {_range(low, high, open_, unit)}"
            case P.Contains(_, text, at):
                return f"{_TEXTS[at][negated]} {literal(P.Value(text))}"
            case P.Missing():
                return f"{no} missing"
            case P.OneOf(_, values):
                return f"{no} {listed([literal(one, unit) for one in values], 'or')}"
            case P.Among(_, values):
                return f"{no} among ({self.program(values)})"


def _without(rows: P.Rows, measure: Measure) -> P.Rows | None:
    """The rows without the condition of a measure; None if these are not those it is over."""
    if rows.table != measure.table or measure.where is None:
        return rows if rows.table == measure.table else None
    every, some = _parts(rows.where), _parts(measure.where)
    left = tuple(one for one in every if one not in some)
    if len(left) + len(some) != len(every):
        return None
    return P.Rows(rows.table, None if not left else left[0] if len(left) == 1 else P.And(left))


def _parts(where: P.Condition | None) -> tuple[P.Condition, ...]:
    return where.parts if isinstance(where, P.And) else () if where is None else (where,)


def _ranges(parts: Sequence[P.Condition]) -> tuple[P.Condition, ...]:
    """Conditions, with two that are the ends of a range as one."""
    left = list(parts)
    for low in parts:
        for high in parts:
            match low, high:
                case P.Compare(of, ">=", P.Value() as first), P.Compare(
                    same, "<" | "<=" as sign, P.Value() as last
                ) if of == same and not isinstance(of, P.Aggregate) and {low, high} <= {*left}:
                    left[left.index(low)] = P.Between(of, first, last, open_=sign == "<")
                    left.remove(high)
    return tuple(left)


def _range(low: P.Value, high: P.Value, open_: bool, unit: str | None) -> str:
    named = period(low.value, high.value)
    if open_ and named is not None:
        return named
    if open_:
        return f"from {literal(low, unit)} to before {literal(high, unit)}"
    return f"between {literal(low, unit)} and {literal(high, unit)}"


def _number(program: P.Listing | P.Grouping) -> str:
    """How many come first; nothing for one."""
    return "" if program.only or program.limit == 1 else str(program.limit)


def _first(program: P.Listing | P.Grouping) -> str:
    """What of all in their order is wanted."""
    limit = program.limit
    assert limit is not None
    if program.only and limit > 1:
        return f"the {ORDINALS[limit - 1]} one" if limit <= len(ORDINALS) else f"number {limit}"
    first = "the first one" if limit == 1 else f"the first {limit}"
    ties = " and those that tie with the last of these" if program.ties or program.only else ""
    return first + ties


def headings(program: P.Program, layer: SemanticLayer) -> tuple[str, ...]:
    """A name for each column of an answer; no two are the same."""
    return _different(_headings(program, layer))


def _headings(program: P.Program, layer: SemanticLayer) -> list[str]:
    match program:
        case P.Listing(rows, shown):
            return [_value_name(one, rows.table, layer) for one in shown]
        case P.Grouping(rows, _, figures):
            every = (*program.showing, *figures)
            return [_value_name(one, rows.table, layer) for one in every]
        case P.Union(parts):
            return _headings(parts[0], layer)
        case P.Exists() | P.Holds():
            return ["answer"]
        case P.Figure() | P.Arithmetic():
            return [_value_name(program, "", layer)]


def _value_name(of: P.Attribute | P.Aggregate, table: str, layer: SemanticLayer) -> str:
    """The name of a value that each row of a table has, or of a figure over such rows."""
    match of:
        case P.Field(path, column):
            end = layer.table(layer.schema.end(table, path))
            name = end.column(column).label
            return name if not path or end.label in name else f"{end.label} {name}"
        case P.DatePart(part):
            return part.split("_")[-1]
        case P.Elapsed(unit):
            return f"{unit}s"
        case P.Value(value):
            return str(value)
        case P.Belonging(_, figure) | (P.Figure() as figure):
            return _value_name(figure.aggregate, figure.rows.table, layer)
        case P.Aggregate():
            return _figure_name(of, table, layer)
        case P.Arithmetic():
            return _Restating(layer).attribute(of, table)


def _figure_name(aggregate: P.Aggregate, table: str, layer: SemanticLayer) -> str:
    same = (table, aggregate.function, aggregate.of, None)
    for measure in layer.measures:
        if (measure.table, measure.function, measure.of, measure.where) == same:
            return measure.label
    if aggregate.of is None:
        return f"number of {plural(layer.table(table).label)}"
    name = _value_name(aggregate.of, table, layer)
    word = "number of" if aggregate.function == "count" else _FUNCTIONS[aggregate.function]
    return f"{word} {'different ' * aggregate.distinct}{name}"


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
