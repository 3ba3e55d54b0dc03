"""What all makers of questions share: names, values, patterns, and choices."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.errors import PartwiseError
from partwise.execution.relational.program import Attribute, Condition, Field, Program
from partwise.execution.relational.schema import Path
from partwise_papers.spider.generating.naming import LayerWords, Superlative, is_noun, sayable
from partwise_papers.spider.generating.phrases import Phrase, patterns, say, word
from partwise_papers.spider.generating.samples import Samples, TableRows

T = TypeVar("T")


class NothingToSayError(PartwiseError):
    """A database has nothing for this kind of question."""


@dataclass(frozen=True)
class SaidCondition:
    """A condition in words.

    Attributes:
        before: whether the words stand before the rows' name.
    """

    condition: Condition
    phrase: Phrase
    before: bool = False


@dataclass(frozen=True)
class SaidProgram:
    """A program in words; None for what the database cannot tell."""

    program: Program | None
    phrase: Phrase


class Tools:
    """Chooses, names and says.

    Args:
        rows: of the database, for values.
    """

    def __init__(self, layer: SemanticLayer, rows: TableRows, rng: random.Random) -> None:
        self.layer, self.schema, self.rng = layer, layer.schema, rng
        self.naming = LayerWords(layer, rng)
        self.samples = Samples(layer, rows, rng)
        self.tables = [
            one for one in layer.tables if not one.private and sayable(one) and rows.get(one.name)
        ]
        self.heads = [one for one in self.tables if not one.bridge] or self.tables
        if not self.heads:
            raise NothingToSayError("no table of the layer has rows and a name")

    def chance(self, share: float) -> bool:
        """Yes, in this share of all times."""
        return self.rng.random() < share

    def choose(self, some: Sequence[T]) -> T:
        """One of some.

        Raises:
            NothingToSayError: if there is none.
        """
        if not some:
            raise NothingToSayError("nothing to choose from")
        return self.rng.choice(some)

    def say(self, kind: str, **slots: Phrase) -> Phrase:
        """One of the patterns of a kind, filled."""
        some = patterns()[kind]
        if not slots.get("person"):
            some = tuple(one for one in some if not one.startswith("who "))
        if not slots.get("verbs") or slots["verbs"][0].text.startswith(_NO_SENTENCE):
            some = tuple(one for one in some if "{verbs}" not in one)
        pattern = self.rng.choice(some)
        if "{head}" in pattern and "{heads}" not in pattern and "conds" in slots:
            slots["conds"] = tuple(one._replace(text=_of_one(one.text)) for one in slots["conds"])
        return say(pattern, **slots)

    def head(self) -> TableInfo:
        """A table that a question is about; one with many columns more likely."""
        weights = [2 + min(len(one.columns), 8) for one in self.heads]
        return self.rng.choices(self.heads, weights)[0]

    def columns(self, table: str, shape: str) -> list[ColumnInfo]:
        """The columns of a table of which questions can say this."""
        info = self.layer.table(table)
        return [
            one
            for one in info.columns
            if is_noun(one.label) and self.samples.shape(table, one.name) == shape
        ]

    def shown_columns(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns that a question may ask for: no ids, nothing private."""
        columns = [one for one in table.columns if not one.private and one.kind != "id"]
        return [one for one in columns if is_noun(one.label)]

    def adjective(self, table: str, column: str, descending: bool | None = None) -> Superlative:
        """An adjective that speaks of a column.

        Raises:
            NothingToSayError: if none does.
        """
        some = self.naming.adjectives(table, column)
        return self.choose([one for one in some if descending in (None, one.descending)])

    def number(self, value: float, column: ColumnInfo | None = None) -> Phrase:
        """A number in words, with its unit now and then."""
        said = f"{value:,}" if self.chance(0.2) and value >= 10_000 else f"{value}"
        small = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
        if column is None and isinstance(value, int) and 2 <= value <= 10 and self.chance(0.3):
            said = small[value - 2]
        if column is not None and column.unit in ("usd", "eur", "gbp") and self.chance(0.3):
            sign = {"usd": "$", "eur": "€", "gbp": "£"}[column.unit]
            said = self.rng.choice((f"{sign}{said}", f"{said} {_MONEY[column.unit]}"))
        return word(said, "number")


_NO_SENTENCE = ("whose", "where")
_ONE = {"have": "has", "are": "is", "don't": "doesn't", "do": "does", "their": "its"}


def _of_one(text: str) -> str:
    """Words behind one row: "that has", not "that have"."""
    return " ".join(_ONE.get(one, one) for one in text.split(" "))


_MONEY = {"usd": "dollars", "eur": "euros", "gbp": "pounds"}


def name_of(table: TableInfo, path: Path = ()) -> tuple[Attribute, ...]:
    """The columns that name a row that a path leads to; all that are not private, if none does."""
    every = tuple(one.name for one in table.columns if not one.private)
    return tuple(Field(path, one) for one in table.display or every)
