"""What countries and states are called: names, codes, and words for what is from there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from partwise.database.source.normal import tokens_of
from partwise.database.source.words import words_of_name

CODE = 3
"""The most letters of a code, which is one only in a column for such places."""
PLAIN_CODES = {("uk",), ("u", "k"), ("gb",), ("usa",), ("u", "s", "a"), ("uae",), ("nz",)}
"""Codes that are no other word in lower case, either."""
_FROM = {"nationality", "citizenship", "origin", "nation"}
PLACE_COLUMNS = {
    "countries": {"country", "nation", "nationality", "origin", "citizenship", "market", "iso"},
    "states": {"state", "province", "region", "territory"},
}
"""Words of columns that hold such places."""


class Place(NamedTuple):
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
def places_called() -> Mapping[tuple[str, ...], tuple[Place, ...]]:
    """The words of a name, a code, or what is said of what is from there -> the places."""
    made: dict[tuple[str, ...], list[Place]] = defaultdict(list)
    sort = ""
    text = files("partwise.database.source").joinpath("places.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            sort = line.strip("[]")
        elif line and not line.startswith("#"):
            names, _, words = line.partition("|")
            place = Place(sort, _listed(names), _listed(words))
            people = (f"{one}s" for one in place.words if one.endswith(("n", "i", "k", "er")))
            for one in (*place.names, *place.words, *people):
                if place not in made[tuple(tokens_of(one))]:
                    made[tuple(tokens_of(one))].append(place)
    return {name: tuple(some) for name, some in made.items()}


def may_be_from(column: str) -> bool:
    """Whether a column says where somebody is from, as "Spanish"."""
    return bool(_FROM & {*words_of_name(column)})


def may_hold(column: str, name: str, sort: str) -> bool:
    """Whether a name or code in a column may be that of such a place."""
    if sort == "countries" and len(name) > CODE:
        return True
    return bool(PLACE_COLUMNS[sort] & set(words_of_name(column)))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(",") if one.strip())
