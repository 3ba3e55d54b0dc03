"""TypeAlgebra: what a partial program still needs and returns, closed under application."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partwise.algebra.base import NONE, Algebra
from partwise.domain import Application, Constant, Domain, Signature
from partwise.errors import DomainError, ProgramTypeError
from partwise.program import Term
from partwise.types import Pattern, is_concrete, match, nesting, substitute

Need = tuple[Signature, ...]
"""A state: the alternative signatures that are still open, in order of preference."""

MAX_STATES = 4000
MAX_NESTING = 12
"""A type nested deeper than this comes from a signature that returns ever larger types."""


@dataclass(frozen=True)
class Composition:
    """How two adjacent meanings compose: which one is the function, and which slot is filled."""

    state: int
    left_is_function: bool
    slot: int


def closed_type(need: Need) -> Pattern | None:
    """The type of a meaning that may stand as it is, or None if it needs an argument."""
    return next((s.returns for s in need if s.closed and is_concrete(s.returns)), None)


def apply(function: Need, argument: Pattern) -> tuple[Need, int] | None:
    """Fill the first open slot that takes the argument; signatures that do not are dropped."""
    filled: int | None = None
    kept: list[Signature] = []
    for signature in function:
        for slot, pattern, _ in signature.params:
            if filled is not None and slot != filled:
                continue
            bindings = match(pattern, argument)
            if bindings is None:
                continue
            filled = slot
            rest = tuple(
                (other, substitute(kind, bindings), optional)
                for other, kind, optional in signature.params
                if other != slot
            )
            kept.append(Signature(rest, substitute(signature.returns, bindings)))
            break
    if filled is None:
        return None
    # As with overloads, the first of the alternatives that need nothing more decides.
    done = next((i for i, s in enumerate(kept) if not s.params), None)
    return tuple(kept if done is None else kept[: done + 1]), filled


def compose(function: Need, argument: Need) -> tuple[Need, int] | None:
    """Function composition: fill a slot with a part that still waits for one argument itself.

    Returns the alternatives that the composed function has, and the slot that was filled.
    """
    made: list[Signature] = []
    filled: int | None = None
    for inner in argument:
        if len(inner.params) != 1 or inner.params[0][2] or not is_concrete(inner.returns):
            return None
        found = apply(function, inner.returns)
        if found is None or (filled is not None and found[1] != filled):
            continue
        kind = closed_type(found[0])
        if kind is not None:
            filled = found[1]
            made.append(Signature(inner.params, kind))
    return None if filled is None else (tuple(made), filled)


class TypeAlgebra(Algebra):
    """The automaton of a domain's types (paper section 2, "computing programs").

    A part that needs nothing more may be an argument; the left part is tried as the function
    first. Every tree with a final root state spells a complete, well-typed program.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.needs: list[Need] = []
        self._number: dict[Need, int] = {}
        start = [self._state(constant.signatures) for constant in domain.constants]
        self.compositions: dict[tuple[int, int], Composition] = {}
        self.outer_compositions: dict[tuple[int, int], Composition] = {}
        self._close()
        self._float(sorted(set(start)))
        size = len(self.needs)
        table = np.full((size, size), NONE, np.int32)
        for (left, right), found in self.compositions.items():
            table[left, right] = found.state
        outer = table.copy()
        for (left, right), found in self.outer_compositions.items():
            outer[left, right] = found.state
        final = np.array([self._is_final(need) for need in self.needs], bool)
        final[self._plain_states :] = False
        allowed = domain.middles
        middle = np.zeros(size, bool)
        for constant, state in zip(domain.constants, start, strict=True):
            if not constant.is_entity and (allowed is None or constant.category in allowed):
                middle[state] = True
        super().__init__(np.array(start, np.int32), table, final, middle, outer)

    def _state(self, need: Need) -> int:
        if need not in self._number:
            depth = max(nesting(signature.returns) for signature in need)
            if len(self.needs) >= MAX_STATES or depth > MAX_NESTING:
                raise DomainError(
                    f"{self.domain.name}: a predicate returns an ever larger type, as "
                    f"{str(need[0].returns)[:80]}; let it return a type of bounded size"
                )
            self._number[need] = len(self.needs)
            self.needs.append(need)
        return self._number[need]

    def _close(self) -> None:
        done = 0
        while done < len(self.needs):
            for other in range(done + 1):
                self._pair(done, other)
                if other != done:
                    self._pair(other, done)
            done += 1

    def _pair(self, left: int, right: int) -> None:
        for function, argument in ((left, right), (right, left)):
            kind = closed_type(self.needs[argument])
            found = apply(self.needs[function], kind) if kind is not None else None
            if found is not None:
                state = self._state(found[0])
                self.compositions[left, right] = Composition(state, function == left, found[1])
                return

    def _float(self, leaves: Sequence[int]) -> None:
        """Let the domain's floating predicates take scope over the phrase around them.

        "Borders the most states" counts the borderers, not the states: `most` stands before the
        inner noun and applies to the whole. So a noun and a relation that is still open
        ("state borders") compose to a function of their own, which is used only as an outer part
        of a ternary join, and whose outcome only a floating predicate in the middle may take.
        """
        self._plain_states = len(self.needs)
        domain = self.domain
        floating = sorted(
            {
                self._number[constant.signatures]
                for constant in domain.constants
                if constant.category in domain.floating
            }
        )
        raised: dict[Need, int] = {}
        composed: dict[Need, int] = {}
        for left, right in itertools.product(leaves, leaves) if floating else ():
            if (left, right) in self.compositions:
                continue
            for function, argument in ((left, right), (right, left)):
                made = compose(self.needs[function], self.needs[argument])
                if made is None:
                    continue
                returns = made[0][0].returns
                if any(apply(self.needs[middle], returns) for middle in floating):
                    state = self._extra(composed, made[0])
                    self.compositions[left, right] = Composition(state, function == left, made[1])
                    break
        for need, state in composed.items():
            for other in range(self._plain_states):
                kind = closed_type(self.needs[other])
                found = apply(need, kind) if kind is not None else None
                if found is None:
                    continue
                up = self._extra(raised, found[0])
                self.outer_compositions[state, other] = Composition(up, True, found[1])
                self.outer_compositions[other, state] = Composition(up, False, found[1])
        for need, state in raised.items():
            result = closed_type(need)
            for middle in floating:
                found = apply(self.needs[middle], result) if result is not None else None
                if found is not None and found[0] in self._number:
                    taken = Composition(self._number[found[0]], True, found[1])
                    self.compositions[middle, state] = taken

    def _extra(self, known: dict[Need, int], need: Need) -> int:
        """A state of its own for a need, whatever other states have the same."""
        if need not in known:
            self.needs.append(need)
            known[need] = len(self.needs) - 1
        return known[need]

    def is_closed(self, state: int) -> bool:
        """Whether a meaning of this state needs nothing more."""
        return closed_type(self.needs[state]) is not None

    def _is_final(self, need: Need) -> bool:
        kind = closed_type(need)
        wanted = self.domain.root_type
        return kind is not None and (wanted is None or match(wanted, kind) is not None)

    def name(self, state: int) -> str:
        """A state for people: ``Noun[State]`` or ``(Things[River]) -> Related[State]``."""
        kind = closed_type(self.needs[state])
        opened = " & ".join(str(s) for s in self.needs[state] if s.params)
        return " & ".join(([str(kind)] if kind is not None else []) + ([opened] if opened else []))

    @cached_property
    def _category_state(self) -> dict[str, int]:
        starts = zip(self.domain.constants, self.start, strict=True)
        return {constant.category: int(state) for constant, state in starts}

    def start_of(self, constant: Constant) -> int:
        """The state of a constant."""
        return self._category_state[constant.category]

    def state_of(self, program: Application) -> int:
        """The state of a program.

        Raises:
            ProgramTypeError: naming the first application (from the leaves) that does not type.
        """
        arguments = {
            slot: self.state_of(arg) for slot, arg in enumerate(program.args) if arg is not None
        }
        states = {self.start_of(program.constant): frozenset[int]()}
        # Several arguments may arrive in any order; slots are named by what each order fills.
        for _ in arguments:
            states = {
                state: done | {slot}
                for before, done in states.items()
                for slot, argument in arguments.items()
                if slot not in done
                for state in self._applied(before, argument, slot)
            }
        if not states:
            shown = ", ".join(self._given(state) for state in arguments.values())
            raise ProgramTypeError(
                f"{program.constant.category} takes "
                f"{self.name(self.start_of(program.constant))}, not {shown}: in {program.term()}"
            )
        return next(iter(states))

    def _given(self, state: int) -> str:
        kind = closed_type(self.needs[state])
        return self.name(state) if kind is None else str(kind)

    def _applied(self, function: int, argument: int, slot: int) -> list[int]:
        kind = closed_type(self.needs[argument])
        found = apply(self.needs[function], kind) if kind is not None else None
        return [self._state(found[0])] if found is not None and found[1] == slot else []

    def check(self, program: Term) -> Application:
        """Read and type a whole program.

        Raises:
            UnknownConstantError, ProgramTypeError: what is wrong with it.
        """
        application = self.domain.read(program)
        state = self.state_of(application)
        if state >= self.n_states or not self.final[state]:
            raise ProgramTypeError(
                f"a whole program may not be {self.name(state)}: {application.term()}"
            )
        return application
