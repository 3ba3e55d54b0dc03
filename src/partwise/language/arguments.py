"""Arguments of programs: one order for those that may be written in several, and those that one
phrase fills twice: "emma wanted to sleep" has emma want and emma sleep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from partwise.errors import DomainError
from partwise.language.constants import Application, Constant
from partwise.language.program import Term


class CanonicalOrder:
    """Puts arguments in order: those with names as they are declared, those that may be swapped by
    text. A conjunction within one of its kind becomes a part of it. `constants` are one of each
    head."""

    def __init__(self, constants: Iterable[Constant]) -> None:
        self.constants = {
            constant.head: constant
            for constant in constants
            if constant.commutes or constant.keywords or constant.variadic
        }

    def __call__(self, program: Term) -> Term:
        return program.map(self._order) if self.constants else program

    def _order(self, term: Term) -> Term:
        constant = self.constants.get(term.symbol)
        if constant is None or term.args is None:
            return term
        if constant.variadic:
            inner = (a.args if a.symbol == term.symbol and a.args else (a,) for a in term.args)
            parts = sorted(chain.from_iterable(inner), key=str)
            return parts[0] if len(parts) == 1 else replace(term, args=tuple(parts))
        return _swap(constant, _by_name(constant, term))


def _by_name(constant: Constant, term: Term) -> Term:
    ordered = len(term.args or ()) - len(term.keywords)
    declared = {name: place for place, name in enumerate(constant.keywords)}
    named = zip(term.keywords, (term.args or ())[ordered:], strict=True)
    ranked = sorted(named, key=lambda item: (declared.get(item[0], len(declared)), item[0]))
    args = (*(term.args or ())[:ordered], *(arg for _, arg in ranked))
    return replace(term, args=args, keywords=tuple(name for name, _ in ranked))


def _swap(constant: Constant, term: Term) -> Term:
    args, first = list(term.args or ()), len(constant.defaults) - len(constant.keywords)
    ordered = len(args) - len(term.keywords)
    places = {slot: slot for slot in range(min(first, ordered))}
    for place, name in enumerate(term.keywords, ordered):
        if name in constant.keywords:
            places[first + constant.keywords.index(name)] = place
    swaps = [places[slot] for slot in constant.commutes if slot in places]
    if len(swaps) < len(constant.commutes):
        return term
    for place, arg in zip(swaps, sorted((args[p] for p in swaps), key=str), strict=True):
        args[place] = arg
    return replace(term, args=tuple(args))


Path = Sequence[str]
"""An argument by its name, after those that it is within."""


class SharedArguments:
    """Copies arguments to where they are meant, too, and takes the copies out again: a parser finds
    the program without them, since no words stand for them. `constants` are the domain's predicates
    and the constructors of its entities, `declared` is `Domain.shared`. Raises DomainError for
    predicates and arguments that are not there."""

    def __init__(
        self, owner: str, constants: Iterable[Constant], declared: Mapping[str, Mapping[str, str]]
    ) -> None:
        known = {constant.head: constant for constant in constants}
        self.rules: dict[str, list[tuple[Path, Path]]] = {}
        for head, copies in declared.items():
            paths: list[tuple[Path, Path]] = [
                (copy.split("."), source.split(".")) for copy, source in copies.items()
            ]
            for path in (path for both in paths for path in both):
                if head not in known or path[0] not in known[head].parameters:
                    raise DomainError(f"{owner}.shared[{head!r}]: no argument {path[0]!r}")
            self.rules[head] = paths

    def copy_arguments(self, program: Application) -> Application:
        """The program with the arguments that are left to be copied."""
        for copy, source in self.rules.get(program.constant.head, ()):
            value = _get(program, source)
            if value is not None and _get(program, copy) is None:
                program = _put(program, copy, value)
        return replace(
            program, args=tuple(arg and self.copy_arguments(arg) for arg in program.args)
        )

    def without_copies(self, program: Application) -> Application:
        """The program with each phrase's meaning once."""
        if not self.rules:
            return program
        args = tuple(arg and self.without_copies(arg) for arg in program.args)
        program = replace(program, args=args)
        for copy, source in self.rules.get(program.constant.head, ()):
            if _get(program, copy) == _get(program, source):
                program = _put(program, copy, None)
        return program


def _slot(program: Application, name: str) -> int | None:
    names = program.constant.parameters
    return names.index(name) if name in names else None


def _get(program: Application, path: Path) -> Application | None:
    slot = _slot(program, path[0])
    arg = None if slot is None else program.args[slot]
    return arg if arg is None or len(path) == 1 else _get(arg, path[1:])


def _put(program: Application, path: Path, value: Application | None) -> Application:
    slot = _slot(program, path[0])
    if slot is None:
        return program
    args = list(program.args)
    if len(path) == 1:
        args[slot] = value
    elif (inner := args[slot]) is not None:
        args[slot] = _put(inner, path[1:], value)
    return replace(program, args=tuple(args))
