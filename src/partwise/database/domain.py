"""A database as a domain: programs over it become one SQL statement, and that an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from partwise.database.describing import describe
from partwise.database.details import with_details
from partwise.database.examples import example_questions
from partwise.database.headings import headings
from partwise.database.layer.model import SemanticLayer
from partwise.database.restating import restate
from partwise.database.source.connections import Source
from partwise.database.visible import check_visible, open_layer
from partwise.errors import DataError
from partwise.execution.relational import writing
from partwise.execution.relational.canonical import canonical
from partwise.execution.relational.program import Exists, Grouping, Holds, Listing, Program
from partwise.execution.relational.sql import Compiler
from partwise.interface.description import DomainDescription
from partwise.interface.result import Cell, Explanation, ResultTable, spell

if TYPE_CHECKING:
    from partwise.database.source.values import ValueIndex

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
    ) -> None:
        self.layer, self.source, self.index = open_layer(layer), source, index
        # A program that names what is private is read, and then refused with that reason.
        self._whole = layer.schema
        self._today = today
        self._compiler = Compiler(self.layer.schema, source.texts)

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

    def read(self, text: str) -> Program:
        """A program from its text.

        Raises:
            ProgramSyntaxError: if it cannot be read; says where.
            UnknownConstantError: if it uses what is private.
        """
        program = writing.read(text, self._whole)
        check_visible(program, self.layer)
        return program

    def write(self, meaning: Program, context: Any = None) -> str:
        """The text that `read` reads."""
        return writing.write(meaning)

    def canonical(self, meaning: Program) -> Program:
        """The one form of all programs that say the same."""
        return canonical(meaning, self.layer.schema)

    def explain(self, meaning: Program) -> Explanation:
        """The program in words, and its SQL with the values in it.

        Raises:
            UnknownConstantError: if it uses what is private.
            DomainError: if it does not fit the database.
        """
        check_visible(meaning, self.layer)
        sql = self.source.sql(self._compiler.select(with_details(meaning, self.layer)))
        return Explanation(restate(meaning, self.layer), sql)

    def describe(self) -> DomainDescription:
        """Its tables, columns and measures, without what is private."""
        return describe(self.layer, tuple(self.examples))

    def run(self, meaning: Program, context: Any = None) -> ResultTable:
        """The answer of a program, by one SQL statement; with details of rows that have no name.

        Raises:
            UnknownConstantError: if it uses what is private.
            ExecutionError: if the statement fails or takes too long.
        """
        explanation = self.explain(meaning)
        shown = with_details(meaning, self.layer)
        asked, limit = _with_ties(shown)
        statement = self._compiler.select(asked)
        if limit is not None:
            statement = statement.limit(limit + TIED)
        fetched = self.source.run(statement)
        rows = tuple(tuple(map(_cell, row)) for row in fetched.rows)
        if isinstance(meaning, Exists | Holds):
            rows = tuple(tuple(None if cell is None else bool(cell) for cell in r) for r in rows)
        first = rows if limit is None else rows[:limit]
        rest = rows[len(first) :]
        named = headings(shown, self.layer)
        return ResultTable(named, first, explanation, fetched.truncated, rest)

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

    def partial_matches(self, gold: Program, predicted: Program) -> Mapping[str, bool]:
        """Whether the kind of the program and each of its parts are right."""
        same = type(gold) is type(predicted)
        parts = {"kind": same}
        if same:
            parts |= {name: part == vars(predicted)[name] for name, part in vars(gold).items()}
        return parts

    def question_group(self, meaning: Program) -> str:
        """The kind of the program."""
        return type(meaning).__name__.lower()

    def read_context(self, text: str) -> Any:
        """Nothing: questions about a database need no context.

        Raises:
            DataError: always.
        """
        raise DataError(f"questions about {self.name} take no context; leave out --context")


def _with_ties(meaning: Program) -> tuple[Program, int | None]:
    """The program with rows that are tied with the last one, and how many it asks for; the program
    itself where it asks for ties or has no last row."""
    if (
        not isinstance(meaning, Listing | Grouping)
        or meaning.ties
        or meaning.only
        or not meaning.order
    ):
        return meaning, None
    if meaning.limit is None or (isinstance(meaning, Listing) and meaning.each):
        return meaning, None
    return replace(meaning, ties=True), meaning.limit


def _cell(value: Any) -> Cell:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _rounded(value: Cell) -> Cell:
    return round(float(value), DIGITS) if isinstance(value, int | float) else value
