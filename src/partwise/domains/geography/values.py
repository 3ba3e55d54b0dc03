"""Runtime values of the geography predicates, and the sets by which answers are compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

NUMBER_DECIMALS = 6
"""Numbers of an answer are compared after rounding to this many decimal places."""


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
    numbers, for people. `named` says that it is a thing that the program names, and `whether` that
    all that is asked of such a thing is whether it is there. Answers are compared without these.
    """

    items: tuple[Value, ...] = ()
    groups: tuple[Group, ...] | None = None
    unit: str = field(default="", compare=False)
    named: bool = field(default=False, compare=False)
    whether: bool = field(default=False, compare=False)


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


def denotation(value: Values) -> frozenset[str | float]:
    """The answer a value stands for: its distinct entities as text, its numbers rounded."""
    return frozenset(canonical(item) for item in value.items)


def canonical(value: Value) -> str | float:
    """A named thing as text, a number rounded."""
    if not isinstance(value, NamedThing):
        return round(float(value), NUMBER_DECIMALS)
    if value.sort == "lake":
        # Lakes have no constructor in the language: they are printed as plain names.
        plain = re.fullmatch(r"[a-z]\w*", value.name)
        return value.name if plain else _quoted(value.name)
    if value.sort == "cityid":
        code = "_" if value.state_code is None else _quoted(value.state_code)
        return f"cityid({_quoted(value.name)},{code})"
    return f"{value.sort}({_quoted(value.name)})"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
