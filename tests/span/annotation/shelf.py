"""A small domain of solids on a shelf, with implied predicates, and words that name several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from partwise.language.constants import type_shift
from partwise.language.domain import Domain, default, entities, predicate

OPEN, ALL = default(), default("all()")


class Size: ...


class Color: ...


class Shape: ...


class Place: ...


class Things: ...


class Found(Things): ...


class Beside(Things): ...


class Either(Things): ...


class Shelf(Domain):
    """Types only; nothing runs."""

    name: ClassVar[str] = "shelf"
    answers: ClassVar[object | None] = int
    infix: ClassVar[Sequence[str] | None] = ("left", "without")
    annotation: ClassVar[Mapping[str, Sequence[str]]] = {"count": ("how many",), "red": ("rosy",)}

    @entities(("large", "small"), aliases={"large": ["big"]}, bare=True)
    def size(self, name: str) -> Size: ...

    @entities(("red", "blue"), bare=True)
    def color(self, name: str) -> Color: ...

    @entities(("cube", "ball"), aliases={"cube": ["cubes"], "ball": ["balls"]}, bare=True)
    def shape(self, name: str) -> Shape: ...

    @type_shift
    def filter(
        self,
        size: Size = OPEN,
        color: Color = OPEN,
        shape: Shape = OPEN,
        things: Beside = ALL,
    ) -> Found: ...

    @predicate("things", "objects")
    def all(self) -> Things: ...

    @predicate("left", "left of", "beside")
    def left(self, of: Found | Beside) -> Beside: ...

    @predicate("or", commutes=("one", "two"))
    def union(self, one: Found | Beside, two: Found | Beside) -> Either: ...

    @predicate("without", "but not")
    def without(self, one: Found, two: Found) -> Either: ...

    @predicate("how many", "count", "number of")
    def count(self, things: Things) -> int: ...
