"""TypeAlgebra: what a partial program still needs and returns, closed under application."""

from __future__ import annotations

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.algebra.categories import KindStarts
from partwise.chart.algebra.closure import Closure
from partwise.chart.algebra.open_types import Need, apply, closed_type
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
        self.needs = closure.needs
        self.compositions = closure.compositions
        self.outer_compositions = closure.outer
        self.lifts = closure.lifts
        size = len(self.needs)
        table = np.full((size, size), NONE, np.int32)
        for (left, right), found in self.compositions.items():
            table[left, right] = found.state
        outer = table.copy()
        for (left, right), found in self.outer_compositions.items():
            outer[left, right] = found.state
        final = np.array([self._is_final(need) for need in self.needs], bool)
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
        return closed_type(self.needs[state]) is not None

    def _is_final(self, need: Need) -> bool:
        kind = closed_type(need)
        wanted = self.domain.root_type
        return kind is not None and (wanted is None or match(wanted, kind) is not None)

    def name(self, state: int) -> str:
        """A state for people: ``Noun[State]`` or ``(Things[River]) -> Related[State]``."""
        return _shown(self.needs[state])

    def start_of(self, constant: Constant) -> int:
        """The state of a constant."""
        return int(self.start[constant.number])

    def need_of(self, program: Application) -> Need:
        """What a program needs and returns.

        Raises:
            ProgramTypeError: naming the first application (from the leaves) that does not type.
        """
        arguments = {
            slot: self.need_of(arg) for slot, arg in enumerate(program.args) if arg is not None
        }
        needs = {program.constant.signatures: frozenset[int]()}
        # Several arguments may arrive in any order; slots are named by what each order fills.
        for _ in arguments:
            needs = {
                need: done | {slot}
                for before, done in needs.items()
                for slot, argument in arguments.items()
                if slot not in done
                for need in _applied(before, argument, slot)
            }
        if not needs:
            given = ", ".join(map(_given, arguments.values()))
            raise ProgramTypeError(
                f"{program.constant.category} takes {_shown(program.constant.signatures)}, "
                f"not {given}: in {program.term()}"
            )
        return next(iter(needs))

    def check(self, program: Term) -> Application:
        """Read and type a whole program.

        Raises:
            UnknownConstantError, ProgramTypeError: what is wrong with it.
        """
        application = self.domain.interpret(program)
        need = self.need_of(application)
        if not self._is_final(need):
            raise ProgramTypeError(
                f"a whole program may not be {_shown(need)}: {application.term()}"
            )
        return application


def _applied(function: Need, argument: Need, slot: int) -> list[Need]:
    kind = closed_type(argument)
    found = apply(function, kind) if kind is not None else None
    return [found[0]] if found is not None and found[1] == slot else []


def _given(need: Need) -> str:
    kind = closed_type(need)
    return _shown(need) if kind is None else str(kind)


def _shown(need: Need) -> str:
    kind = closed_type(need)
    opened = " & ".join(str(s) for s in need if s.params)
    return " & ".join(([str(kind)] if kind is not None else []) + ([opened] if opened else []))
