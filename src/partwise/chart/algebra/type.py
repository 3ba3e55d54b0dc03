"""TypeAlgebra: what a partial program still needs and returns, closed under application."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.chart.algebra.base import Algebra, tables
from partwise.chart.algebra.closure import Closure
from partwise.chart.algebra.open_types import OpenType, apply, closed_type
from partwise.errors import ProgramTypeError
from partwise.language.domain import Application, Domain
from partwise.language.program import Term
from partwise.language.types import match
from partwise.language.vocabulary import Vocabulary


class _Starts(dict[int, int]):
    """The states of predicates, and of entities by their type: of these there may be many."""

    def __init__(self, vocabulary: Vocabulary, states: Sequence[int]) -> None:
        super().__init__(enumerate(states[: vocabulary.n_predicates]))
        self.vocabulary, self.of_types = vocabulary, states[vocabulary.n_predicates :]

    def __missing__(self, number: int) -> int:
        return self.of_types[self.vocabulary.type_of(number)]


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
        self._closed = [closed_type(open_type) is not None for open_type in self.open_types]
        size = len(self.open_types)
        table, outer = tables(
            size,
            {states: how.state for states, how in self.compositions.items()},
            {states: how.state for states, how in self.outer_compositions.items()},
        )
        final = np.array([self._is_final(open_type) for open_type in self.open_types], bool)
        final[list(closure.passing)] = False
        allowed = domain.infix
        middle = np.zeros(size, bool)
        for constant, state in zip(closure.predicates, closure.start, strict=False):
            if allowed is None or constant.category in allowed:
                middle[state] = True
        super().__init__(_Starts(domain.vocabulary, closure.start), table, final, middle, outer)

    def is_closed(self, state: int) -> bool:
        """Whether a meaning of this state needs nothing more."""
        return self._closed[state]

    def _is_final(self, open_type: OpenType) -> bool:
        kind = closed_type(open_type)
        wanted = self.domain.root_type
        return kind is not None and (wanted is None or match(wanted, kind) is not None)

    def name(self, state: int) -> str:
        """A state for people: ``Noun[State]`` or ``(Things[River]) -> Related[State]``."""
        return _shown(self.open_types[state])

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
                applied[0]: done | {slot}
                for before, done in open_types.items()
                for slot, argument in arguments.items()
                if slot not in done
                if (applied := apply(before, argument)) is not None and applied[1] == slot
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


def _given(open_type: OpenType) -> str:
    kind = closed_type(open_type)
    return _shown(open_type) if kind is None else str(kind)


def _shown(open_type: OpenType) -> str:
    kind = closed_type(open_type)
    opened = " & ".join(str(s) for s in open_type if s.params)
    return " & ".join(([str(kind)] if kind is not None else []) + ([opened] if opened else []))
