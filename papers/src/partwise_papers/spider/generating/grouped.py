"""Questions about groups: figures per key, the key with the most, groups with a condition."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.database.layer.model import TableInfo
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    Arithmetic,
    Attribute,
    DatePart,
    Field,
    Figure,
    Grouping,
    Having,
    Listing,
    Order,
    Part,
    Program,
    Rows,
    Value,
)
from partwise_papers.spider.generating.maker import (
    NothingToSayError,
    SaidProgram,
    Tools,
    name_of,
)
from partwise_papers.spider.generating.phrases import Phrase, word
from partwise_papers.spider.generating.questions import RowQuestions
from partwise_papers.spider.generating.relations import compared_count
from partwise_papers.spider.generating.rows import RowMaker


@dataclass(frozen=True)
class SaidKey:
    """What makes groups, in words.

    Attributes:
        by: the attributes; a table's key, or a column.
        shown: what is shown of a group; None for `by`.
        one: a single one, in words.
        many: several.
    """

    by: tuple[Attribute, ...]
    shown: tuple[Attribute, ...] | None
    one: Phrase
    many: Phrase


class GroupQuestions:
    """Draws questions whose answers are groups of rows."""

    def __init__(self, tools: Tools, maker: RowMaker, questions: RowQuestions) -> None:
        self.tools, self.maker, self.questions = tools, maker, questions

    def key(self, table: TableInfo) -> SaidKey:
        """A column with repeated values, or a table that the rows lead to."""
        tools, naming = self.tools, self.tools.naming
        linked = [
            (path, one)
            for path, one in self.maker.linked.above(table)
            if tools.schema.table(one.name).key is not None and one.display
        ]
        if linked and tools.chance(0.55):
            path, other = tools.choose(linked)
            field = Field(path, tools.schema.key(other.name))
            one, many = naming.table(other.name, False), naming.table(other.name)
            shown = name_of(other, path)
            return SaidKey((field,), None if shown == (field,) else shown, one, many)
        away = [(path, one) for path, one in linked if tools.columns(one.name, "text")]
        path, owner = tools.choose(away) if away and tools.chance(0.3) else ((), table)
        columns = [
            one
            for one in tools.columns(owner.name, "text")
            if one.name not in owner.display and tools.samples.repeats(owner.name, one.name)
        ]
        column = tools.choose(columns)
        one, many = (naming.column(owner.name, column.name, some) for some in (False, True))
        if path and tools.chance(0.3):
            one = (*naming.table(owner.name, False), *one)
        return SaidKey((Field(path, column.name),), None, one, many)

    def counts(self) -> SaidProgram:
        """How many rows per key."""
        some = self.maker.rows(conditions=self.tools.rng.choice((0, 0, 0, 1)))
        key = self.key(some.table)
        figures = (Aggregate("count"),)
        program = Grouping(some.rows, key.by, figures, shown=key.shown)
        slots = {**some.slots(), "key": key.one, "keys": key.many}
        return SaidProgram(program, self.tools.say("per_count", **slots))

    def figures(self) -> SaidProgram:
        """A figure per key."""
        some = self.maker.rows(conditions=self.tools.rng.choice((0, 0, 0, 1)))
        key = self.key(some.table)
        aggregate, said = self.questions.aggregate(some.table)
        program = Grouping(some.rows, key.by, (aggregate,), shown=key.shown)
        slots = {**some.slots(), "key": key.one, "keys": key.many, "figure": said}
        return SaidProgram(program, self.tools.say("per_figure", **slots))

    def most(self) -> SaidProgram:
        """The key with the most rows, or with the highest figure."""
        tools = self.tools
        some = self.maker.rows(conditions=tools.rng.choice((0, 0, 0, 1)))
        key = self.key(some.table)
        down = tools.chance(0.8)
        slots = {**some.slots(), "key": key.one, "keys": key.many, "column": key.one}
        if tools.chance(0.5):
            slots["of"] = (*word(tools.choose(("of", "among"))), *slots["heads"])
            order, number, kind = Order(Aggregate("count"), down), 1, "common" if down else "rare"
        else:
            aggregate, slots["figure"] = self.questions.aggregate(some.table, ranked=True)
            slots["highest"] = tools.say("highest" if down else "lowest")
            number = 1 if tools.chance(0.6) or not down else tools.rng.choice((3, 5, 10))
            slots["n"] = tools.number(number)
            order, kind = Order(aggregate, down), "best_figure" if number == 1 else "top_figure"
        program = Grouping(some.rows, key.by, (), (), (order,), number, key.shown)
        return SaidProgram(program, tools.say(kind, **slots))

    def having(self) -> SaidProgram:
        """The keys with so many rows, or how many keys they are."""
        tools = self.tools
        some = self.maker.rows(conditions=tools.rng.choice((0, 0, 0, 1)))
        key = self.key(some.table)
        sign, number, compared = compared_count(tools)
        having = (Having(Aggregate("count"), sign, Value(number)),)
        slots = {**some.slots(), "keys": key.many, "compared": compared}
        if tools.chance(0.25):
            kept = Grouping(some.rows, key.by, (), having)
            rows = Rows(some.rows.table, Among(key.by[0], kept))
            counted = Figure(rows, Aggregate("count", key.by[0], distinct=True))
            return SaidProgram(counted, tools.say("having_count", **slots))
        program = Grouping(some.rows, key.by, (), having, shown=key.shown)
        return SaidProgram(program, tools.say("having", **slots))

    def having_figure(self) -> SaidProgram:
        """The keys whose figure is above or below a number."""
        tools = self.tools
        some = self.maker.rows(conditions=0)
        key = self.key(some.table)
        aggregate, said = self.questions.aggregate(some.table)
        if (
            not isinstance(aggregate.of, Field)
            or aggregate.of.path
            or not tools.columns(some.table.name, "number")
        ):
            raise NothingToSayError("no number")
        if tools.samples.shape(some.table.name, aggregate.of.column) != "number":
            raise NothingToSayError("no number")
        value = tools.samples.number(some.table.name, aggregate.of.column)
        more = tools.chance(0.75)
        having = (Having(aggregate, ">" if more else "<", Value(value)),)
        compared = tools.say("more" if more else "less", value=tools.number(value))
        slots = {**some.slots(), "keys": key.many, "figure": said, "compared_value": compared}
        program = Grouping(some.rows, key.by, (), having, shown=key.shown)
        return SaidProgram(program, tools.say("having_figure", **slots))

    def each_best(self) -> SaidProgram:
        """The first row of each group: "the oldest singer of each country"."""
        tools = self.tools
        some = self.maker.rows(conditions=0)
        table = some.table.name
        columns = tools.columns(table, "number") + tools.columns(table, "date")
        column = tools.choose([one for one in columns if tools.naming.adjectives(table, one.name)])
        adjective = tools.adjective(table, column.name)
        key = self.key(some.table)
        order = Order(Field((), column.name), adjective.descending)
        shown = (*name_of(some.table), *(key.shown or key.by))
        program = Listing(some.rows, tuple(dict.fromkeys(shown)), (order,), 1, key.by)
        part = "dir:desc" if adjective.descending else "dir:asc"
        said = word(adjective.superlative, part)
        return SaidProgram(
            program, tools.say("each_best", adjective=said, key=key.one, **some.slots())
        )

    def by_time(self) -> SaidProgram:
        """Counts or figures by month or year."""
        tools = self.tools
        table = tools.choose([one for one in tools.heads if tools.columns(one.name, "date")])
        some = self.maker.rows(table, conditions=0)
        dates = tools.columns(table.name, "date")
        column = next((one for one in dates if one.name == table.date), dates[0])
        part: Part = "month" if tools.chance(0.55) else "year"
        by = (DatePart(part, Field((), column.name)),)
        if tools.chance(0.6):
            figure, what = Aggregate("count"), tools.say("what_count", **some.slots())
        else:
            figure, what = self.questions.aggregate(table)
        program = Grouping(some.rows, by, (figure,))
        kind = "monthly" if part == "month" else "yearly"
        return SaidProgram(program, tools.say(kind, what=what, conds=some.behind))

    def shares(self) -> SaidProgram:
        """The share of each group in all rows."""
        some = self.maker.rows(conditions=0)
        key = self.key(some.table)
        count = Aggregate("count")
        share = Arithmetic(
            "/", Arithmetic("*", Value(100), count), Figure(Rows(some.table.name), count)
        )
        program: Program = Grouping(some.rows, key.by, (share,), shown=key.shown)
        return SaidProgram(program, self.tools.say("per_share", key=key.one, **some.slots()))
