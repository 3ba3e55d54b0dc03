"""Partial programs: what a span of words means before the whole is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from partwise.language.program import Term

if TYPE_CHECKING:
    from partwise.chart.algebra.closure import Composition
    from partwise.chart.algebra.type import TypeAlgebra

Args = tuple["Term | Meaning | None", ...]


@dataclass(frozen=True)
class Meaning:
    """A constant (by its number in `Domain.vocabulary`) with some arguments filled, and its state.

    An argument is a closed program, or an open meaning that waits for its own argument, or None.
    """

    constant: int
    args: Args
    state: int


def blank(types: TypeAlgebra, constant: int) -> Meaning:
    """A constant with nothing filled."""
    arity = len(types.domain.vocabulary[constant].defaults)
    return Meaning(constant, (None,) * arity, int(types.start[constant]))


def closed_term(types: TypeAlgebra, meaning: Meaning) -> Term | None:
    """The program of a meaning that needs nothing more, else None."""
    if not types.is_closed(meaning.state):
        return None
    return spelled(types, meaning)


def spelled(types: TypeAlgebra, meaning: Meaning) -> Term:
    """The program as it stands; required arguments that are open are left out."""
    args = [spelled(types, a) if isinstance(a, Meaning) else a for a in meaning.args]
    return types.domain.vocabulary[meaning.constant].term(args)


def combine(types: TypeAlgebra, how: Composition, left: Meaning, right: Meaning) -> Meaning:
    """The meaning of two parts that compose as `how` says."""
    function, argument = (left, right) if how.left_is_function else (right, left)
    taken = shifted(types, argument, how.shift_argument)
    value = closed_term(types, taken)
    taker = shifted(types, function, how.shift_function)
    return filled(types, taker, how.slot, taken if value is None else value, how.state)


def shifted(types: TypeAlgebra, meaning: Meaning, number: int | None) -> Meaning:
    """A meaning within a type shift; itself for None."""
    if number is None:
        return meaning
    shift = types.type_shifts[meaning.state, number]
    constant = types.domain.vocabulary.n_listed + number
    args: Args = (None,) * len(types.domain.vocabulary[constant].defaults)
    return Meaning(constant, _put(args, shift.slot, closed_term(types, meaning)), shift.state)


def filled(
    types: TypeAlgebra, function: Meaning, slot: int, value: Term | Meaning, state: int
) -> Meaning:
    """A function with an argument in its slot, or in the slot of the part that waits for it."""
    waiting = next((n for n, arg in enumerate(function.args) if isinstance(arg, Meaning)), None)
    if waiting is not None:
        # A composed function: the value goes to the part that waits for it, and closes it.
        inner = function.args[waiting]
        assert isinstance(inner, Meaning)
        slot, value = waiting, spelled(types, filled(types, inner, slot, value, inner.state))
    args = _put(function.args, slot, value)
    return Meaning(function.constant, _sorted(types, function.constant, args), state)


def _sorted(types: TypeAlgebra, constant: int, args: Args) -> Args:
    """The arguments with those that may be swapped in their order: by text, open ones last."""
    slots = types.domain.vocabulary[constant].commutes
    if not slots:
        return args

    def key(arg: Term | Meaning | None) -> tuple[bool, str]:
        return arg is None, str(spelled(types, arg) if isinstance(arg, Meaning) else arg)

    for slot, arg in zip(slots, sorted((args[s] for s in slots), key=key), strict=True):
        args = _put(args, slot, arg)
    return args


def _put(args: Args, slot: int, value: Term | Meaning | None) -> Args:
    return (*args[:slot], value, *args[slot + 1 :])
