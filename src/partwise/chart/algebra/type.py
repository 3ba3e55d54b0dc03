"""TypeAlgebra: what a partial program still needs and returns, closed under application."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra, BoolArray, tables
from partwise.chart.algebra.closure import Closure
from partwise.errors import ProgramTypeError
from partwise.language.constants import Application, Vocabulary
from partwise.language.domain import Domain
from partwise.language.open_types import OpenType, apply, closed_type, open_type_of, shown
from partwise.language.program import Term
from partwise.language.types import Type, kind_of_answer, match

Chain = tuple[tuple[int, int], ...]
Chains = Sequence[tuple[OpenType, Chain]]


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
        self._last_shifts = self._needed_shifts(final, closure.passing)
        final[list(self._last_shifts)] = True
        allowed = domain.infix
        middle = np.zeros(size, bool)
        for constant, state in zip(closure.predicates, closure.start, strict=False):
            if allowed is None or constant.category in allowed:
                middle[state] = True
        kinds = [self._asked(state) if final[state] else () for state in range(size)]
        self.answers = sorted({kind for kind in kinds if kind})
        number = {kind: place for place, kind in enumerate(self.answers)}
        answer = np.array([number.get(kind, NONE) for kind in kinds], np.int32)
        starts = _Starts(domain.vocabulary, closure.start)
        super().__init__(starts, table, final, middle, outer, answer)

    def _asked(self, state: int) -> tuple[str, ...]:
        """What whole questions of a state ask for, in parts that others may share."""
        kind = closed_type(self.open_types[state])
        return kind_of_answer(kind) if isinstance(kind, Type) else ("0 any",)

    def is_closed(self, state: int) -> bool:
        """Whether a meaning of this state needs nothing more."""
        return self._closed[state]

    def _is_final(self, open_type: OpenType) -> bool:
        kind = closed_type(open_type)
        wanted = self.domain.root_type
        return kind is not None and (wanted is None or match(wanted, kind) is not None)

    def _needed_shifts(self, final: BoolArray, passing: Collection[int]) -> dict[int, Chain]:
        """State -> the type shifts of phrases that make a whole program of it, if it is none.

        As few as do, those that are declared first; each with the slot that it is applied to, the
        inmost first.
        """
        needed: dict[int, Chain] = {}
        for state in np.nonzero(~final)[0].tolist():
            known = {self.open_types[state]}
            chains: Chains = [(self.open_types[state], ())] if state not in passing else []
            while chains and state not in needed:
                chains = list(self._shifted(chains, known))
                whole = [chain for made, chain in chains if self._is_final(made)]
                needed |= {state: whole[0]} if whole else {}
        return needed

    def _shifted(self, chains: Chains, known: set[OpenType]) -> Iterator[tuple[OpenType, Chain]]:
        """Each open type within each type shift of phrases, where that is a new one."""
        for (open_type, chain), (number, shift) in itertools.product(
            chains, enumerate(self.domain.type_shifts)
        ):
            applied = apply(shift.signatures, open_type) if shift.of_phrases else None
            if applied is not None and applied[0] not in known:
                known.add(applied[0])
                yield applied[0], (*chain, (number, applied[1]))

    def finished(self, state: int, term: Term | None) -> Term | None:
        """The whole program of a meaning, within type shifts where it needs some."""
        for number, slot in self._last_shifts.get(state, ()):
            shift = self.domain.type_shifts[number]
            if term is None:
                break
            term = shift.term([term if n == slot else None for n in range(len(shift.defaults))])
        return term

    def name(self, state: int) -> str:
        """A state for people: ``Noun[State]`` or ``(Things[River]) -> Related[State]``."""
        return shown(self.open_types[state])

    def open_type_of(self, program: Application) -> OpenType:
        """What a program needs and returns.

        Raises:
            ProgramTypeError: naming the first application (from the leaves) that does not type.
        """
        return open_type_of(program)

    def check(self, program: Term) -> Application:
        """Read and type a whole program; copies of shared arguments are left out.

        Raises:
            UnknownConstantError, ProgramTypeError: what is wrong with it.
        """
        application = self.domain.shared_arguments.without_copies(self.domain.interpret(program))
        open_type = self.open_type_of(application)
        if not self._is_final(open_type):
            raise ProgramTypeError(
                f"a whole program may not be {shown(open_type)}: {application.term()}"
            )
        return application
