"""An oracle of its own for what a span tree means: fold it by the compositions of the types."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.chart.scores import SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.language.open_types import close_type
from partwise.language.program import Term


@dataclass(frozen=True)
class Partial:
    """A constant with some of its arguments; an argument may itself wait for one."""

    constant: int
    args: tuple[Term | Partial | None, ...]
    state: int


def blank(types: TypeAlgebra, constant: int) -> Partial:
    """A constant without arguments."""
    slots = len(types.domain.constants[constant].defaults)
    return Partial(constant, (None,) * slots, int(types.start[constant]))


def term(types: TypeAlgebra, partial: Partial) -> Term:
    """Its program, as far as it goes."""
    args = [term(types, arg) if isinstance(arg, Partial) else arg for arg in partial.args]
    return types.domain.constants[partial.constant].term(args)


def compose(
    types: TypeAlgebra, left: Partial, right: Partial, outer: bool = False
) -> Partial | None:
    """Two neighbours, or the outer parts of a ternary join, as one, or None."""
    states = (left.state, right.state)
    how = types.compositions.get(states)
    if outer:
        how = types.outer_compositions.get(states, how)
    if how is None:
        return None
    function, argument = (left, right) if how.left_is_function else (right, left)
    value: Term | Partial = argument
    if close_type(types.open_types[argument.state]) is not None:
        value = term(types, argument)
    return Partial(function.constant, fill(function, how.slot, value), how.state)


def fill(function: Partial, slot: int, value: Term | Partial) -> tuple[Term | Partial | None, ...]:
    """The arguments with a value in the slot, or in the slot of the part that waits for it."""
    args = list(function.args)
    for place, arg in enumerate(args):
        if isinstance(arg, Partial):
            args[place] = Partial(arg.constant, fill(arg, slot, value), arg.state)
            return tuple(args)
    assert args[slot] is None
    args[slot] = value
    return tuple(args)


def fold(types: TypeAlgebra, tree: SpanTree) -> Partial | None:
    """The meaning of a tree, or None if it has none."""
    if not tree.children:
        return blank(types, tree.label)
    parts = [fold(types, child) for child in tree.children]
    if None in parts:
        return None
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return compose(types, parts[0], parts[1])
    outer = compose(types, parts[0], parts[2], outer=True)
    return compose(types, parts[1], outer) if outer else None


def program_of(types: TypeAlgebra, tree: SpanTree) -> Term | None:
    """The program of a whole tree without the root predicate, None if it may not stand alone."""
    whole = fold(types, tree)
    return term(types, whole) if whole and types.final[whole.state] else None


def random_program(types: TypeAlgebra, rng: np.random.Generator, size: int) -> list[Partial]:
    """Whole programs met on a random walk that composes about `size` constants.

    Predicates are drawn more often than names, of which there are many more.
    """
    constants = types.domain.constants
    heads = [number for number, constant in enumerate(constants) if not constant.is_entity]
    found: list[Partial] = []
    now = blank(types, int(rng.integers(len(constants))))
    for _ in range(size * 8):
        if types.final[now.state]:
            found.append(now)
        number = rng.choice(heads) if rng.random() < 0.85 else rng.integers(len(constants))
        other = blank(types, int(number))
        if rng.random() < 0.3:
            # Another composed part, so that predicates of two arguments occur.
            other = compose(types, other, blank(types, int(rng.integers(len(constants))))) or other
        joined = compose(types, now, other) if rng.random() < 0.5 else compose(types, other, now)
        if joined is not None and sum(1 for _ in term(types, joined).walk()) <= 2 * size:
            now = joined
    return found
