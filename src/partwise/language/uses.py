"""What stood where in programs that people wrote, and how surprising it is what never did."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from partwise.language.program import Term

Slot = tuple[str, int, int]
"""A method, how many arguments it has, and which of them."""
WHOLE: Slot = ("", 1, 0)
"""Where a whole program stands."""
NUMBER = "number"
"""What numbers are called."""

STEEP = 4
"""The power of likeness that counts: what is not quite alike says little."""


@dataclass(frozen=True)
class CallNode:
    """A call in a program: the arguments that are left out are None."""

    method: str
    args: tuple[CallNode | None, ...]

    def walk(self) -> Iterator[CallNode]:
        """This node and those below."""
        yield self
        for arg in self.args:
            if arg is not None:
                yield from arg.walk()


def node_of(term: Term, defaults: Mapping[tuple[str, int], str]) -> CallNode:
    """The calls of a program in terms of methods.

    Args:
        defaults: method and slot -> the constant that stands for an argument left out.
    """
    if term.args is None:
        return CallNode(NUMBER, ())
    return CallNode(
        term.symbol,
        tuple(
            None
            if arg == Term(defaults.get((term.symbol, slot), ""), ())
            else node_of(arg, defaults)
            for slot, arg in enumerate(term.operands)
        ),
    )


@dataclass
class Uses:
    """What stood where.

    Attributes:
        seen: place -> method -> how often what it returns stood there.
        through: method and number of arguments -> the argument that it returns the type of; such a
            method stands for what this argument is.
        defaults: method and slot -> the constant that stands for an argument left out.
    """

    seen: Mapping[Slot, Mapping[str, int]] = field(default_factory=dict)
    through: Mapping[tuple[str, int], int] = field(default_factory=dict)
    defaults: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def returned(self, node: CallNode) -> str:
        """What a call returns: the method that made it."""
        slot = self.through.get((node.method, len(node.args)))
        inner = None if slot is None else node.args[slot]
        return node.method if inner is None else self.returned(inner)

    def of(self, programs: Iterable[CallNode]) -> Iterator[tuple[Slot, CallNode]]:
        """Every place in programs with what stands there."""
        for program in programs:
            yield WHOLE, program
            for node in program.walk():
                for slot, arg in enumerate(node.args):
                    if arg is not None:
                        yield (node.method, len(node.args), slot), arg

    @cached_property
    def _totals(self) -> tuple[dict[Slot, int], Counter[str], int]:
        places = {slot: sum(kinds.values()) for slot, kinds in self.seen.items()}
        things = Counter[str]()
        for kinds in self.seen.values():
            things.update(kinds)
        return places, things, max(1, things.total())

    def chance(self, slot: Slot, kind: str) -> float:
        """How often something would have stood at a place by chance."""
        places, things, total = self._totals
        return places.get(slot, 0) * things[kind] / total

    @cached_property
    def _places(self) -> dict[str, dict[Slot, float]]:
        """Where each method's results stood; a place where much stands weighs little."""
        things = len(self._totals[1])
        places: dict[str, dict[Slot, float]] = {}
        for slot, kinds in self.seen.items():
            for kind in kinds:
                places.setdefault(kind, {})[slot] = math.log((things + 1) / len(kinds))
        return places

    def likeness(self, slot: Slot, kind: str) -> float:
        """How far something that stood at a place stood wherever this did, from 0 to 1."""
        mine = self._places.get(kind, {})
        shared = (
            sum(weight for place, weight in mine.items() if place in self._places[other])
            for other in self.seen.get(slot, {})
        )
        return max(shared, default=0.0) / max(sum(mine.values()), 1e-9)

    def surprise(self, program: Term) -> float:
        """How surprising a program is: for everything that stands where it never did, the logarithm
        of how often it would have stood there by chance, and one.

        It is no surprise where something else stood that stands wherever it does.
        """
        places = self.of([node_of(program, self.defaults)])
        kinds = ((slot, self.returned(node)) for slot, node in places)
        return sum(
            math.log1p(self.chance(slot, kind) * (1 - self.likeness(slot, kind) ** STEEP))
            for slot, kind in kinds
            if not self.seen.get(slot, {}).get(kind)
        )
