"""A small domain with a conjunction of any number of parts and type shifts of phrases."""

from __future__ import annotations

from typing import ClassVar

from partwise.language.domain import Domain, entities, predicate, type_shift
from partwise.language.values import Many, One


class City: ...


class Day: ...


class Place(City): ...


class Flight: ...


class Fare: ...


class Trips(Domain):
    """Flights and what is asked of them; "boston flights" leave from there."""

    name: ClassVar[str] = "trips"
    infix: ClassVar = ()
    answers: ClassVar = Many[Flight] | Many[Fare]
    directional: ClassVar = {"from": ("city",), "to": ("city",), "cheapest": ("of",)}

    @entities(("boston", "denver", "dallas"), bare=True)
    def city(self, name: str) -> One[City]: ...  # type: ignore[empty-body]

    @entities(("monday", "friday"), bare=True)
    def weekday(self, name: str) -> One[Day]: ...  # type: ignore[empty-body]

    @predicate("flights")
    def flight(self) -> Many[Flight]: ...  # type: ignore[empty-body]

    @predicate("from", name="from")
    def leaves(self, city: One[City]) -> Many[Flight]: ...  # type: ignore[empty-body]

    @predicate("to", "into")
    def to(self, city: One[City]) -> Many[Flight]: ...  # type: ignore[empty-body]

    @predicate("on")
    def day(self, day: One[Day]) -> Many[Flight]: ...  # type: ignore[empty-body]

    @predicate("capital", "hub")
    def capital(self, of: One[City]) -> One[Place]: ...  # type: ignore[empty-body]

    @predicate("cheapest")
    def cheapest(self, of: Many[Flight]) -> Many[Flight]: ...  # type: ignore[empty-body]

    @predicate("fares")
    def fare(self, of: Many[Flight]) -> Many[Fare]: ...  # type: ignore[empty-body]

    @type_shift(name="and")
    def both(self, *parts: Many[Flight]) -> Many[Flight]: ...  # type: ignore[empty-body]

    @type_shift(of_phrases=True)
    def serves(self, city: One[City]) -> Many[Flight]: ...  # type: ignore[empty-body]
