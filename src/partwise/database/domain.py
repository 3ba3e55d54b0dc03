"""A database as a domain: programs over it become one SQL statement, and that an answer.

Nothing that is private is used, shown or described. Rows that only a number would name are shown
with their date and description.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import date
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from partwise.database.cache import Cache
from partwise.database.confirmed import ConfirmedQuestions
from partwise.database.inflection import plural
from partwise.database.layer.model import (
    ColumnInfo,
    Measure,
    Place,
    SemanticLayer,
    TableInfo,
    hide,
    without_names,
)
from partwise.database.restating import headings, restate
from partwise.database.result_columns import result_columns
from partwise.database.source.connections import Source
from partwise.database.source.lexicon import word_set
from partwise.database.spans.text import words_of
from partwise.database.value_folding import ValueFolding
from partwise.errors import DataError, PartwiseError, UnknownConstantError
from partwise.execution.relational import program as P
from partwise.execution.relational import writing
from partwise.execution.relational.schema import Link, Schema
from partwise.execution.relational.sql import Compiler
from partwise.execution.relational.writing import canonical
from partwise.interface.prediction import (
    Cell,
    ColumnDescription,
    Completion,
    DomainDescription,
    Explanation,
    MeasureDescription,
    Prediction,
    ResultTable,
    TableDescription,
    spell,
)
from partwise.language.wishes import split_wish

if TYPE_CHECKING:
    from partwise.database.source.values import ValueIndex


def check_visible(program: P.Program, layer: SemanticLayer) -> None:
    """Refuse a program that uses a private table or column, be it only to compare. Raises
    UnknownConstantError naming the first one."""
    for table, column in used(program, "", layer.schema):
        if not is_open(layer, table, column):
            name = table if column is None else f"{table}.{column}"
            raise UnknownConstantError(f"{name} is private: nothing about it is answered")


def open_layer(layer: SemanticLayer) -> SemanticLayer:
    """The same with all that follows from what is private. Its values are not known, and measures
    over it are left out. So are links from and to private tables, so that no path leads over one:
    which rows belong together would tell what a private table says. A link of a private column
    stays. That rows belong together is told by its table, which is open."""
    places = layer.private_places
    if not places:
        return layer
    layer = hide(layer, places)
    hidden = {table.name for table in layer.tables if table.private}
    layer = replace(
        layer, measures=tuple(one for one in layer.measures if _is_open_measure(one, layer))
    )
    if not hidden:
        return layer

    def is_kept(link: Link) -> bool:
        return not hidden & {link.table, link.target}

    schema = layer.schema
    return replace(
        layer,
        schema=Schema(schema.tables, tuple(filter(is_kept, schema.links))),
        links={link: names for link, names in layer.links.items() if is_kept(link)},
        preferred=tuple(filter(is_kept, layer.preferred)),
    )


def _is_open_measure(measure: Measure, layer: SemanticLayer) -> bool:
    parts = used((measure.of, measure.where), measure.table, layer.schema)
    return is_open(layer, measure.table) and all(is_open(layer, *at) for at in parts)


def is_open(layer: SemanticLayer, table: str, column: str | None = None) -> bool:
    """Whether a table, or a column of it, may be asked about."""
    info = layer.table(table)
    return not (info.private or (column is not None and info.column(column).private))


def used(part: Any, table: str, schema: Schema) -> Iterator[Place]:
    """The tables and columns that a part of a program uses, which is about rows of `table`."""
    if isinstance(part, tuple):
        for one in part:
            yield from used(one, table, schema)
        return
    if not is_dataclass(part) or isinstance(part, Link):
        return
    path = getattr(part, "path", ())
    yield from ((link.target, None) for link in path)
    if isinstance(part, P.Field):
        yield schema.end(table, path), part.column
        return
    if isinstance(part, P.Rows):
        yield part.table, None
        table = part.table
    rows = getattr(part, "rows", None)
    inside = rows.table if isinstance(rows, P.Rows) else table
    for one in fields(part):
        yield from used(getattr(part, one.name), inside, schema)


def describe(layer: SemanticLayer, examples: tuple[str, ...] = ()) -> DomainDescription:
    """The tables, columns and measures that can be asked about."""
    tables = tuple(_described_table(one, layer) for one in layer.tables if not one.private)
    measures = tuple(
        MeasureDescription(one.name, one.label, one.table, one.description, one.unit, one.synonyms)
        for one in layer.measures
        if _is_open_measure(one, layer)
    )
    return DomainDescription(
        layer.name, tables, measures, examples, len(layer.tables) - len(tables)
    )


def _described_table(table: TableInfo, layer: SemanticLayer) -> TableDescription:
    links = {
        link.column: link.target
        for link in layer.schema.leaving(table.name)
        if is_open(layer, link.target) and is_open(layer, table.name, link.column)
    }
    columns = tuple(_described_column(one) for one in table.columns if not one.private)
    return TableDescription(
        *(table.name, table.label, table.description, columns, links),
        synonyms=table.synonyms,
        left_out=len(table.columns) - len(columns),
    )


SAMPLES, LONGEST_SAMPLE = 3, 60
"""Values of a column that are shown where there are many, and characters of each."""


def _described_column(column: ColumnInfo) -> ColumnDescription:
    values = column.values if column.enumeration else ()
    some = () if column.enumeration else column.values
    return ColumnDescription(
        *(column.name, column.label, column.kind, column.description, column.unit, values),
        synonyms=column.synonyms,
        samples=tuple(one for one in some if len(one) <= LONGEST_SAMPLE)[:SAMPLES],
    )


def with_details(program: P.Program, layer: SemanticLayer) -> P.Program:
    """The program with the date and the description of rows that only their key would name; the
    program itself for all others, and where other columns were asked for. Equal rows that are shown
    once are left alone: with a date they would differ."""
    if not isinstance(program, P.Listing) or program.distinct:
        return program
    table = layer.table(program.rows.table)
    key = layer.schema.table(table.name).key
    if key is None or table.display != (key,) or program.shown != (P.Field((), key),):
        return program
    return replace(
        program,
        shown=(
            *program.shown,
            *(P.Field((), one) for one in _columns_that_tell(table.name, layer)),
        ),
    )


def _columns_that_tell(table: str, layer: SemanticLayer) -> Iterator[str]:
    """The columns that tell a person which row it is."""
    info = layer.table(table)
    if info.date is not None and not info.column(info.date).private:
        yield info.date
    for one in info.columns:
        text = one.kind == "text" and not one.private and one.name != info.date
        if text and one.label.split()[-1] in word_set("descriptions"):
            yield one.name
            return


MOST = 8
"""Questions that are made."""


def example_questions(layer: SemanticLayer) -> tuple[str, ...]:
    """A few questions of different kinds, about several tables where there are such."""
    tables, made = _by_weight(layer), dict[str, None]()
    for number in range(len(_questions(layer, []))):
        # Each kind begins with another table.
        at = number % max(1, len(tables))
        some = _questions(layer, tables[at:] + tables[:at])[number]
        made.update(dict.fromkeys(islice(some, 1)))
    return tuple(made)[:MOST]


def _questions(layer: SemanticLayer, tables: Sequence[TableInfo]) -> tuple[Iterator[str], ...]:
    """Questions of each kind, in the order of the tables that they are about."""
    by_value = [(one, column) for one in tables for column in _enumerations(one)]
    return (
        # By what belongs to a row, as orders to a customer; those with the most come first.
        (
            f"which {one.label} has the most {plural(other.label)}?"
            for one in tables
            for other in (layer.table(x.table) for x in layer.schema.links if x.target == one.name)
            if not (other.private or other.bridge or other == one)
        ),
        (f"how many {plural(one.label)} are there?" for one in tables),
        *_measured(layer),
        (f"how many {plural(one.label)} are there per {column.label}?" for one, column in by_value),
        (
            f"what is the average {column.label} of the {plural(one.label)}?"
            for one in tables
            for column in _numbers(one)
        ),
        (
            f"{plural(one.label)} whose {column.label} is {column.values[0]}"
            for one, column in by_value
            if column.values
        ),
    )


def _measured(layer: SemanticLayer) -> tuple[Iterator[str], ...]:
    """Questions of each kind for measures."""
    return (
        (f"what is the total {one.label}?" for one in layer.measures if one.function == "sum"),
        (f"{one.label} by month" for one in layer.measures if _dated(one.table, layer)),
        (
            f"{measure.label} per {one.label}"
            for measure in layer.measures
            for one in _targets(measure.table, layer)
            if not (one.private or one.date or one.bridge)
        ),
    )


def _targets(table: str, layer: SemanticLayer) -> list[TableInfo]:
    """The tables that its rows belong to."""
    return [layer.table(link.target) for link in layer.schema.leaving(table)]


def _dated(table: str, layer: SemanticLayer) -> bool:
    """Whether its rows, or those that they belong to, have a date."""
    return any(one.date for one in (layer.table(table), *_targets(table, layer)))


def _by_weight(layer: SemanticLayer) -> list[TableInfo]:
    """Tables to ask about; those first that others point to and that have much to ask about."""
    targets = [link.target for link in layer.schema.links if link.table != link.target]
    open_ = [one for one in layer.tables if not one.private and not one.bridge]
    return sorted(open_, key=lambda one: (-targets.count(one.name), -len(_numbers(one))))


def _open_columns(table: TableInfo) -> list[ColumnInfo]:
    return [one for one in table.columns if not one.private]


def _numbers(table: TableInfo) -> list[ColumnInfo]:
    return [one for one in _open_columns(table) if one.kind == "number"]


def _enumerations(table: TableInfo) -> list[ColumnInfo]:
    """What rows can be counted by; not what names them."""
    texts = (one for one in _open_columns(table) if one.kind == "text" and one.enumeration)
    return [one for one in texts if one.name not in table.display]


DIGITS = 6
"""Of numbers that are compared."""
TIED = 20
"""Rows after the last one asked for that are looked at for being tied with it."""


class DatabaseDomain:
    """A database that can be asked; implements `Domain` and `ExplainingDomain` for programs.

    Args:
        layer: what is known of it; links over private tables are left out.
        source: where its rows are.
        index: finds its values in questions.
        today: the day that "last month" is counted from; None for the day of asking.
        reread: gives the layer if it was changed since it was last read, and None otherwise.
        cache: where what is made of it is kept.
        confirmed: questions whose meaning somebody confirmed.
    """

    parser = "database"
    runnable = True
    readings = 3
    tried = 5

    def __init__(
        self,
        layer: SemanticLayer,
        source: Source,
        index: ValueIndex,
        today: date | None = None,
        reread: Callable[[], SemanticLayer | None] | None = None,
        cache: Cache | None = None,
        confirmed: ConfirmedQuestions | None = None,
    ) -> None:
        self.cache, self.confirmed = cache or Cache(), confirmed
        self.layer, self.source, self.index = open_layer(layer), source, index
        # A program that names what is private is read, and then refused with that reason.
        self._whole = layer.schema
        self._today, self._reread = today, reread
        self._compiler = self._made_compiler()

    def _made_compiler(self) -> Compiler:
        columns = frozenset((t, c) for t, c in self.layer.private_places if c is not None)
        return Compiler(self.layer.schema, self.source.texts, columns)

    def notice(self) -> None:
        """Take what the layer's file says since it was read: other names, and what became private,
        though an index was made of it before. What else changed needs another domain."""
        changed = None if self._reread is None else self._reread()
        if changed is None:
            return
        known: set[Place] = {(one.name, None) for one in self.layer.tables}
        known |= {(one.name, part.name) for one in self.layer.tables for part in one.columns}
        private = self.layer.private_places
        more = (changed.private_places & known) - private
        renamed = open_layer(hide(changed, private | more))
        before = open_layer(hide(self.layer, more))
        now = renamed if without_names(renamed) == without_names(before) else before
        # What was made of the layer is known by the very object.
        if now != self.layer:
            self.layer = now
            self.__dict__.pop("examples", None)
        if more:
            self._compiler = self._made_compiler()
            self.index.refresh(self.source, self.layer)

    @property
    def name(self) -> str:
        """Of the layer."""
        return self.layer.name

    @property
    def today(self) -> date:
        """The day that "last month" is counted from."""
        return self._today or date.today()

    @cached_property
    def examples(self) -> Sequence[str]:
        """Questions that can be asked, made of the layer's names."""
        return example_questions(self.layer)

    def recall(self, question: str) -> Prediction[P.Program] | None:
        """The confirmed meaning of a question, or of nearly the same; None if there is none that
        can be used."""
        if self.confirmed is None:
            return None
        wish = split_wish(question)
        entry = self.confirmed.find(question) or self.confirmed.find(wish.question)
        try:
            program = None if entry is None else entry.meaning(self)
        except PartwiseError:
            return None
        if program is None:
            return None
        typed = tuple(word.text for word in words_of(question))
        return Prediction(
            question, typed, program, probability=1.0, verified=str(entry), wish=wish.kind
        )

    def read(self, text: str) -> P.Program:
        """A program from its text.

        Raises:
            ProgramSyntaxError: if it cannot be read; says where.
            UnknownConstantError: if it uses what is private.
        """
        program = writing.read(text, self._whole)
        check_visible(program, self.layer)
        return program

    def write(self, meaning: P.Program, context: Any = None) -> str:
        """The text that `read` reads."""
        return writing.write(meaning)

    def canonical(self, meaning: P.Program) -> P.Program:
        """The one form of all programs that say the same."""
        return canonical(meaning, self.layer.schema)

    def explain(self, meaning: P.Program) -> Explanation:
        """The program in words, and its SQL with the values in it.

        Raises:
            UnknownConstantError: if it uses what is private.
            DomainError: if it does not fit the database.
        """
        self.notice()
        check_visible(meaning, self.layer)
        spread = ValueFolding(self.layer, self.index).spread(with_details(meaning, self.layer))
        sql = self.source.sql(self._compiler.select(spread))
        return Explanation(restate(meaning, self.layer, spoken=True), sql)

    def describe(self) -> DomainDescription:
        """Its tables, columns and measures, without what is private."""
        self.notice()
        return describe(self.layer, tuple(self.examples))

    def complete(self, text: str, k: int) -> list[Completion]:
        """Names of tables, columns, measures and stored values that the last words of a text may be
        the beginning of; nothing private."""
        from partwise.database.completing import Completer

        self.notice()
        made = self.__dict__.get("_completer")
        if made is None or not made.is_of(self.layer, self.index):
            made = self.__dict__["_completer"] = Completer(self.layer, self.index)
        return made(text, k)

    def run(self, meaning: P.Program, context: Any = None) -> ResultTable:
        """The answer of a program, by one SQL statement; with details of rows that have no name.

        Raises:
            UnknownConstantError: if it uses what is private.
            ExecutionError: if the statement fails or takes too long.
        """
        explanation = self.explain(meaning)
        shown = with_details(meaning, self.layer)
        asked, limit = _with_ties(shown)
        spellings = ValueFolding(self.layer, self.index)
        statement = self._compiler.select(spellings.spread(asked))
        if limit is not None:
            statement = statement.limit(limit + TIED)
        fetched = self.source.run(statement)
        rows = tuple(tuple(map(_cell, row)) for row in fetched.rows)
        if isinstance(meaning, P.Exists | P.Holds):
            rows = tuple(tuple(None if cell is None else bool(cell) for cell in r) for r in rows)
        first = rows if limit is None else rows[:limit]
        rest = rows[len(first) :]
        named = headings(shown, self.layer)
        said = tuple(spellings.notes)
        cut = isinstance(meaning, P.Grouping) and meaning.chosen
        return ResultTable(
            named,
            first,
            explanation,
            fetched.truncated,
            rest,
            said,
            result_columns(shown, self.layer),
            complete=not cut,
            ordered=bool(getattr(meaning, "order", ())),
        )

    def denotation(self, value: ResultTable) -> Hashable:
        """The rows in any order, numbers rounded."""
        counted = Counter(tuple(map(_rounded, row)) for row in value.rows)
        return frozenset(counted.items())

    def show(self, value: ResultTable) -> Sequence[str]:
        """One line a row."""
        return [", ".join(spell(cell) or "-" for cell in row) for row in value.rows]

    def is_empty(self, value: ResultTable) -> bool:
        """Whether there is no row, or a single one without a value."""
        return not value.rows or value.rows == ((None,) * len(value.columns),)

    def partial_matches(self, gold: P.Program, predicted: P.Program) -> Mapping[str, bool]:
        """Whether the kind of the program and each of its parts are right."""
        same = type(gold) is type(predicted)
        parts = {"kind": same}
        if same:
            parts |= {name: part == vars(predicted)[name] for name, part in vars(gold).items()}
        return parts

    def question_group(self, meaning: P.Program) -> str:
        """The kind of the program."""
        return type(meaning).__name__.lower()

    def read_context(self, text: str) -> Any:
        """Nothing: questions about a database need no context. Raises DataError: always."""
        raise DataError(f"questions about {self.name} take no context; leave out --context")


def _with_ties(meaning: P.Program) -> tuple[P.Program, int | None]:
    """The program with rows that are tied with the last one, and how many it asks for; the program
    itself where it asks for ties or has no last row."""
    if (
        not isinstance(meaning, P.Listing | P.Grouping)
        or meaning.ties
        or meaning.only
        or not meaning.order
    ):
        return meaning, None
    if meaning.limit is None or (isinstance(meaning, P.Listing) and meaning.each):
        return meaning, None
    return replace(meaning, ties=True), meaning.limit


def _cell(value: Any) -> Cell:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _rounded(value: Cell) -> Cell:
    return round(float(value), DIGITS) if isinstance(value, int | float) else value
