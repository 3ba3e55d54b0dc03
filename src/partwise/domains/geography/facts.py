"""The facts about US geography, read from the tables that come with the package.

Each table is a class whose fields are its columns; a column of several names has semicolons.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TypeVar, cast

Record = TypeVar("Record")
STATES = ("state", "states", "neighbours")
"""Columns that name states."""


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state: its number of people and its area in square miles."""

    name: str
    code: str
    capital: str
    population_people: float
    area_square_miles: float


@dataclass(frozen=True, slots=True)
class CityRow:
    """A city, the name of its state and its number of people."""

    name: str
    state: str
    population_people: int


@dataclass(frozen=True, slots=True)
class RiverRow:
    """A river, its length in km and the states along its course (one may come again)."""

    name: str
    length_km: int
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BorderRow:
    """A state and the states it touches."""

    state: str
    neighbours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtremesRow:
    """The highest and the lowest point of a state, with elevations in metres."""

    state: str
    highest_point: str
    highest_elevation_m: int
    lowest_point: str
    lowest_elevation_m: int


@dataclass(frozen=True, slots=True)
class LakeRow:
    """A lake and the states on its shore."""

    name: str
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
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
    states = _load("states.csv", StateRow, None)
    known = frozenset(state.name for state in states)
    return Facts(
        states=states,
        cities=_load("cities.csv", CityRow, known),
        rivers=_load("rivers.csv", RiverRow, known),
        borders=_load("borders.csv", BorderRow, known),
        extremes=_load("extremes.csv", ExtremesRow, known),
        lakes=_load("lakes.csv", LakeRow, known),
    )


def _load(file: str, record: type[Record], states: frozenset[str] | None) -> tuple[Record, ...]:
    text = files("partwise.domains.geography").joinpath("tables", file).read_text("utf-8")
    return read_table(file, text, record, states)


def read_table(
    file: str, text: str, record: type[Record], states: frozenset[str] | None = None
) -> tuple[Record, ...]:
    """The records of a table given as CSV text; columns that are no field are passed over.

    Args:
        file: its name, for messages.
        record: a dataclass whose fields are texts, numbers and tuples of texts.
        states: what columns of states may name; None for anything.

    Raises:
        ValueError: naming file, line and column, at the first bad row.
    """
    reader = csv.DictReader(text.splitlines())
    columns = {field.name: str(field.type) for field in fields(cast("type", record))}
    records = []
    for cells in reader:
        where = f"{file}, line {reader.line_num}, column"
        if None in cells:
            raise ValueError(f"{where} past the last: extra cells")
        values = {name: _cell(cells, name, kind, where) for name, kind in columns.items()}
        for name in STATES:
            given = values.get(name, ())
            for state in (given,) if isinstance(given, str) else cast("tuple[str, ...]", given):
                if states is not None and state not in states:
                    raise ValueError(f"{where} {name}: unknown name {state!r}")
        records.append(record(**values))
    return tuple(records)


def _cell(cells: Mapping[str, str | None], column: str, kind: str, where: str) -> object:
    cell = cells.get(column)
    if cell is None:
        raise ValueError(f"{where} {column}: missing")
    if kind.startswith("tuple"):
        return tuple(cell.split(";")) if cell else ()
    if not cell:
        raise ValueError(f"{where} {column}: empty")
    if kind == "str":
        return cell
    try:
        return int(cell) if kind == "int" else float(cell)
    except ValueError:
        raise ValueError(f"{where} {column}: not a number: {cell!r}") from None
