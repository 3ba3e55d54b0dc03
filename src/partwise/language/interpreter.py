"""Programs read as applications of a domain's constants, and run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
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
    if constant.variadic and not term.keywords:
        return Application(constant, tuple(interpret(domain, arg) for arg in rest))
    slots, ordered = len(constant.defaults), len(rest) - len(term.keywords)
    if ordered > slots - len(constant.keywords):
        takes = "".join(f", and by name {name}" for name in constant.keywords)
        raise UnknownConstantError(
            f"{term.symbol} takes {slots - len(constant.keywords)} argument(s){takes}, "
            f"not {ordered}: {term}"
        )
    defaults = [default_term(text) for text in constant.defaults]
    parts = [None if arg in defaults else interpret(domain, arg) for arg in rest]
    placed: list[Application | None] = [None] * slots
    slots_of = [*places(constant, rest[:ordered], parts), *_named_places(constant, term)]
    for slot, arg, part in zip(slots_of, rest, parts, strict=True):
        # Text of a default elsewhere than in its own place is a program like any other.
        if arg != defaults[slot]:
            placed[slot] = part or interpret(domain, arg)
    return Application(constant, tuple(placed))


def _named_places(constant: Constant, term: Term) -> Iterator[int]:
    """The slots of the arguments that are written with names."""
    first = len(constant.defaults) - len(constant.keywords)
    for name in term.keywords:
        if name not in constant.keywords:
            known = ", ".join(constant.keywords) or "none"
            raise UnknownConstantError(
                f"{term.symbol} has no argument that is called {name}; there are: {known}"
            )
        yield first + constant.keywords.index(name)


def _constant(domain: Domain, term: Term) -> tuple[Constant, Sequence[Term]]:
    """The constant of a program's outermost symbol, and its arguments."""
    args = term.args or ()
    named = _is_named(domain, term)
    if len(args) == 1 and not named:
        constant, rest = _entity(domain, args[0])
        if constant is not None and constant.inside == term.symbol:
            return constant, rest
    if term.args is None or named:
        what = "entity" if named else "constant"
        label = f"{term.symbol}({args[0]})" if named else str(term)
        constant, rest = _entity(domain, term)
        if constant is not None and constant.inside:
            raise UnknownConstantError(
                f"{domain.name} has {label} only inside {constant.inside}(...)"
            )
    else:
        what, label, rest = "predicate", term.symbol, args
        constant = domain.vocabulary.find(term.symbol, None)
    if constant is None:
        raise UnknownConstantError(f"{domain.name} has no {what} {label}")
    return constant, rest


def _is_named(domain: Domain, term: Term) -> bool:
    """Whether it is a constructor with its name, and no predicate of a bare name in quotes."""
    if not term.args or not term.args[0].quoted or len(term.keywords) == len(term.args):
        return False
    find, name = domain.vocabulary.find, term.args[0].symbol
    return find(term.symbol, name) is not None or find("", name) is None


def _entity(domain: Domain, term: Term) -> tuple[Constant | None, Sequence[Term]]:
    """The entity or bare constant that a term is, if it is one, and its other arguments."""
    if term.args is None:
        return domain.vocabulary.find("", term.symbol), ()
    if not term.args or not _is_named(domain, term):
        return None, ()
    return domain.vocabulary.find(term.symbol, term.args[0].symbol), term.args[1:]


def places(
    constant: Constant, args: Sequence[Term], parts: Sequence[Application | None]
) -> Sequence[int]:
    """The slot of each argument, in order.

    A program leaves out arguments whose default has no text, so with fewer arguments than slots
    an argument stands in the next slot whose type it may have. Where that leads nowhere the
    program is ill-typed, and slots are taken in order, so that the types say what is wrong.
    """
    slots = iter(range(len(constant.defaults)))
    placed: list[int] = []
    for arg, part in zip(args, parts, strict=False):
        for slot in slots:
            if _may_stand(constant, slot, arg, part):
                placed.append(slot)
                break
            if constant.defaults[slot] or not is_optional(constant, slot):
                return range(len(args))
        else:
            return range(len(args))
    return placed


def _may_stand(constant: Constant, slot: int, arg: Term, part: Application | None) -> bool:
    if part is None:
        return default_term(constant.defaults[slot]) == arg
    return any(
        not is_concrete(given.returns)
        or not is_concrete(pattern)
        or match(pattern, given.returns) is not None
        for signature in constant.signatures
        for number, pattern, _ in signature.params
        for given in part.constant.signatures
        if number == slot
    )


def is_optional(constant: Constant, slot: int) -> bool:
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
    if constant.variadic:
        parts = [evaluate(domain, arg) for arg in program.args if arg is not None]
        return call(domain, constant.method, parts, program.term)
    values: list[Any] = [] if constant.name is None else [constant.name]
    for slot, (arg, text) in enumerate(zip(program.args, constant.defaults, strict=True)):
        if arg is None and not is_optional(constant, slot):
            raise ExecutionError(
                f"{constant.head} lacks its argument {slot + 1} in {program.term()}"
            )
        if arg is None:
            # What a text means that stands for an argument left out, if it is a program.
            term = default_term(text)
            arg = interpret(domain, term) if term is not None and term.args is not None else None
        values.append(Default(text) if arg is None else evaluate(domain, arg))
    ordered = len(values) - len(constant.keywords)
    called = constant.parameters[len(constant.parameters) - len(constant.keywords) :]
    named = dict(zip(called, values[ordered:], strict=True))
    return call(domain, constant.method, values[:ordered], program.term, named)


def call(
    domain: Domain,
    name: str,
    values: Sequence[Any],
    term: Callable[[], object],
    named: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Call one method; `term` makes the program that the message shows.

    Raises:
        ExecutionError: if it fails with anything but one of this package's errors.
    """
    try:
        return getattr(domain, name)(*values, **named)
    except PartwiseError:
        raise
    except Exception as error:
        raise ExecutionError(
            f"{name} failed with {type(error).__name__}: {error} in {term()}"
        ) from error
