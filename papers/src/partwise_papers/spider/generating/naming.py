"""What people call the tables and columns of a layer."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise_papers.spider.generating.phrases import Phrase, lines_of, word

PLACES = {"city", "country", "state", "region", "county", "town", "province", "continent"}
"""Last words of columns whose values are places."""
_IRREGULAR = {"person": "people", "staff": "staff", "child": "children", "man": "men"}
_IRREGULAR |= {"woman": "women", "series": "series", "species": "species", "equipment": "equipment"}
_NO_NOUN = re.compile(
    r"\b(in|by|at|to|how|when|from|for|on|has|have|where|who|since|took|works|lives|years old|gone"
    r"|going|died|born|wrote|located)\b|ed$|s up$|\bof$"
)
_NUMBERS = {"number", "no", "num", "code", "id", "dno", "phone", "zip", "isbn", "ssn", "nr", "type"}
_SYNONYM = 0.3
"""How often a synonym is said, where there is one."""


class Superlative(NamedTuple):
    """A superlative and its comparative, and whether they mean large values."""

    superlative: str
    comparative: str
    descending: bool


class LayerWords:
    """Names things of a layer, sometimes by a synonym."""

    def __init__(self, layer: SemanticLayer, rng: random.Random) -> None:
        self.layer, self.rng = layer, rng

    def table(self, name: str, many: bool = True) -> Phrase:
        """A table's rows."""
        info = self.layer.table(name)
        said = self._name(info)
        return word(plural(said) if many else said, f"table:{name}")

    def column(self, table: str, column: str, many: bool = False) -> Phrase:
        """A column; without its table's name in it, mostly."""
        info = self.layer.table(table)
        said = self._name(info.column(column))
        own = f"{info.label} "
        if said.startswith(own) and self.rng.random() < 0.7:
            said = said.removeprefix(own)
        return word(plural(said) if many else said, f"column:{table}.{column}")

    def display(self, table: str, many: bool = True) -> Phrase:
        """What names the rows of a table: "names", or the column's own words."""
        info = self.layer.table(table)
        only = info.column(info.display[0]) if len(info.display) == 1 else None
        named = only is None or only.label.split()[-1] == "name"
        if not named and only is not None:
            return self.column(table, only.name, many)
        return word("names" if many else "name", f"column:{table}.{info.display[0]}")

    def measure(self, measure: Measure) -> Phrase:
        """A figure that has a name."""
        return word(self._name(measure), f"measure:{measure.name}")

    def _name(self, info: TableInfo | ColumnInfo | Measure) -> str:
        others = [one for one in info.synonyms if not _NO_NOUN.search(one)]
        if others and self.rng.random() < _SYNONYM:
            return self.rng.choice(others)
        return info.label

    def adjectives(self, table: str, column: str) -> list[Superlative]:
        """Superlatives that speak of a column."""
        label = self.layer.column(table, column).label
        return [made for made, last in _adjectives() if label == last or label.endswith(" " + last)]


@cache
def _adjectives_of_places() -> dict[str, tuple[str, ...]]:
    """A place's name in lower case -> what is from there: ``france`` -> ``french``."""
    text = (files("partwise.database.source") / "places.txt").read_text("utf-8")
    made = {}
    for line in text.splitlines():
        names, bar, adjectives = line.partition(" | ")
        if bar and not line.startswith("#"):
            for name in names.split(", "):
                made[name.lower()] = tuple(one.strip() for one in adjectives.split(","))
    return made


def from_place(name: str) -> tuple[str, ...]:
    """Adjectives for what is from a country or state: "french"."""
    return _adjectives_of_places().get(name.lower(), ())


def is_place(column: ColumnInfo) -> bool:
    """Whether the values of a column are places."""
    return column.label.split()[-1] in PLACES


def is_amount(column: ColumnInfo, ranked: bool = False) -> bool:
    """Whether a column's numbers are amounts: no numbers of things, no codes.

    Args:
        ranked: whether years are meant, too.
    """
    words = column.label.split()
    named = words[-1] in _NUMBERS or (words[-1] == "year" and not ranked)
    return not named or words[:2] == ["number", "of"]


def is_noun(label: str) -> bool:
    """Whether a column's name is a noun: not "organized by", "is male"."""
    return not _NO_NOUN.search(label) and not label.startswith("is ")


def sayable(info: TableInfo) -> bool:
    """Whether a table's name is a noun: not "has pet", "participates in"."""
    verbs = {"has", "have", "is", "lives", "participates", "takes", "belongs"}
    return not (set(info.label.split()) & verbs) and not info.label.endswith((" in", " of", " to"))


def plural(noun: str) -> str:
    """The plural of a noun phrase, by rule, of its last word."""
    if " of " in noun:
        first, rest = noun.split(" of ", 1)
        return f"{plural(first)} of {rest}"
    if " per " in noun:
        return noun
    *before, last = noun.split() or [""]
    return " ".join([*before, _plural(last)])


def _plural(noun: str) -> str:
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith(("s", "x", "ch", "sh")):
        ended = noun.endswith(("ss", "us", "x", "ch", "sh"))
        return noun + "es" if ended else noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s" if noun[-1:].isalpha() else noun


@cache
def _adjectives() -> Sequence[tuple[Superlative, str]]:
    made = []
    for line in lines_of("words.txt"):
        words, way, columns = line.split(": ")
        superlative, comparative = words.split("/")
        one = Superlative(superlative, comparative, way == "desc")
        made += [(one, last.strip()) for last in columns.split(",")]
    return made


@cache
def usual_verbs() -> dict[str, tuple[str, ...]]:
    """Thing -> what people did with it."""
    made = {}
    for line in lines_of("verbs.txt"):
        thing, _, verbs = line.partition(": ")
        made[thing] = tuple(verbs.split(", "))
    return made
