"""A domain with one of each mistake, for the tests of checks."""

from __future__ import annotations

from typing import ClassVar

from partwise.language.domain import default, entities, predicate, root
from partwise.language.values import Many, Number, One, SetDomain, Some


class Cup: ...


class Saucer: ...


class Plate: ...


class Fork: ...


class Shop(SetDomain):
    """Cups, and predicates that are wrong in one way each."""

    name: ClassVar[str] = "shop"

    @root
    def answer(self, value: Some[Cup] | Number) -> Some[Cup] | Number:
        return value

    @entities(names=("mug", "beaker", "tall glass"), aliases={"beaker": ("mug",)})
    def cup(self, name: str) -> One[Cup]:
        return One([name])

    @entities(names=("oak",))
    def wood(self, name: str) -> Many[Fork]:
        return Many([name])

    @predicate("cups", "crockery")
    def cups(self) -> Many[Cup]:
        return Many(["mug", "beaker", "tall glass"])

    @predicate("saucers")
    def saucers(self, of: Some[Cup]) -> Many[Saucer]:
        return Many([])

    @predicate("under")
    def under(self, of: Many[Saucer], on: Many[Plate]) -> Many[Cup]:
        return Many([])

    @predicate("largest")
    def largest(self, of: Many[Cup], near: One[Plate] = default()) -> One[Cup]:
        return One(list(of)[:1])

    @predicate("count", "crockery", "tall glass")
    def count(self, of: Some[Cup]) -> Number:
        return Number(len(of))

    @predicate()
    def broken(self, of: Many[Cup]) -> Many[Cup]:
        return Many([1 // 0])

    @predicate("none")
    def none(self, of: Many[Cup]) -> Many[Cup]:
        return Many([])


class Whole(SetDomain):
    """A domain without any mistake."""

    name: ClassVar[str] = "whole"

    @root
    def answer(self, value: Some[object] | Number) -> Some[object] | Number:
        return value

    @entities(names=("mug", "beaker", "vase"))
    def cup(self, name: str) -> One[Cup]:
        return One([name])

    @predicate("cups")
    def cups(self) -> Many[Cup]:
        return Many(["mug", "beaker", "vase"])

    @predicate("larger than")
    def larger(self, than: Some[Cup]) -> Many[Cup]:
        order = ["mug", "beaker", "vase"]
        return Many(name for name in order if any(name > other for other in than))

    @predicate("largest")
    def largest(self, of: Many[Cup]) -> One[Cup]:
        return One(sorted(of)[-1:])

    @predicate("how many")
    def count(self, of: Many[Cup]) -> Number:
        return Number(len(of))
