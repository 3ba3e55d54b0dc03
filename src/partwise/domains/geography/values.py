"""Runtime values of the geography predicates, how they are compared, chosen and combined, and the
sets by which answers are compared."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, TypeAlias

NUMBER_DECIMALS = 6
"""Numbers of an answer are compared after rounding to this many decimal places."""


class NamedThing(NamedTuple):
    """A named thing: `sort` is one of cityid, stateid, riverid, placeid, countryid, lake.
    `state_code` is the two-letter code of a city's state. A city without one stands for any city of
    that name, until a predicate picks a particular city."""

    sort: str
    name: str
    state_code: str | None = None


Value: TypeAlias = NamedThing | float
Group: TypeAlias = tuple[Value, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Bag:
    """Values in order, duplicates kept. `groups` pairs each input of the last relation with what
    that input alone led to, for counting per input; it is None where the values did not come from a
    relation. `unit` is that of numbers, for people. `named` says that it is a thing that the
    program names, and `whether` that all that is asked of such a thing is whether it is there.
    Answers are compared without these."""

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
        return value.name if plain else _quote(value.name)
    if value.sort == "cityid":
        code = "_" if value.state_code is None else _quote(value.state_code)
        return f"cityid({_quote(value.name)},{code})"
    return f"{value.sort}({_quote(value.name)})"


def _quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


EMPTY = Bag()


def matches(left: Value, right: Value) -> bool:
    """Whether the two can be the same thing; a city of no given state can be any of its name."""
    if left == right:
        return True
    if not (isinstance(left, NamedThing) and isinstance(right, NamedThing)):
        return False
    return left[:2] == right[:2] and (_is_open(left) or _is_open(right))


def difference(left: Values, right: Values) -> Bag:
    """The left values that match no right value."""
    unwanted = frozenset(right.items)
    if not _any_open(left.items, unwanted):
        return Bag(tuple(item for item in left.items if item not in unwanted))
    return Bag(
        tuple(item for item in left.items if not any(matches(item, other) for other in unwanted))
    )


def common(left: Values, right: Values) -> Bag:
    """The left values that match a right value, in order."""
    wanted = list(right.items)
    whether = isinstance(left, Bag) and left.named
    if not _any_open(left.items, wanted):
        known = frozenset(wanted)
        return Bag(tuple(item for item in left.items if item in known), whether=whether)
    kept: list[Value] = []
    for item in left.items:
        for index, other in enumerate(wanted):
            if matches(item, other):
                # A city that takes a state here keeps it in all later comparisons.
                wanted[index] = other if _is_open(item) else item
                kept.append(wanted[index])
                break
    return Bag(tuple(kept), whether=whether)


def greatest(x: Values) -> Bag:
    """What the greatest figure was measured on, the first of equals; a lone group's origin."""
    return _choose(x, max)


def least(x: Values) -> Bag:
    """What the least figure was measured on, the first of equals; a lone group's origin."""
    return _choose(x, min)


def count_groups(x: Values) -> Measures:
    """The number of different values of each group, measured on the group's origin."""
    if isinstance(x, Measures) or x.groups is None:
        return Measures()
    return Measures(tuple((len(frozenset(values)), origin) for origin, values in x.groups))


def count_origins(x: Values) -> Measures:
    """From how many different origins each value comes, measured on the value."""
    if isinstance(x, Measures) or x.groups is None:
        return Measures()
    origins: dict[Value, set[Value]] = {}
    for origin, values in x.groups:
        for value in values:
            origins.setdefault(value, set()).add(origin)
    return Measures(tuple((len(sources), value) for value, sources in origins.items()))


def count(x: Values) -> Bag:
    return Bag((len(frozenset(x.items)),))


def total(x: Values) -> Bag:
    """The sum of the numbers, each as often as it comes; empty if there is anything else."""
    result: float = 0
    for item in x.items:
        if isinstance(item, NamedThing):
            return EMPTY
        result += item
    return Bag((result,), unit=x.unit)


def _is_open(value: Value) -> bool:
    return isinstance(value, NamedThing) and value.sort == "cityid" and value.state_code is None


def _any_open(*lists: Iterable[Value]) -> bool:
    return any(_is_open(value) for values in lists for value in values)


def _choose(x: Values, best: Callable[..., tuple[float, Value]]) -> Bag:
    if isinstance(x, Measures):
        return Bag((best(x.pairs, key=itemgetter(0))[1],), unit=x.unit) if x.pairs else EMPTY
    # One group wins without a comparison; several cannot be compared, as they are no figures.
    return Bag((x.groups[0][0],)) if x.groups and len(x.groups) == 1 else EMPTY
