"""The geography domain: US states, cities, rivers and points, as of the 1980 census.

Every method is a predicate of the language of GeoQuery (FunQL); its hints are its signature, its
decorator holds words for it, and its body runs it. Before them stand the types, the names of things
and how answers are written, and words that name several predicates or that people type.

Types are sorts of things, and kinds of phrases about them. They are as sharp as the executor: what
could only denote nothing, or would change nothing, does not type. A filter takes its own sort or a
mixed set, a superlative takes a set and never a single thing, and a measure carries what it
measures, so that the state with the most people is a state.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, overload

import partwise.domains.geography.values as operations
from partwise.domains.geography.executor import Executor
from partwise.domains.geography.facts import AnnotationRow, load_facts, read_table
from partwise.domains.geography.values import Bag, NamedThing, Values, denotation
from partwise.language.domain import Domain, default, entities, predicate, root
from partwise.language.lexicon import read_lexicon
from partwise.language.program import Term
from partwise.language.typed import Typing


class Country:
    """The USA."""


class State:
    """A state."""


class City:
    """A city."""


class River:
    """A river."""


class Place:
    """A highest or lowest point."""


class Lake:
    """A lake."""


class Container:
    """Whatever something lies in: states and the country, mixed."""


class InState:
    """Whatever lies in a state: cities, rivers, places and lakes, mixed."""


class InCountry(InState):
    """Whatever lies in a country: as in a state, and states."""


class Numeral:
    """A number written in a question."""


T_co = TypeVar("T_co", covariant=True)


class Things(Generic[T_co]):
    """Anything of a sort: one or many."""


class Phrase(Things[T_co]):
    """A whole noun phrase: what a relation may start from."""


class One(Phrase[T_co]):
    """A single thing."""


class Entity(One[T_co]):
    """A named thing."""


class Best(One[T_co]):
    """What a superlative picked."""


class Most(Best[T_co]):
    """What was picked by counting."""


class Many(Phrase[T_co]):
    """A set named by a noun."""


class All(Many[T_co]):
    """All things of a sort."""


class Noun(Many[T_co]):
    """The things of a sort that a phrase restricts."""


class Related(Things[T_co]):
    """What a relation leads to, before a noun says which sort is meant."""


class Part(Noun[T_co], Related[T_co]):
    """What belongs to a thing, one to each: a relation that names its noun, as "capital"."""


class Measure(Generic[T_co]):
    """Figures, each with the thing measured; the parameter is the phrase measured."""


class Number:
    """A count or a sum."""


COUNTRY = ("us", "u.s.", "united states", "america", "the country", "the nation", "the states")

DIGITS = 4
"""Significant digits of numbers that are no whole ones, as populations per square mile."""


@cache
def codes() -> dict[str, str]:
    """Two-letter code -> state."""
    return {state.code: state.name for state in load_facts().states}


def state_of_code(term: Term) -> Term:
    """A city term with its state's code turned into the state; other terms unchanged."""
    if term.symbol != "cityid" or term.args is None or len(term.args) != 2:
        return term
    city, state = term.args
    if not state.quoted or state.symbol not in codes():
        return term
    named = Term("stateid", (Term(codes()[state.symbol], quoted=True),))
    return Term("cityid", (city, named))


def states(_: object) -> list[str]:
    """All states, the District of Columbia among them."""
    return [state.name for state in load_facts().states]


def state_aliases(_: object) -> dict[str, list[str]]:
    """The two-letter codes that are not English words, and other names."""
    words = {"in", "or", "me", "hi", "ok", "oh", "de", "la", "pa", "ma", "id"}
    names = {name: [code] for code, name in codes().items() if code not in words}
    names["district of columbia"] = ["dc", "d.c."]
    return names


def cities(_: object) -> list[str]:
    """All cities and capitals, each name once."""
    facts = load_facts()
    names = [city.name for city in facts.cities] + [state.capital for state in facts.states]
    return list(dict.fromkeys(names))


def city_aliases(_: object) -> dict[str, list[str]]:
    """Other names of cities."""
    aliases = {name: [name.replace("st. ", "saint ")] for name in cities(_) if "st. " in name}
    aliases.setdefault("new york", []).append("new york city")
    return aliases


def rivers(_: object) -> list[str]:
    return [river.name for river in load_facts().rivers]


def places(_: object) -> list[str]:
    """All highest and lowest points, each name once."""
    facts = load_facts()
    names = [name for row in facts.extremes for name in (row.highest_point, row.lowest_point)]
    return list(dict.fromkeys([*names, "death valley", "mount mckinley"]))


def place_aliases(_: object) -> dict[str, list[str]]:
    """Mountains without and with the word mount."""
    return {
        name: [name.replace("mount ", "mt. "), name.replace("mount ", "mt ")]
        for name in places(_)
        if name.startswith("mount ")
    }


def lines(value: Values) -> list[str]:
    """An answer for a person: each distinct thing or number once, in order, with its unit. Yes or
    no, where it is about a thing that the question names."""
    if isinstance(value, Bag) and value.whether:
        return ["yes" if value.items else "no"]
    return list(dict.fromkeys(_show(item, value.unit) for item in value.items))


def _show(item: NamedThing | float, unit: str) -> str:
    if isinstance(item, NamedThing):
        place = codes().get(item.state_code or "")
        return f"{item.name}, {place}" if place else item.name
    # What was counted or measured is whole; a quotient has no more digits than its figures.
    exact = item if item % 1 == 0 else float(f"{item:.{DIGITS}g}")
    return f"{exact:,.10g} {unit}".rstrip()


def listed(words: str) -> tuple[str, ...]:
    """The words of a text that has commas between them."""
    return tuple(words.split(", "))


_ROWS = read_lexicon("partwise.domains.geography", "words.tsv")
_SHARED = {row.meaning: row.phrases for row in _ROWS if row.section == "shared"}
INSIDE, HAVING, BORDERING = _SHARED["inside"], _SHARED["having"], _SHARED["bordering"]
RUNNING, PEOPLE = _SHARED["running"], _SHARED["people"]
TYPING = Typing(
    words={row.phrase: row.meaning for row in _ROWS if row.section == "words"},
    phrases={row.meaning: row.phrases for row in _ROWS if row.section == "phrases"},
    nouns=(
        *("state", "city", "river", "capital", "mountain", "lake", "population_1", "area_1"),
        *("density_1", "elevation_1", "len", "size", "high_point_1", "low_point_1", "capital_1"),
    ),
    adjectives=(
        *("largest", "smallest", "highest", "lowest", "longest", "shortest", "largest_one"),
        *("smallest_one", "major"),
    ),
    kinds={
        "stateid": ("state", ("state",)),
        "cityid": ("city", ("city",)),
        "riverid": ("river", ("river", "longest")),
        "placeid": ("mountain", ("mountain", "place")),
        "countryid": ("country", ()),
    },
)

Major = TypeVar("Major", City, River, Lake)

ALL = default("all")
ANYWHERE = default("_")


class Nouns(Executor, Domain):
    """Entities, and filters that take their own sort or a mixed set."""

    # --- names ---------------------------------------------------------------------------

    @entities(states, aliases=state_aliases)
    def stateid(self, name: str) -> Entity[State]:
        return self._bag_of("stateid", name)

    @entities(cities, aliases=city_aliases)
    def cityid(self, name: str, state: Entity[State] = ANYWHERE) -> Entity[City]:
        """A city by name, in a state or in any."""
        return self._city(name, state)

    @entities(rivers)
    def riverid(self, name: str) -> Entity[River]:
        return self._bag_of("riverid", name)

    @entities(places, aliases=place_aliases)
    def placeid(self, name: str) -> Entity[Place]:
        return self._bag_of("placeid", name)

    @entities(("usa",), aliases={"usa": COUNTRY})
    def countryid(self, name: str) -> Entity[Country]:
        return self._bag_of("countryid", name)

    @entities(("0",), aliases={"0": ("sea level", "zero")}, bare=True)
    def number(self, digits: str) -> Numeral:
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
        return self._kind("state", x)

    @overload
    def city(self) -> All[City]: ...

    @overload
    def city(self, x: Related[City] | Related[InState] | Entity[City]) -> Noun[City]: ...

    @predicate("city", "cities", "town", "towns")
    def city(self, x: Any = ALL) -> Any:
        return self._kind("city", x)

    @overload
    def river(self) -> All[River]: ...

    @overload
    def river(self, x: Related[River] | Related[InState] | Entity[River]) -> Noun[River]: ...

    @predicate("river", "rivers")
    def river(self, x: Any = ALL) -> Any:
        return self._kind("river", x)

    @overload
    def capital(self) -> All[City]: ...

    @overload
    def capital(
        self, x: Related[City] | Related[InState] | Entity[City] | Many[City]
    ) -> Noun[City]: ...

    @predicate("capital", "capitals")
    def capital(self, x: Any = ALL) -> Any:
        return self._kind("capital", x)

    @overload
    def place(self) -> All[Place]: ...

    @overload
    def place(self, x: Related[Place] | Related[InState] | Entity[Place]) -> Noun[Place]: ...

    @predicate("point", "points", "place", "places", "spot", "spots", "location", "elevation")
    def place(self, x: Any = ALL) -> Any:
        return self._kind("place", x)

    @overload
    def mountain(self) -> All[Place]: ...

    @overload
    def mountain(self, x: Related[Place] | Related[InState] | Entity[Place]) -> Noun[Place]: ...

    @predicate("mountain", "mountains", "peak", "peaks")
    def mountain(self, x: Any = ALL) -> Any:
        return self._kind("mountain", x)

    @overload
    def lake(self) -> All[Lake]: ...

    @overload
    def lake(self, x: Related[InState]) -> Noun[Lake]: ...

    @predicate("lake", "lakes")
    def lake(self, x: Any = ALL) -> Any:
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
        return denotation(value)

    def is_empty(self, value: Any) -> bool:
        """Whether there is no answer, or only a count of none."""
        return not getattr(value, "whether", False) and denotation(value) <= {0.0}

    def show(self, value: Any) -> list[str]:
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
        return self._relate("higher_2", x)

    @predicate("lower", "lower than", "below")
    def lower_2(self, x: Phrase[Place]) -> Related[Place]:
        return self._relate("lower_2", x)

    @predicate("longer", "longer than")
    def longer(self, x: Phrase[River]) -> Related[River]:
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
        return OPERATIONS.greatest(self._measures("size", x))

    @predicate("smallest", "tiniest", "least")
    def smallest(self, x: Many[Sized]) -> Best[Sized]:
        return OPERATIONS.least(self._measures("size", x))

    @predicate("highest", "tallest", "maximum")
    def highest(self, x: Many[Place]) -> Best[Place]:
        return OPERATIONS.greatest(self._measures("elevation", x))

    @predicate("lowest", "deepest", "minimum")
    def lowest(self, x: Many[Place]) -> Best[Place]:
        return OPERATIONS.least(self._measures("elevation", x))

    @predicate("longest", "biggest", "largest", "greatest")
    def longest(self, x: Many[River]) -> Best[River]:
        return OPERATIONS.greatest(self._measures("length", x))

    @predicate("shortest", "smallest")
    def shortest(self, x: Many[River]) -> Best[River]:
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
        return OPERATIONS.count(x)

    @predicate("total", "combined", "sum", "altogether", "all together")
    def sum(self, x: Measure[Many[object]]) -> Number:
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
