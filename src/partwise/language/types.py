"""Types of a domain: nominal classes, parametric types, type variables and unions.

The classes are ordinary Python classes, and the hints of a domain's methods are read with
`from_hint`. Subtyping is subclassing, with covariant parameters; a type variable binds to the
argument's actual type, if that is within its bound or one of its constraints.
"""

from __future__ import annotations

import types as _types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from partwise.errors import DomainError

_CLASS = "__partwise_class__"
T = typing.TypeVar("T")
Before = typing.Annotated[T, "before"]
"""The hint of an argument that only stands before its predicate: ``Before[Person]``."""
After = typing.Annotated[T, "after"]
"""The hint of an argument that only follows its predicate."""


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
    members: tuple[Pattern, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.members))


Pattern = Type | Var | AnyOf
Bindings = Mapping[str, Type]


def from_hint(hint: object) -> Pattern:
    """Read a type hint. Raises DomainError for a hint that is neither a class, a NewType, a
    parametrised class, a union nor a TypeVar."""
    if isinstance(hint, typing.NewType):
        return Type(_new_class(hint))
    if isinstance(hint, typing.TypeVar):
        bound = hint.__bound__
        limits = hint.__constraints__ or ((bound,) if bound is not None else ())
        return Var(hint.__name__, tuple(map(from_hint, limits)))
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return from_hint(args[0])
    if origin in (typing.Union, _types.UnionType):
        return AnyOf(tuple(map(from_hint, args)))
    if isinstance(origin or hint, type):
        return Type(typing.cast(type, origin or hint), tuple(map(from_hint, args)))
    raise DomainError(f"cannot read {hint!r} as a type: use classes, unions and type variables")


def stands(hint: object, side: str) -> bool:
    """Whether a hint says that an argument only stands on one side, ``before`` or ``after``."""
    return typing.get_origin(hint) is typing.Annotated and side in typing.get_args(hint)[1:]


def kind_of_answer(kind: Type) -> tuple[str, ...]:
    """What a question of a type asks for: ``0 Things`` and ``1 State`` of ``Best[State]``. A class
    with parameters is a form of what it holds (the best one, all, any), so its topmost class stands
    for it; one without is a sort of things. Parameters count one level deep."""
    levels = [kind, *(arg for arg in kind.args[:1] if isinstance(arg, Type))]
    found = []
    for depth, level in enumerate(levels):
        above = reversed(level.base.__mro__ if level.args else ())
        form = next((base for base in above if getattr(base, "__parameters__", ())), level.base)
        found.append(f"{depth} {form.__name__}")
    return tuple(found)


def _new_class(hint: typing.NewType) -> type:
    """The class that stands for a NewType, which is none; kept with it."""
    if _CLASS not in vars(hint):
        above = hint.__supertype__
        try:
            base = _new_class(above) if isinstance(above, typing.NewType) else above
            vars(hint)[_CLASS] = _types.new_class(hint.__name__, (base,))
        except TypeError as error:
            raise DomainError(
                f"NewType {hint.__name__}: nothing can be a subtype of {above!r}; "
                "take another type, as str"
            ) from error
    made: type = vars(hint)[_CLASS]
    return made


def _parents(actual: Type) -> Iterator[Type]:
    names = [parameter.__name__ for parameter in getattr(actual.base, "__parameters__", ())]
    given = dict(zip(names, actual.args, strict=False))
    for base in actual.base.__dict__.get("__orig_bases__", actual.base.__bases__):
        if typing.get_origin(base) is typing.Generic or base is object:
            continue
        parent = substitute(from_hint(base), given)
        if isinstance(parent, Type):
            yield parent


@lru_cache(maxsize=4096)
def ancestors(actual: Type) -> tuple[Type, ...]:
    above = (ancestor for parent in _parents(actual) for ancestor in ancestors(parent))
    return (actual, *above)


def substitute(pattern: Pattern, bindings: Mapping[str, Pattern]) -> Pattern:
    if isinstance(pattern, Var):
        return bindings.get(pattern.name, pattern)
    inner = tuple(substitute(part, bindings) for part in _parts(pattern))
    return AnyOf(inner) if isinstance(pattern, AnyOf) else Type(pattern.base, inner)


def match(pattern: Pattern, actual: Pattern, bindings: Bindings | None = None) -> Bindings | None:
    """The variable bindings under which `actual` is a subtype of `pattern`, or None."""
    bindings = bindings or {}
    if isinstance(actual, AnyOf):
        # A union as an argument fits only where every member does.
        return _match_all(((pattern, member) for member in actual.members), bindings)
    if isinstance(pattern, AnyOf):
        return _match_any(pattern.members, actual, bindings)
    if isinstance(actual, Var):
        return bindings if pattern == actual else None
    if isinstance(pattern, Var):
        if pattern.name in bindings:
            return bindings if bindings[pattern.name] == actual else None
        inside = _match_any(pattern.bounds, actual, bindings) if pattern.bounds else bindings
        return None if inside is None else {**inside, pattern.name: actual}
    if pattern.base is object:
        return bindings
    for candidate in ancestors(actual):
        if candidate.base is pattern.base:
            # A bare class as a pattern takes any arguments.
            return _match_all(zip(pattern.args, candidate.args, strict=False), bindings)
    return None


def _match_all(pairs: Iterable[tuple[Pattern, Pattern]], bindings: Bindings) -> Bindings | None:
    for pattern, actual in pairs:
        matched = match(pattern, actual, bindings)
        if matched is None:
            return None
        bindings = matched
    return bindings


def _match_any(
    patterns: Iterable[Pattern], actual: Type | Var, bindings: Bindings
) -> Bindings | None:
    tries = (match(pattern, actual, bindings) for pattern in patterns)
    return next((matched for matched in tries if matched is not None), None)


def _parts(pattern: Pattern) -> tuple[Pattern, ...]:
    if isinstance(pattern, Var):
        return ()
    return pattern.members if isinstance(pattern, AnyOf) else pattern.args


def is_concrete(pattern: Pattern) -> bool:
    return not isinstance(pattern, Var) and all(map(is_concrete, _parts(pattern)))


def nesting(pattern: Pattern) -> int:
    return 0 if isinstance(pattern, Var) else 1 + max(map(nesting, _parts(pattern)), default=0)
