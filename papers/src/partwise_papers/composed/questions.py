"""Plain questions that put known parts together: what is asked for, and conditions on the rows.

Each part is usual on its own: "number of bookings per cabin", "over 200", "in May 2024". People put
them together in ways that no training set holds all of, so whether a parser reads the whole is a
matter of its own. Each question comes with the program that it says.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from partwise.database.inflection import plural
from partwise.database.layer.model import TableInfo
from partwise.execution.relational.program import (
    Compare,
    Field,
    Grouping,
    Listing,
    Program,
    Rows,
    Value,
)
from partwise_papers.composed.asking import Asking
from partwise_papers.composed.conditions import Conditions
from partwise_papers.composed.facts import Facts, called, full_names, sayable
from partwise_papers.composed.parts import together
from partwise_papers.databases.answers import Answering, TypedRows
from partwise_papers.databases.questions import TODAY, AskedDatabase, AskedQuestion

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


def composed_questions(database: AskedDatabase, number: int, seed: int = 0) -> list[AskedQuestion]:
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
        days = [day for one in facts.tables for day in facts.days(one)]
        last = max((one for one in days if one.year < date.max.year), default=TODAY)
        self.today = last + timedelta(days=draw.randrange(LATER))
        self.conditions = Conditions(facts, draw, self.today)
        self.asking = Asking(self.conditions, draw)

    def question(self, table: TableInfo) -> tuple[str, Sequence[Program]]:
        """A question about rows of a table, and the programs that answer it."""
        draw = self.draw
        if draw.random() < LOOKED_UP and (found := self._looked_up(table)):
            return found
        linked = self.asking.of_linked(table)
        of_linked = bool(linked) and draw.random() < LINKED
        asked = draw.choice(linked if of_linked else draw.choice(self.asking.families(table)))
        parts = self.conditions.parts(table, asked.without, MOST)
        head = table.label if asked.single else plural(table.label)
        before = " ".join(one.text for one in parts if one.before)
        behind = " ".join(one.text for one in parts if not one.before)
        rows = f"{before} {head}".strip()
        if asked.behind and behind and draw.random() < 0.5:
            text = f"{asked.say(rows)} {behind}"
        else:
            text = asked.say(f"{rows} {behind}".strip())
        return text, asked.make(Rows(table.name, together([one.condition for one in parts])))

    def _looked_up(self, table: TableInfo) -> tuple[str, Sequence[Program]] | None:
        """What a column says of a row with a name."""
        shown, columns = self.facts.named(table), sayable(self.facts.open(table))
        rows = full_names(self.facts.rows(table.name, shown)) if shown else []
        if not rows or not columns:
            return None
        row, one = self.draw.choice(rows), self.draw.choice(columns)
        name, label = " ".join(row), called(one)
        said = self.draw.choice(
            [
                *(f"{label} of {name}", f"what is the {label} of {name}", f"{name} {label}"),
                *(f"what is {name}'s {label}", f"show me the {label} of {table.label} {name}"),
            ]
        )
        pairs = zip(shown, row, strict=True)
        where = together([Compare(field, "=", Value(x)) for field, x in pairs])
        return said, [Listing(Rows(table.name, where), (Field((), one.name),))]
