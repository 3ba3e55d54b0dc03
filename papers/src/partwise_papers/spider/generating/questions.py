"""Questions about rows: which, what of them, how many, the most, in which order, whether."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, TableInfo
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Belonging,
    Compare,
    Condition,
    Exists,
    Field,
    Figure,
    Grouping,
    Holds,
    Listing,
    Order,
    Program,
    Related,
    Rows,
    Value,
)
from partwise_papers.spider.generating.maker import (
    NothingToSayError,
    SaidProgram,
    Tools,
    name_of,
)
from partwise_papers.spider.generating.naming import is_amount
from partwise_papers.spider.generating.phrases import Phrase, say, word
from partwise_papers.spider.generating.rows import RowMaker

_ENDS = ("maximum", "minimum")
_FIGURES = {"average": 5, "sum": 4, "maximum": 2.5, "minimum": 2, "median": 0.5}


class RowQuestions:
    """Draws questions whose answers are rows, or one figure over rows."""

    def __init__(self, tools: Tools, maker: RowMaker) -> None:
        self.tools, self.maker = tools, maker

    def listed(self) -> SaidProgram:
        """Rows, by name: nothing is said of what is shown."""
        some = self.maker.rows()
        program = Listing(some.rows, name_of(some.table))
        if some.rows.where is not None and not some.before and self.tools.chance(0.15):
            return SaidProgram(program, (*some.slots()["heads"], *some.behind))
        return SaidProgram(program, self.tools.say("list", **some.slots()))

    def shown(self) -> SaidProgram:
        """Columns of rows: "names and emails of customers in France"."""
        some = self.maker.rows()
        columns, said = self._shown(some.table)
        program = Listing(some.rows, columns)
        return SaidProgram(program, self.tools.say("show", shown=said, **some.slots()))

    def everything(self) -> SaidProgram:
        """All columns of rows."""
        some = self.maker.rows()
        columns = [one for one in some.table.columns if not one.private]
        program = Listing(some.rows, tuple(Field((), one.name) for one in columns))
        said = self.tools.choose(("all details", "everything", "all information", "all the data"))
        joint = word("about" if said == "everything" else self.tools.choose(("of", "about", "on")))
        start = word(self.tools.choose(("", "show", "give me", "show me")))
        return SaidProgram(
            program, (*start, *word(said, "everything"), *joint, *some.slots()["rows"])
        )

    def lookup(self) -> SaidProgram:
        """A column of a named row: "email of Jane Peacock"."""
        tools = self.tools
        table = tools.head()
        named = self.maker.linked.named(table)
        columns = [one for one in tools.shown_columns(table) if one.name not in table.display]
        linked = [one for one in self.maker.linked.above(table) if one[1].display]
        rows = Rows(table.name, named.condition)
        if linked and tools.chance(0.25):
            path, other = tools.choose(linked)
            shown, said = name_of(other, path), tools.naming.table(other.name, many=False)
        else:
            column = tools.choose(columns)
            shown = (Field((), column.name),)
            said = tools.naming.column(table.name, column.name)
            if column.kind == "date" and tools.chance(0.4):
                phrase = tools.say("when", named=named.phrase, column=said)
                return SaidProgram(Listing(rows, shown), phrase)
            if tools.chance(0.2):
                other_column = tools.choose(columns)
                if other_column != column:
                    shown = (*shown, Field((), other_column.name))
                    other_said = tools.naming.column(table.name, other_column.name)
                    said = (*said, *word("and"), *other_said)
        return SaidProgram(
            Listing(rows, shown), tools.say("lookup", shown=said, named=named.phrase)
        )

    def count(self) -> SaidProgram:
        """How many rows."""
        some = self.maker.rows()
        program = Figure(some.rows, Aggregate("count"))
        return SaidProgram(program, self.tools.say("count", **some.slots()))

    def unique(self) -> SaidProgram:
        """The different values of a column, or how many they are."""
        some = self.maker.rows(conditions=self.tools.rng.choice((0, 0, 1)))
        column = self.tools.choose(self._repeated(some.table))
        field = Field((), column.name)
        said = self.tools.naming.column(some.table.name, column.name, many=True)
        heads = self.tools.naming.table(some.table.name)
        of = (*word("of"), *some.before, *heads) if self.tools.chance(0.7) or some.behind else ()
        slots = {**some.slots(), "columns": said, "of": of}
        if self.tools.chance(0.4):
            program: Program = Figure(some.rows, Aggregate("count", field, distinct=True))
            return SaidProgram(program, self.tools.say("count_unique", **slots))
        listing = Listing(some.rows, (field,), distinct=True)
        return SaidProgram(listing, self.tools.say("unique", **slots))

    def figure(self) -> SaidProgram:
        """An average, a sum, a maximum: one or two."""
        tools = self.tools
        some = self.maker.rows()
        aggregate, said = self.aggregate(some.table)
        program: Program = Figure(some.rows, aggregate)
        if tools.chance(0.12):
            column = aggregate.of
            if not isinstance(column, Field):
                raise NothingToSayError("no column")
            functions = tools.rng.sample(("average", "maximum", "minimum"), 2)
            words = {"average": "average", "maximum": "maximum", "minimum": "minimum"}
            named = tools.naming.column(some.table.name, column.column)
            program = Grouping(
                some.rows,
                (),
                tuple(Aggregate(one, column) for one in functions),  # type: ignore[arg-type]
            )
            first, second = (word(words[one], one) for one in functions)
            said = (*first, *word("and"), *second, *named)
        return SaidProgram(program, tools.say("figure", figure=said, **some.slots()))

    def aggregate(self, table: TableInfo, ranked: bool = False) -> tuple[Aggregate, Phrase]:
        """A figure over a number of a table's rows, or the first or last of their dates.

        Args:
            ranked: whether it is to be compared: only sums, averages and medians then.
        """
        tools = self.tools
        dates, numbers = tools.columns(table.name, "date"), tools.columns(table.name, "number")
        if dates and not ranked and (not numbers or tools.chance(0.1)):
            column = tools.choose(dates)
            late = tools.chance(0.6)
            named = tools.naming.column(table.name, column.name)
            said = tools.say("latest" if late else "earliest", column=named)
            return Aggregate("maximum" if late else "minimum", Field((), column.name)), said
        measures = [
            one for one in tools.layer.measures if one.table == table.name and not one.where
        ]
        if measures and tools.chance(0.5):
            measure = tools.choose(measures)
            said = tools.naming.measure(measure)
            return Aggregate(measure.function, measure.of, measure.distinct), said
        column = tools.choose([one for one in numbers if is_amount(one)])
        weights = [0 if ranked and one in _ENDS else weight for one, weight in _FIGURES.items()]
        function = tools.rng.choices(tuple(_FIGURES), weights)[0]
        named = tools.naming.column(table.name, column.name)
        said = tools.say(function, column=named)
        return Aggregate(function, Field((), column.name)), said  # type: ignore[arg-type]

    def best(self) -> SaidProgram:
        """The first row, or the first few, in the order of a column."""
        tools = self.tools
        some = self.maker.rows(conditions=tools.rng.choice((0, 0, 1)))
        column = self._ranked(some.table)
        down = tools.chance(0.7)
        number = 1 if tools.chance(0.65) else tools.rng.choice((2, 3, 3, 4, 5, 5, 10))
        order = Order(Field((), column.name), down)
        shown = name_of(some.table)
        slots = some.slots()
        if number > 1:
            slots["n"] = tools.number(number)
        program = Listing(some.rows, shown, (order,), number)
        try:
            adjective = tools.adjective(some.table.name, column.name, down)
        except NothingToSayError:
            return self._best_column(program, some.table, column, slots)
        part = f"dir:{'desc' if down else 'asc'}"
        slots["adjective"] = word(adjective.superlative, part)
        kind = "best_adjective" if number == 1 else "top_adjective"
        return SaidProgram(program, tools.say(kind, **slots))

    def _best_column(
        self, program: Listing, table: TableInfo, column: ColumnInfo, slots: dict[str, Phrase]
    ) -> SaidProgram:
        down, tools = program.order[0].descending, self.tools
        if column.kind == "date":
            highest = tools.say("latest_date" if down else "earliest_date")
        else:
            highest = tools.say("highest" if down else "lowest")
        said = tools.naming.column(table.name, column.name)
        kind = "best" if program.limit == 1 else "top" if down else "top_low"
        return SaidProgram(program, tools.say(kind, highest=highest, column=said, **slots))

    def sorted(self) -> SaidProgram:
        """Rows in an order."""
        tools = self.tools
        some = self.maker.rows(conditions=tools.rng.choice((0, 0, 1)))
        shown = name_of(some.table)
        if tools.chance(0.25):
            program = Listing(some.rows, shown, tuple(Order(one) for one in shown))
            return SaidProgram(program, tools.say("alphabetical", **some.slots()))
        column = self._ranked(some.table)
        down = tools.chance(0.5)
        program = Listing(some.rows, shown, (Order(Field((), column.name), down),))
        said = tools.naming.column(some.table.name, column.name)
        kind = "sorted_down" if down else "sorted"
        return SaidProgram(program, tools.say(kind, column=said, **some.slots()))

    def exists(self) -> SaidProgram:
        """Whether there are such rows."""
        some = self.maker.rows(conditions=self.tools.rng.choice((1, 1, 2)))
        return SaidProgram(Exists(some.rows), self.tools.say("exists", **some.slots()))

    def compared(self) -> SaidProgram:
        """Two counts: whether one is more, or by how much."""
        tools = self.tools
        table = tools.head()
        column = tools.choose(tools.columns(table.name, "text"))
        two = tools.samples.two_texts(table.name, column.name)
        if two is None or not tools.samples.few(table.name, column.name):
            raise NothingToSayError("nothing to compare")
        field = Field((), column.name)
        figures = [
            Figure(Rows(table.name, Compare(field, "=", Value(one))), Aggregate("count"))
            for one in two
        ]
        part = f"value:{table.name}.{column.name}"
        joint = word(tools.choose(("in", "from", "with", "that are")))
        said = [(*tools.naming.table(table.name), *joint, *word(one, part)) for one in two]
        if tools.chance(0.5):
            program: Program = Holds(Compare(figures[0], ">", figures[1]))
            return SaidProgram(program, tools.say("more_than", one=said[0], other=said[1]))
        program = Arithmetic("-", figures[0], figures[1])
        return SaidProgram(program, tools.say("difference", one=said[0], other=said[1]))

    def share(self) -> SaidProgram:
        """How many per cent of all rows."""
        some = self.maker.rows(conditions=1)
        if some.before:
            raise NothingToSayError("a share needs its condition behind")
        count = Aggregate("count")
        part = Arithmetic("*", Value(100), Figure(some.rows, count))
        program = Arithmetic("/", part, Figure(Rows(some.table.name), count))
        return SaidProgram(program, self.tools.say("ratio", **some.slots()))

    def most_linked(self) -> SaidProgram:
        """The row with the most or fewest rows that belong to it."""
        tools = self.tools
        some = self.maker.rows(conditions=tools.rng.choice((0, 0, 0, 1)))
        other = tools.choose(self.maker.linked.below(some.table))
        count = Belonging((), Figure(Rows(other.name), Aggregate("count")))
        down = tools.chance(0.8)
        number = 1 if tools.chance(0.65) or not down else tools.rng.choice((2, 3, 5, 10))
        slots = {**some.slots(), "others": tools.naming.table(other.name)}
        kind = "fewest"
        rows = some.rows
        if down:
            kind = "most" if number == 1 else "most_n"
            slots["n"] = tools.number(number)
            parts: list[Condition] = [Related((), Rows(other.name))]
            if rows.where is not None:
                inner = rows.where.parts if isinstance(rows.where, And) else (rows.where,)
                parts = [*inner, *parts]
            rows = Rows(rows.table, parts[0] if len(parts) == 1 else And(tuple(parts)))
        program = Listing(rows, name_of(some.table), (Order(count, down),), number)
        return SaidProgram(program, tools.say(kind, **slots))

    def most_measured(self) -> SaidProgram:
        """The row whose rows have the highest measure: "which customer spent the most"."""
        tools = self.tools
        measures = [one for one in tools.layer.measures if not one.where]
        measure = tools.choose(measures)
        owner = tools.layer.table(measure.table)
        head = tools.choose([table for _, table in self.maker.linked.above(owner)])
        some = self.maker.rows(head, conditions=tools.rng.choice((0, 0, 0, 1)))
        aggregate = Aggregate(measure.function, measure.of, measure.distinct)
        inner = Rows(owner.name)
        number = 1 if tools.chance(0.55) else tools.rng.choice((2, 3, 5, 10))
        dated = tools.columns(owner.name, "date")
        slots = some.slots()
        if dated and tools.chance(0.3) and not some.behind:
            when = self.maker.own.period(owner)
            inner, slots["conds"] = Rows(owner.name, when.condition), when.phrase
        figure = Belonging((), Figure(inner, aggregate))
        parts: list[Condition] = [Related((), inner)]
        if some.rows.where is not None:
            mine = some.rows.where
            parts = [*(mine.parts if isinstance(mine, And) else (mine,)), *parts]
        rows = Rows(head.name, parts[0] if len(parts) == 1 else And(tuple(parts)))
        program = Listing(rows, name_of(head), (Order(figure, True),), number)
        slots["measure"], slots["n"] = tools.naming.measure(measure), tools.number(number)
        part = f"measure:{measure.name}"
        slots["spent"] = word(tools.choose(("spent", "paid") if head.person else ("made",)), part)
        kind = "most_measured" if number == 1 else "top_measured"
        if measure.unit == "money" and tools.chance(0.3):
            kind = "spent" if number == 1 else "spent_n"
        return SaidProgram(program, tools.say(kind, **slots))

    def average_count(self) -> SaidProgram:
        """How many rows belong to a row, on average."""
        tools = self.tools
        table = tools.head()
        other = tools.choose(self.maker.linked.below(table))
        count = Belonging((), Figure(Rows(other.name), Aggregate("count")))
        program = Figure(Rows(table.name), Aggregate("average", count))
        head = tools.naming.table(table.name, many=False)
        others = tools.naming.table(other.name)
        return SaidProgram(program, tools.say("average_count", head=head, others=others))

    def _ranked(self, table: TableInfo) -> ColumnInfo:
        """A number or date; one that an adjective speaks of more likely."""
        tools = self.tools
        numbers = [one for one in tools.columns(table.name, "number") if is_amount(one, True)]
        some = numbers + tools.columns(table.name, "date")
        weights = [3.0 if tools.naming.adjectives(table.name, one.name) else 1.0 for one in some]
        if not some:
            raise NothingToSayError("nothing to rank by")
        return tools.rng.choices(some, weights)[0]

    def _repeated(self, table: TableInfo) -> list[ColumnInfo]:
        columns = self.tools.columns(table.name, "text")
        return [one for one in columns if one.name not in table.display]

    def _shown(self, table: TableInfo) -> tuple[tuple[Attribute, ...], Phrase]:
        """What is shown: the name or not, columns, the name of a linked row."""
        tools = self.tools
        columns: list[tuple[tuple[Attribute, ...], Phrase]] = []
        if table.display and tools.chance(0.5):
            columns.append((name_of(table), tools.naming.display(table.name, tools.chance(0.7))))
        some = [one for one in tools.shown_columns(table) if one.name not in table.display]
        tools.rng.shuffle(some)
        many = tools.chance(0.5)
        for one in some[: tools.rng.choice((1, 1, 2, 2, 3) if columns else (1, 1, 1, 2))]:
            named = tools.naming.column(table.name, one.name, many)
            columns.append(((Field((), one.name),), named))
        linked = [one for one in self.maker.linked.above(table) if one[1].display]
        if linked and tools.chance(0.15):
            path, other = tools.choose(linked)
            columns.append((name_of(other, path), tools.naming.table(other.name, many)))
        if not columns:
            raise NothingToSayError("nothing to show")
        tools.rng.shuffle(columns)
        shown = tuple(dict.fromkeys(field for fields, _ in columns for field in fields))
        return shown, joined([said for _, said in columns])


def joined(phrases: list[Phrase]) -> Phrase:
    """Phrases as a list: "a, b and c"."""
    made: Phrase = ()
    for number, one in enumerate(phrases):
        last = number == len(phrases) - 1
        joint = "" if not number else "and" if last else ","
        made = (*made, *say(joint), *one) if joint else (*made, *one)
    return made
