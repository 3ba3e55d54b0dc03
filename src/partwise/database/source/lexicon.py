"""What an import knows of English: the word files beside this module.

`word_sets.txt` has words and names by which tables and columns are judged, `synonyms.txt` other
names for usual ones, `places.txt` countries and states, `value_words.txt` what is said for stored
signs, and `abbreviations.txt` what shortened words stand for.
"""

from __future__ import annotations

from calendar import day_name, month_name
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from partwise.database.source.value_arrays import tokens_of
from partwise.language.lexicon import LexiconRow, read_lexicon

Sort = Literal["tables", "columns"]
INHERITED = 100
"""By how much names rank lower for each word that is left out of a label to find them."""
CODE = 3
"""The most letters of a code, which is one only in a column for such places."""
PLAIN_CODES = {("uk",), ("u", "k"), ("gb",), ("usa",), ("u", "s", "a"), ("uae",), ("nz",)}
"""Codes that are no other word in lower case, either."""


@lru_cache(maxsize=1)
def _sets() -> dict[str, tuple[str, ...]]:
    made: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for row in _rows("word_sets.txt"):
        made[row.section] += tuple(row.phrase.split())
    return dict(made)


@lru_cache(maxsize=256)
def word_set(name: str) -> frozenset[str]:
    """The words of a set."""
    return frozenset(_sets()[name])


@lru_cache(maxsize=256)
def names_of(name: str) -> tuple[tuple[str, ...], ...]:
    """The names of a set in their order, each by its words: ``unit price``."""
    return tuple(tuple(one.split("-")) for one in _sets()[name])


def _rows(name: str) -> tuple[LexiconRow, ...]:
    return read_lexicon("partwise.database.source", name)


@lru_cache(maxsize=1)
def abbreviations() -> Mapping[str, list[tuple[str, str]]]:
    """Abbreviation -> where it is read so, see `abbreviations.txt`, and what it stands for."""
    made: dict[str, list[tuple[str, str]]] = {}
    for row in _rows("abbreviations.txt"):
        full, _, place = row.meaning.partition("@")
        for short in row.phrases:
            made.setdefault(short, []).append((place, full.rstrip()))
    return made


@lru_cache(maxsize=1)
def value_words() -> tuple[tuple[frozenset[str], str, tuple[str, ...]], ...]:
    """Words of columns, a value as it may be stored there, and what is said for it."""
    listed = tuple(
        (frozenset(row.section.split()), stored, row.meanings)
        for row in _rows("value_words.txt")
        for stored in row.phrases
    )
    times = (({"day", "weekday"}, day_name), ({"month"}, month_name))
    shortened = (
        (frozenset(of), name[:size].lower(), (name.lower(),))
        for of, names in times
        for name in filter(None, names)
        for size in (3, 4, 5)
    )
    return (*listed, *shortened)


@lru_cache(maxsize=4)
def usual_synonyms(sort: str) -> Mapping[str, tuple[str, ...]]:
    """Label -> other names for it, of a section of `synonyms.txt`."""
    rows = [row for row in _rows("synonyms.txt") if row.section == sort]
    return {label: row.meanings for row in rows for label in row.phrases}


def measure_names(label: str, table: str = "") -> tuple[str, ...]:
    """Other names for a usual measure, more where rows of a certain `table` bring it in."""
    return (*usual_synonyms("measures")[label], *usual_synonyms("revenue").get(table, ()))


@lru_cache(maxsize=1)
def label_words() -> frozenset[str]:
    """All words of the labels of usual tables and columns."""
    return frozenset(" ".join((*usual_synonyms("tables"), *usual_synonyms("columns"))).split())


@lru_cache(maxsize=1)
def usual_words() -> frozenset[str]:
    """All words of usual names: spelt so, they are meant so."""
    some = (*usual_synonyms("tables").values(), *usual_synonyms("columns").values())
    return label_words() | {word for names in some for name in names for word in name.split()}


def synonyms_for(
    tables: Iterable[str], columns: Iterable[str]
) -> dict[Sort, dict[str, tuple[str, ...]]]:
    """The other names of the labels of a database, without those that would name two things.
    `tables`: their labels. `columns`: theirs."""
    labels: Mapping[Sort, set[str]] = {"tables": set(tables), "columns": set(columns)}
    taken = labels["tables"] | labels["columns"]
    return {sort: _names_of_one(sort, some, taken) for sort, some in labels.items()}


def _names_of_one(sort: Sort, labels: set[str], taken: set[str]) -> dict[str, tuple[str, ...]]:
    """Label -> names that nothing else has; of two labels the one that lists it sooner has it."""
    usual = {label: _usual(sort, label) for label in sorted(labels)}
    ranks: dict[str, list[int]] = defaultdict(list)
    for others in usual.values():
        for one, rank in others.items():
            ranks[one].append(rank)
    made = {
        label: tuple(
            one
            for one, rank in others.items()
            if one not in taken and min(ranks[one]) == rank and ranks[one].count(rank) == 1
        )
        for label, others in usual.items()
    }
    return {label: first for label, first in made.items() if first}


def _usual(sort: Sort, label: str) -> dict[str, int]:
    """Other names of a label and their ranks; one that is not listed has those of its last words,
    which come behind all that are listed: an asking price is a price."""
    words = label.split()
    for start in range(len(words)):
        listed = usual_synonyms(sort).get(" ".join(words[start:]))
        if listed is not None:
            return {one: rank + start * INHERITED for rank, one in enumerate(listed)}
    return {}


class Region(NamedTuple):
    """A country or a state.

    Attributes:
        sort: ``countries`` or ``states``.
        names: all its names and codes.
        words: what is said of what is from there; people also in the plural ("Brazilians").
    """

    sort: str
    names: tuple[str, ...]
    words: tuple[str, ...]


@lru_cache(maxsize=1)
def places_called() -> Mapping[tuple[str, ...], tuple[Region, ...]]:
    """The words of a name, a code, or what is said of what is from there -> the places."""
    made: dict[tuple[str, ...], list[Region]] = defaultdict(list)
    for row in _rows("places.txt"):
        place = Region(row.section, row.phrases, row.meanings)
        people = (f"{one}s" for one in place.words if one.endswith(("n", "i", "k", "er")))
        for one in (*place.names, *place.words, *people):
            if place not in made[tuple(tokens_of(one))]:
                made[tuple(tokens_of(one))].append(place)
    return {name: tuple(some) for name, some in made.items()}


def may_be_from(words: Iterable[str]) -> bool:
    """Whether a column of these words says where somebody is from, as "Spanish"."""
    return not word_set("columns of origins").isdisjoint(words)


def may_hold(words: Iterable[str], name: str, sort: str) -> bool:
    """Whether a name or code in a column of these words may be that of such a place."""
    if sort == "countries" and len(name) > CODE:
        return True
    return not word_set(f"columns of {sort}").isdisjoint(words)
