"""Types of a domain: nominal classes, parametric types, type variables and unions.

The classes are ordinary Python classes, and the hints of a domain's methods are read with
`from_hint`. Subtyping is subclassing, with covariant parameters; a type variable binds to the
argument's actual type, if that is within its bound or one of its constraints.
"""

from __future__ import annotations

import types as _types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from partwise.errors import DomainError


@dataclass(frozen=True)
class Type:
    """A class with parameters, as ``Measure[Many[State]]``; a parameter may be a `Pattern`."""

    base: type
    args: tuple[Pattern, ...] = ()

    def __str__(self) -> str:
        inner = f"[{', '.join(map(str, self.args))}]" if self.args else ""
        return self.base.__name__ + inner


@dataclass(frozen=True)
class Var:
    """A type variable; `bounds` are alternatives, empty for an unbounded one."""

    name: str
    bounds: tuple[Pattern, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class AnyOf:
    """A union: an argument fits if it fits a member."""

    members: tuple[Pattern, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.members))


Pattern = Type | Var | AnyOf
Bindings = Mapping[str, Type]


def from_hint(hint: object) -> Pattern:
    """Read a type hint.

    Raises:
        DomainError: a hint that is neither a class, a parametrised class, a union nor a TypeVar.
    """
    if isinstance(hint, typing.TypeVar):
        bound = hint.__bound__
        limits = hint.__constraints__ or ((bound,) if bound is not None else ())
        return Var(hint.__name__, tuple(from_hint(limit) for limit in limits))
    origin = typing.get_origin(hint)
    if origin in (typing.Union, _types.UnionType):
        return AnyOf(tuple(from_hint(member) for member in typing.get_args(hint)))
    if origin is not None and isinstance(origin, type):
        return Type(origin, tuple(from_hint(arg) for arg in typing.get_args(hint)))
    if isinstance(hint, type):
        return Type(hint)
    raise DomainError(f"cannot read {hint!r} as a type: use classes, unions and type variables")


def _parents(actual: Type) -> Iterator[Type]:
    """Direct supertypes, with this type's arguments put in place of the class's parameters."""
    names = [parameter.__name__ for parameter in getattr(actual.base, "__parameters__", ())]
    given = dict(zip(names, actual.args, strict=False))
    for base in actual.base.__dict__.get("__orig_bases__", actual.base.__bases__):
        if typing.get_origin(base) is typing.Generic or base is object:
            continue
        parent = from_hint(base)
        if isinstance(parent, Type):
            yield Type(parent.base, tuple(substitute(arg, given) for arg in parent.args))


@lru_cache(maxsize=4096)
def ancestors(actual: Type) -> tuple[Type, ...]:
    """The type itself and all its supertypes."""
    above = (one for parent in _parents(actual) for one in ancestors(parent))
    return (actual, *above)


def substitute(pattern: Pattern, bindings: Mapping[str, Pattern]) -> Pattern:
    """The pattern with bound variables replaced."""
    if isinstance(pattern, Var):
        return bindings.get(pattern.name, pattern)
    if isinstance(pattern, AnyOf):
        return AnyOf(tuple(substitute(member, bindings) for member in pattern.members))
    return Type(pattern.base, tuple(substitute(arg, bindings) for arg in pattern.args))


def match(pattern: Pattern, actual: Pattern, bindings: Bindings | None = None) -> Bindings | None:
    """The variable bindings under which `actual` is a subtype of `pattern`, or None."""
    bindings = bindings or {}
    if isinstance(actual, AnyOf):
        # A union as an argument fits only where every member does.
        for member in actual.members:
            matched = match(pattern, member, bindings)
            if matched is None:
                return None
            bindings = matched
        return bindings
    if isinstance(pattern, AnyOf):
        tries = (match(member, actual, bindings) for member in pattern.members)
        return next((matched for matched in tries if matched is not None), None)
    if isinstance(actual, Var):
        return bindings if pattern == actual else None
    if isinstance(pattern, Var):
        return _match_variable(pattern, actual, bindings)
    if pattern.base is object:
        return bindings
    for candidate in ancestors(actual):
        if candidate.base is pattern.base:
            return _match_arguments(pattern, candidate, bindings)
    return None


def _match_variable(variable: Var, actual: Type, bindings: Bindings) -> Bindings | None:
    if variable.name in bindings:
        return bindings if bindings[variable.name] == actual else None
    matched: Bindings | None = bindings
    if variable.bounds:
        tries = (match(bound, actual, bindings) for bound in variable.bounds)
        matched = next((result for result in tries if result is not None), None)
    return None if matched is None else {**matched, variable.name: actual}


def _match_arguments(pattern: Type, actual: Type, bindings: Bindings) -> Bindings | None:
    # A bare class as a pattern takes any arguments.
    for wanted, given in zip(pattern.args, actual.args, strict=False):
        matched = match(wanted, given, bindings)
        if matched is None:
            return None
        bindings = matched
    return bindings


def is_concrete(pattern: Pattern) -> bool:
    """Whether no type variable is left."""
    if isinstance(pattern, Var):
        return False
    inner = pattern.members if isinstance(pattern, AnyOf) else pattern.args
    return all(is_concrete(part) for part in inner)


def nesting(pattern: Pattern) -> int:
    """How many levels of parameters a type has."""
    if isinstance(pattern, Var):
        return 0
    inner = pattern.members if isinstance(pattern, AnyOf) else pattern.args
    return 1 + max((nesting(part) for part in inner), default=0)
