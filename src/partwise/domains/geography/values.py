"""Runtime values of the geography predicates: named things, bags and measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class NamedThing(NamedTuple):
    """A named thing: `sort` is one of cityid, stateid, riverid, placeid, countryid, lake.

    `state_code` is the two-letter code of a city's state. A city without one stands for any
    city of that name, until a predicate picks a particular city.
    """

    sort: str
    name: str
    state_code: str | None = None


Value: TypeAlias = NamedThing | float
Group: TypeAlias = tuple[Value, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Bag:
    """Values in order, duplicates kept.

    `groups` pairs each input of the last relation with what that input alone led to, for
    counting per input; it is None where the values did not come from a relation. `unit` is that of
    numbers, for people; answers are compared without it.
    """

    items: tuple[Value, ...] = ()
    groups: tuple[Group, ...] | None = None
    unit: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Measures:
    """Numbers in order, each paired with the value it was measured on; `unit` as in `Bag`."""

    pairs: tuple[tuple[float, Value], ...] = ()
    unit: str = field(default="", compare=False)

    @property
    def items(self) -> tuple[float, ...]:
        """The numbers alone, in order."""
        return tuple(number for number, _ in self.pairs)


Values: TypeAlias = Bag | Measures
