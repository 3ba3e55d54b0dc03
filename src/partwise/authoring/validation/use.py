"""Predicates and names that no program can use, and types that nothing produces."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.heads import Head, Heads
from partwise.authoring.validation.places import place_of
from partwise.language.domain import Signature
from partwise.language.types import AnyOf, Pattern, Type, Var, match


def check_use(heads: Heads) -> Iterator[Finding]:
    """All findings of this file."""
    yield from unusable(heads)
    yield from idle_arguments(heads)
    yield from unproduced(heads)


def unusable(heads: Heads) -> Iterator[Finding]:
    """Predicates and names that no whole program can have in it."""
    for head in heads.all.values():
        if head.state not in heads.used:
            why, advice = _why_unusable(head, heads)
            where = place_of(heads.types.domain, head.name)
            kind = "unusable-name" if head.is_entity else "unusable-predicate"
            yield Finding("error", kind, head.title, f"can never be used: {why}", advice, where)


def idle_arguments(heads: Heads) -> Iterator[Finding]:
    """Optional arguments that nothing fills."""
    for head in heads.all.values():
        for slot, kinds in _slots(head, optional=True).items():
            if not any(heads.produced(kind) for kind in kinds):
                yield Finding(
                    "warning",
                    "idle-argument",
                    f"argument {slot + 1} of {head.title}",
                    f"nothing returns {_named(kinds)}, so it is always left out",
                    _nearest(kinds, heads),
                    place_of(heads.types.domain, head.name),
                )


def unproduced(heads: Heads) -> Iterator[Finding]:
    """Types in the hints of arguments that nothing produces."""
    takers: dict[Pattern, list[str]] = {}
    for head in heads.all.values():
        for signature in head.sample.signatures:
            for _, pattern, _ in signature.params:
                for kind in _members(pattern):
                    if not heads.produced(kind) and head.name not in takers.setdefault(kind, []):
                        takers[kind].append(head.name)
    for kind, names in takers.items():
        if names:
            yield Finding(
                "warning",
                "unproduced-type",
                f"type {kind}",
                f"nothing produces it, though {', '.join(names)} would take it",
                _nearest([kind], heads),
                place_of(heads.types.domain, names[0]),
            )


def _why_unusable(head: Head, heads: Heads) -> tuple[str, str]:
    results = heads.results(head)
    if not results:
        return _why_open(head, heads)
    wanted = heads.types.domain.root_type
    given = ", ".join(map(str, results))
    asked = "" if wanted is None else f", and a whole program may only be {wanted}"
    takers = [
        other.name
        for other in heads.all.values()
        if any(_takes(signature, kind) for signature in other.sample.signatures for kind in results)
    ]
    if takers:
        stuck = f"only {', '.join(takers)} would take it, which cannot be used either"
        return f"it gives {given}; {stuck}", "see what is said of those"
    return (
        f"it gives {given}, which no predicate takes{asked}",
        "let a predicate or the root take it, or take it away",
    )


def _why_open(head: Head, heads: Heads) -> tuple[str, str]:
    for slot, kinds in _slots(head, optional=False).items():
        if not any(heads.produced(kind) for kind in kinds):
            why = f"nothing returns {_named(kinds)}, which its argument {slot + 1} takes"
            return why, _nearest(kinds, heads)
    return (
        "each of its arguments can be filled, but not all together: its type variables stand for "
        "one type each",
        "look at the type variables in its hints",
    )


def _slots(head: Head, optional: bool) -> dict[int, list[Pattern]]:
    """The types that each argument takes, of arguments that are optional in all signatures or
    required in some."""
    found: dict[int, list[Pattern]] = {}
    required = {
        slot
        for signature in head.sample.signatures
        for slot, _, may_lack in signature.params
        if not may_lack
    }
    for signature in head.sample.signatures:
        for slot, pattern, _ in signature.params:
            if (slot in required) != optional:
                found.setdefault(slot, []).append(pattern)
    return dict(sorted(found.items()))


def _takes(signature: Signature, kind: Pattern) -> bool:
    return any(match(pattern, kind) is not None for _, pattern, _ in signature.params)


def _members(pattern: Pattern) -> Iterable[Pattern]:
    """The alternatives of a hint, without type variables that take anything."""
    if isinstance(pattern, AnyOf):
        return [part for member in pattern.members for part in _members(member)]
    if isinstance(pattern, Var):
        return [part for bound in pattern.bounds for part in _members(bound)]
    return [pattern]


def _named(kinds: Iterable[Pattern]) -> str:
    return " or ".join(dict.fromkeys(map(str, kinds)))


def _nearest(kinds: Iterable[Pattern], heads: Heads) -> str:
    """Which produced types are much like those that are wanted: of the same sort, or so spelled."""
    wanted = [part for kind in kinds for part in _members(kind)]
    sorts = {str(arg) for kind in wanted if isinstance(kind, Type) for arg in kind.args}
    produced = [str(kind) for kind in heads.closed]
    alike = [
        str(kind)
        for kind in heads.closed
        if isinstance(kind, Type) and any(str(arg) in sorts for arg in kind.args)
    ]
    for kind in wanted:
        alike += difflib.get_close_matches(str(kind), produced, 2, 0.7)
    if not alike:
        return "let a predicate return it, or add names of it"
    return f"there is {' and '.join(list(dict.fromkeys(alike))[:3])}: is one of them meant?"
