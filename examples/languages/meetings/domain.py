"""Meetings: programs as in ``(find :kind call :with (boss_of :person me) :on friday)``."""

from typing import NewType

from partwise.language.domain import Domain, default, entities, predicate

Event = NewType("Event", list)
Person = NewType("Person", str)
Kind = NewType("Kind", str)
Day = NewType("Day", str)
Hour = NewType("Hour", str)
Room = NewType("Room", str)
Done = NewType("Done", str)
NO = default()
DAYS = "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
CALLED = {"call": ("calls",), "meeting": ("meetings",)}


class Meetings(Domain):
    name, runnable, answers = "meetings", False, Done | Event | Person

    @entities((*DAYS, "today", "tomorrow"), bare=True)
    def day(self, name: str) -> Day: ...
    @entities(pattern=r"\d+ [ap]m", bare=True)
    def hour(self, name: str) -> Hour: ...
    @entities(("emma", "liam", "me", "noah", "olivia"), {"me": ("me", "my")}, bare=True)
    def person(self, name: str) -> Person: ...
    @entities(("cafe", "library", "office"), bare=True)
    def room(self, name: str) -> Room: ...
    @entities(("call", "dinner", "lunch", "meeting"), CALLED, bare=True)
    def kind(self, name: str) -> Kind: ...
    @predicate("set up", "create", "schedule", "book", "need", "put", "have")
    def create(
        self, *, kind: Kind, with_: Person = NO, on: Day = NO, at: Hour = NO, where: Room = NO
    ) -> Done: ...
    @predicate("show", "list", "which", "what", "do i have", "the", "of")
    def find(
        self, *, kind: Kind, with_: Person = NO, on: Day = NO, at: Hour = NO, where: Room = NO
    ) -> Event: ...
    @predicate("when", "what time", name="time_of")
    @predicate("where", name="place_of")
    @predicate("who", name="people_of")
    @predicate("cancel", "delete", name="delete")
    @predicate("how many", name="count")
    @predicate("remind", name="remind")
    def of_event(self, *, event: Event) -> Done: ...
    @predicate("move")
    def move(self, *, event: Event, to: Day) -> Done: ...
    @predicate("boss", name="boss_of")
    @predicate("assistant", name="assistant_of")
    def other(self, *, person: Person) -> Person: ...
    @predicate("invite")
    def invite(self, *, person: Person, event: Event) -> Done: ...
