"""TypeAlgebra: what a partial program still needs and returns, closed under application."""

from __future__ import annotations

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.algebra.categories import KindStarts
from partwise.chart.algebra.closure import Closure
from partwise.chart.algebra.open_types import OpenType, apply, closed_type
from partwise.errors import ProgramTypeError
from partwise.language.domain import Application, Constant, Domain
from partwise.language.program import Term
from partwise.language.types import match


class TypeAlgebra(Algebra):
    """The automaton of a domain's types (paper section 2, "computing programs").

    A part that needs nothing more may be an argument; the left part is tried as the function
    first. Every tree with a final root state spells a complete, well-typed program.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        closure = Closure(domain)
        self.open_types = closure.open_types
        self.compositions = closure.compositions
        self.outer_compositions = closure.outer
        self.type_shifts = closure.type_shifts
        size = len(self.open_types)
        table = np.full((size, size), NONE, np.int32)
        for (left, right), found in self.compositions.items():
            table[left, right] = found.state
        outer = table.copy()
        for (left, right), found in self.outer_compositions.items():
            outer[left, right] = found.state
        final = np.array([self._is_final(open_type) for open_type in self.open_types], bool)
        final[list(closure.passing)] = False
        allowed = domain.infix
        middle = np.zeros(size, bool)
        for constant, state in zip(closure.predicates, closure.start, strict=False):
            if allowed is None or constant.category in allowed:
                middle[state] = True
        start = KindStarts(domain.vocabulary, closure.start)
        super().__init__(start, table, final, middle, outer)

    def is_closed(self, state: int) -> bool:
        """Whether a meaning of this state needs nothing more."""
        return closed_type(self.open_types[state]) is not None

    def _is_final(self, open_type: OpenType) -> bool:
        kind = closed_type(open_type)
        wanted = self.domain.root_type
        return kind is not None and (wanted is None or match(wanted, kind) is not None)

    def name(self, state: int) -> str:
        """A state for people: ``Noun[State]`` or ``(Things[River]) -> Related[State]``."""
        return _shown(self.open_types[state])

    def start_of(self, constant: Constant) -> int:
        """The state of a constant."""
        return int(self.start[constant.number])

    def open_type_of(self, program: Application) -> OpenType:
        """What a program needs and returns.

        Raises:
            ProgramTypeError: naming the first application (from the leaves) that does not type.
        """
        arguments = {
            slot: self.open_type_of(arg) for slot, arg in enumerate(program.args) if arg is not None
        }
        open_types = {program.constant.signatures: frozenset[int]()}
        # Several arguments may arrive in any order; slots are named by what each order fills.
        for _ in arguments:
            open_types = {
                open_type: done | {slot}
                for before, done in open_types.items()
                for slot, argument in arguments.items()
                if slot not in done
                for open_type in _applied(before, argument, slot)
            }
        if not open_types:
            given = ", ".join(map(_given, arguments.values()))
            raise ProgramTypeError(
                f"{program.constant.category} takes {_shown(program.constant.signatures)}, "
                f"not {given}: in {program.term()}"
            )
        return next(iter(open_types))

    def check(self, program: Term) -> Application:
        """Read and type a whole program.

        Raises:
            UnknownConstantError, ProgramTypeError: what is wrong with it.
        """
        application = self.domain.interpret(program)
        open_type = self.open_type_of(application)
        if not self._is_final(open_type):
            raise ProgramTypeError(
                f"a whole program may not be {_shown(open_type)}: {application.term()}"
            )
        return application


def _applied(function: OpenType, argument: OpenType, slot: int) -> list[OpenType]:
    kind = closed_type(argument)
    found = apply(function, kind) if kind is not None else None
    return [found[0]] if found is not None and found[1] == slot else []


def _given(open_type: OpenType) -> str:
    kind = closed_type(open_type)
    return _shown(open_type) if kind is None else str(kind)


def _shown(open_type: OpenType) -> str:
    kind = closed_type(open_type)
    opened = " & ".join(str(s) for s in open_type if s.params)
    return " & ".join(([str(kind)] if kind is not None else []) + ([opened] if opened else []))
