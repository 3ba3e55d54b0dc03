"""The names and nouns of geography: what its phrases are made from."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, overload

from partwise.domains.geography import names
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
from partwise.language.domain import Default, Domain, default, entities, predicate

Major = TypeVar("Major", City, River, Lake)

ALL = default("all")
ANYWHERE = default("_")


class Nouns(Domain):
    """Entities, and filters that take their own sort or a mixed set."""

    published: ClassVar[bool] = False
    """Whether answers are those of GeoQuery's evaluator, quirks included."""

    def __init__(self) -> None:
        # Any: the hints below speak of kinds of phrases, not of the executor's runtime classes.
        self._run_time: Any = Executor(published=self.published)

    # --- names ---------------------------------------------------------------------------

    @entities(names.states, aliases=names.state_aliases)
    def stateid(self, name: str) -> Entity[State]:
        """A state by name."""
        return self._run_time.stateid(name)

    @entities(names.cities, aliases=names.city_aliases)
    def cityid(self, name: str, state: Entity[State] = ANYWHERE) -> Entity[City]:
        """A city by name, in a state or in any."""
        return self._run_time.cityid(name, _given(state))

    @entities(names.rivers)
    def riverid(self, name: str) -> Entity[River]:
        """A river by name."""
        return self._run_time.riverid(name)

    @entities(names.places, aliases=names.place_aliases)
    def placeid(self, name: str) -> Entity[Place]:
        """A highest or lowest point by name."""
        return self._run_time.placeid(name)

    @entities(("usa",), aliases={"usa": names.COUNTRY})
    def countryid(self, name: str) -> Entity[Country]:
        """The country."""
        return self._run_time.countryid(name)

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
        return self._run_time.state(_given(x))

    @overload
    def city(self) -> All[City]: ...

    @overload
    def city(self, x: Related[City] | Related[InState] | Entity[City]) -> Noun[City]: ...

    @predicate("city", "cities", "town", "towns")
    def city(self, x: Any = ALL) -> Any:
        """The cities among things."""
        return self._run_time.city(_given(x))

    @overload
    def river(self) -> All[River]: ...

    @overload
    def river(self, x: Related[River] | Related[InState] | Entity[River]) -> Noun[River]: ...

    @predicate("river", "rivers")
    def river(self, x: Any = ALL) -> Any:
        """The rivers among things."""
        return self._run_time.river(_given(x))

    @overload
    def capital(self) -> All[City]: ...

    @overload
    def capital(
        self, x: Related[City] | Related[InState] | Entity[City] | Many[City]
    ) -> Noun[City]: ...

    @predicate("capital", "capitals")
    def capital(self, x: Any = ALL) -> Any:
        """The state capitals among things."""
        return self._run_time.capital(_given(x))

    @overload
    def place(self) -> All[Place]: ...

    @overload
    def place(self, x: Related[Place] | Related[InState] | Entity[Place]) -> Noun[Place]: ...

    @predicate("point", "points", "place", "places", "spot", "spots", "location", "elevation")
    def place(self, x: Any = ALL) -> Any:
        """The highest and lowest points among things."""
        return self._run_time.place(_given(x))

    @overload
    def mountain(self) -> All[Place]: ...

    @overload
    def mountain(self, x: Related[Place] | Related[InState] | Entity[Place]) -> Noun[Place]: ...

    @predicate("mountain", "mountains", "peak", "peaks")
    def mountain(self, x: Any = ALL) -> Any:
        """The mountains among things."""
        return self._run_time.mountain(_given(x))

    @overload
    def lake(self) -> All[Lake]: ...

    @overload
    def lake(self, x: Related[InState]) -> Noun[Lake]: ...

    @predicate("lake", "lakes")
    def lake(self, x: Any = ALL) -> Any:
        """The lakes among things."""
        return self._run_time.lake(_given(x))

    @predicate("major", "big", "important")
    def major(self, x: Many[Major]) -> Noun[Major]:
        """The big cities and the long rivers among things."""
        return self._run_time.major(x)


def _given(argument: Any) -> Any:
    """The executor's way to say that an optional argument is absent."""
    return None if isinstance(argument, Default) else argument
