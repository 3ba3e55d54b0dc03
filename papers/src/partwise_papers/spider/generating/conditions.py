"""Conditions on a row's own columns, in words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from partwise.database.layer.model import ColumnInfo, TableInfo
from partwise.execution.relational.program import (
    Aggregate,
    Between,
    Compare,
    Condition,
    Contains,
    Field,
    Figure,
    Missing,
    Not,
    OneOf,
    Rows,
    Sign,
    Value,
)
from partwise_papers.spider.generating.maker import NothingToSayError, SaidCondition, Tools
from partwise_papers.spider.generating.naming import from_place, is_place
from partwise_papers.spider.generating.periods import day_in_words, period_of
from partwise_papers.spider.generating.phrases import Phrase, word

_SIGNS: dict[str, Sign] = {
    "more": ">",
    "less": "<",
    "at_least": ">=",
    "at_most": "<=",
    "equal": "=",
}


class OwnConditions:
    """Draws conditions on the columns of a table."""

    def __init__(self, tools: Tools) -> None:
        self.tools, self.samples = tools, tools.samples

    def any(self, table: TableInfo) -> SaidCondition:
        """A condition on a column.

        Raises:
            NothingToSayError: if no column fits.
        """
        kinds: list[tuple[Callable[[TableInfo], SaidCondition], float]] = [
            (self.text, 8), (self.number, 4), (self.period, 4), (self.one_of, 1.2),
            (self.negated, 1.2), (self.missing, 0.5), (self.contained, 0.7), (self.average, 0.7),
        ]  # fmt: skip
        kind = self.tools.rng.choices([one for one, _ in kinds], [weight for _, weight in kinds])[0]
        return kind(table)

    def text(self, table: TableInfo) -> SaidCondition:
        """That a column is a text: "in France", "with status open", "open"."""
        column = self._text_column(table)
        value = self.samples.text(table.name, column.name)
        condition = Compare(Field((), column.name), "=", Value(value))
        slots = self._slots(table, column, value)
        if column.name in table.display:
            return SaidCondition(condition, self.tools.say("named", **slots))
        adjectives = from_place(value)
        if adjectives and self.tools.chance(0.35):
            said = word(self.tools.choose(adjectives), slots["value"][0].part)
            return SaidCondition(condition, said, before=True)
        if is_place(column):
            return SaidCondition(condition, self.tools.say("place", **slots))
        if self.samples.few(table.name, column.name) and self.tools.chance(0.55):
            if self.tools.chance(0.5):
                return SaidCondition(condition, slots["value"], before=True)
            return SaidCondition(condition, self.tools.say("bare_text", **slots))
        return SaidCondition(condition, self.tools.say("text", **slots))

    def negated(self, table: TableInfo) -> SaidCondition:
        """That a column is another text."""
        column = self._text_column(table)
        value = self.samples.text(table.name, column.name)
        condition = Compare(Field((), column.name), "!=", Value(value))
        kind = "not_place" if is_place(column) else "not_text"
        said = self.tools.say(kind, **self._slots(table, column, value))
        return SaidCondition(condition, said)

    def one_of(self, table: TableInfo) -> SaidCondition:
        """That a column is one of two texts."""
        column = self._text_column(table)
        two = self.samples.two_texts(table.name, column.name)
        if two is None:
            raise NothingToSayError("one text only")
        condition = OneOf(Field((), column.name), tuple(Value(one) for one in two))
        slots = self._slots(table, column, two[0])
        other = word(two[1], f"value:{table.name}.{column.name}")
        kind = "place_or" if is_place(column) else "text_or"
        return SaidCondition(condition, self.tools.say(kind, other=other, **slots))

    def number(self, table: TableInfo) -> SaidCondition:
        """That a number is above, below, between or equal."""
        tools = self.tools
        column = tools.choose(tools.columns(table.name, "number"))
        field = Field((), column.name)
        value = self.samples.number(table.name, column.name)
        if tools.chance(0.12):
            return self._between(table, column, value)
        kind = tools.rng.choices(tuple(_SIGNS), (8, 4, 3, 1, 3))[0]
        condition = Compare(field, _SIGNS[kind], Value(value))
        said = tools.number(value, column)
        if kind in ("more", "less") and tools.chance(0.4):
            some = tools.naming.adjectives(table.name, column.name)
            right = [one for one in some if one.descending == (kind == "more")]
            if right:
                adjective = word(tools.choose(right).comparative, f"sign:{_SIGNS[kind]}")
                phrase = tools.say("comparative", adjective=adjective, value=said)
                return SaidCondition(condition, phrase)
        compared = tools.say(kind, value=said)
        return SaidCondition(condition, self._numbered(table, column, compared))

    def _between(self, table: TableInfo, column: ColumnInfo, value: int | float) -> SaidCondition:
        low, high = sorted((value, self.samples.number(table.name, column.name)))
        if low == high:
            raise NothingToSayError("one number only")
        condition = Between(Field((), column.name), Value(low), Value(high))
        first, last = self.tools.number(low), self.tools.number(high, column)
        compared = self.tools.say("between", value=first, other=last)
        return SaidCondition(condition, self._numbered(table, column, compared))

    def _numbered(self, table: TableInfo, column: ColumnInfo, compared: Phrase) -> Phrase:
        said = self.tools.naming.column(table.name, column.name)
        return self.tools.say("number", column=said, compared=compared)

    def average(self, table: TableInfo) -> SaidCondition:
        """That a number is above or below the average of all."""
        tools = self.tools
        column = tools.choose(tools.columns(table.name, "number"))
        more = tools.chance(0.7)
        field = Field((), column.name)
        figure = Figure(Rows(table.name), Aggregate("average", field))
        condition = Compare(field, ">" if more else "<", figure)
        some = tools.naming.adjectives(table.name, column.name)
        right = [one for one in some if one.descending == more]
        if right and tools.chance(0.7):
            adjective = word(tools.choose(right).comparative, "sign:>" if more else "sign:<")
            return SaidCondition(condition, tools.say("adjective_average", adjective=adjective))
        said = tools.naming.column(table.name, column.name)
        kind = "average_than" if more else "less_than_average"
        return SaidCondition(condition, tools.say(kind, column=said))

    def period(self, table: TableInfo) -> SaidCondition:
        """That a date is in, before, after or between periods.

        The column goes unsaid where it is the table's own date.
        """
        tools = self.tools
        dated = tools.columns(table.name, "date")
        column = next((one for one in dated if one.name == table.date), None)
        if column is None or tools.chance(0.25):
            column = tools.choose(dated)
        day = self.samples.day(table.name, column.name)
        kind = tools.rng.choices(
            ("in_period", "on_day", "after_period", "since_period", "before_period",
             "between_periods"), (8, 1, 4, 2, 3, 1.5)
        )[0]  # fmt: skip
        slots = {"column": tools.naming.column(table.name, column.name)}
        field = Field((), column.name)
        condition: Condition
        if kind == "on_day":
            said = day_in_words(day, tools.rng)
            condition = Between(field, Value(said.start), Value(said.end), open_=True)
            slots["period"] = word(said.words, "period")
        elif kind == "between_periods":
            condition = self._between_days(table, column, day, slots)
        else:
            said = period_of(day, tools.rng)
            condition = _related_to(field, kind, said.start, said.end)
            slots["period"] = word(said.words, "period")
        return SaidCondition(condition, self._dated(kind, column.name == table.date, slots))

    def _between_days(
        self, table: TableInfo, column: ColumnInfo, day: date, slots: dict[str, Phrase]
    ) -> Condition:
        other = self.samples.day(table.name, column.name)
        first, last = (period_of(one, self.tools.rng) for one in sorted((day, other)))
        if first.end > last.start:
            raise NothingToSayError("no two periods")
        slots["period"], slots["other"] = word(first.words, "period"), word(last.words, "period")
        field = Field((), column.name)
        return Between(field, Value(first.start), Value(last.end), open_=True)

    def _dated(self, kind: str, usual: bool, slots: dict[str, Phrase]) -> Phrase:
        """A pattern with the column's words in it, unless it is the usual date."""
        for _ in range(20):
            said = self.tools.say(kind, **slots)
            named = any(one.part.startswith("column:") for one in said)
            if named != usual or (named and self.tools.chance(0.2)):
                return said
        return said

    def missing(self, table: TableInfo) -> SaidCondition:
        """That a column has no value, or one."""
        tools = self.tools
        columns = tools.shown_columns(table)
        column = tools.choose([one for one in columns if one.name not in table.display])
        said = tools.naming.column(table.name, column.name)
        field = Field((), column.name)
        if tools.chance(0.25):
            return SaidCondition(Not(Missing(field)), tools.say("present", column=said))
        return SaidCondition(Missing(field), tools.say("missing", column=said))

    def contained(self, table: TableInfo) -> SaidCondition:
        """That a text has a word in it, or begins or ends with a letter."""
        tools = self.tools
        column = self._text_column(table)
        value = self.samples.text(table.name, column.name)
        said = tools.naming.column(table.name, column.name)
        kind = tools.rng.choice(("contains", "contains", "starts", "ends"))
        words = [one for one in value.split() if one.isalpha()]
        part: Any = tools.choose(words)
        if kind != "contains" and tools.chance(0.7):
            part = part[0] if kind == "starts" else part[-1]
        where = {"starts": "start", "ends": "end"}.get(kind, "anywhere")
        condition = Contains(Field((), column.name), part, where)  # type: ignore[arg-type]
        quoted = f"'{part}'" if tools.chance(0.4) else part
        return SaidCondition(condition, tools.say(kind, column=said, value=word(quoted, "text")))

    def _text_column(self, table: TableInfo) -> ColumnInfo:
        columns = self.tools.columns(table.name, "text")
        weights = [
            3.0 if is_place(one) or self.samples.few(table.name, one.name) else 1.0
            for one in columns
        ]
        if not columns:
            raise NothingToSayError("no column of texts")
        return self.tools.rng.choices(columns, weights)[0]

    def _slots(self, table: TableInfo, column: ColumnInfo, value: str) -> dict[str, Phrase]:
        said = self.tools.naming.column(table.name, column.name)
        return {"column": said, "value": word(value, f"value:{table.name}.{column.name}")}


def _related_to(field: Field, kind: str, start: date, end: date) -> Condition:
    match kind:
        case "in_period":
            return Between(field, Value(start), Value(end), open_=True)
        case "after_period":
            return Compare(field, ">=", Value(end))
        case "since_period":
            return Compare(field, ">=", Value(start))
        case _:
            return Compare(field, "<", Value(start))
