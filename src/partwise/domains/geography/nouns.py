"""The names and nouns of geography: what its phrases are made from."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from partwise.domains.geography.executor import Executor
from partwise.domains.geography.kinds import (
    All,
    City,
    Container,
    Country,
    Entity,
    InCountry,
    InState,
    Lake,
    Many,
    Most,
    Noun,
    Numeral,
    Place,
    Related,
    River,
    State,
)
from partwise.domains.geography.names import (
    COUNTRY,
    cities,
    city_aliases,
    place_aliases,
    places,
    rivers,
    state_aliases,
    states,
)
from partwise.language.domain import Domain, default, entities, predicate

Major = TypeVar("Major", City, River, Lake)

ALL = default("all")
ANYWHERE = default("_")


class Nouns(Executor, Domain):
    """Entities, and filters that take their own sort or a mixed set."""

    # --- names ---------------------------------------------------------------------------

    @entities(states, aliases=state_aliases)
    def stateid(self, name: str) -> Entity[State]:
        """A state by name."""
        return self._named("stateid", name)

    @entities(cities, aliases=city_aliases)
    def cityid(self, name: str, state: Entity[State] = ANYWHERE) -> Entity[City]:
        """A city by name, in a state or in any."""
        return self._city(name, state)

    @entities(rivers)
    def riverid(self, name: str) -> Entity[River]:
        """A river by name."""
        return self._named("riverid", name)

    @entities(places, aliases=place_aliases)
    def placeid(self, name: str) -> Entity[Place]:
        """A highest or lowest point by name."""
        return self._named("placeid", name)

    @entities(("usa",), aliases={"usa": COUNTRY})
    def countryid(self, name: str) -> Entity[Country]:
        """The country."""
        return self._named("countryid", name)

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
