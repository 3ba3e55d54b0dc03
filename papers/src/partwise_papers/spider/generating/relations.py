"""Conditions on what a row is linked with, in words."""

from __future__ import annotations

from collections.abc import Callable

from partwise.database.layer.model import TableInfo
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Belonging,
    Compare,
    Condition,
    Field,
    Figure,
    Not,
    Related,
    Rows,
    Sign,
    Value,
)
from partwise.execution.relational.schema import Path
from partwise_papers.spider.converting.moving import Mover
from partwise_papers.spider.generating.conditions import OwnConditions
from partwise_papers.spider.generating.maker import NothingToSayError, SaidCondition, Tools
from partwise_papers.spider.generating.naming import usual_verbs
from partwise_papers.spider.generating.phrases import Phrase, word

_FARTHEST = 3
"""Links between rows that one question speaks of."""


class LinkedConditions:
    """Draws conditions on rows that belong to a row, or that it belongs to."""

    def __init__(self, tools: Tools, own: OwnConditions) -> None:
        self.tools, self.own = tools, own

    def above(self, table: TableInfo) -> list[tuple[Path, TableInfo]]:
        """The tables that a row of a table leads to, with the way."""
        made = []
        for one in self.tools.tables:
            path = self.tools.schema.path(table.name, one.name)
            if path and len(path) <= _FARTHEST:
                made.append((path, one))
        return made

    def below(self, table: TableInfo) -> list[TableInfo]:
        """The tables whose rows belong to a row of a table, directly or through a third."""
        made = []
        for one in self.tools.tables:
            relation = self.tools.schema.relation(table.name, one.name)
            if relation is None or relation.outer or one.bridge:
                continue
            if len(relation.end) + len(relation.inner) <= _FARTHEST:
                made.append(one)
        return made

    def any(self, table: TableInfo) -> SaidCondition:
        """A condition on linked rows.

        Raises:
            NothingToSayError: if nothing is linked.
        """
        kinds: list[tuple[Callable[[TableInfo], SaidCondition], float]] = [
            (self.of_named, 5), (self.of_attribute, 2), (self.some_named, 3), (self.some, 1),
            (self.none, 2.5), (self.counted, 2.5), (self.two_named, 1.2), (self.some_with, 2),
        ]  # fmt: skip
        kind = self.tools.rng.choices([one for one, _ in kinds], [weight for _, weight in kinds])[0]
        return kind(table)

    def of_named(self, table: TableInfo) -> SaidCondition:
        """That a row belongs to a named one: "albums by Miles Davis"."""
        path, other = self.tools.choose([one for one in self.above(table) if self._worded(one[1])])
        condition, value = self._name(other)
        moved = Mover(path).condition(condition)
        said = self.tools.naming.table(other.name, many=False)
        return SaidCondition(moved, self.tools.say("linked", table=said, value=value))

    def of_attribute(self, table: TableInfo) -> SaidCondition:
        """That a row belongs to one with an attribute: "invoices of customers in France"."""
        path, other = self.tools.choose(self.above(table))
        inner = self.own.any(other)
        rows = (*inner.phrase,) if inner.before else ()
        said = (*rows, *self.tools.naming.table(other.name, self.tools.chance(0.5)))
        behind = () if inner.before else inner.phrase
        joint = self.tools.choose(("of", "of", "from", "by", "for"))
        phrase = (*word(joint), *said, *behind)
        return SaidCondition(Mover(path).condition(inner.condition), phrase)

    def some_named(self, table: TableInfo) -> SaidCondition:
        """That a named row belongs to this one."""
        other = self.tools.choose([one for one in self.below(table) if self._worded(one)])
        condition, value = self._name(other)
        said = self.tools.naming.table(other.name, many=False)
        phrase = self.tools.say("linked_some", table=said, value=value)
        return SaidCondition(Related((), Rows(other.name, condition)), phrase)

    def some_with(self, table: TableInfo) -> SaidCondition:
        """That a row with an attribute belongs to this one: "customers with orders in 2023"."""
        other = self.tools.choose(self.below(table))
        inner = self.own.any(other)
        said = self.tools.naming.table(other.name)
        before = inner.phrase if inner.before else ()
        behind = () if inner.before else inner.phrase
        no = self.tools.chance(0.25)
        start = (
            word(self.tools.choose(("without", "with no")), "not")
            if no
            else word(
                self.tools.choose(
                    ("with", "that have", "who have") if table.person else ("with", "that have")
                )
            )
        )
        related = Related((), Rows(other.name, inner.condition))
        phrase = (*start, *before, *said, *behind)
        return SaidCondition(Not(related) if no else related, phrase)

    def some(self, table: TableInfo) -> SaidCondition:
        """That some row belongs to this one."""
        other = self.tools.choose(self.below(table))
        verb = self._verb(table, other)
        phrase = self._tables("some_verb" if verb else "some", other, verb)
        return SaidCondition(Related((), Rows(other.name)), phrase)

    def none(self, table: TableInfo) -> SaidCondition:
        """That no row belongs to this one."""
        other = self.tools.choose(self.below(table))
        verb = self._verb(table, other)
        phrase = self._tables("no_verb" if verb else "no", other, verb)
        return SaidCondition(Not(Related((), Rows(other.name))), phrase)

    def counted(self, table: TableInfo) -> SaidCondition:
        """That so many rows belong to this one."""
        other = self.tools.choose(self.below(table))
        sign, number, compared = compared_count(self.tools)
        count = Belonging((), Figure(Rows(other.name), Aggregate("count")))
        said = self.tools.naming.table(other.name)
        verb = self._verb(table, other)
        kind = "counted_verb" if verb else "counted"
        phrase = self.tools.say(kind, compared=compared, tables=said, verb=verb)
        return SaidCondition(Compare(count, sign, Value(number)), phrase)

    def two_named(self, table: TableInfo) -> SaidCondition:
        """That two named rows belong to this one, or the one and not the other."""
        other = self.tools.choose([one for one in self.below(table) if self._worded(one)])
        first, one = self._name(other)
        second, two = self._name(other)
        if first == second:
            raise NothingToSayError("one name only")
        but = self.tools.chance(0.3)
        parts: list[Condition] = [Related((), Rows(other.name, part)) for part in (first, second)]
        if but:
            parts[1] = Not(parts[1])
        kind = "linked_but_not" if but else "linked_both"
        said = self.tools.naming.table(other.name, many=False)
        phrase = self.tools.say(kind, table=said, value=one, other=two)
        return SaidCondition(And(tuple(parts)), phrase)

    def named(self, table: TableInfo) -> SaidCondition:
        """A row by its name alone: "Jane Peacock", "the album Nevermind"."""
        condition, value = self._name(table)
        if self.tools.chance(0.3) or value[0].text.isdigit():
            said = self.tools.naming.table(table.name, many=False)
            value = (*word(self.tools.choose(("the", ""))), *said, *value)
        return SaidCondition(condition, value)

    def _verb(self, table: TableInfo, other: TableInfo) -> Phrase:
        """What people do with such things, now and then: customers *place* orders."""
        if not table.person or self.tools.chance(0.3):
            return ()
        verbs = usual_verbs().get(other.label.split()[-1], ())
        return word(self.tools.choose(verbs)) if verbs else ()

    def _tables(self, kind: str, other: TableInfo, verb: Phrase = ()) -> Phrase:
        many = self.tools.naming.table(other.name)
        one = self.tools.naming.table(other.name, many=False)
        return self.tools.say(kind, tables=many, table=one, verb=verb)

    def _worded(self, table: TableInfo) -> bool:
        """Whether its rows have names that are words, not numbers."""
        samples = self.tools.samples
        return bool(table.display) and all(samples.texts(table.name, one) for one in table.display)

    def _name(self, table: TableInfo) -> tuple[Condition, Phrase]:
        """A row's name: of a person in two columns, the first, the last or both."""
        rows = [
            row
            for row in self.tools.samples.rows[table.name]
            if all(isinstance(row.get(one), str | int) and row[one] for one in table.display)
        ]
        row = self.tools.choose(rows)
        columns = list(table.display)
        if not columns or len(" ".join(str(row[one]) for one in columns)) > 40:
            raise NothingToSayError("rows without names")
        if len(columns) > 1 and self.tools.chance(0.15):
            columns = columns[-1:]
        parts: list[Condition] = [Compare(Field((), one), "=", Value(row[one])) for one in columns]
        said = " ".join(str(row[one]) for one in columns)
        value = word(said, "value:" + "+".join(f"{table.name}.{one}" for one in columns))
        return (parts[0] if len(parts) == 1 else And(tuple(parts))), value


def compared_count(tools: Tools) -> tuple[Sign, int, Phrase]:
    """A comparison of a count with a small number, in words."""
    number = tools.rng.choice((1, 2, 2, 3, 3, 4, 5, 10))
    kinds: dict[str, Sign] = {
        "many": ">",
        "at_least": ">=",
        "few": "<",
        "few_most": "<=",
        "equal": "=",
    }
    if number == 1 and tools.chance(0.5):
        return ">", 1, tools.say("several")
    kind = tools.rng.choices(tuple(kinds), (5, 5, 1, 1, 2))[0]
    if number == 1 and kind == "few":
        kind = "many"
    return kinds[kind], number, tools.say(kind, value=tools.number(number))
