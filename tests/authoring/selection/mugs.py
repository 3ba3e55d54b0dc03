"""Mugs and who owns them: a small domain in which everything can be said."""

from __future__ import annotations

from typing import ClassVar

from partwise.language.domain import entities, predicate, root
from partwise.language.values import Many, Number, One, SetDomain, Some

OWNER = {"red mug": "Ann", "blue mug": "Ann", "big mug": "Bob"}


class Mug: ...


class Person: ...


class Mugs(SetDomain):
    """Six predicates and two kinds of names."""

    name: ClassVar[str] = "mugs"

    @root
    def answer(self, value: Some[object] | Number) -> Some[object] | Number:
        return value

    @entities(names=OWNER)
    def mug(self, name: str) -> One[Mug]:
        return One([name])

    @entities(names=("Ann", "Bob", "Cora"))
    def person(self, name: str) -> One[Person]:
        return One([name])

    @predicate("mugs")
    def mugs(self) -> Many[Mug]:
        return Many(OWNER)

    @predicate("owner", "whose")
    def owner(self, of: Some[Mug]) -> Many[Person]:
        return Many(OWNER[name] for name in of)

    @predicate("owns", "own")
    def owned(self, who: Some[Person]) -> Many[Mug]:
        return Many(name for name, owner in OWNER.items() if owner in who)

    @predicate("largest")
    def largest(self, of: Many[Mug]) -> One[Mug]:
        return One(sorted(of)[-1:])

    @predicate("smallest")
    def smallest(self, of: Many[Mug]) -> One[Mug]:
        return One(sorted(of)[:1])

    @predicate("how many")
    def count(self, of: Many[Mug]) -> Number:
        return Number(len(of))

    @predicate("and")
    def both(self, first: Many[Mug], second: Many[Mug]) -> Many[Mug]:
        return Many(name for name in first if name in second)
