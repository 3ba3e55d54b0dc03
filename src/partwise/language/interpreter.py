"""Programs read as applications of a domain's constants, and run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from partwise.errors import ExecutionError, PartwiseError, UnknownConstantError
from partwise.language.declare import Application, Constant, Default, default_term
from partwise.language.program import Term
from partwise.language.types import is_concrete, match

if TYPE_CHECKING:
    from partwise.language.domain import Domain


def interpret(domain: Domain, term: Term) -> Application:
    """A program, without a root predicate, as applications of constants.

    Raises:
        UnknownConstantError: for a name the domain lacks, or too many arguments.
    """
    constant, rest = _constant(domain, term)
    slots = len(constant.defaults)
    if len(rest) > slots:
        raise UnknownConstantError(
            f"{term.symbol} takes {slots} argument(s), not {len(rest)}: {term}"
        )
    placed: list[Application | None] = [None] * slots
    parts = [None if _is_default(arg, constant) else interpret(domain, arg) for arg in rest]
    for slot, arg, part in zip(_places(constant, rest, parts), rest, parts, strict=True):
        # Text of a default elsewhere than in its own place is a program like any other.
        own = default_term(constant.defaults[slot]) == arg
        placed[slot] = None if own else part or interpret(domain, arg)
    return Application(constant, tuple(placed))


def _constant(domain: Domain, term: Term) -> tuple[Constant, Sequence[Term]]:
    """The constant of a program's outermost symbol, and its arguments."""
    args = term.args
    if args is None:
        bare = domain.vocabulary.find("", term.symbol)
        if bare is None:
            raise UnknownConstantError(f"{domain.name} has no constant {term}")
        return bare, ()
    name = args[0].symbol if args and args[0].quoted else None
    constant = domain.vocabulary.find(term.symbol, name)
    if constant is None:
        what = "predicate" if name is None else "entity"
        label = term.symbol if name is None else f"{term.symbol}({args[0]})"
        raise UnknownConstantError(f"{domain.name} has no {what} {label}")
    return constant, args if name is None else args[1:]


def _is_default(arg: Term, constant: Constant) -> bool:
    return any(arg == default_term(text) for text in constant.defaults)


def _places(
    constant: Constant, args: Sequence[Term], parts: Sequence[Application | None]
) -> Sequence[int]:
    """The slot of each argument, in order.

    A program leaves out arguments whose default has no text, so with fewer arguments than slots
    an argument stands in the next slot whose type it may have. Where that leads nowhere the
    program is ill-typed, and slots are taken in order, so that the types say what is wrong.
    """
    slots = len(constant.defaults)
    placed: list[int] = []
    slot = 0
    for arg, part in zip(args, parts, strict=True):
        while slot < slots and not _may_stand(constant, slot, arg, part):
            if constant.defaults[slot] or not _optional(constant, slot):
                return range(len(args))
            slot += 1
        if slot == slots:
            return range(len(args))
        placed.append(slot)
        slot += 1
    return placed


def _may_stand(constant: Constant, slot: int, arg: Term, part: Application | None) -> bool:
    if part is None:
        return default_term(constant.defaults[slot]) == arg
    wanted = [p for s in constant.signatures for number, p, _ in s.params if number == slot]
    returns = [s.returns for s in part.constant.signatures]
    return any(
        not is_concrete(given) or not is_concrete(pattern) or match(pattern, given) is not None
        for pattern in wanted
        for given in returns
    )


def _optional(constant: Constant, slot: int) -> bool:
    """Whether some signature does without it, or has it as optional."""
    return any(
        all(optional for number, _, optional in signature.params if number == slot)
        for signature in constant.signatures
    )


def evaluate(domain: Domain, program: Application) -> Any:
    """Call the domain's methods from the leaves up.

    Raises:
        ExecutionError: if a method fails; names it.
    """
    constant = program.constant
    values: list[Any] = [] if constant.name is None else [constant.name]
    for slot, (arg, text) in enumerate(zip(program.args, constant.defaults, strict=True)):
        if arg is None and not _optional(constant, slot):
            raise ExecutionError(
                f"{constant.head} lacks its argument {slot + 1} in {program.term()}"
            )
        values.append(_left_out(domain, text) if arg is None else evaluate(domain, arg))
    return call(domain, constant.head, values, program.term)


def _left_out(domain: Domain, text: str) -> Any:
    """The value of an argument that is left out: what its text means, if that is a program."""
    term = default_term(text)
    if term is None or term.args is None:
        return Default(text)
    return evaluate(domain, interpret(domain, term))


def call(domain: Domain, name: str, values: Sequence[Any], term: Any) -> Any:
    """Call one method; `term` (a program, or what makes it) is for the message.

    Raises:
        ExecutionError: if it fails with anything but one of this package's errors.
    """
    try:
        return getattr(domain, name)(*values)
    except PartwiseError:
        raise
    except Exception as error:
        shown = term() if callable(term) else term
        raise ExecutionError(
            f"{name} failed with {type(error).__name__}: {error} in {shown}"
        ) from error
