"""The geography domain: US states, cities, rivers and points, as of the 1980 census.

Every method is a predicate of the language of GeoQuery (FunQL); its hints are its signature, its
decorator holds words for it, and its body runs it. The types are in `kinds`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar, overload

import partwise.domains.geography.values as operations
from partwise.domains.geography.executor import Executor
from partwise.domains.geography.facts import AnnotationRow, read_table
from partwise.domains.geography.kinds import (
    All,
    Best,
    City,
    Container,
    Country,
    Entity,
    InCountry,
    InState,
    Lake,
    Many,
    Measure,
    Most,
    Noun,
    Number,
    Numeral,
    One,
    Part,
    Phrase,
    Place,
    Related,
    River,
    State,
    Things,
)
from partwise.domains.geography.names import (
    COUNTRY,
    cities,
    city_aliases,
    lines,
    place_aliases,
    places,
    rivers,
    state_aliases,
    state_of_code,
    states,
)
from partwise.domains.geography.values import denotation
from partwise.domains.geography.words import (
    BORDERING,
    HAVING,
    INSIDE,
    PEOPLE,
    RUNNING,
    TYPING,
    listed,
)
from partwise.language.domain import Domain, default, entities, predicate, root
from partwise.language.program import Term
from partwise.language.typed import Typing

Major = TypeVar("Major", City, River, Lake)

ALL = default("all")
ANYWHERE = default("_")


class Nouns(Executor, Domain):
    """Entities, and filters that take their own sort or a mixed set."""

    # --- names ---------------------------------------------------------------------------

    @entities(states, aliases=state_aliases)
    def stateid(self, name: str) -> Entity[State]:
        """A state by name."""
        return self._bag_of("stateid", name)

    @entities(cities, aliases=city_aliases)
    def cityid(self, name: str, state: Entity[State] = ANYWHERE) -> Entity[City]:
        """A city by name, in a state or in any."""
        return self._city(name, state)

    @entities(rivers)
    def riverid(self, name: str) -> Entity[River]:
        """A river by name."""
        return self._bag_of("riverid", name)

    @entities(places, aliases=place_aliases)
    def placeid(self, name: str) -> Entity[Place]:
        """A highest or lowest point by name."""
        return self._bag_of("placeid", name)

    @entities(("usa",), aliases={"usa": COUNTRY})
    def countryid(self, name: str) -> Entity[Country]:
        """The country."""
        return self._bag_of("countryid", name)

    @entities(("0",), aliases={"0": ("sea level", "zero")}, bare=True)
    def number(self, digits: str) -> Numeral:
        """A number."""
        return float(digits)  # type: ignore[return-value]

    # --- nouns -----------------------------------------------------------------------------

    @overload
    def state(self) -> All[State]: ...

    @overload
    def state(
        self,
        x: Related[State] | Related[Container] | Related[InCountry] | Entity[State] | Most[State],
    ) -> Noun[State]: ...

    @predicate("state", "states")
    def state(self, x: Any = ALL) -> Any:
        """The states among things."""
        return self._kind("state", x)

    @overload
    def city(self) -> All[City]: ...

    @overload
    def city(self, x: Related[City] | Related[InState] | Entity[City]) -> Noun[City]: ...

    @predicate("city", "cities", "town", "towns")
    def city(self, x: Any = ALL) -> Any:
        """The cities among things."""
        return self._kind("city", x)

    @overload
    def river(self) -> All[River]: ...

    @overload
    def river(self, x: Related[River] | Related[InState] | Entity[River]) -> Noun[River]: ...

    @predicate("river", "rivers")
    def river(self, x: Any = ALL) -> Any:
        """The rivers among things."""
        return self._kind("river", x)

    @overload
    def capital(self) -> All[City]: ...

    @overload
    def capital(
        self, x: Related[City] | Related[InState] | Entity[City] | Many[City]
    ) -> Noun[City]: ...

    @predicate("capital", "capitals")
    def capital(self, x: Any = ALL) -> Any:
        """The state capitals among things."""
        return self._kind("capital", x)

    @overload
    def place(self) -> All[Place]: ...

    @overload
    def place(self, x: Related[Place] | Related[InState] | Entity[Place]) -> Noun[Place]: ...

    @predicate("point", "points", "place", "places", "spot", "spots", "location", "elevation")
    def place(self, x: Any = ALL) -> Any:
        """The highest and lowest points among things."""
        return self._kind("place", x)

    @overload
    def mountain(self) -> All[Place]: ...

    @overload
    def mountain(self, x: Related[Place] | Related[InState] | Entity[Place]) -> Noun[Place]: ...

    @predicate("mountain", "mountains", "peak", "peaks")
    def mountain(self, x: Any = ALL) -> Any:
        """The mountains among things."""
        return self._kind("mountain", x)

    @overload
    def lake(self) -> All[Lake]: ...

    @overload
    def lake(self, x: Related[InState]) -> Noun[Lake]: ...

    @predicate("lake", "lakes")
    def lake(self, x: Any = ALL) -> Any:
        """The lakes among things."""
        return self._kind("lake", x)

    @predicate("major", "big", "important")
    def major(self, x: Many[Major]) -> Noun[Major]:
        """The big cities and the long rivers among things."""
        return self._kind("major", x)


T = TypeVar("T")
Sort = TypeVar("Sort", State, City, River, Place)
Sized = TypeVar("Sized", State, City)
Counted = TypeVar("Counted", State, River)
Inhabited = TypeVar("Inhabited", bound=Phrase[State] | Phrase[City] | Entity[Country])
Measured = TypeVar("Measured", bound=Phrase[State] | Phrase[City] | Phrase[River] | Phrase[Place])
Rivers = TypeVar("Rivers", bound=Phrase[River])
Places = TypeVar("Places", bound=Phrase[Place])

OPERATIONS: Any = operations
"""Typed Any, as the hints below speak of kinds of phrases and not of the values at run time."""
States = Things[State] | Related[Container] | Related[InCountry]


class Geography(Nouns):
    """US geography over the shipped tables."""

    name: ClassVar[str] = "geography"
    examples: ClassVar[Sequence[str]] = (
        "which states border texas?",
        "what is the largest city in california?",
        "how many people live in the capital of ohio?",
        "how long is the shortest river in kansas?",
        "which rivers run through states that border utah?",
        "which states do not border ohio?",
    )
    annotation: ClassVar[Mapping[str, Sequence[str]]] = dict(
        read_table("annotation.csv", AnnotationRow)
    )
    typing: ClassVar[Typing] = TYPING
    scope_raising: ClassVar[Sequence[str]] = ("most", "fewest")
    infix: ClassVar[Sequence[str] | None] = (
        *("state", "city", "river", "capital", "place", "mountain", "lake", "major", "count"),
        *("largest", "smallest", "highest", "lowest", "longest", "shortest"),
        *("largest_one", "smallest_one", "most", "fewest"),
    )

    def canonical(self, program: Term) -> Term:
        """Write the state of a city as a state, not as its two-letter code."""
        return super().canonical(program.map(state_of_code))

    def denotation(self, value: Any) -> Hashable:
        """The set of entities and numbers that an answer holds."""
        return denotation(value)

    def is_empty(self, value: Any) -> bool:
        """Whether there is no answer, or only a count of none."""
        return not getattr(value, "whether", False) and denotation(value) <= {0.0}

    def show(self, value: Any) -> list[str]:
        """One line for each distinct thing or number."""
        return lines(value)

    @root
    def answer(
        self,
        value: Many[object]
        | Best[object]
        | Measure[object]
        | Number
        | Related[Container]
        | Related[Country],
    ) -> Any:
        """What may be asked for: not a bare name, nor a relation without its noun."""
        return value

    # --- relations -------------------------------------------------------------------------

    @overload
    def loc_1(self, x: Phrase[City] | Phrase[River] | Phrase[Place]) -> Related[Container]: ...

    @overload
    def loc_1(self, x: One[State]) -> Related[Country]: ...

    @predicate(*INSIDE, *HAVING, "where")
    def loc_1(self, x: Any) -> Any:
        """What things lie in."""
        return self._relate("loc_1", x)

    @overload
    def loc_2(self, x: Phrase[State]) -> Related[InState]: ...

    @overload
    def loc_2(self, x: Phrase[City]) -> Related[Place]: ...

    @overload
    def loc_2(self, x: Entity[Country]) -> Related[InCountry]: ...

    @predicate(*INSIDE, *HAVING)
    def loc_2(self, x: Any) -> Any:
        """What lies in states or the country."""
        return self._relate("loc_2", x)

    @predicate(*BORDERING)
    def next_to_1(self, x: Phrase[State]) -> Related[State]:
        """The states that states border."""
        return self._relate("next_to_1", x)

    @predicate(*BORDERING)
    def next_to_2(self, x: Phrase[State] | Phrase[River]) -> Related[State]:
        """The states that border states."""
        return self._relate("next_to_2", x)

    @predicate(*RUNNING)
    def traverse_1(self, x: Phrase[River]) -> Related[State]:
        """The states that rivers run through."""
        return self._relate("traverse_1", x)

    @predicate(*RUNNING)
    def traverse_2(self, x: Phrase[State] | Phrase[City] | Entity[Country]) -> Related[River]:
        """The rivers that run through states."""
        return self._relate("traverse_2", x)

    @predicate("capital", "capitals")
    def capital_1(self, x: Phrase[State]) -> Part[City]:
        """The capitals of states."""
        return self._leads_to("capital_1", x)

    @predicate("capital")
    def capital_2(self, x: Phrase[City]) -> Related[State]:
        """The states whose capitals are these cities."""
        return self._leads_to("capital_2", x)

    @predicate("high point", "high points")
    def high_point_1(self, x: Phrase[State] | Entity[Country]) -> Part[Place]:
        """The highest points of states."""
        return self._relate("high_point_1", x)

    @predicate("high point")
    def high_point_2(self, x: Things[Place]) -> Related[State]:
        """The states whose highest points are these."""
        return self._relate("high_point_2", x)

    @predicate("low point", "low points")
    def low_point_1(self, x: Phrase[State] | Entity[Country]) -> Part[Place]:
        """The lowest points of states."""
        return self._relate("low_point_1", x)

    @predicate("low point", "elevations")
    def low_point_2(self, x: Things[Place]) -> Related[State]:
        """The states whose lowest points are these."""
        return self._relate("low_point_2", x)

    @predicate("higher", "higher than", "taller", "taller than", "above")
    def higher_2(self, x: Phrase[Place]) -> Related[Place]:
        """The places higher than places."""
        return self._relate("higher_2", x)

    @predicate("lower", "lower than", "below")
    def lower_2(self, x: Phrase[Place]) -> Related[Place]:
        """The places lower than places."""
        return self._relate("lower_2", x)

    @predicate("longer", "longer than")
    def longer(self, x: Phrase[River]) -> Related[River]:
        """The rivers longer than rivers."""
        return self._relate("longer", x)

    @predicate("elevation", "height", "altitude")
    def elevation_2(
        self, x: Numeral | Measure[One[Place]] | Measure[Part[Place]]
    ) -> Related[Place]:
        """The places at a height in metres."""
        return self._at_elevation(x)

    # --- figures ---------------------------------------------------------------------------

    @predicate(*PEOPLE)
    def population_1(self, x: Inhabited) -> Measure[Inhabited]:
        """The number of people of things."""
        return self._measures("population", x)

    @predicate(
        *listed(
            "area, areas, how many square miles, how many square kilometers, square miles, land, "
            "how much land"
        )
    )
    def area_1(self, x: Inhabited) -> Measure[Inhabited]:
        """The area of things in square miles."""
        return self._measures("area", x)

    @predicate(
        *listed(
            "density, densities, population density, population densities, dense, densely "
            "populated, crowded, average population"
        )
    )
    def density_1(self, x: Inhabited) -> Measure[Inhabited]:
        """The people per square mile of things."""
        return self._measures("density", x)

    @predicate(
        *listed("elevation, elevations, height, altitude, how high, how tall, how low, high, tall")
    )
    def elevation_1(self, x: Places) -> Measure[Places]:
        """The height of places in metres."""
        return self._measures("elevation", x)

    @predicate("length", "lengths", "long", "how long")
    def len(self, x: Rivers) -> Measure[Rivers]:
        """The length of rivers in kilometres."""
        return self._measures("length", x)

    @predicate("size", "sizes", "big", "how big", "large", "how large")
    def size(self, x: Measured) -> Measure[Measured]:
        """The size of things, whatever measures their sort."""
        return self._measures("size", x)

    # --- choices and counts ----------------------------------------------------------------

    @predicate("largest", "biggest", "greatest")
    def largest(self, x: Many[Sized]) -> Best[Sized]:
        """The largest of the things."""
        return OPERATIONS.greatest(self._measures("size", x))

    @predicate("smallest", "tiniest", "least")
    def smallest(self, x: Many[Sized]) -> Best[Sized]:
        """The smallest of the things."""
        return OPERATIONS.least(self._measures("size", x))

    @predicate("highest", "tallest", "maximum")
    def highest(self, x: Many[Place]) -> Best[Place]:
        """The highest of the places."""
        return OPERATIONS.greatest(self._measures("elevation", x))

    @predicate("lowest", "deepest", "minimum")
    def lowest(self, x: Many[Place]) -> Best[Place]:
        """The lowest of the places."""
        return OPERATIONS.least(self._measures("elevation", x))

    @predicate("longest", "biggest", "largest", "greatest")
    def longest(self, x: Many[River]) -> Best[River]:
        """The longest of the rivers."""
        return OPERATIONS.greatest(self._measures("length", x))

    @predicate("shortest", "smallest")
    def shortest(self, x: Many[River]) -> Best[River]:
        """The shortest of the rivers."""
        return OPERATIONS.least(self._measures("length", x))

    @predicate("largest", "most", "greatest", "highest", "biggest", "densest", "maximum")
    def largest_one(self, x: Measure[Many[T]]) -> Best[T]:
        """The thing whose figure is greatest."""
        return OPERATIONS.greatest(x)

    @predicate("smallest", "least", "lowest", "fewest", "sparsest", "minimum")
    def smallest_one(self, x: Measure[Many[T]]) -> Best[T]:
        """The thing whose figure is least."""
        return OPERATIONS.least(x)

    @predicate("most")
    def most(self, x: Noun[Counted]) -> Most[Counted]:
        """The thing that a relation leads to most often."""
        return OPERATIONS.greatest(self._count(x))

    @predicate("fewest", "least")
    def fewest(self, x: Noun[Counted]) -> Most[Counted]:
        """The thing that a relation leads to least often."""
        return OPERATIONS.least(self._count(x))

    @predicate("how many", "number of", "number", "count", "how many different")
    def count(self, x: Many[object]) -> Number:
        """How many things there are."""
        return OPERATIONS.count(x)

    @predicate("total", "combined", "sum", "altogether", "all together")
    def sum(self, x: Measure[Many[object]]) -> Number:
        """The sum of figures."""
        return OPERATIONS.total(x)

    # --- two sets --------------------------------------------------------------------------

    @overload
    def exclude(self, x: Many[State], y: States) -> Noun[State]: ...

    @overload
    def exclude(self, x: Many[City], y: Things[City] | Related[InState]) -> Noun[City]: ...

    @overload
    def exclude(self, x: Many[River], y: Things[River] | Related[InState]) -> Noun[River]: ...

    @overload
    def exclude(self, x: Many[Place], y: Things[Place] | Related[InState]) -> Noun[Place]: ...

    @predicate(*listed("not, no, excluding, except, without, but not, other than, besides"))
    def exclude(self, x: Any, y: Any) -> Any:
        """The first things without the second."""
        return OPERATIONS.difference(x, y)

    @overload
    def intersection(self, x: Related[Sort], y: Related[Sort]) -> Related[Sort]: ...

    @overload
    def intersection(self, x: Related[State], y: Related[Container]) -> Related[State]: ...

    @overload
    def intersection(self, x: Related[InState], y: Related[River]) -> Related[River]: ...

    @overload
    def intersection(self, x: Many[State], y: States) -> Noun[State]: ...

    @overload
    def intersection(self, x: Many[City], y: Things[City] | Related[InState]) -> Noun[City]: ...

    @overload
    def intersection(self, x: Many[River], y: Things[River] | Related[InState]) -> Noun[River]: ...

    @overload
    def intersection(self, x: Many[Place], y: Things[Place] | Related[InState]) -> Noun[Place]: ...

    @predicate("and", "both", "as well as")
    def intersection(self, x: Any, y: Any) -> Any:
        """The things in both sets."""
        return OPERATIONS.common(x, y)
