"""Conditions on the rows of a table, as they are said, and what they need to know of a database."""

from __future__ import annotations

import random
from calendar import month_name
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from partwise.database.conditions import conjunction
from partwise.database.inflection import plural
from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.source.roles import without_unit
from partwise.database.spans.types import is_flag
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Attribute,
    Belonging,
    Between,
    Compare,
    Condition,
    Field,
    Figure,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Program,
    Related,
    Rows,
    Sign,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise_papers.databases.questions import AskedDatabase


class Part(NamedTuple):
    """A condition on rows.

    Attributes:
        kind: only one of a kind is in a question.
        text: what is said behind the rows, or before them.
        last: whether it ends with other rows, of which all behind it would be said.
    """

    kind: str
    text: str
    condition: Condition
    before: bool = False
    last: bool = False


class Asked(NamedTuple):
    """What is asked of rows.

    Attributes:
        say: the question, of the rows in words.
        make: the programs, of the rows; the answer of each is right.
        behind: whether conditions may stand behind the whole, too.
        without: kinds of conditions that may not stand beside it.
        single: whether one row is spoken of.
    """

    say: Callable[[str], str]
    make: Callable[[Rows], Sequence[Program]]
    behind: bool = False
    without: frozenset[str] = frozenset()
    single: bool = False


def and_also(rows: Rows, condition: Condition) -> Rows:
    """Those rows for which a condition holds, too."""
    before = rows.where.parts if isinstance(rows.where, And) else (rows.where,)
    return Rows(rows.table, conjunction([*before, condition]))


MONEY = frozenset({"usd", "eur", "gbp", "money"})
LEAST, VARIED = 8, 5
"""The fewest rows of a table that is asked about, and distinct values of a number."""


class Facts:
    """Tables, columns and values of a database; what was looked up is kept."""

    def __init__(self, database: AskedDatabase) -> None:
        self.database = database
        self.layer: SemanticLayer = database.domain.layer
        self.schema = self.layer.schema
        self._seen: dict[tuple[str, tuple[Attribute, ...]], list[tuple[Any, ...]]] = {}
        self.tables = [table for table in self.layer.tables if self._is_askable(table)]

    def _is_askable(self, table: TableInfo) -> bool:
        key = self.schema.table(table.name).key
        if table.private or table.bridge or key is None:
            return False
        return len(self.values(table.name, key)) >= LEAST

    def rows(self, table: str, fields: Sequence[Attribute]) -> list[tuple[Any, ...]]:
        """What all rows of a table show."""
        place = table, tuple(fields)
        if place not in self._seen:
            found = self.database.rows.of_program(Listing(Rows(table), place[1]))
            self._seen[place] = list(found[0]) if found else []
        return self._seen[place]

    def values(self, table: str, column: str) -> list[Any]:
        """Values of a column, without nulls."""
        return [value for (value,) in self.rows(table, (Field((), column),)) if value is not None]

    def _ids(self, table: TableInfo) -> set[str | None]:
        """Its key and its links."""
        links = {link.column for link in self.schema.leaving(table.name)}
        return {self.schema.table(table.name).key, *links}

    def _unnamed(self, table: TableInfo) -> bool:
        """Whether rows have no name of their own, only ids: orders, bills, visits."""
        return {*table.display} <= self._ids(table)

    def open(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns that say something of a row."""
        ids = {*self._ids(table), *table.display}
        return [
            one for one in table.columns if not (one.private or one.name in ids or is_flag(one))
        ]

    def numbers(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns of numbers that differ."""
        some = [column for column in self.open(table) if column.kind == "number"]
        return [
            column for column in some if len(set(self.values(table.name, column.name))) > VARIED
        ]

    def kinds(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns of texts whose values are known."""
        return [column for column in self.open(table) if column.kind == "text" and column.values]

    def usual(self, table: TableInfo) -> ColumnInfo | None:
        """The amount of money that goes without saying."""
        money = [column for column in self.open(table) if column.unit in MONEY]
        of = self.layer.measure(table.measure).of if table.measure else None
        own = [column for column in money if of == Field((), column.name)]
        return own[0] if own else money[0] if len(money) == 1 else None

    def dated(self, table: TableInfo) -> Field | None:
        """The date that goes without saying."""
        if table.date is None or table.column(table.date).private:
            return None
        return Field((), table.date)

    def days(self, table: TableInfo) -> list[date]:
        """The days of this date."""
        if self.dated(table) is None or table.date is None:
            return []
        return [date.fromisoformat(str(day)[:10]) for day in self.values(table.name, table.date)]

    def names(self, link: Link) -> tuple[Field, ...]:
        """What names the row that a link leads to; nothing if that is not said by its table."""
        target = self.layer.table(link.target)
        alike = [other for other in self.schema.leaving(link.table) if other.target == link.target]
        if target.private or len(alike) > 1 or link.target == link.table:
            return ()
        if self._unnamed(target):
            return ()
        return tuple(Field((link,), name) for name in target.display)

    def named(self, table: TableInfo) -> tuple[Field, ...]:
        """What names a row of a table; nothing if it has no name."""
        if self._unnamed(table):
            return ()
        return tuple(Field((), name) for name in table.display)

    def belonging(self, table: TableInfo) -> list[TableInfo]:
        """The tables whose rows belong to those of a table, by one link."""
        made = []
        for link in self.schema.links:
            several = [one for one in self.schema.leaving(link.table) if one.target == table.name]
            other = self.layer.table(link.table)
            if link.target != table.name or link.table == table.name or len(several) > 1:
                continue
            if not (other.private or other.bridge):
                made.append(other)
        return made


def call_column(column: ColumnInfo) -> str:
    """What people call a column: its unit is not said."""
    short = " ".join(without_unit(tuple(column.label.split())))
    return short if short in column.synonyms else column.label


def sayable(some: Sequence[ColumnInfo]) -> list[ColumnInfo]:
    """Columns whose names can be asked for: "the issued on of invoices" is said by nobody."""
    return [column for column in some if column.label.split()[-1] not in {"on", "at", "by", "in"}]


def full_names(found: Sequence[tuple[Any, ...]]) -> list[tuple[str, ...]]:
    """The rows that are texts, each of which is there once."""
    some = [row for row in found if all(isinstance(value, str) and value for value in row)]
    return [row for row in dict.fromkeys(some) if some.count(row) == 1]


SHORTEST = 3
"""Characters of a value that is said."""
PLACES = {"city", "town", "country", "village", "region", "state", "county", "nationality"}
"""Columns whose values are said behind "from"."""
BACK = 30
"""Days that "the last days" are."""
_SIGNS: tuple[tuple[str, Sign], ...] = (
    *(("over", ">"), ("under", "<"), ("above", ">"), ("of at least", ">=")),
    *(("of more than", ">"), ("of less than", "<"), ("of at most", "<=")),
)


class Conditions:
    """Draws conditions for questions that are asked on a day."""

    def __init__(self, facts: Facts, draw: random.Random, today: date) -> None:
        self.facts, self.draw, self.today = facts, draw, today

    def parts(self, table: TableInfo, without: frozenset[str], most: int) -> list[Part]:
        """Some conditions, each of another kind, in any order (`without`: kinds that are left
        out)."""
        families = [
            list(some)
            for some in (
                self._by_date(table),
                self._by_number(table),
                self._by_value(table),
                self._by_link(table),
                self._of_such(table),
                self._missing(table),
                self._by_count(table),
            )
        ]
        every = [
            condition
            for some in families
            for condition in self._few(some)
            if condition.kind not in without
        ]
        self.draw.shuffle(every)
        number = self.draw.choices(range(most + 1), (1, 3, *([4] * (most - 1))))[0]
        made: list[Part] = []
        for condition in every:
            if len(made) < number and all(condition.kind != other.kind for other in made):
                made.append(condition)
        return sorted(made, key=lambda one: one.last)

    def _few(self, some: list[Part]) -> list[Part]:
        """As many of each family, whatever number of columns it is about."""
        return self.draw.sample(some, min(len(some), 4))

    def _by_date(self, table: TableInfo) -> Iterator[Part]:
        field, days = self.facts.dated(table), self.facts.days(table)
        if field is None or not days:
            return
        day = self.draw.choice(days)
        first, year = day.replace(day=1), day.year
        after, before = _next(first), (first - timedelta(days=1)).replace(day=1)
        name = month_name[day.month]
        start, end = date(year, 1, 1), date(year + 1, 1, 1)

        def within(text: str, low: date, high: date) -> Part:
            return Part("date", text, Between(field, Value(low), Value(high), True))

        yield within(f"in {year}", start, end)
        yield within(f"from {year}", start, end)
        yield within(f"in {name} {year}", first, after)
        yield within(f"on {day.day} {name} {year}", day, day + timedelta(days=1))
        yield within(f"in q{(day.month + 2) // 3} {year}", *_quarter(day))
        yield within(f"between {year - 1} and {year}", date(year - 1, 1, 1), end)
        if day.month > 1:
            yield within(f"from {month_name[before.month]} to {name} {year}", before, after)
        yield Part("date", f"since {year}", Compare(field, ">=", Value(start)))
        yield Part("date", f"before {year}", Compare(field, "<", Value(start)))
        yield Part("date", f"before {name} {year}", Compare(field, "<", Value(first)))
        yield Part("date", f"after {name} {year}", Compare(field, ">=", Value(after)))
        today = self.today
        month, this = today.replace(day=1), date(today.year, 1, 1)
        yield within("this year", this, date(today.year + 1, 1, 1))
        yield within("last year", date(today.year - 1, 1, 1), this)
        yield within("this month", month, _next(month))
        yield within("last month", (month - timedelta(days=1)).replace(day=1), month)
        back = today - timedelta(days=BACK)
        yield within(f"in the last {BACK} days", back, today + timedelta(days=1))

    def _by_number(self, table: TableInfo) -> Iterator[Part]:
        for column in self.facts.numbers(table):
            low, number, high = self._quarters(table.name, column.name)
            field, name = Field((), column.name), call_column(column)
            for word, sign in _SIGNS:
                made = Compare(field, sign, Value(number))
                yield Part("number", f"with {_a(name)} {word} {number}", made)
                yield Part("number", f"with {name} {word.removeprefix('of ')} {number}", made)
            between = Between(field, Value(low), Value(high))
            yield Part("number", f"with {_a(name)} between {low} and {high}", between)
            yield Part("number", f"with {name} from {low} to {high}", between)
        usual = self.facts.usual(table)
        if usual is not None:
            number = self._quarters(table.name, usual.name)[1]
            for word, sign in _SIGNS:
                made = Compare(Field((), usual.name), sign, Value(number))
                yield Part("number", f"{word} {number}", made)

    def _quarters(self, table: str, column: str) -> tuple[int, int, int]:
        """A low, a middle and a high value of a column."""
        some = sorted(x for x in self.facts.values(table, column) if isinstance(x, int | float))
        if not some:
            return 0, 0, 0
        size = len(some)
        return int(some[size // 4]), int(some[size // 2]), int(some[3 * size // 4])

    def _by_value(self, table: TableInfo) -> Iterator[Part]:
        for column in self.facts.kinds(table):
            values = self._value_phrases(table, column)
            if not values:
                continue
            value = self.draw.choice(sorted(values))
            said, field = values[value], Field((), column.name)
            made = Compare(field, "=", Value(value))
            yield Part("value", f"with {column.label} {said}", made)
            yield Part("value", said.lower(), made, before=True)
            yield Part("value", f"with {column.label} other than {said}", Not(made))
            if _is_place(column):
                yield Part("value", f"from {said}", made)
                yield Part("value", f"not from {said}", Not(made))
            others = sorted(values.keys() - {value})
            if others:
                other = self.draw.choice(others)
                either = OneOf(field, (Value(value), Value(other)))
                yield Part("value", f"with {column.label} {said} or {values[other]}", either)
                if _is_place(column):
                    yield Part("value", f"from {said} or {values[other]}", either)

    def _value_phrases(self, table: TableInfo, column: ColumnInfo) -> dict[str, str]:
        """Values of a column -> how each is said."""
        found = {str(value) for value in self.facts.values(table.name, column.name)}
        said = {value: str((column.value_names.get(value) or (value,))[0]) for value in found}
        return {
            value: text
            for value, text in said.items()
            if len(text) >= SHORTEST and text.lower() not in {"yes", "true", "false"}
        }

    def _by_link(self, table: TableInfo) -> Iterator[Part]:
        for link in self.facts.schema.leaving(table.name):
            names = self.names_behind(link)
            if not names:
                continue
            row = self.draw.choice(names)
            made, name = self.has_name(link, row), " ".join(row)
            target = self.facts.layer.table(link.target)
            by = "by" if target.person else "of"
            yield Part("link", f"{by} {name}", made)
            yield Part("link", f"with {target.label} {name}", made)
            if len(names) > 1:
                other = self.draw.choice([one for one in names if one != row])
                either = Or((made, self.has_name(link, other)))
                yield Part("link", f"{by} {name} or {' '.join(other)}", either)

    def names_behind(self, link: Link) -> list[tuple[str, ...]]:
        """The names that a link leads to, as texts, each once."""
        fields = self.facts.names(link)
        found = self.facts.rows(link.table, fields) if fields else []
        return [
            *dict.fromkeys(row for row in found if all(isinstance(value, str) for value in row))
        ]

    def has_name(self, link: Link, row: Sequence[str]) -> Condition:
        """That a link leads to what has a name."""
        pairs = zip(self.facts.names(link), row, strict=True)
        made = conjunction([Compare(field, "=", Value(value)) for field, value in pairs])
        assert made is not None
        return made

    def _of_such(self, table: TableInfo) -> Iterator[Part]:
        """What is said of the things that rows belong to: "by clients from Oslo"."""
        for link in self.facts.schema.leaving(table.name):
            if not self.facts.names(link):
                continue
            target = self.facts.layer.table(link.target)
            by = f"{'by' if target.person else 'of'} {plural(target.label)}"
            for column in self.facts.kinds(target):
                values = self._value_phrases(target, column)
                if not values:
                    continue
                value = self.draw.choice(sorted(values))
                made = Compare(Field((link,), column.name), "=", Value(value))
                yield Part("link", f"{by} with {column.label} {values[value]}", made, last=True)
                if _is_place(column):
                    yield Part("link", f"{by} from {values[value]}", made, last=True)
                    yield Part("link", f"{by} in {values[value]}", made, last=True)

    def _missing(self, table: TableInfo) -> Iterator[Part]:
        for column in self.facts.open(table):
            if column.kind in {"text", "date"}:
                found = self.facts.rows(table.name, (Field((), column.name),))
                if any(value is None for (value,) in found):
                    yield Part(
                        "missing", f"without {column.label}", Missing(Field((), column.name))
                    )

    def _by_count(self, table: TableInfo) -> Iterator[Part]:
        for other in self.facts.belonging(table):
            each = Belonging((), Figure(Rows(other.name), Aggregate("count")))
            name = plural(other.label)
            some = Related((), Rows(other.name))
            said: dict[str, Condition] = {
                f"with more than 2 {name}": Compare(each, ">", Value(2)),
                f"with at least 2 {name}": Compare(each, ">=", Value(2)),
                f"with exactly 2 {name}": Compare(each, "=", Value(2)),
                f"with {name}": some,
                f"without {name}": Not(some),
                f"with no {name}": Not(some),
            }
            for text, made in said.items():
                yield Part("count", text, made, last=True)


def _is_place(column: ColumnInfo) -> bool:
    return bool(PLACES & {*column.label.split()})


def _next(first: date) -> date:
    """The first day of the month after one."""
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


def _quarter(day: date) -> tuple[date, date]:
    """The first day of the quarter of a day, and the one after its last."""
    first = date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    return first, _next(_next(_next(first)))


def _a(label: str) -> str:
    return f"{'an' if label[:1] in 'aeiou' else 'a'} {label}"
