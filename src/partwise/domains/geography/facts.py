"""The facts about US geography, read from the tables that come with the package.

Each table is a class whose fields are its columns; a column of several names has semicolons.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar, get_type_hints

Record = TypeVar("Record", bound=tuple[Any, ...])


class StateRow(NamedTuple):
    """A state: its number of people and its area in square miles."""

    name: str
    code: str
    capital: str
    population_people: float
    area_square_miles: float


class CityRow(NamedTuple):
    """A city, the name of its state and its number of people."""

    name: str
    state: str
    population_people: int


class RiverRow(NamedTuple):
    """A river, its length in km and the states along its course (one may come again)."""

    name: str
    length_km: int
    states: tuple[str, ...]


class BorderRow(NamedTuple):
    """A state and the states it touches."""

    state: str
    neighbours: tuple[str, ...]


class ExtremesRow(NamedTuple):
    """The highest and the lowest point of a state, with elevations in metres."""

    state: str
    highest_point: str
    highest_elevation_m: int
    lowest_point: str
    lowest_elevation_m: int


class LakeRow(NamedTuple):
    """A lake and the states on its shore."""

    name: str
    states: tuple[str, ...]


class AnnotationRow(NamedTuple):
    """A category, and the words for it in the gold trees of GeoQuery by the paper's authors."""

    category: str
    phrases: tuple[str, ...]


class Facts(NamedTuple):
    """All tables; the order of the rows decides ties between equal figures."""

    states: tuple[StateRow, ...]
    cities: tuple[CityRow, ...]
    rivers: tuple[RiverRow, ...]
    borders: tuple[BorderRow, ...]
    extremes: tuple[ExtremesRow, ...]
    lakes: tuple[LakeRow, ...]


@cache
def load_facts() -> Facts:
    """All facts, read once per process."""
    return Facts(
        states=read_table("states.csv", StateRow),
        cities=read_table("cities.csv", CityRow),
        rivers=read_table("rivers.csv", RiverRow),
        borders=read_table("borders.csv", BorderRow),
        extremes=read_table("extremes.csv", ExtremesRow),
        lakes=read_table("lakes.csv", LakeRow),
    )


def read_table(file: str, record: type[Record]) -> tuple[Record, ...]:
    """The records of a packaged table; columns that are no field are passed over."""
    text = files("partwise.domains.geography").joinpath("tables", file).read_text("utf-8")
    kinds = {name: _CELLS[hint] for name, hint in get_type_hints(record).items()}
    rows = csv.DictReader(text.splitlines())
    return tuple(record(*(read(row[name]) for name, read in kinds.items())) for row in rows)


def _names(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(";")) if cell else ()


_CELLS: Mapping[object, Callable[[str], Any]] = {
    **{kind: kind for kind in (str, int, float)},
    tuple[str, ...]: _names,
}
"""What reads a cell, by the hint of its column."""
