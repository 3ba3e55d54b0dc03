"""Plain questions that put known parts together: what is asked for, and conditions on the rows.

Each part is usual on its own: "number of bookings per cabin", "over 200", in "May 2024". People put
them together in ways that no training set holds all of, so whether a parser reads the whole is a
matter of its own. Each question comes with the program that it says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from partwise.database.conditions import conjunction
from partwise.database.inflection import plural
from partwise.database.layer.model import ColumnInfo, TableInfo
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Attribute,
    Belonging,
    Compare,
    Condition,
    DatePart,
    Exists,
    Field,
    Figure,
    Function,
    Grouping,
    Having,
    Listing,
    Not,
    Order,
    Program,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise_papers.composed.conditions import (
    Asked,
    Conditions,
    Facts,
    and_also,
    call_column,
    full_names,
    sayable,
)
from partwise_papers.databases.questions import (
    TODAY,
    Answering,
    AskedDatabase,
    AskedQuestion,
    TypedRows,
)

_DATE, _LINK, _VALUE = frozenset({"date"}), frozenset({"link"}), frozenset({"value"})
_OF_THINGS = frozenset({"link", "missing", "count"})
"""Conditions that could be said of what has the rows, too."""
_COUNT = Aggregate("count")
_PRICES = {"price", "cost", "fare", "fee", "rent"}
"""Amounts by which rows are cheap."""


class Asking:
    """Draws what is asked; see `Asked`."""

    def __init__(self, conditions: Conditions, draw: random.Random) -> None:
        self.conditions, self.draw = conditions, draw
        self.facts = conditions.facts

    def families(self, table: TableInfo) -> list[list[Asked]]:
        """All that can be asked of a table, by what it is."""
        made = (
            self._plain(table),
            self._columns(table),
            self._figures(table),
            self._groups(table),
            self._most(table),
            self._firsts(table),
            self._shares(table),
            self._of_names(table),
        )
        return [some for some in map(list, made) if some]

    def _display(self, table: TableInfo) -> tuple[Field, ...]:
        return tuple(Field((), name) for name in table.display)

    def _plain(self, table: TableInfo) -> Iterator[Asked]:
        shown = self._display(table)
        for said in ("{}", "show me all {}", "list {}", "which {} are there"):
            yield _ask(said, lambda rows: [Listing(rows, shown)])
        for said in ("how many {}", "number of {}", "how many {} are there"):
            yield _ask(said, lambda rows: [Figure(rows, _COUNT)])
        for said in ("are there any {}", "do we have any {}"):
            yield _ask(said, lambda rows: [Exists(rows)])

    def _columns(self, table: TableInfo) -> Iterator[Asked]:
        """Columns of all rows."""
        shown = self._display(table)
        # "Amount of all payments" could be their sum.
        some = [column for column in sayable(self.facts.open(table)) if column.kind != "number"]
        if not some:
            return
        column = self.draw.choice(some)
        field = Field((), column.name)

        def alone(rows: Rows) -> list[Program]:
            return [Listing(rows, (field,)), Listing(rows, (*shown, field))]

        yield _ask(f"{call_column(column)} of all {{}}", alone)
        yield _ask(f"what is the {call_column(column)} of {{}}", alone)
        if self.facts.named(table):
            yield _ask(
                f"name and {call_column(column)} of all {{}}",
                lambda rows: [Listing(rows, (*shown, field))],
            )
        kinds = self.facts.kinds(table)
        if kinds:
            kind = self.draw.choice(kinds)
            of = Field((), kind.name)
            yield _ask(
                f"how many different {plural(kind.label)} do {{}} have",
                lambda rows: [Figure(rows, Aggregate("count", of, True))],
            )
            yield _ask(
                f"different {plural(kind.label)} of {{}}",
                lambda rows: [Listing(rows, (of,), distinct=True)],
            )

    def _figures(self, table: TableInfo) -> Iterator[Asked]:
        functions: dict[str, Function] = {
            **{"average": "average", "highest": "maximum", "lowest": "minimum"},
            "what is the average": "average",
        }
        for column in self.facts.numbers(table):
            for word, function in functions.items():
                yield self._figure(f"{word} {call_column(column)} of {{}}", column, function)
        if (usual := self.facts.usual(table)) is not None:
            yield self._figure(f"total {call_column(usual)} of {{}}", usual, "sum")
            yield self._figure(f"what is the total {call_column(usual)} of all {{}}", usual, "sum")

    def _figure(self, said: str, column: ColumnInfo, function: Function) -> Asked:
        figure = Aggregate(function, Field((), column.name))
        return _ask(said, lambda rows: [Figure(rows, figure)])

    def _keys(self, table: TableInfo) -> list[tuple[str, tuple[Field, ...]]]:
        """What makes groups: kinds of rows, and what links lead to."""
        made: list[tuple[str, tuple[Field, ...]]]
        made = [(column.label, (Field((), column.name),)) for column in self.facts.kinds(table)]
        for link in self.facts.schema.leaving(table.name):
            if names := self.facts.names(link):
                made.append((self.facts.layer.table(link.target).label, names))
        return made

    def _groups(self, table: TableInfo) -> Iterator[Asked]:
        """Groups by a kind, by month, or by what a link leads to."""
        figures = [(f"number of {{}} {word}", _COUNT) for word in ("per", "by", "for each")]
        figures += [
            (
                f"average {call_column(column)} of {{}} per",
                Aggregate("average", Field((), column.name)),
            )
            for column in self.facts.numbers(table)
        ]
        for label, names in self._keys(table):
            for said, figure in figures:
                yield _group(f"{said} {label}", names, figure)
            yield _group(f"how many {{}} are there per {label}", names, _COUNT)
        if (date := self.facts.dated(table)) is not None:
            month, year = DatePart("year_month", date), DatePart("year", date)
            yield _group("number of {} per month", (month,), _COUNT)._replace(without=_DATE)
            for said in ("number of {} per year", "how many {} per year"):
                yield _group(said, (year,), _COUNT)._replace(without=_DATE)

    def _most(self, table: TableInfo) -> Iterator[Asked]:
        """The group with most rows, and groups with several."""
        for column in self.facts.kinds(table):
            field, name = Field((), column.name), column.label
            most = Order(_COUNT, True)
            first = Grouping(Rows(table.name), (field,), (), (), (most,), 1)

            def top(rows: Rows, first: Grouping = first) -> list[Program]:
                made = replace(first, rows=rows)
                return [made, replace(made, figures=(_COUNT,))]

            for said in (f"which {name} has the most {{}}", f"most common {name} of {{}}"):
                yield _ask(said, top)._replace(without=_VALUE)
            several = Having(_COUNT, ">", Value(2))
            groups = Grouping(Rows(table.name), (field,), (), (several,))

            def having(rows: Rows, groups: Grouping = groups) -> list[Program]:
                made = replace(groups, rows=rows)
                return [made, replace(made, figures=(_COUNT,))]

            said = f"which {plural(name)} have more than 2 {{}}"
            yield _ask(said, having)._replace(without=_VALUE)

    def _firsts(self, table: TableInfo) -> Iterator[Asked]:
        """Rows in an order, or the first of them."""
        shown = self._display(table)
        if numbers := self.facts.numbers(table):
            by = self.draw.choice(numbers)
            down, up = (Order(Field((), by.name), way) for way in (True, False))
            name = call_column(by)
            for said, limit, order in (
                (f"{{}} with the highest {name}", 1, down),
                (f"{{}} with the lowest {name}", 1, up),
                (f"top 3 {{}} by {name}", 3, down),
                (f"{{}} sorted by {name}", None, up),
                (f"{{}} ordered by {name} from highest to lowest", None, down),
            ):
                yield self._order(table, said, order, limit)
        usual = self.facts.usual(table)
        if usual is not None and _PRICES & {*usual.label.split()}:
            price = Field((), usual.name)
            for said, falls in (("cheapest {}", False), ("most expensive {}", True)):
                yield self._order(table, said, Order(price, falls), 1, True)
        if (date := self.facts.dated(table)) is not None:
            # The oldest person is so by birth.
            first = "earliest" if table.person else "oldest"
            for word, falls in (("latest", True), ("most recent", True), (first, False)):
                yield self._order(table, f"{word} {{}}", Order(date, falls), 1, True)
            yield self._order(table, "last 5 {}", Order(date, True), 5)
            yield _ask(
                "when was the last {}",
                lambda rows: [Figure(rows, Aggregate("maximum", date))],
            )._replace(single=True)
            yield _ask(
                "{} sorted by date", lambda rows: [Listing(rows, shown, (Order(date),))], True
            )

    def _order(
        self, table: TableInfo, said: str, order: Order, limit: int | None, single: bool = False
    ) -> Asked:
        shown = self._display(table)
        by = order.by
        assert isinstance(by, Field)

        def make(rows: Rows) -> list[Program]:
            made = Listing(rows, shown, (order,), limit)
            return [made, replace(made, shown=(*shown, by))]

        return _ask(said, make, True)._replace(single=single)

    def _shares(self, table: TableInfo) -> Iterator[Asked]:
        """The share of rows that are of a kind."""
        for column in self.facts.kinds(table):
            values = [x for x in self.facts.values(table.name, column.name) if len(str(x)) > 2]
            if not values:
                continue
            value = self.draw.choice(values)
            is_such = Compare(Field((), column.name), "=", Value(value))

            def share(rows: Rows, is_such: Condition = is_such) -> list[Program]:
                part = Figure(and_also(rows, is_such), _COUNT)
                parted = Arithmetic("/", part, Figure(rows, _COUNT))
                return [Arithmetic("*", Value(100), parted), parted]

            for said in ("what percentage of {} have", "what share of {} have"):
                yield _ask(f"{said} {column.label} {value}", share)._replace(without=_VALUE)

    def _of_names(self, table: TableInfo) -> Iterator[Asked]:
        """What is asked of the rows of someone or something with a name."""
        for link in self.facts.schema.leaving(table.name):
            names = self.conditions.names_behind(link)
            if not names:
                continue
            row = self.draw.choice(names)
            own, name = self.conditions.has_name(link, row), " ".join(row)

            def count(rows: Rows, own: Condition = own) -> list[Program]:
                return [Figure(and_also(rows, own), _COUNT)]

            def some(rows: Rows, own: Condition = own) -> list[Program]:
                return [Exists(and_also(rows, own))]

            for said in (f"how many {{}} does {name} have", f"number of {{}} for {name}"):
                yield _ask(said, count, True)._replace(without=_LINK)
            yield _ask(f"does {name} have any {{}}", some, True)._replace(without=_LINK)

    def of_owners(self, table: TableInfo) -> list[Asked]:
        """What is asked of the things that rows belong to: customers, by their orders."""
        return [
            thing._replace(without=_OF_THINGS)
            for link in self.facts.schema.leaving(table.name)
            if self.facts.names(link)
            for thing in self._of_things(table, link)
        ]

    def _of_things(self, table: TableInfo, link: Link) -> Iterator[Asked]:
        thing = self.facts.layer.table(link.target)
        things, name = plural(thing.label), thing.label
        shown = tuple(Field((), column) for column in thing.display)

        def of(where: Condition) -> Listing:
            return Listing(Rows(thing.name, where), shown)

        def number(rows: Rows) -> Belonging:
            return Belonging((), Figure(rows, _COUNT))

        def first(by: Attribute, limit: int) -> list[Program]:
            made = Listing(Rows(thing.name), shown, (Order(by, True),), limit)
            return [made, replace(made, shown=(*shown, by))]

        for word in ("with", "that have", "which have", "who have" if thing.person else "having"):
            yield _ask(f"{things} {word} {{}}", lambda rows: [of(Related((), rows))])
        for word in ("without", "with no"):
            yield _ask(f"{things} {word} {{}}", lambda rows: [of(Not(Related((), rows)))])
        yield _ask(
            f"how many {things} have {{}}",
            lambda rows: [Figure(Rows(thing.name, Related((), rows)), _COUNT)],
        )
        yield _ask(
            f"{things} with more than 2 {{}}",
            lambda rows: [of(Compare(number(rows), ">", Value(2)))],
        )
        for word in ("which", "what"):
            yield _ask(f"{word} {name} has the most {{}}", lambda rows: first(number(rows), 1))
        yield _ask(f"top 3 {things} by number of {{}}", lambda rows: first(number(rows), 3))
        if (usual := self.facts.usual(table)) is not None:
            total = Aggregate("sum", Field((), usual.name))
            names = self.facts.names(link)
            yield _group(f"total {call_column(usual)} of {{}} per {name}", names, total)
            yield _ask(
                f"which {name} has the highest total {call_column(usual)} of {{}}",
                lambda rows: first(Belonging((), Figure(rows, total)), 1),
            )


def _ask(said: str, make: Callable[[Rows], Sequence[Program]], behind: bool = False) -> Asked:
    """What is asked, with braces where the rows are said."""
    return Asked(lambda rows: said.replace("{}", rows), make, behind)


def _group(said: str, names: tuple[Attribute, ...], figure: Aggregate) -> Asked:
    return _ask(said, lambda rows: [Grouping(rows, names, (figure,))], True)


COMPOSED = "composed"
"""The kind of these questions."""
MOST = 2
"""Conditions of a question."""
LINKED, LOOKED_UP = 0.3, 0.1
"""The shares of the questions that are about what has the rows, and about one row by its name,
where there is such a thing."""
LATER = 20
"""The most days between the last day of a database and the day of asking."""
TRIES = 60
"""Draws for each question that is wanted."""


def compose_questions(database: AskedDatabase, number: int, seed: int = 0) -> list[AskedQuestion]:
    """Questions to a database, as many as asked for unless it has too few tables.

    Those whose answer is empty, or a single zero, are not among them.
    """
    draw = random.Random(f"{seed} {database.name}")
    facts = Facts(database)
    maker = _Maker(facts, draw)
    made: dict[str, AskedQuestion] = {}
    for _ in range(number * TRIES):
        if len(made) == number or not facts.tables:
            break
        text, programs = maker.question(draw.choice(facts.tables))
        if text not in made and (right := _right(database, programs)):
            name = f"{database.name}-{COMPOSED}-{len(made)}"
            made[text] = AskedQuestion(name, COMPOSED, text, right=right, today=maker.today)
    return list(made.values())


def _right(database: AskedDatabase, programs: Sequence[Program]) -> tuple[TypedRows, ...]:
    """The rows of some programs, on each file; nothing if there are none."""
    answers = []
    for program in programs:
        rows = database.rows.of_program(program)
        if rows is None or _is_nothing(rows[0]) or _has_ties(database, program):
            return ()
        ordered = isinstance(program, Listing) and bool(program.order)
        answers.append([Answering.of(some, ordered) for some in rows])
    return tuple(TypedRows(some) for some in zip(*answers, strict=True))


def _has_ties(database: AskedDatabase, program: Program) -> bool:
    """Whether other rows could stand in the place of the last one of a limit."""
    if not isinstance(program, Listing | Grouping) or program.limit is None:
        return False
    rows = database.rows.of_program(replace(program, ties=True))
    return rows is not None and len(rows[0]) > program.limit


def _is_nothing(rows: Sequence[tuple[Any, ...]]) -> bool:
    return not rows or (len(rows) == 1 and rows[0][0] in (None, 0))


class _Maker:
    def __init__(self, facts: Facts, draw: random.Random) -> None:
        self.facts, self.draw = facts, draw
        days = [day for table in facts.tables for day in facts.days(table)]
        last = max((day for day in days if day.year < date.max.year), default=TODAY)
        self.today = last + timedelta(days=draw.randrange(LATER))
        self.conditions = Conditions(facts, draw, self.today)
        self.asking = Asking(self.conditions, draw)

    def question(self, table: TableInfo) -> tuple[str, Sequence[Program]]:
        """A question about rows of a table, and the programs that answer it."""
        draw = self.draw
        if draw.random() < LOOKED_UP and (found := self._look_up(table)):
            return found
        linked = self.asking.of_owners(table)
        of_linked = bool(linked) and draw.random() < LINKED
        asked = draw.choice(linked if of_linked else draw.choice(self.asking.families(table)))
        parts = self.conditions.parts(table, asked.without, MOST)
        head = table.label if asked.single else plural(table.label)
        before = " ".join(part.text for part in parts if part.before)
        behind = " ".join(part.text for part in parts if not part.before)
        rows = f"{before} {head}".strip()
        if asked.behind and behind and draw.random() < 0.5:
            text = f"{asked.say(rows)} {behind}"
        else:
            text = asked.say(f"{rows} {behind}".strip())
        return text, asked.make(Rows(table.name, conjunction([part.condition for part in parts])))

    def _look_up(self, table: TableInfo) -> tuple[str, Sequence[Program]] | None:
        """What a column says of a row with a name."""
        shown, columns = self.facts.named(table), sayable(self.facts.open(table))
        rows = full_names(self.facts.rows(table.name, shown)) if shown else []
        if not rows or not columns:
            return None
        row, column = self.draw.choice(rows), self.draw.choice(columns)
        name, label = " ".join(row), call_column(column)
        said = self.draw.choice(
            [
                *(f"{label} of {name}", f"what is the {label} of {name}", f"{name} {label}"),
                *(f"what is {name}'s {label}", f"show me the {label} of {table.label} {name}"),
            ]
        )
        pairs = zip(shown, row, strict=True)
        where = conjunction([Compare(field, "=", Value(x)) for field, x in pairs])
        return said, [Listing(Rows(table.name, where), (Field((), column.name),))]
