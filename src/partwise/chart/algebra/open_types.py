"""What partial programs still need and return, and how one takes another as its argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from partwise.language.declare import Constant, Signature
from partwise.language.types import Pattern, is_concrete, match, substitute

OpenType = tuple[Signature, ...]
"""A state: the alternative signatures that are still open, in order of preference."""


def closed_type(open_type: OpenType) -> Pattern | None:
    """The type of a meaning that may stand as it is, or None if it needs an argument."""
    return next((s.returns for s in open_type if s.closed and is_concrete(s.returns)), None)


def apply(
    function: OpenType, argument: Pattern, before: bool = False
) -> tuple[OpenType, int] | None:
    """Fill the first open slot that takes the argument; signatures that do not are dropped.

    Args:
        before: whether the argument stands before the function, which some slots do not allow.
    """
    filled: int | None = None
    kept: list[Signature] = []
    for signature in function:
        for slot, pattern, _ in signature.params:
            if (filled is not None and slot != filled) or (
                before and slot in signature.directional
            ):
                continue
            bindings = match(pattern, argument)
            if bindings is None:
                continue
            filled = slot
            rest = tuple(
                (other, substitute(kind, bindings), optional)
                for other, kind, optional in signature.params
                if other != slot
            )
            returns = substitute(signature.returns, bindings)
            kept.append(replace(signature, params=rest, returns=returns))
            break
    if filled is None:
        return None
    # As with overloads, the first of the alternatives that need nothing more decides.
    done = next((i for i, s in enumerate(kept) if not s.params), None)
    return tuple(kept if done is None else kept[: done + 1]), filled


def compose(function: OpenType, argument: OpenType) -> tuple[OpenType, int] | None:
    """Function composition: fill a slot with a part that still waits for one argument itself.

    Returns the alternatives that the composed function has, and the slot that was filled.
    """
    made: list[Signature] = []
    filled: int | None = None
    for inner in argument:
        if len(inner.params) != 1 or inner.params[0][2] or not is_concrete(inner.returns):
            return None
        found = apply(function, inner.returns)
        if found is None or (filled is not None and found[1] != filled):
            continue
        kind = closed_type(found[0])
        if kind is not None:
            filled = found[1]
            made.append(Signature(inner.params, kind))
    return None if filled is None else (tuple(made), filled)


def type_shifts(
    open_type: OpenType, implied: Sequence[Constant]
) -> Iterator[tuple[int, OpenType, int]]:
    """The type shifts that take a closed meaning: number, what they then need, and slot."""
    kind = closed_type(open_type)
    for number, constant in enumerate(implied if kind is not None else ()):
        found = apply(constant.signatures, kind) if kind is not None else None
        if found is not None:
            yield number, found[0], found[1]
