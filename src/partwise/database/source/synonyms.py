"""Other names for usual tables and columns, where nothing else in the database is called so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal

Sort = Literal["tables", "columns"]
INHERITED = 100
"""By how much names rank lower for each word that is left out of a label to find them."""


@lru_cache(maxsize=1)
def usual_synonyms() -> Mapping[Sort, Mapping[str, tuple[str, ...]]]:
    """Label -> other names for it, for tables and for columns."""
    made: dict[Sort, dict[str, tuple[str, ...]]] = {"tables": {}, "columns": {}}
    sort: Sort = "tables"
    text = files("partwise.database.source").joinpath("synonyms.txt").read_text("utf-8")
    for line in text.splitlines():
        if line in ("[tables]", "[columns]"):
            sort = "tables" if line == "[tables]" else "columns"
        elif line and not line.startswith("#"):
            label, _, others = line.partition(":")
            made[sort][label] = tuple(one.strip() for one in others.split(","))
    return made


@lru_cache(maxsize=1)
def usual_words() -> frozenset[str]:
    """All words of usual names: spelt so, they are meant so."""
    sorts = usual_synonyms().values()
    return frozenset(
        word
        for names in sorts
        for label, others in names.items()
        for one in (label, *others)
        for word in one.split()
    )


def synonyms_for(
    tables: Iterable[str], columns: Iterable[str]
) -> dict[Sort, dict[str, tuple[str, ...]]]:
    """The other names of the labels of a database, without those that would name two things.

    Args:
        tables: their labels.
        columns: theirs.
    """
    labels: Mapping[Sort, set[str]] = {"tables": set(tables), "columns": set(columns)}
    taken = labels["tables"] | labels["columns"]
    return {sort: _kept(sort, some, taken) for sort, some in labels.items()}


def _kept(sort: Sort, labels: set[str], taken: set[str]) -> dict[str, tuple[str, ...]]:
    """Label -> names that nothing else has; of two labels the one that lists it sooner has it."""
    usual = {label: _usual(sort, label) for label in sorted(labels)}
    ranks: dict[str, list[int]] = defaultdict(list)
    for others in usual.values():
        for one, rank in others.items():
            ranks[one].append(rank)
    made = {}
    for label, others in usual.items():
        first = [
            one
            for one, rank in others.items()
            if one not in taken and min(ranks[one]) == rank and ranks[one].count(rank) == 1
        ]
        if first:
            made[label] = tuple(first)
    return made


def _usual(sort: Sort, label: str) -> dict[str, int]:
    """Other names of a label and their ranks; one that is not listed has those of its last words,
    which come behind all that are listed: an asking price is a price."""
    words = label.split()
    for start in range(len(words)):
        listed = usual_synonyms()[sort].get(" ".join(words[start:]))
        if listed is not None:
            return {one: rank + start * INHERITED for rank, one in enumerate(listed)}
    return {}
