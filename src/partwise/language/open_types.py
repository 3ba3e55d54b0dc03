"""What partial programs still need and return, and how one takes another as its argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from partwise.errors import ProgramTypeError
from partwise.language.constants import Application, Signature
from partwise.language.types import Bindings, Pattern, is_concrete, match, substitute

OpenType = tuple[Signature, ...]
"""A state: the alternative signatures that are still open, in order of preference."""

Filled = tuple[OpenType, int]
"""What a function needs and returns once a slot is filled, and the slot."""

MAX_NESTING = 12
"""A type nested deeper than this comes from a signature that returns ever larger types."""
MAX_PARTS = 12
"""Parts of a conjunction: any set of them may be what a phrase means."""


def close_type(open_type: OpenType) -> Pattern | None:
    """The type of a meaning that may stand as it is, or None if it needs an argument."""
    return next((s.returns for s in open_type if s.closed and is_concrete(s.returns)), None)


def apply(function: OpenType, argument: OpenType, before: bool | None = None) -> Filled | None:
    """Fill the first open slot that takes a closed meaning; signatures that do not are dropped. The
    argument stands `before` the function or behind it, which some slots do not allow; None for
    either."""
    closed = close_type(argument)
    if closed is None:
        return None
    filled: int | None = None
    kept: list[Signature] = []
    for signature in function:
        for slot, pattern, _ in signature.params:
            if filled is not None and slot != filled:
                continue
            if before is not None and slot in (
                signature.directional if before else signature.preceding
            ):
                continue
            bindings = match(pattern, closed)
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


def apply_all(function: OpenType, arguments: Mapping[int, OpenType]) -> OpenType | None:
    """Fill slots with closed meanings that arrive in some order; None if no order fills just these.
    Of several orders, the first by the order of the slots decides."""
    open_types = {function: frozenset[int]()}
    for _ in arguments:
        open_types = {
            applied[0]: done | {slot}
            for before, done in open_types.items()
            for slot, argument in arguments.items()
            if slot not in done
            if (applied := apply(before, argument, _side(before, slot))) is not None
            if applied[1] == slot
        }
    return next(iter(open_types), None)


def _side(function: OpenType, slot: int) -> bool | None:
    """Whether the argument of a slot stands before the function; None if it may or may not."""
    before = any(slot in signature.preceding for signature in function)
    after = any(slot in signature.directional for signature in function)
    return None if before == after else before


def conjunction_type(function: OpenType, parts: Iterable[OpenType]) -> Pattern | None:
    """The type of a conjunction of parts, each of which fits the one slot of its signatures; None
    if one does not."""
    kinds = [close_type(part) for part in parts]
    for signature in function:
        ((_, pattern, _),) = signature.params
        bindings: Bindings | None = {}
        for kind in kinds:
            if kind is None or bindings is None:
                return None
            bindings = match(pattern, kind, bindings)
        if bindings is not None:
            return substitute(signature.returns, bindings)
    return None


def compose(function: OpenType, argument: OpenType) -> Filled | None:
    """Function composition: fill a slot with a part that still waits for one argument itself."""
    made: list[Signature] = []
    filled: int | None = None
    for inner in argument:
        if len(inner.params) != 1 or inner.params[0][2] or not is_concrete(inner.returns):
            return None
        applied = apply(function, (Signature((), inner.returns),))
        if applied is None or (filled is not None and applied[1] != filled):
            continue
        kind = close_type(applied[0])
        if kind is not None:
            filled = applied[1]
            made.append(Signature(inner.params, kind))
    return None if filled is None else (tuple(made), filled)


def open_type_of(program: Application) -> OpenType:
    """What a program needs and returns. Raises ProgramTypeError naming the first application (from
    the leaves) that does not type."""
    if program.constant.variadic:
        return _conjunction(program)
    arguments = {
        slot: open_type_of(arg) for slot, arg in enumerate(program.args) if arg is not None
    }
    # Several arguments may arrive in any order; slots are named by what each order fills.
    open_type = apply_all(program.constant.signatures, arguments)
    if open_type is None:
        raise _type_error(program, arguments.values())
    return open_type


def _conjunction(program: Application) -> OpenType:
    parts = [open_type_of(arg) for arg in program.args if arg is not None]
    if len(parts) > MAX_PARTS:
        raise ProgramTypeError(f"more than {MAX_PARTS} parts: in {program.term()}")
    kind = conjunction_type(program.constant.signatures, parts)
    if kind is None or len(parts) < 2:
        raise _type_error(program, parts)
    return (Signature((), kind),)


def _type_error(program: Application, parts: Iterable[OpenType]) -> ProgramTypeError:
    given = ", ".join(str(close_type(part) or shown(part)) for part in parts) or "nothing"
    return ProgramTypeError(
        f"{program.constant.category} takes {shown(program.constant.signatures)}, "
        f"not {given}: in {program.term()}"
    )


def shown(open_type: OpenType) -> str:
    kind = close_type(open_type)
    opened = " & ".join(str(s) for s in open_type if s.params)
    return " & ".join(([str(kind)] if kind is not None else []) + ([opened] if opened else []))
