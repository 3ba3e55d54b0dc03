"""The facts about US geography, read from the tables that come with the package."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

Record = TypeVar("Record")
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class State:
    """A state: its number of people, its area in square miles, its rank in joining the union."""

    name: str
    code: str
    capital: str
    population_people: float
    area_square_miles: float
    statehood_order: int


@dataclass(frozen=True, slots=True)
class City:
    """A city, the name of its state and its number of people."""

    name: str
    state: str
    population_people: int


@dataclass(frozen=True, slots=True)
class River:
    """A river, its length in km and the states along its course (one may come again)."""

    name: str
    length_km: int
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Border:
    """A state and the states it touches."""

    state: str
    neighbours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extremes:
    """The highest and the lowest point of a state, with elevations in metres."""

    state: str
    highest_point: str
    highest_elevation_m: int
    lowest_point: str
    lowest_elevation_m: int


@dataclass(frozen=True, slots=True)
class Mountain:
    """A mountain, the name of its state and its elevation in metres."""

    name: str
    state: str
    elevation_m: int


@dataclass(frozen=True, slots=True)
class Lake:
    """A lake, its area in square km and the states on its shore."""

    name: str
    area_square_km: int
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """All tables; the order of the rows decides ties between equal figures."""

    states: tuple[State, ...]
    cities: tuple[City, ...]
    rivers: tuple[River, ...]
    borders: tuple[Border, ...]
    extremes: tuple[Extremes, ...]
    mountains: tuple[Mountain, ...]
    lakes: tuple[Lake, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, with typed access to its cells by column name."""

    file: str
    line: int
    cells: dict[str, str]

    def text(self, column: str) -> str:
        """A cell that must not be empty."""
        cell = self._cell(column)
        if not cell:
            raise self._error(column, "empty")
        return cell

    def whole(self, column: str) -> int:
        """A whole number."""
        return self._number(column, int)

    def decimal(self, column: str) -> float:
        """A number that may have a fraction."""
        return self._number(column, float)

    def names(self, column: str) -> tuple[str, ...]:
        """Names separated by semicolons; an empty cell is no names."""
        cell = self._cell(column)
        return tuple(cell.split(";")) if cell else ()

    def known(self, column: str, names: frozenset[str]) -> tuple[str, ...]:
        """Names separated by semicolons, each of them one of `names`."""
        found = self.names(column)
        for name in found:
            if name not in names:
                raise self._error(column, f"unknown name {name!r}")
        return found

    def _cell(self, column: str) -> str:
        cell = self.cells.get(column)
        if cell is None:
            raise self._error(column, "missing")
        return cell

    def _number(self, column: str, convert: Callable[[str], Number]) -> Number:
        cell = self.text(column)
        try:
            return convert(cell)
        except ValueError:
            raise self._error(column, f"not a number: {cell!r}") from None

    def _error(self, column: str, problem: str) -> ValueError:
        return ValueError(f"{self.file}, line {self.line}, column {column}: {problem}")


def read_table(file: str, text: str, build: Callable[[Row], Record]) -> tuple[Record, ...]:
    """The records of a table given as CSV text; `file` is its name in error messages.

    Raises ValueError, naming file, line and column, at the first bad row.
    """
    reader = csv.DictReader(text.splitlines())
    records = []
    for cells in reader:
        if None in cells:
            raise ValueError(f"{file}, line {reader.line_num}, column past the last: extra cells")
        records.append(build(Row(file, reader.line_num, cells)))
    return tuple(records)


@cache
def load_facts() -> Facts:
    """All facts, read once per process."""
    states = _load("states.csv", _state)
    names = frozenset(state.name for state in states)
    return Facts(
        states=states,
        cities=_load(
            "cities.csv",
            lambda row: City(row.text("name"), _one(row, names), row.whole("population_people")),
        ),
        rivers=_load(
            "rivers.csv",
            lambda row: River(row.text("name"), row.whole("length_km"), row.known("states", names)),
        ),
        borders=_load(
            "borders.csv",
            lambda row: Border(_one(row, names), row.known("neighbours", names)),
        ),
        extremes=_load(
            "extremes.csv",
            lambda row: Extremes(
                _one(row, names),
                row.text("highest_point"),
                row.whole("highest_elevation_m"),
                row.text("lowest_point"),
                row.whole("lowest_elevation_m"),
            ),
        ),
        mountains=_load(
            "mountains.csv",
            lambda row: Mountain(row.text("name"), _one(row, names), row.whole("elevation_m")),
        ),
        lakes=_load(
            "lakes.csv",
            lambda row: Lake(
                row.text("name"),
                row.whole("area_square_km"),
                row.known("states", names),
            ),
        ),
    )


def _load(file: str, build: Callable[[Row], Record]) -> tuple[Record, ...]:
    text = files("partwise.domains.geography").joinpath("tables", file).read_text("utf-8")
    return read_table(file, text, build)


def _state(row: Row) -> State:
    return State(
        row.text("name"),
        row.text("code"),
        row.text("capital"),
        row.decimal("population_people"),
        row.decimal("area_square_miles"),
        row.whole("statehood_order"),
    )


def _one(row: Row, names: frozenset[str]) -> str:
    row.text("state")
    return row.known("state", names)[0]
