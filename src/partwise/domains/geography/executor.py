"""The predicates of the geography language, each as a method on runtime values."""

from __future__ import annotations

from itertools import chain

from partwise.domains.geography import operations
from partwise.domains.geography.relations import Relations, load_relations
from partwise.domains.geography.values import (
    Bag,
    Entity,
    Group,
    Measures,
    Value,
    Values,
)
from partwise.errors import ExecutionError

MAX_ITEMS = 1_000_000
"""A relation that leads to more values than this, duplicates counted, is an error."""


class Executor:
    """Runs programs bottom-up: one method per predicate, from values to a value.

    Whatever a predicate does not apply to gives an empty bag. Populations are in people,
    state areas in square miles, lengths in km, elevations in m, densities in people per
    square mile. Of equally good candidates a superlative takes the first.

    Args:
        published: whether answers are those of GeoQuery's evaluator: its `most` and `fewest`, whose
            answer to "which state has the most rivers" is a river, and the holes in its tables
            (see `partwise.domains.geography.relations.build_relations`).
    """

    def __init__(self, relations: Relations | None = None, published: bool = True) -> None:
        self._relations = load_relations(published) if relations is None else relations
        self._counted = operations.counted if published else operations.counted_values

    # Names

    def answer(self, x: Values) -> Values:
        """The value itself: marks the whole of a program."""
        return x

    def stateid(self, name: str) -> Bag:
        """The state of this name."""
        return Bag((Entity("stateid", name),))

    def cityid(self, name: str, state: str | Entity | Bag | None = None) -> Bag:
        """The city of this name in a state (its code or the state itself), or in any state."""
        place = state.items[0] if isinstance(state, Bag) and state.items else state
        if place is None or isinstance(place, str):
            return Bag((Entity("cityid", name, place),))
        code = self._relations.state_codes.get(place.name) if isinstance(place, Entity) else None
        return operations.EMPTY if code is None else Bag((Entity("cityid", name, code),))

    def riverid(self, name: str) -> Bag:
        """The river of this name."""
        return Bag((Entity("riverid", name),))

    def placeid(self, name: str) -> Bag:
        """The place of this name."""
        return Bag((Entity("placeid", name),))

    def countryid(self, name: str) -> Bag:
        """The country of this name."""
        return Bag((Entity("countryid", name),))

    # Kinds: without an argument all of the kind, else those of the kind among the values

    def city(self, x: Values | None = None) -> Bag:
        """The cities."""
        return self._kind("city", x)

    def state(self, x: Values | None = None) -> Bag:
        """The states, the District of Columbia among them."""
        return self._kind("state", x)

    def river(self, x: Values | None = None) -> Bag:
        """The rivers."""
        return self._kind("river", x)

    def capital(self, x: Values | None = None) -> Bag:
        """The capitals of states."""
        return self._kind("capital", x)

    def place(self, x: Values | None = None) -> Bag:
        """The places: highest and lowest points of states."""
        return self._kind("place", x)

    def mountain(self, x: Values | None = None) -> Bag:
        """The highest points of states; as published: every place."""
        return self._kind("mountain", x)

    def lake(self, x: Values | None = None) -> Bag:
        """The lakes."""
        return self._kind("lake", x)

    def major(self, x: Values) -> Bag:
        """Cities of more than 150,000 people and rivers longer than 750 km."""
        return self._kind("major", x)

    # Relations: what each value in turn leads to

    def loc_1(self, x: Values) -> Bag:
        """Where the values are: the country and the states they lie in or run through."""
        return self._related("loc_1", x)

    def loc_2(self, x: Values) -> Bag:
        """What is in the states or the country: cities, states, rivers and places."""
        return self._related("loc_2", x)

    def next_to_1(self, x: Values) -> Bag:
        """The states that the states touch."""
        return self._related("next_to_1", x)

    def next_to_2(self, x: Values) -> Bag:
        """The states that touch the states."""
        return self._related("next_to_2", x)

    def traverse_1(self, x: Values) -> Bag:
        """The states that the rivers run through."""
        return self._related("traverse_1", x)

    def traverse_2(self, x: Values) -> Bag:
        """The rivers that run through the states."""
        return self._related("traverse_2", x)

    def capital_1(self, x: Values) -> Bag:
        """The capitals of the states."""
        return Bag(self._related("capital_1", x).items)

    def capital_2(self, x: Values) -> Bag:
        """The states that the cities are capitals of."""
        return Bag(self._related("capital_2", x).items)

    def high_point_1(self, x: Values) -> Bag:
        """The highest points of the states or the country."""
        return self._related("high_point_1", x)

    def high_point_2(self, x: Values) -> Bag:
        """What the places are highest points of."""
        return self._related("high_point_2", x)

    def low_point_1(self, x: Values) -> Bag:
        """The lowest points of the states or the country."""
        return self._related("low_point_1", x)

    def low_point_2(self, x: Values) -> Bag:
        """What the places are lowest points of."""
        return self._related("low_point_2", x)

    def higher_1(self, x: Values) -> Bag:
        """The places that the places are higher than."""
        return self._related("higher_1", x)

    def higher_2(self, x: Values) -> Bag:
        """The places that are higher than the places."""
        return self._related("higher_2", x)

    def lower_1(self, x: Values) -> Bag:
        """The places that the places are lower than."""
        return self._related("lower_1", x)

    def lower_2(self, x: Values) -> Bag:
        """The places that are lower than the places."""
        return self._related("lower_2", x)

    def longer(self, x: Values) -> Bag:
        """The rivers that are longer than the rivers."""
        return self._related("longer", x)

    def elevation_2(self, x: Values | float) -> Bag:
        """The places at the measured elevations (m); none for a number written out."""
        # In the reference semantics a written number is not a value, so nothing is found.
        if not isinstance(x, Bag | Measures):
            return operations.EMPTY
        found = (self._relations.at_elevation.get(item, ()) for item in x.items)
        return Bag(tuple(chain.from_iterable(found)))

    # Figures: the number of each value that has one

    def population_1(self, x: Values) -> Measures:
        """The populations of states and cities, in people."""
        return self._measures("population", x)

    def area_1(self, x: Values) -> Measures:
        """The areas of states, in square miles."""
        return self._measures("area", x)

    def density_1(self, x: Values) -> Measures:
        """The densities of states, in people per square mile."""
        return self._measures("density", x)

    def elevation_1(self, x: Values) -> Measures:
        """The elevations of places, in m."""
        return self._measures("elevation", x)

    def len(self, x: Values) -> Measures:
        """The lengths of rivers, in km."""
        return self._measures("length", x)

    def size(self, x: Values) -> Measures:
        """Area of a state, people of a city, length of a river, elevation of a place."""
        return self._measures("size", x)

    # Superlatives over entities

    def largest(self, x: Values) -> Bag:
        """The value of greatest size."""
        return operations.greatest(self.size(x))

    def smallest(self, x: Values) -> Bag:
        """The value of least size."""
        return operations.least(self.size(x))

    def highest(self, x: Values) -> Bag:
        """The highest place."""
        return operations.greatest(self.elevation_1(x))

    def lowest(self, x: Values) -> Bag:
        """The lowest place."""
        return operations.least(self.elevation_1(x))

    def longest(self, x: Values) -> Bag:
        """The longest river."""
        return operations.greatest(self.len(x))

    def shortest(self, x: Values) -> Bag:
        """The shortest river."""
        return operations.least(self.len(x))

    # Superlatives over figures and groups

    def largest_one(self, x: Values) -> Bag:
        """What the greatest of the figures was measured on."""
        return operations.greatest(x)

    def smallest_one(self, x: Values) -> Bag:
        """What the least of the figures was measured on."""
        return operations.least(x)

    def most(self, x: Values) -> Bag:
        """What the last relation led to from most different things.

        As published: the thing from which it led to most different values.
        """
        return operations.greatest(self._counted(x))

    def fewest(self, x: Values) -> Bag:
        """What the last relation led to from fewest different things, but from one at least.

        As published: the thing from which it led to fewest different values.
        """
        return operations.least(self._counted(x))

    # Numbers and sets

    def count(self, x: Values) -> Bag:
        """How many different values there are."""
        return Bag((len(frozenset(x.items)),))

    def sum(self, x: Values) -> Bag:
        """The total of the numbers, each as often as it comes."""
        return operations.total(x)

    def exclude(self, a: Values, b: Values) -> Bag:
        """The values of a that are not in b."""
        return operations.difference(a, b)

    def intersection(self, a: Values, b: Values) -> Bag:
        """The values of a that are also in b; a city of no given state takes that of b."""
        return operations.common(a, b)

    # Shared parts

    def _kind(self, name: str, x: Values | None) -> Bag:
        kind = self._relations.kinds[name]
        if x is None:
            return Bag(kind.members)
        accepted = kind.accepted

        def keep(items: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple([accepted[item] for item in items if item in accepted])

        if isinstance(x, Measures) or x.groups is None:
            return Bag(keep(x.items))
        return Bag(keep(x.items), tuple([(origin, keep(found)) for origin, found in x.groups]))

    def _related(self, name: str, x: Values) -> Bag:
        relation = self._relations.related[name]
        groups: tuple[Group, ...] = tuple([(item, relation.get(item, ())) for item in x.items])
        # Duplicates are kept, so each relation inside a relation multiplies their number.
        if sum(len(found) for _, found in groups) > MAX_ITEMS:
            raise ExecutionError(f"{name} leads to more than {MAX_ITEMS} values")
        return Bag(tuple(chain.from_iterable(found for _, found in groups)), groups)

    def _measures(self, name: str, x: Values) -> Measures:
        figures = self._relations.figures[name]
        pairs: list[tuple[float, Value]] = []
        for item in x.items:
            if item in figures:
                pairs.append(figures[item])
            elif name == "size" and not isinstance(item, Entity):
                pairs.append((item, item))
        return Measures(tuple(pairs))
