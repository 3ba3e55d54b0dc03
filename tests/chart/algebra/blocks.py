"""A small domain with type-shifting operators, swappable arguments and extraction."""

from __future__ import annotations

from typing import ClassVar

from partwise.language.domain import Domain, default, entities, predicate, type_shift


class Value: ...


class Color(Value): ...


class Shape(Value): ...


class Side: ...


class Trait: ...


class Things: ...


class World(Things): ...


class Chosen(Things): ...


class Placed(Things): ...


class Number: ...


NOTHING = default()
WORLD = default("world()")


class Blocks(Domain):
    """Coloured shapes beside each other; the world is a list of (color, shape) from the left."""

    name: ClassVar[str] = "blocks"
    infix: ClassVar = ()
    extraction: ClassVar = ("beside", "like")
    answers: ClassVar = Number | Value
    things: ClassVar = (("red", "cube"), ("blue", "ball"), ("red", "ball"))

    @entities(("red", "blue"), bare=True)
    def color(self, name: str) -> Color:
        return name  # type: ignore[return-value]

    @entities(("cube", "ball"), bare=True)
    def shape(self, name: str) -> Shape:
        return name  # type: ignore[return-value]

    @entities(("left", "right"), bare=True)
    def side(self, name: str) -> Side:
        return name  # type: ignore[return-value]

    @entities(("hue", "form"), bare=True)
    def trait(self, name: str) -> Trait:
        return name  # type: ignore[return-value]

    @predicate("things")
    def world(self) -> World:
        return frozenset(range(len(self.things)))  # type: ignore[return-value]

    @type_shift
    def filter(
        self, color: Color = NOTHING, shape: Shape = NOTHING, things: Placed = WORLD
    ) -> Chosen:
        return frozenset(  # type: ignore[return-value]
            i
            for i in things  # type: ignore[attr-defined]
            if (not isinstance(color, str) or self.things[i][0] == color)
            and (not isinstance(shape, str) or self.things[i][1] == shape)
        )

    @type_shift
    def beside(self, side: Side, things: Things) -> Placed:
        (only,) = things  # type: ignore[misc]
        found = range(only) if side == "left" else range(only + 1, len(self.things))  # type: ignore
        return frozenset(found)  # type: ignore[return-value]

    @predicate("same")
    def like(self, trait: Trait, things: Things) -> Placed:
        (only,) = things  # type: ignore[misc]
        kind = ("hue", "form").index(trait)  # type: ignore[arg-type]
        alike = self.things[only][kind]
        found = (i for i, thing in enumerate(self.things) if thing[kind] == alike and i != only)
        return frozenset(found)  # type: ignore[return-value]

    @predicate("or", commutes=("first", "second"))
    def union(self, first: Things, second: Things) -> Placed:
        return first | second  # type: ignore[operator]

    @predicate("how many")
    def count(self, things: Things) -> Number:
        return len(things)  # type: ignore[arg-type]

    @predicate("what")
    def query(self, trait: Trait, things: Things) -> Value:
        (only,) = things  # type: ignore[misc]
        return self.things[only][("hue", "form").index(trait)]  # type: ignore
