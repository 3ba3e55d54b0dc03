"""Partial programs: what a span of words means before the whole is known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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

    Attributes:
        term: the program, if it needs nothing more.
    """

    constant: int
    args: Args
    state: int
    term: Term | None = field(compare=False)

    @property
    def waiting(self) -> int | None:
        """The slot whose argument waits for one of its own, if there is one."""
        return next((n for n, arg in enumerate(self.args) if isinstance(arg, Meaning)), None)


def blank(types: TypeAlgebra, constant: int) -> Meaning:
    """A constant with nothing filled."""
    return _meaning(types, constant, _no_args(types, constant), int(types.start[constant]))


def combine(types: TypeAlgebra, how: Composition, left: Meaning, right: Meaning) -> Meaning:
    """The meaning of two parts that compose as `how` says."""
    if how.conjunction is not None:
        return conjoined(types, how, how.conjunction, left, right)
    function, value = function_and_value(types, how, left, right)
    return filled(types, function, how.slot, value, how.state)


def function_and_value(
    types: TypeAlgebra, how: Composition, left: Meaning, right: Meaning
) -> tuple[Meaning, Term | Meaning]:
    """The part that takes the other, and what it takes; each within its type shift."""
    function, argument = (left, right) if how.left_is_function else (right, left)
    taken = _shifted(types, argument, how.shift_argument)
    function = _shifted(types, function, how.shift_function)
    return function, taken if taken.term is None else taken.term


def conjoined(
    types: TypeAlgebra, how: Composition, number: int, left: Meaning, right: Meaning
) -> Meaning:
    """A conjunction of a part with another one, or with the parts of a conjunction."""
    first, second = function_and_value(types, how, left, right)
    constant = types.domain.vocabulary.n_listed + number
    more = right.args if right.constant == constant and how.shift_argument is None else (second,)
    return _meaning(types, constant, tuple(sorted((first.term, *more), key=str)), how.state)


def filled(
    types: TypeAlgebra, function: Meaning, slot: int, value: Term | Meaning, state: int
) -> Meaning:
    """A function with an argument in its slot, or in the slot of the part that waits for it."""
    if function.waiting is not None:
        # A composed function: the value goes to the part that waits for it, and closes it.
        inner = function.args[function.waiting]
        assert isinstance(inner, Meaning)
        value = _spelled(types, filled(types, inner, slot, value, inner.state))
        slot = function.waiting
    args = _sorted(types, function.constant, _put(function.args, slot, value))
    return _meaning(types, function.constant, args, state)


def _meaning(types: TypeAlgebra, constant: int, args: Args, state: int) -> Meaning:
    made = Meaning(constant, args, state, None)
    return replace(made, term=_spelled(types, made)) if types.is_closed(state) else made


def _no_args(types: TypeAlgebra, constant: int) -> Args:
    return (None,) * len(types.domain.vocabulary[constant].defaults)


def _spelled(types: TypeAlgebra, meaning: Meaning) -> Term:
    """The program as it stands; required arguments that are open are left out."""
    args = [_spelled(types, a) if isinstance(a, Meaning) else a for a in meaning.args]
    return types.domain.vocabulary[meaning.constant].term(args)


def _shifted(types: TypeAlgebra, meaning: Meaning, number: int | None) -> Meaning:
    """A meaning within a type shift; itself for None."""
    if number is None:
        return meaning
    slot, state = types.type_shifts[meaning.state, number]
    constant = types.domain.vocabulary.n_listed + number
    return _meaning(types, constant, _put(_no_args(types, constant), slot, meaning.term), state)


def _sorted(types: TypeAlgebra, constant: int, args: Args) -> Args:
    """The arguments with those that may be swapped in their order: by text, open ones last."""
    slots = types.domain.vocabulary[constant].commutes
    if not slots:
        return args

    def key(arg: Term | Meaning | None) -> tuple[bool, str]:
        return arg is None, str(_spelled(types, arg) if isinstance(arg, Meaning) else arg)

    for slot, arg in zip(slots, sorted((args[s] for s in slots), key=key), strict=True):
        args = _put(args, slot, arg)
    return args


def _put(args: Args, slot: int, value: Term | Meaning | None) -> Args:
    return (*args[:slot], value, *args[slot + 1 :])
