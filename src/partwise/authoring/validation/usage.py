"""Predicates and names that no program can use, and types that nothing produces."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from partwise.authoring.validation.heads import Head, Heads
from partwise.authoring.validation.issues import Issue
from partwise.authoring.validation.places import place_of
from partwise.language.types import AnyOf, Pattern, Type, Var, match


def usage_issues(heads: Heads) -> Iterator[Issue]:
    """All issues of this file."""
    yield from unusable(heads)
    yield from idle_arguments(heads)
    yield from unproduced(heads)


def unusable(heads: Heads) -> Iterator[Issue]:
    """Predicates and names that no whole program can have in it."""
    for head in heads.all.values():
        if head.state not in heads.used:
            why, advice = _why_unusable(head, heads)
            kind = "unusable-name" if head.is_entity else "unusable-predicate"
            where = place_of(heads.types.domain, head.name)
            yield Issue("error", kind, head.title, f"can never be used: {why}", advice, where)


def idle_arguments(heads: Heads) -> Iterator[Issue]:
    """Optional arguments that nothing fills."""
    for head in heads.all.values():
        for slot, kinds in _unfilled(head, heads, optional=True):
            what = f"argument {slot + 1} of {head.title}"
            why = f"nothing returns {_named(kinds)}, so it is always left out"
            where = place_of(heads.types.domain, head.name)
            yield Issue("warning", "idle-argument", what, why, _nearest(kinds, heads), where)


def unproduced(heads: Heads) -> Iterator[Issue]:
    """Types in the hints of arguments that nothing produces."""
    takers: dict[Pattern, dict[str, None]] = {}
    for head in heads.all.values():
        for kind in dict.fromkeys(p for _, hint, _ in _params(head) for p in _members(hint)):
            if not heads.produced(kind):
                takers.setdefault(kind, {})[head.name] = None
    for kind, names in takers.items():
        why = f"nothing produces it, though {', '.join(names)} would take it"
        advice, where = _nearest([kind], heads), place_of(heads.types.domain, next(iter(names)))
        yield Issue("warning", "unproduced-type", f"type {kind}", why, advice, where)


def _why_unusable(head: Head, heads: Heads) -> tuple[str, str]:
    results = heads.results(head)
    if not results:
        return _why_open(head, heads)
    given = ", ".join(map(str, results))
    takers = [
        other.name
        for other in heads.all.values()
        if any(
            match(kind, result) is not None for _, kind, _ in _params(other) for result in results
        )
    ]
    if takers:
        stuck = f"only {', '.join(takers)} would take it, which cannot be used either"
        return f"it gives {given}; {stuck}", "see what is said of those"
    root = heads.types.domain.root_type
    only = "" if root is None else f", and a whole program may only be {root}"
    advice = "let a predicate or the root take it, or remove it"
    return f"it gives {given}, which no predicate takes{only}", advice


def _why_open(head: Head, heads: Heads) -> tuple[str, str]:
    for slot, kinds in _unfilled(head, heads, optional=False):
        why = f"nothing returns {_named(kinds)}, which its argument {slot + 1} takes"
        return why, _nearest(kinds, heads)
    return (
        "each of its arguments can be filled, but not all together: each of its type variables "
        "stands for one type",
        "look at the type variables in its hints",
    )


def _params(head: Head) -> Iterator[tuple[int, Pattern, bool]]:
    """Slot, type and whether it may be left out, of all arguments in all signatures."""
    return (param for signature in head.sample.signatures for param in signature.params)


def _unfilled(head: Head, heads: Heads, optional: bool) -> Iterator[tuple[int, list[Pattern]]]:
    """Arguments that nothing can fill, with the types that they take: of those that are optional
    in all signatures, or required in some."""
    required = {slot for slot, _, may_lack in _params(head) if not may_lack}
    for slot in sorted({slot for slot, _, _ in _params(head)}):
        kinds = [kind for other, kind, _ in _params(head) if other == slot]
        if (slot in required) != optional and not any(map(heads.produced, kinds)):
            yield slot, kinds


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
    """Which produced types are much like those that are wanted: of the same entities, or so
    spelled."""
    wanted = [part for kind in kinds for part in _members(kind)]
    entities = {str(arg) for kind in wanted if isinstance(kind, Type) for arg in kind.args}
    alike = [
        str(kind)
        for kind in heads.closed
        if isinstance(kind, Type) and any(str(arg) in entities for arg in kind.args)
    ]
    for kind in wanted:
        alike += difflib.get_close_matches(str(kind), map(str, heads.closed), 2, 0.7)
    if not alike:
        return "let a predicate return it, or add names of it"
    return f"there is {' and '.join(list(dict.fromkeys(alike))[:3])}: is one of them meant?"
