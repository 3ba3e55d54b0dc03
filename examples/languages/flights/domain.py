"""Flights: programs as in ``list(and(flight(), from(city('oslo')), day(weekday('monday'))))``."""

from typing import ClassVar, NewType

from partwise.language.domain import Domain, entities, predicate, type_shift

Flight = NewType("Flight", list)
Answer = NewType("Answer", list)
City = NewType("City", str)
Time = NewType("Time", str)
CITIES = "boston", "chicago", "dallas", "denver", "lima", "new york", "oslo"


class Flights(Domain):
    name, runnable, answers = "flights", False, Answer
    directional: ClassVar = {"to": ("where",), "via": ("where",)}

    @entities(CITIES, {"new york": ("nyc",)})
    def city(self, name: str) -> City: ...
    @entities(pattern=r"\d+ [ap]m")
    def time(self, name: str) -> Time: ...
    @entities(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), inside="day"
    )
    def weekday(self, name: str) -> Flight: ...
    @entities(("delta", "lufthansa", "united"), inside="airline")
    def carrier(self, name: str) -> Flight: ...
    @entities(("morning", "afternoon", "evening"), inside="period")
    def part_of_day(self, name: str) -> Flight: ...
    @entities(("breakfast", "lunch", "dinner"), inside="meal")
    def food(self, name: str) -> Flight: ...
    @entities(("first class", "business class", "economy"), name="class", inside="cabin")
    def cabin_class(self, name: str) -> Flight: ...
    @type_shift(name="and")
    def both(self, *parts: Flight) -> Flight: ...
    @type_shift(name="list", of_phrases=True)
    def listed(self, flights: Flight) -> Answer: ...
    @type_shift(name="from")
    def leaves(self, where: City) -> Flight: ...
    @predicate("flight", "flights", name="flight")
    @predicate("nonstop", name="nonstop")
    def flight(self) -> Flight: ...
    @predicate("to", "arriving in", "arrive in", name="to")
    @predicate("via", name="via")
    def to(self, where: City) -> Flight: ...
    @predicate("leave before", "leave ... before", name="departs_before")
    @predicate("leaving after", "leave after", "leave ... after", name="departs_after")
    @predicate("arrive before", "arriving ... before", "arrive ... before", name="arrives_before")
    def departs(self, time: Time) -> Flight: ...
    @predicate("cheapest", name="cheapest")
    @predicate("earliest", name="earliest")
    @predicate("latest", name="latest")
    def first(self, of: Flight) -> Flight: ...
    @predicate("how many", name="count")
    @predicate("fare", "fares", "how much", "cost", name="fares")
    @predicate("airlines", name="airlines")
    @predicate("when ... leave", "what time ... leave", name="departure")
    @predicate("when ... arrive", "what time ... arrive", name="arrival")
    def asked(self, of: Flight) -> Answer: ...
