"""Partial programs: what a span of words means before the whole is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from partwise.program import Term

if TYPE_CHECKING:
    from partwise.algebra.type import Composition, TypeAlgebra

Args = tuple["Term | Meaning | None", ...]


@dataclass(frozen=True)
class Meaning:
    """A constant (by number) with some arguments filled, and its type state.

    An argument is a closed program, or an open meaning that waits for its own argument, or None.
    """

    constant: int
    args: Args
    state: int


def blank(types: TypeAlgebra, constant: int) -> Meaning:
    """A constant with nothing filled."""
    arity = len(types.domain.constants[constant].defaults)
    return Meaning(constant, (None,) * arity, int(types.start[constant]))


def closed_term(types: TypeAlgebra, meaning: Meaning) -> Term | None:
    """The program of a meaning that needs nothing more, else None."""
    if not types.is_closed(meaning.state):
        return None
    return spelled(types, meaning)


def spelled(types: TypeAlgebra, meaning: Meaning) -> Term:
    """The program as it stands; required arguments that are open are left out."""
    args = [spelled(types, a) if isinstance(a, Meaning) else a for a in meaning.args]
    return types.domain.constants[meaning.constant].term(args)


def combine(types: TypeAlgebra, how: Composition, left: Meaning, right: Meaning) -> Meaning:
    """The meaning of two parts that compose as `how` says."""
    function, argument = (left, right) if how.left_is_function else (right, left)
    value: Term | Meaning | None = closed_term(types, argument)
    if value is None:
        value = argument
    waiting = next((n for n, arg in enumerate(function.args) if isinstance(arg, Meaning)), None)
    if waiting is None:
        return Meaning(function.constant, _put(function.args, how.slot, value), how.state)
    # A composed function: the value goes to the part that waits for it, which is closed by it.
    inner = function.args[waiting]
    assert isinstance(inner, Meaning)
    filled = Meaning(inner.constant, _put(inner.args, how.slot, value), inner.state)
    return Meaning(
        function.constant, _put(function.args, waiting, spelled(types, filled)), how.state
    )


def _put(args: Args, slot: int, value: Term | Meaning | None) -> Args:
    return (*args[:slot], value, *args[slot + 1 :])
