"""Look-up tables from entities to members, related entities and figures."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from partwise.domains.geography.facts import Facts, load_facts
from partwise.domains.geography.values import NamedThing, Value

Pairs: TypeAlias = list[tuple[NamedThing, NamedThing]]
Numbers: TypeAlias = Sequence[tuple[NamedThing, float]]
Relation: TypeAlias = Mapping[Value, tuple[NamedThing, ...]]
# A figure comes with its owner, because measuring a city of no given state picks one.
Figures: TypeAlias = Mapping[Value, tuple[float, NamedThing]]

USA = NamedThing("countryid", "usa")
MAJOR_CITY_PEOPLE = 150_000
"""A city is major with more people than this."""
MAJOR_RIVER_KM = 750
"""A river is major when longer than this, in km."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of things: all of them in order, and each accepted entity with what it picks.

    A city of no given state is accepted when some city of the name is, and picks the first.
    """

    members: tuple[NamedThing, ...]
    accepted: Mapping[Value, NamedThing]


@dataclass(frozen=True, slots=True)
class Relations:
    """Every kind, relation (input to outputs, in order) and figure of the geography domain."""

    kinds: Mapping[str, Kind]
    related: Mapping[str, Relation]
    figures: Mapping[str, Figures]
    at_elevation: Relation
    state_codes: Mapping[str, str]


@cache
def load_relations(published: bool = True) -> Relations:
    """The look-up tables of the packaged facts, built once per process."""
    return build_relations(load_facts(), published)


def build_relations(facts: Facts, published: bool = True) -> Relations:
    """The look-up tables of the given facts.

    Args:
        published: whether they have the holes of GeoQuery's evaluator: a capital lies nowhere
            unless it is among the cities, as Montpelier is not; lakes lie nowhere; low points are
            mountains.
    """
    things = _things(facts)
    numbers = _numbers(facts, things)
    return Relations(
        kinds=_kinds(things, numbers, published),
        related={
            **_both_ways("loc", _located(facts, things, published)),
            **_both_ways("next_to", things.borders),
            **_both_ways("traverse", things.courses),
            **_both_ways("capital", things.capital_of),
            **_both_ways("high_point", things.highs_of),
            **_both_ways("low_point", things.lows_of),
            "higher_2": _compared(numbers["elevation"], operator.gt),
            "lower_2": _compared(numbers["elevation"], operator.lt),
            "longer": _compared(numbers["length"], operator.gt),
        },
        figures={name: _figures(rows) for name, rows in numbers.items()},
        at_elevation=_index((elevation, place) for place, elevation in numbers["elevation"]),
        state_codes={row.name: row.code for row in facts.states},
    )


@dataclass(frozen=True, slots=True)
class _Things:
    """Everything that has a name, and the pairs of what belongs together, in their order."""

    cities: list[NamedThing]
    states: list[NamedThing]
    rivers: list[NamedThing]
    lakes: list[NamedThing]
    highs: Pairs
    lows: Pairs
    highs_of: Pairs
    lows_of: Pairs
    capital_of: Pairs
    borders: Pairs
    courses: Pairs


def _things(facts: Facts) -> _Things:
    codes = {row.name: row.code for row in facts.states}
    states = [_state(row.name) for row in facts.states]
    rivers = [NamedThing("riverid", row.name) for row in facts.rivers]
    capitals = (NamedThing("cityid", row.capital, row.code) for row in facts.states)
    highest = {row.highest_point: row.highest_elevation_m for row in facts.extremes}
    lowest = {row.lowest_point: row.lowest_elevation_m for row in facts.extremes}
    highs = [(_state(row.state), _place(row.highest_point)) for row in facts.extremes]
    lows = [(_state(row.state), _place(row.lowest_point)) for row in facts.extremes]
    courses = zip(rivers, (row.states for row in facts.rivers), strict=True)
    return _Things(
        cities=[NamedThing("cityid", row.name, codes[row.state]) for row in facts.cities],
        states=states,
        rivers=rivers,
        lakes=[NamedThing("lake", row.name) for row in facts.lakes],
        highs=highs,
        lows=lows,
        highs_of=[(USA, _place(max(highest, key=lambda name: highest[name]))), *highs],
        lows_of=[(USA, _place(min(lowest, key=lambda name: lowest[name]))), *lows],
        capital_of=list(zip(states, capitals, strict=True)),
        borders=[(_state(row.state), _state(n)) for row in facts.borders for n in row.neighbours],
        courses=[(river, _state(name)) for river, names in courses for name in names],
    )


def _numbers(facts: Facts, things: _Things) -> dict[str, Numbers]:
    """Rows of each figure, in the order in which the first of a name counts."""
    people = [row.population_people for row in facts.states]
    areas = _paired(things.states, (row.area_square_miles for row in facts.states))
    cities = _paired(things.cities, (row.population_people for row in facts.cities))
    lengths = _paired(things.rivers, (row.length_km for row in facts.rivers))
    # Low points go first: the first elevation of a place on both lists is that of the low point.
    elevations = [(_place(r.lowest_point), r.lowest_elevation_m) for r in facts.extremes]
    elevations += [(_place(r.highest_point), r.highest_elevation_m) for r in facts.extremes]
    return {
        "population": [*zip(things.states, people, strict=True), *cities],
        "area": areas,
        "density": [(s, n / area) for n, (s, area) in zip(people, areas, strict=True)],
        "elevation": elevations,
        "length": lengths,
        "size": [*areas, *cities, *lengths, *elevations],
    }


def _paired(things: Iterable[NamedThing], numbers: Iterable[float]) -> Numbers:
    return list(zip(things, numbers, strict=True))


def _located(facts: Facts, things: _Things, published: bool) -> Pairs:
    """Each thing with what it lies in."""
    places = [place for _, place in things.highs + things.lows]
    located = [
        *((thing, USA) for thing in [*things.cities, *things.states, *things.rivers, *places]),
        *((c, _state(row.state)) for c, row in zip(things.cities, facts.cities, strict=True)),
        *((place, state) for state, place in things.highs + things.lows),
        *things.courses,
    ]
    if not published:
        listed = frozenset(things.cities)
        missing = [
            (capital, state) for state, capital in things.capital_of if capital not in listed
        ]
        located += [(thing, USA) for thing in (*(capital for capital, _ in missing), *things.lakes)]
        located += missing
        for lake, row in zip(things.lakes, facts.lakes, strict=True):
            located += [(lake, _state(name)) for name in row.states]
    return located


def _kinds(things: _Things, numbers: Mapping[str, Numbers], published: bool) -> dict[str, Kind]:
    places = _kind(place for _, place in things.highs + things.lows)
    cities = numbers["population"][len(things.states) :]
    major = [city for city, count in cities if count > MAJOR_CITY_PEOPLE]
    major += [river for river, length in numbers["length"] if length > MAJOR_RIVER_KM]
    return {
        "city": _kind(things.cities),
        "state": _kind(things.states),
        "river": _kind(things.rivers),
        "capital": _kind(capital for _, capital in things.capital_of),
        "place": places,
        "mountain": places if published else _kind(place for _, place in things.highs),
        "lake": _kind(things.lakes),
        "major": _kind(major),
    }


def _state(name: str) -> NamedThing:
    return NamedThing("stateid", name)


def _place(name: str) -> NamedThing:
    return NamedThing("placeid", name)


def _forms(entity: NamedThing) -> tuple[NamedThing, ...]:
    """The entity and, for a city, the form without a state that it also answers to."""
    if entity.sort == "cityid":
        return entity, NamedThing("cityid", entity.name)
    return (entity,)


def _kind(members: Iterable[NamedThing]) -> Kind:
    ordered = tuple(members)
    accepted: dict[Value, NamedThing] = {}
    for entity in ordered:
        for form in _forms(entity):
            accepted.setdefault(form, entity)
    return Kind(ordered, accepted)


def _figures(rows: Numbers) -> Figures:
    figures: dict[Value, tuple[float, NamedThing]] = {}
    for entity, number in rows:
        for form in _forms(entity):
            figures.setdefault(form, (number, entity))
    return figures


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


def _compared(rows: Numbers, holds: Callable[[float, float], bool]) -> Relation:
    """From each thing to those whose number compares with its own, once per pair of rows."""
    return _index(
        (mine, other)
        for other, number in rows
        for mine, my_number in rows
        if holds(number, my_number)
    )
