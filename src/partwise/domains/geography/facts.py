"""The facts about US geography, read from the tables that come with the package, and look-up tables
from entities to members, related entities and figures.

Each table is a class whose fields are its columns; a column of several names has semicolons."""

import csv
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

from partwise.domains.geography.values import NamedThing, Value

Row = TypeVar("Row", "RiverRow", "LakeRow")
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
    tables = get_type_hints(Facts).items()
    return Facts(*(read_table(f"{name}.csv", get_args(rows)[0]) for name, rows in tables))


def read_table(file: str, record: type[Record]) -> tuple[Record, ...]:
    """The records of a packaged table; columns that are no field are passed over."""
    text = files("partwise.domains.geography").joinpath("tables", file).read_text("utf-8")
    kinds = {name: _CELLS[hint] for name, hint in get_type_hints(record).items()}
    rows = csv.DictReader(text.splitlines())
    return tuple(record(*(read(row[name]) for name, read in kinds.items())) for row in rows)


_CELLS: Mapping[object, Callable[[str], Any]] = {
    **{kind: kind for kind in (str, int, float)},
    tuple[str, ...]: lambda cell: tuple(cell.split(";")) if cell else (),
}
"""What reads a cell, by the hint of its column."""


Pairs: TypeAlias = list[tuple[NamedThing, NamedThing]]
Numbers: TypeAlias = Sequence[tuple[NamedThing, float]]
Relation: TypeAlias = Mapping[Value, tuple[NamedThing, ...]]
# A figure comes with its owner, because measuring a city of no given state picks one.
Figures: TypeAlias = Mapping[Value, tuple[float, NamedThing]]

USA = NamedThing("countryid", "usa")
DISTRICT = NamedThing("stateid", "district of columbia")
PEOPLE_OF_MONTANA = 786_700
"""The published table has them in thousands."""
MAJOR_CITY_PEOPLE = 150_000
"""A city is major with more people than this."""
MAJOR_RIVER_KM = 750
"""A river is major when longer than this, in km."""


@dataclass(frozen=True, slots=True)
class Members:
    """A class of things: all of them in order, and each accepted entity with what it picks. A city
    of no given state is accepted when some city of the name is, and picks the first."""

    members: tuple[NamedThing, ...]
    accepted: Mapping[Value, NamedThing]


@dataclass(frozen=True, slots=True)
class Relations:
    """Every kind, relation (input to outputs, in order) and figure of the geography domain."""

    kinds: Mapping[str, Members]
    related: Mapping[str, Relation]
    figures: Mapping[str, Figures]
    at_elevation: Relation
    state_codes: Mapping[str, str]


@cache
def load_relations(published: bool = True) -> Relations:
    """The look-up tables of the packaged facts, built once per process.

    Args:
        published: whether they have the holes of GeoQuery's evaluator: a capital lies nowhere
            unless it is among the cities, as Montpelier is not; lakes lie nowhere; low points are
            mountains; Montana has 787 people; the District of Columbia is one of the states.
    """
    things = _Things(load_facts(), published)
    numbers = things.numbers()
    return Relations(
        kinds=things.kinds(),
        related={
            **_both_ways("loc", things.located()),
            **_both_ways("next_to", things.borders),
            **_both_ways("traverse", things.courses),
            **_both_ways("capital", things.capital_of),
            **_both_ways("high_point", things.highs_of),
            **_both_ways("low_point", things.lows_of),
            "higher_2": _compare(numbers["elevation"], operator.gt),
            "lower_2": _compare(numbers["elevation"], operator.lt),
            "longer": _compare(numbers["length"], operator.gt),
        },
        figures={
            # The first of several counts.
            name: {form: (number, x) for x, number in reversed(rows) for form in _forms(x)}
            for name, rows in numbers.items()
        },
        at_elevation=_index((elevation, place) for place, elevation in numbers["elevation"]),
        state_codes=things.codes,
    )


class _Things:
    """Everything that has a name, and the pairs of what belongs together, in their order."""

    def __init__(self, facts: Facts, published: bool) -> None:
        self.codes = {row.name: row.code for row in facts.states}
        # Each thing comes with the row that describes it.
        self.published = published
        self.states = {_state(row.name): row for row in facts.states}
        if not published:
            montana = _state("montana")
            row = self.states[montana]
            self.states[montana] = row._replace(population_people=PEOPLE_OF_MONTANA)
        self.cities = {_city(row.name, self.codes[row.state]): row for row in facts.cities}
        self.rivers = _by_name("riverid", facts.rivers)
        self.lakes = _by_name("lake", facts.lakes)
        self.capital_of = [(x, _city(row.capital, row.code)) for x, row in self.states.items()]
        self.borders = [(_state(r.state), _state(n)) for r in facts.borders for n in r.neighbours]
        self.courses = [(x, _state(name)) for x, row in self.rivers.items() for name in row.states]
        self.highs = [(_state(row.state), _place(row.highest_point)) for row in facts.extremes]
        self.lows = [(_state(row.state), _place(row.lowest_point)) for row in facts.extremes]
        self.high_m = [
            (_place(row.highest_point), row.highest_elevation_m) for row in facts.extremes
        ]
        self.low_m = [(_place(row.lowest_point), row.lowest_elevation_m) for row in facts.extremes]
        highest = max(dict(self.high_m).items(), key=operator.itemgetter(1))[0]
        lowest = min(dict(self.low_m).items(), key=operator.itemgetter(1))[0]
        self.highs_of, self.lows_of = [(USA, highest), *self.highs], [(USA, lowest), *self.lows]

    def _country(self, figure: float) -> Numbers:
        """The country's figure, where it has one."""
        return [] if self.published else [(USA, figure)]

    def numbers(self) -> dict[str, Numbers]:
        """Rows of each figure, in the order in which the first of a name counts."""
        states, cities = self.states.items(), self.cities.items()
        areas = [(x, row.area_square_miles) for x, row in states]
        inhabited = [(x, row.population_people) for x, row in states]
        people = [(x, row.population_people) for x, row in cities]
        lengths = [(x, row.length_km) for x, row in self.rivers.items()]
        # Low points go first: the first elevation of a place on both lists is its low point's.
        elevations = self.low_m + self.high_m
        return {
            "population": [*inhabited, *people, *self._country(sum(n for _, n in inhabited))],
            "area": [*areas, *self._country(sum(n for _, n in areas))],
            "density": [
                *((x, row.population_people / row.area_square_miles) for x, row in states),
                *self._country(sum(n for _, n in inhabited) / sum(n for _, n in areas)),
            ],
            "elevation": elevations,
            "length": lengths,
            "size": [*areas, *people, *lengths, *elevations],
        }

    def located(self) -> Pairs:
        """Each thing with what it lies in; the District is none of the country's states."""
        extremes = self.highs + self.lows
        places = (place for _, place in extremes)
        states = [x for x in self.states if self.published or x != DISTRICT]
        located = [
            *((x, USA) for x in (*self.cities, *states, *self.rivers, *places)),
            *((x, _state(row.state)) for x, row in self.cities.items()),
            *((place, state) for state, place in extremes),
            *self.courses,
        ]
        if not self.published:
            missing = [(city, x) for x, city in self.capital_of if city not in self.cities]
            located += [(x, USA) for x in (*(city for city, _ in missing), *self.lakes)]
            located += missing
            located += [(x, _state(name)) for x, row in self.lakes.items() for name in row.states]
        return located

    def kinds(self) -> dict[str, Members]:
        places = _kind(place for _, place in self.highs + self.lows)
        big = [x for x, row in self.cities.items() if row.population_people > MAJOR_CITY_PEOPLE]
        long = [x for x, row in self.rivers.items() if row.length_km > MAJOR_RIVER_KM]
        return {
            "city": _kind(self.cities),
            "state": _kind(self.states, () if self.published else (DISTRICT,)),
            "river": _kind(self.rivers),
            "capital": _kind(y for x, y in self.capital_of if self.published or x != DISTRICT),
            "place": places,
            "mountain": places if self.published else _kind(place for _, place in self.highs),
            "lake": _kind(self.lakes),
            "major": _kind(big + long),
        }


def _by_name(kind: str, rows: Sequence[Row]) -> dict[NamedThing, Row]:
    return {NamedThing(kind, row.name): row for row in rows}


def _city(name: str, code: str) -> NamedThing:
    return NamedThing("cityid", name, code)


def _state(name: str) -> NamedThing:
    return NamedThing("stateid", name)


def _place(name: str) -> NamedThing:
    return NamedThing("placeid", name)


def _forms(entity: NamedThing) -> tuple[NamedThing, ...]:
    """The entity and, for a city, the form without a state that it also answers to."""
    if entity.sort == "cityid":
        return entity, NamedThing("cityid", entity.name)
    return (entity,)


def _kind(members: Iterable[NamedThing], others: Sequence[NamedThing] = ()) -> Members:
    """A kind that accepts its members; `others` are accepted too, but are no members."""
    ordered = tuple(members)
    accepted: dict[Value, NamedThing] = {}
    for entity in ordered:
        for form in _forms(entity):
            accepted.setdefault(form, entity)
    return Members(tuple(thing for thing in ordered if thing not in others), accepted)


def _index(pairs: Iterable[tuple[Value, NamedThing]]) -> Relation:
    lists: dict[Value, list[NamedThing]] = {}
    for source, target in pairs:
        for form in _forms(source) if isinstance(source, NamedThing) else (source,):
            lists.setdefault(form, []).append(target)
    return {source: tuple(targets) for source, targets in lists.items()}


def _both_ways(name: str, pairs: Pairs) -> dict[str, Relation]:
    """The relation from first to second as name_1, and from second to first as name_2."""
    return {
        f"{name}_1": _index(pairs),
        f"{name}_2": _index((second, first) for first, second in pairs),
    }


def _compare(rows: Numbers, holds: Callable[[float, float], bool]) -> Relation:
    """From each thing to those whose number compares with its own, once per pair of rows."""
    return _index(
        (mine, other)
        for other, number in rows
        for mine, my_number in rows
        if holds(number, my_number)
    )
