"""Arguments that one phrase fills twice: "emma wanted to sleep" has emma want and emma sleep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from partwise.errors import DomainError
from partwise.language.declare import Application, Constant

Path = Sequence[str]
"""An argument by its name, after those that it is within."""


class SharedArguments:
    """Copies arguments to where they are meant, too, and takes the copies out again.

    A parser finds the program without the copies, since no words stand for them.

    Args:
        owner: the domain's name, for messages.
        constants: its predicates, and the constructors of its entities.
        declared: as `Domain.shared`.

    Raises:
        DomainError: for predicates and arguments that are not there.
    """

    def __init__(
        self,
        owner: str,
        constants: Iterable[Constant],
        declared: Mapping[str, Mapping[str, str]],
    ) -> None:
        known = {one.head: one for one in constants}
        self.rules: dict[str, list[tuple[Path, Path]]] = {}
        for head, copies in declared.items():
            paths: list[tuple[Path, Path]] = [
                (copy.split("."), source.split(".")) for copy, source in copies.items()
            ]
            for path in (path for both in paths for path in both):
                if head not in known or path[0] not in known[head].parameters:
                    raise DomainError(f"{owner}.shared[{head!r}]: no argument {path[0]!r}")
            self.rules[head] = paths

    def copied(self, program: Application) -> Application:
        """The program with the arguments that are left to be copied."""
        for copy, source in self.rules.get(program.constant.head, ()):
            value = _get(program, source)
            if value is not None and _get(program, copy) is None:
                program = _put(program, copy, value)
        return replace(program, args=tuple(arg and self.copied(arg) for arg in program.args))

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
