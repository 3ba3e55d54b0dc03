"""Plain questions that put known parts together: what is asked for, and conditions on the rows.

Each part is usual on its own: "number of bookings per cabin", "over 200", "in May 2024". People put
them together in ways that no training set holds all of, so whether a parser reads the whole is a
matter of its own. Each question comes with the program that it says.
"""

from __future__ import annotations

import random
from calendar import month_name
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.nouns import plural
from partwise.database.reading.amounts import MONEY, amounts_of, usual_amount
from partwise.database.reading.frame import Ref, is_flag
from partwise.database.reading.links import ids_of, is_unnamed
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Belonging,
    Between,
    Compare,
    Condition,
    DatePart,
    Exists,
    Field,
    Figure,
    Function,
    Grouping,
    Listing,
    Missing,
    Not,
    Order,
    Program,
    Related,
    Rows,
    Sign,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise_papers.databases.answers import Answering, TypedRows
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion

COMPOSED = "composed"
"""The kind of these questions."""
LEAST, VARIED = 8, 5
"""The fewest rows of a table that is asked about, and distinct values of a number."""
MOST = 2
"""Conditions of a question."""
SHORTEST = 3
"""Characters of a value that is said."""
LINKED = 0.35
"""The share of the questions that are about what has the rows, where something has."""
TRIES = 60
"""Draws for each question that is wanted."""


class Part(NamedTuple):
    """A condition on rows.

    Attributes:
        kind: only one of a kind is in a question.
        text: what is said behind the rows, or before them.
    """

    kind: str
    text: str
    condition: Condition
    before: bool = False


class Asked(NamedTuple):
    """What is asked of rows.

    Attributes:
        say: the question, of the rows in words.
        make: the programs, of the rows; the answer of each is right.
        behind: whether conditions may stand behind the whole, too.
        dated: whether one of them may say when.
    """

    say: Callable[[str], str]
    make: Callable[[Rows], Sequence[Program]]
    behind: bool = False
    dated: bool = True


def composed_questions(database: AskedDatabase, number: int, seed: int = 0) -> list[AskedQuestion]:
    """Questions to a database, as many as asked for unless it has too few tables.

    Those whose answer is empty, or a single zero, are not among them.
    """
    draw = random.Random(f"{seed} {database.name}")
    maker = _Maker(database, draw)
    made: dict[str, AskedQuestion] = {}
    for _ in range(number * TRIES):
        if len(made) == number or not maker.tables:
            break
        text, programs = maker.question(draw.choice(maker.tables))
        if text not in made and (right := _right(database, programs)):
            name = f"{database.name}-{COMPOSED}-{len(made)}"
            made[text] = AskedQuestion(name, COMPOSED, text, right=right)
    return list(made.values())


def _right(database: AskedDatabase, programs: Sequence[Program]) -> tuple[TypedRows, ...]:
    """The rows of some programs, on each file; nothing if there are none."""
    answers = []
    for program in programs:
        rows = database.rows.of_program(program)
        if rows is None or _is_nothing(rows[0]):
            return ()
        ordered = isinstance(program, Listing) and bool(program.order)
        answers.append([Answering.of(some, ordered) for some in rows])
    return tuple(TypedRows(some) for some in zip(*answers, strict=True))


def _is_nothing(rows: Sequence[tuple[Any, ...]]) -> bool:
    return not rows or (len(rows) == 1 and rows[0][0] in (None, 0))


class _Maker:
    def __init__(self, database: AskedDatabase, draw: random.Random) -> None:
        self.database, self.draw = database, draw
        self.layer: SemanticLayer = database.domain.layer
        self.schema = self.layer.schema
        self.tables = [one for one in self.layer.tables if self._is_asked(one)]

    def question(self, table: TableInfo) -> tuple[str, Sequence[Program]]:
        """A question about rows of a table, and the programs that answer it."""
        draw = self.draw
        every = [*self._asked(table)]
        linked = [*self._of_linked(table)]
        of_linked = bool(linked) and draw.random() < LINKED
        asked = draw.choice(linked if of_linked else every)
        parts = [one for one in self._parts(table) if asked.dated or one.kind != "date"]
        if of_linked:
            # Others could be said of the things, too.
            parts = [one for one in parts if one.kind in {"date", "number", "value"}]
        head = plural(table.label)
        before = " ".join(one.text for one in parts if one.before)
        behind = " ".join(one.text for one in parts if not one.before)
        rows = f"{before} {head}".strip()
        if asked.behind and behind and draw.random() < 0.5:
            text = f"{asked.say(rows)} {behind}"
        else:
            text = asked.say(f"{rows} {behind}".strip())
        return text, asked.make(Rows(table.name, _all([one.condition for one in parts])))

    def _is_asked(self, table: TableInfo) -> bool:
        key = self.schema.table(table.name).key
        if table.private or table.bridge or key is None:
            return False
        return len(self._values(table.name, key)) >= LEAST

    def _values(self, table: str, column: str) -> list[Any]:
        found = self.database.rows.of_program(Listing(Rows(table), (Field((), column),)))
        return [one for (one,) in found[0] if one is not None] if found else []

    def _open(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns that say something of a row."""
        ids = {*ids_of(self.schema, table.name), *table.display}
        return [
            one
            for one in table.columns
            if not (
                one.private or one.name in ids or is_flag(self.layer, Ref(table.name, one.name))
            )
        ]

    def _numbers(self, table: TableInfo) -> list[ColumnInfo]:
        some = [one for one in self._open(table) if one.kind == "number"]
        return [one for one in some if len(set(self._values(table.name, one.name))) > VARIED]

    def _kinds(self, table: TableInfo) -> list[ColumnInfo]:
        return [one for one in self._open(table) if one.kind == "text" and one.values]

    # --- what is asked for ---------------------------------------------------------------

    def _asked(self, table: TableInfo) -> Iterator[Asked]:
        shown = tuple(Field((), one) for one in table.display)
        count = Aggregate("count")
        yield Asked(str, lambda rows: [Listing(rows, shown)])
        yield Asked(lambda rows: f"show me all {rows}", lambda rows: [Listing(rows, shown)])
        yield Asked(lambda rows: f"how many {rows}", lambda rows: [Figure(rows, count)])
        yield Asked(lambda rows: f"number of {rows}", lambda rows: [Figure(rows, count)])
        yield Asked(lambda rows: f"are there any {rows}", lambda rows: [Exists(rows)])
        yield from self._figures(table)
        yield from self._groups(table)
        if numbers := self._numbers(table):
            by = self.draw.choice(numbers)
            down, up = (Order(Field((), by.name), way) for way in (True, False))
            yield Asked(
                lambda rows: f"{rows} with the highest {by.label}",
                lambda rows: [Listing(rows, shown, (down,), 1)],
                True,
            )
            yield Asked(
                lambda rows: f"top 3 {rows} by {by.label}",
                lambda rows: [Listing(rows, shown, (down,), 3)],
                True,
            )
            yield Asked(
                lambda rows: f"{rows} sorted by {by.label}",
                lambda rows: [Listing(rows, shown, (up,))],
                True,
            )

    def _figures(self, table: TableInfo) -> Iterator[Asked]:
        functions: dict[str, Function] = {"average": "average", "highest": "maximum"}
        for one in self._numbers(table):
            for word, function in functions.items():
                figure = Aggregate(function, Field((), one.name))
                yield Asked(
                    lambda rows, word=word, one=one: f"{word} {one.label} of {rows}",  # type: ignore[misc]
                    lambda rows, figure=figure: [Figure(rows, figure)],  # type: ignore[misc]
                )

    def _groups(self, table: TableInfo) -> Iterator[Asked]:
        """Groups by a kind, by month, or by what a link leads to."""
        keys: list[tuple[str, tuple[Field, ...]]]
        keys = [(one.label, (Field((), one.name),)) for one in self._kinds(table)]
        keys += [
            (self.layer.table(link.target).label, names)
            for link in self.schema.leaving(table.name)
            if (names := self._names(link))
        ]
        figures = [(f"number of {{}} {word}", Aggregate("count")) for word in ("per", "by")]
        figures += [
            (f"average {one.label} of {{}} per", Aggregate("average", Field((), one.name)))
            for one in self._numbers(table)
        ]
        for label, names in keys:
            for said, figure in figures:
                yield Asked(
                    lambda rows, said=said, label=label: f"{said.format(rows)} {label}",  # type: ignore[misc]
                    lambda rows, names=names, figure=figure: [Grouping(rows, names, (figure,))],  # type: ignore[misc]
                    True,
                )
        if table.date is not None and not table.column(table.date).private:
            month = DatePart("year_month", Field((), table.date))
            yield Asked(
                lambda rows: f"number of {rows} per month",
                lambda rows: [Grouping(rows, (month,), (Aggregate("count"),))],
                True,
                False,
            )

    def _of_linked(self, table: TableInfo) -> Iterator[Asked]:
        """What is asked of the things that rows belong to: customers, by their orders."""
        for link in self.schema.leaving(table.name):
            if self._names(link):
                yield from self._of_things(table, link)

    def _of_things(self, table: TableInfo, link: Link) -> Iterator[Asked]:
        thing = self.layer.table(link.target)
        things, name = plural(thing.label), thing.label
        shown = tuple(Field((), one) for one in thing.display)

        def of(where: Condition) -> Listing:
            return Listing(Rows(thing.name, where), shown)

        def number(rows: Rows) -> Belonging:
            return Belonging((), Figure(rows, Aggregate("count")))

        def first(by: Belonging, limit: int) -> list[Program]:
            made = Listing(Rows(thing.name), shown, (Order(by, True),), limit)
            return [made, replace(made, shown=(*shown, by))]

        for said in ("with", "that have", "which have"):
            yield Asked(
                lambda rows, said=said: f"{things} {said} {rows}",  # type: ignore[misc]
                lambda rows: [of(Related((), rows))],
            )
        yield Asked(
            lambda rows: f"{things} without {rows}",
            lambda rows: [of(Not(Related((), rows)))],
        )
        yield Asked(
            lambda rows: f"{things} with more than 2 {rows}",
            lambda rows: [of(Compare(number(rows), ">", Value(2)))],
        )
        for word in ("which", "what"):
            yield Asked(
                lambda rows, word=word: f"{word} {name} has the most {rows}",  # type: ignore[misc]
                lambda rows: first(number(rows), 1),
            )
        yield Asked(
            lambda rows: f"top 3 {things} by number of {rows}", lambda rows: first(number(rows), 3)
        )
        if (usual := self._usual(table)) is not None:
            total = Aggregate("sum", Field((), usual.name))
            names = self._names(link)
            yield Asked(
                lambda rows: f"total {usual.label} of {rows} per {name}",
                lambda rows: [Grouping(rows, names, (total,))],
                True,
            )
            yield Asked(
                lambda rows: f"which {name} has the highest total {usual.label} of {rows}",
                lambda rows: first(Belonging((), Figure(rows, total)), 1),
            )

    def _names(self, link: Link) -> tuple[Field, ...]:
        """What names the row that a link leads to; nothing if that is not said by its table."""
        target = self.layer.table(link.target)
        alike = [one for one in self.schema.leaving(link.table) if one.target == link.target]
        if target.private or len(alike) > 1 or link.target == link.table:
            return ()
        if is_unnamed(self.layer, link.target):
            return ()
        return tuple(Field((link,), one) for one in target.display)

    # --- conditions ----------------------------------------------------------------------

    def _parts(self, table: TableInfo) -> list[Part]:
        """Up to `MOST` conditions, each of another kind, in any order."""
        every = [
            *self._dated(table),
            *self._compared(table),
            *self._valued(table),
            *self._linked(table),
            *self._missing(table),
            *self._counted(table),
        ]
        self.draw.shuffle(every)
        number = self.draw.choices(range(MOST + 1), (1, 3, 4))[0]
        made: list[Part] = []
        for one in every:
            if len(made) < number and all(one.kind != other.kind for other in made):
                made.append(one)
        return made

    def _dated(self, table: TableInfo) -> Iterator[Part]:
        if table.date is None or table.column(table.date).private:
            return
        days = [str(one)[:10] for one in self._values(table.name, table.date)]
        if not days:
            return
        field = Field((), table.date)
        day = date.fromisoformat(self.draw.choice(days))
        first, year = day.replace(day=1), day.year
        after = date(year + day.month // 12, day.month % 12 + 1, 1)
        name = month_name[day.month]
        start, end = date(year, 1, 1), date(year + 1, 1, 1)

        def within(low: date, high: date) -> Condition:
            return Between(field, Value(low), Value(high), True)

        yield Part("date", f"in {year}", within(start, end))
        yield Part("date", f"from {year}", within(start, end))
        yield Part("date", f"in {name} {year}", within(first, after))
        yield Part("date", f"since {year}", Compare(field, ">=", Value(start)))
        yield Part("date", f"before {year}", Compare(field, "<", Value(start)))
        yield Part("date", f"after {name} {year}", Compare(field, ">=", Value(after)))

    def _compared(self, table: TableInfo) -> Iterator[Part]:
        signs: tuple[tuple[str, Sign], ...] = (
            *(("over", ">"), ("under", "<"), ("above", ">"), ("of at least", ">=")),
        )
        for one in self._numbers(table):
            number = self._middle(table.name, one.name)
            field = Field((), one.name)
            for word, sign in signs:
                made = Compare(field, sign, Value(number))
                yield Part("number", f"with {_a(one.label)} {word} {number}", made)
                yield Part("number", f"with {one.label} {word.removeprefix('of ')} {number}", made)
        if (usual := self._usual(table)) is not None:
            number = self._middle(table.name, usual.name)
            for word, sign in signs:
                made = Compare(Field((), usual.name), sign, Value(number))
                yield Part("number", f"{word} {number}", made)

    def _usual(self, table: TableInfo) -> ColumnInfo | None:
        """The amount of money that goes without saying."""
        money = [one for one in amounts_of(self.layer, table.name) if one.unit in MONEY]
        usual = usual_amount(self.layer, table.name, money) if money else None
        return None if usual is None or usual.private else usual

    def _middle(self, table: str, column: str) -> int:
        values = sorted(x for x in self._values(table, column) if isinstance(x, int | float))
        return int(values[len(values) // 2]) if values else 0

    def _valued(self, table: TableInfo) -> Iterator[Part]:
        for one in self._kinds(table):
            values = self._values(table.name, one.name)
            if not values:
                continue
            value = self.draw.choice(values)
            said = str((one.value_names.get(value) or (value,))[0])
            if len(said) < SHORTEST or said.lower() in {"yes", "true", "false"}:
                continue
            made = Compare(Field((), one.name), "=", Value(value))
            yield Part("value", f"with {one.label} {said}", made)
            yield Part("value", said.lower(), made, before=True)
            yield Part("value", f"with {one.label} other than {said}", Not(made))

    def _linked(self, table: TableInfo) -> Iterator[Part]:
        for link in self.schema.leaving(table.name):
            fields = self._names(link)
            found = fields and self.database.rows.of_program(Listing(Rows(table.name), fields))
            names = (
                [row for row in found[0] if all(isinstance(one, str) for one in row)]
                if found
                else []
            )
            if not names:
                continue
            row = self.draw.choice(names)
            pairs = zip(fields, row, strict=True)
            made = _all([Compare(field, "=", Value(one)) for field, one in pairs])
            assert made is not None
            target, name = self.layer.table(link.target), " ".join(row)
            yield Part("link", f"{'by' if target.person else 'of'} {name}", made)
            yield Part("link", f"with {target.label} {name}", made)

    def _missing(self, table: TableInfo) -> Iterator[Part]:
        for one in self._open(table):
            if one.kind in {"text", "date"}:
                made = Missing(Field((), one.name))
                found = self.database.rows.of_program(Listing(Rows(table.name, made), ()))
                if found and found[0]:
                    yield Part("missing", f"without {one.label}", made)

    def _counted(self, table: TableInfo) -> Iterator[Part]:
        for link in self.schema.links:
            several = [one for one in self.schema.leaving(link.table) if one.target == table.name]
            other = self.layer.table(link.table)
            if link.target != table.name or link.table == table.name or len(several) > 1:
                continue
            if other.private or other.bridge:
                continue
            each = Belonging((), Figure(Rows(link.table), Aggregate("count")))
            name = plural(other.label)
            yield Part("count", f"with more than 2 {name}", Compare(each, ">", Value(2)))
            yield Part("count", f"with at least 2 {name}", Compare(each, ">=", Value(2)))


def _a(label: str) -> str:
    return f"{'an' if label[:1] in 'aeiou' else 'a'} {label}"


def _all(parts: Sequence[Condition]) -> Condition | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else And(tuple(parts))
