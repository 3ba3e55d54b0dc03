"""Look-up tables from entities to members, related entities and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from partwise.domains.geography.facts import Facts, load_facts
from partwise.domains.geography.values import Entity, Value

Relation: TypeAlias = Mapping[Value, tuple[Entity, ...]]
# A figure comes with its owner, because measuring a city of no given state picks one.
Figures: TypeAlias = Mapping[Value, tuple[float, Entity]]

USA = Entity("countryid", "usa")
MAJOR_CITY_PEOPLE = 150_000
"""A city is major with more people than this."""
MAJOR_RIVER_KM = 750
"""A river is major when longer than this, in km."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of entities: all of them in order, and each accepted entity with what it picks.

    A city of no given state is accepted when some city of the name is, and picks the first.
    """

    members: tuple[Entity, ...]
    accepted: Mapping[Value, Entity]


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
    codes = {state.name: state.code for state in facts.states}
    cities = [Entity("cityid", city.name, codes[city.state]) for city in facts.cities]
    states = [_state(state.name) for state in facts.states]
    rivers = [Entity("riverid", river.name) for river in facts.rivers]
    capitals = [Entity("cityid", state.capital, state.code) for state in facts.states]
    highs = [(_state(row.state), _place(row.highest_point)) for row in facts.extremes]
    lows = [(_state(row.state), _place(row.lowest_point)) for row in facts.extremes]
    places = [place for _, place in highs + lows]
    # Low points go first: the first elevation of a place on both lists is that of the low point.
    elevations: list[tuple[Entity, float]] = [
        (_place(row.lowest_point), row.lowest_elevation_m) for row in facts.extremes
    ]
    elevations += [(_place(row.highest_point), row.highest_elevation_m) for row in facts.extremes]
    lengths: list[tuple[Entity, float]] = [
        (river, row.length_km) for river, row in zip(rivers, facts.rivers, strict=True)
    ]
    city_people: list[tuple[Entity, float]] = [
        (city, row.population_people) for city, row in zip(cities, facts.cities, strict=True)
    ]
    people = [
        (state, row.population_people) for state, row in zip(states, facts.states, strict=True)
    ] + city_people
    areas: list[tuple[Entity, float]] = [
        (state, row.area_square_miles) for state, row in zip(states, facts.states, strict=True)
    ]
    area_of = dict(areas)
    densities = [(state, count / area_of[state]) for state, count in people if state in area_of]

    courses = [
        (river, _state(name))
        for river, row in zip(rivers, facts.rivers, strict=True)
        for name in row.states
    ]
    located = [
        *((entity, USA) for entity in [*cities, *states, *rivers, *places]),
        *((city, _state(row.state)) for city, row in zip(cities, facts.cities, strict=True)),
        *((place, state) for state, place in highs + lows),
        *courses,
    ]
    capital_of = list(zip(states, capitals, strict=True))
    lakes = [(Entity("lake", row.name), row.states) for row in facts.lakes]
    if not published:
        listed = frozenset(cities)
        missing = [pair for pair in capital_of if pair[1] not in listed]
        located += [(entity, USA) for entity in (*(pair[1] for pair in missing), *dict(lakes))]
        located += [(capital, state) for state, capital in missing]
        located += [(lake, _state(name)) for lake, on in lakes for name in on]
    borders = [
        (_state(row.state), _state(name)) for row in facts.borders for name in row.neighbours
    ]
    highest = {row.highest_point: row.highest_elevation_m for row in facts.extremes}
    lowest = {row.lowest_point: row.lowest_elevation_m for row in facts.extremes}
    high_points = [(USA, _place(max(highest, key=lambda name: highest[name]))), *highs]
    low_points = [(USA, _place(min(lowest, key=lambda name: lowest[name]))), *lows]

    place_kind = _kind(places)
    major = [city for city, count in city_people if count > MAJOR_CITY_PEOPLE]
    major += [river for river, length in lengths if length > MAJOR_RIVER_KM]
    return Relations(
        kinds={
            "city": _kind(cities),
            "state": _kind(states),
            "river": _kind(rivers),
            "capital": _kind(capitals),
            "place": place_kind,
            "mountain": place_kind if published else _kind(place for _, place in highs),
            "lake": _kind(lake for lake, _ in lakes),
            "major": _kind(major),
        },
        related={
            **_both_ways("loc", located),
            **_both_ways("next_to", borders),
            **_both_ways("traverse", courses),
            **_both_ways("capital", capital_of),
            **_both_ways("high_point", high_points),
            **_both_ways("low_point", low_points),
            "higher_1": _compare(elevations, lambda mine, other: mine > other),
            "higher_2": _compared(elevations, lambda other, mine: other > mine),
            "lower_1": _compare(elevations, lambda mine, other: mine < other),
            "lower_2": _compared(elevations, lambda other, mine: other < mine),
            "longer": _compared(lengths, lambda other, mine: other > mine),
        },
        figures={
            "population": _figures(people),
            "area": _figures(areas),
            "density": _figures(densities),
            "elevation": _figures(elevations),
            "length": _figures(lengths),
            "size": _figures([*areas, *city_people, *lengths, *elevations]),
        },
        at_elevation=_index((elevation, place) for place, elevation in elevations),
        state_codes=codes,
    )


def _state(name: str) -> Entity:
    return Entity("stateid", name)


def _place(name: str) -> Entity:
    return Entity("placeid", name)


def _forms(entity: Entity) -> tuple[Entity, ...]:
    """The entity and, for a city, the form without a state that it also answers to."""
    if entity.sort == "cityid":
        return entity, Entity("cityid", entity.name)
    return (entity,)


def _kind(members: Iterable[Entity]) -> Kind:
    ordered = tuple(members)
    accepted: dict[Value, Entity] = {}
    for entity in ordered:
        for form in _forms(entity):
            accepted.setdefault(form, entity)
    return Kind(ordered, accepted)


def _figures(rows: Iterable[tuple[Entity, float]]) -> Figures:
    figures: dict[Value, tuple[float, Entity]] = {}
    for entity, number in rows:
        for form in _forms(entity):
            figures.setdefault(form, (number, entity))
    return figures


def _index(pairs: Iterable[tuple[Value, Entity]]) -> Relation:
    lists: dict[Value, list[Entity]] = {}
    for source, target in pairs:
        for form in _forms(source) if isinstance(source, Entity) else (source,):
            lists.setdefault(form, []).append(target)
    return {source: tuple(targets) for source, targets in lists.items()}


def _both_ways(name: str, pairs: list[tuple[Entity, Entity]]) -> dict[str, Relation]:
    """The relation from first to second as name_1, and from second to first as name_2."""
    return {
        f"{name}_1": _index(pairs),
        f"{name}_2": _index((second, first) for first, second in pairs),
    }


def _compare(rows: list[tuple[Entity, float]], holds: Callable[[float, float], bool]) -> Relation:
    """From each entity to those its number compares with, once per pair of rows."""
    return _index(
        (mine, other)
        for mine, my_number in rows
        for other, number in rows
        if holds(my_number, number)
    )


def _compared(rows: list[tuple[Entity, float]], holds: Callable[[float, float], bool]) -> Relation:
    """From each entity to those whose number compares with its own, once per pair of rows."""
    return _index(
        (mine, other)
        for other, number in rows
        for mine, my_number in rows
        if holds(number, my_number)
    )
