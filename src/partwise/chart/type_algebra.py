"""TypeAlgebra: what a partial program still needs and returns.

Its states are those of a domain's types, closed under all the ways in which two meanings compose.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cache

import numpy as np

from partwise.chart.algebra import NONE, Algebra, BoolArray, tables
from partwise.errors import DomainError, ProgramTypeError
from partwise.language.constants import Application, Signature, Vocabulary
from partwise.language.domain import Domain
from partwise.language.open_types import (
    MAX_NESTING,
    OpenType,
    apply,
    close_type,
    compose,
    conjunction_type,
    open_type_of,
    shown,
)
from partwise.language.program import Term
from partwise.language.types import Type, kind_of_answer, match, nesting

MAX_STATES = 4000


@dataclass(frozen=True)
class Composition:
    """How two adjacent meanings compose.

    Attributes:
        left_is_function: which of them takes the other.
        slot: which slot is filled.
        shift_function, shift_argument: number (in `Domain.type_shifts`) of the type shift that
            the one or the other is put into first; None for none.
        conjunction: number of the one that makes both its parts; the left one is the "function".
    """

    state: int
    left_is_function: bool
    slot: int
    shift_function: int | None = None
    shift_argument: int | None = None
    conjunction: int | None = None


Interpretation = tuple[OpenType, int | None]
"""A meaning as it is (None), or within the type shift of this number."""


class Closure:
    """All states that constants can come to by composing, and the compositions.

    Attributes:
        open_types: what each state still needs and returns.
        start: the state of each predicate, then of the entities of each type.
        compositions: (left, right) -> how they compose.
        outer: the same for the outer parts of a ternary join, where it is more.
        type_shifts: (state, type shift) -> the slot that a meaning of this state fills within it,
            and the state of the whole.
        passing: states that no whole question may have.
        conjoined: state of a conjunction -> its number in `Domain.type_shifts`.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.open_types: list[OpenType] = []
        self.compositions: dict[tuple[int, int], Composition] = {}
        self.outer: dict[tuple[int, int], Composition] = {}
        self.type_shifts: dict[tuple[int, int], tuple[int, int]] = {}
        self.passing: set[int] = set()
        self.conjoined: dict[int, int] = {}
        self._number: dict[OpenType, int] = {}
        # A state's open type never changes.
        self.interpretations = cache(self._interpretations)
        self._takers, self._taken = cache(self._find_takers), cache(self._find_taken)
        self._conjunctions: dict[tuple[OpenType, int], int] = {}
        self._variadic = [(n, one) for n, one in enumerate(domain.type_shifts) if one.variadic]
        vocabulary = domain.vocabulary
        self.predicates = vocabulary.predicates
        self.start = [self._state(constant.signatures) for constant in self.predicates]
        self.start += [self._state(one.blank.signatures) for one in vocabulary.types]
        self._names = set(self.start[vocabulary.n_predicates :])
        for left, right in growing_pairs(self.open_types):
            self._apply(left, right)
        self._plain = range(len(self.open_types))
        self._extract()
        self._raise_scope()
        self._keep_shifts()

    def _state(self, open_type: OpenType) -> int:
        if open_type not in self._number:
            depth = max(nesting(signature.returns) for signature in open_type)
            if len(self.open_types) >= MAX_STATES or depth > MAX_NESTING:
                raise DomainError(
                    f"{self.domain.name}: a predicate returns an ever larger type, as "
                    f"{str(open_type[0].returns)[:80]}; let it return a type of bounded size"
                )
            self._number[open_type] = len(self.open_types)
            self.open_types.append(open_type)
        return self._number[open_type]

    def _extra(self, known: dict[OpenType, int], open_type: OpenType) -> int:
        """A state of its own for an open type, whatever other states have the same."""
        if open_type not in known:
            known[open_type] = len(self.open_types)
            self.open_types.append(open_type)
        return known[open_type]

    def _interpretations(self, state: int) -> list[Interpretation]:
        """A meaning of this state as it is, then within each type shift that takes it. Most type
        shifts take only names; phrases are what these have made of them."""
        mine = self.open_types[state]
        made = [
            (apply(shift.signatures, mine), number)
            for number, shift in enumerate(self.domain.type_shifts)
            if (shift.of_phrases or state in self._names) and not shift.variadic
        ]
        more = [(applied[0], number) for applied, number in made if applied is not None]
        return [(mine, None), *more]

    def _find_takers(self, state: int) -> list[Interpretation]:
        """Those that may take an argument."""
        return [one for one in self.interpretations(state) if any(kind.params for kind in one[0])]

    def _find_taken(self, state: int) -> list[Interpretation]:
        """Those that may be an argument."""
        return [one for one in self.interpretations(state) if close_type(one[0]) is not None]

    def _apply(self, left: int, right: int) -> None:
        """Application: the left part is tried as the function first, and no shift before any."""
        sides = ((left, right, True), (right, left, False))
        for count, (function, argument, is_left) in itertools.product((0, 1, 2), sides):
            for (taker, first), (taken, second) in itertools.product(
                self._takers(function), self._taken(argument)
            ):
                if (first is not None) + (second is not None) != count or (
                    not is_left and any(s.waits_for_extracted for s in taker)
                ):
                    continue
                applied = apply(taker, taken, before=not is_left)
                if applied is not None:
                    made = Composition(self._state(applied[0]), is_left, applied[1], first, second)
                    self.compositions[left, right] = made
                    return
        self._conjoin(left, right)

    def _conjoin(self, left: int, right: int) -> None:
        """Phrases beside each other that do not apply as parts of a conjunction. The left one is
        none itself, so that each conjunction has one tree, of whatever length."""
        for number, shift in self._variadic:
            if self.conjoined.get(left) == number:
                continue
            for (one, first), (two, second) in itertools.product(
                self.interpretations(left), self.interpretations(right)
            ):
                kind = conjunction_type(shift.signatures, [one, two])
                if kind is not None:
                    key = (Signature((), kind),), number
                    if key not in self._conjunctions:
                        self._conjunctions[key] = len(self.open_types)
                        self.conjoined[len(self.open_types)] = number
                        self.open_types.append(key[0])
                    state = self._conjunctions[key]
                    self.compositions[left, right] = Composition(
                        state, True, 0, first, second, number
                    )
                    return

    def _extract(self) -> None:
        """Let arguments stand in front of the phrase that lacks them. In "there is a cube; how many
        things are left of it" the relation lacks its argument when "how many" takes it. So a
        function to its left composes with it to a function of what is still open, and so do the
        functions to the left of that, until what stands in front of them all is taken. Such a
        function takes its argument from the left only, and where the argument follows the relation
        no composition is needed: each interpretation has one shape."""
        composed: dict[OpenType, int] = {}
        waiting = [
            (state, interpretation)
            for state in self._plain
            for interpretation in self.interpretations(state)
            if all(s.waits_for_extracted for s in interpretation[0])
        ]
        while waiting:
            inner, (open_type, shift) = waiting.pop()
            for outer in self._plain:
                if (outer, inner) in self.compositions:
                    continue
                for taker, taking in self.interpretations(outer):
                    made = compose(taker, open_type)
                    if made is not None:
                        if made[0] not in composed:
                            waiting.append((len(self.open_types), (made[0], None)))
                        state = self._extra(composed, made[0])
                        how = Composition(state, True, made[1], taking, shift)
                        self.compositions[outer, inner] = how
                        break
        self._take_extracted(composed)

    def _take_extracted(self, composed: dict[OpenType, int]) -> None:
        results: dict[OpenType, int] = {}
        for (open_type, state), front in itertools.product(composed.items(), self._plain):
            for taken, shift in self.interpretations(front):
                applied = apply(open_type, taken)
                if applied is None or (front, state) in self.compositions:
                    continue
                result = self._number.get(applied[0])
                if result is None:
                    result = self._extra(results, applied[0])
                how = Composition(result, False, applied[1], None, shift)
                self.compositions[front, state] = how

    def _raise_scope(self) -> None:
        """Let the domain's raising predicates take scope over the phrase around them. "Borders the
        most states" counts the borderers, not the states: `most` stands before the inner noun and
        applies to the whole. So a noun and a relation that is still open ("state borders") compose
        to a function of their own, which is used only as an outer part of a ternary join, and whose
        outcome only a raising predicate in the middle may take."""
        raising = sorted(
            {
                self._number[constant.signatures]
                for constant in self.predicates
                if constant.category in self.domain.scope_raising
            }
        )
        composed = self._scope_composed(raising) if raising else {}
        raised: dict[OpenType, int] = {}
        for (open_type, state), other in itertools.product(composed.items(), self._plain):
            applied = apply(open_type, self.open_types[other])
            if applied is not None:
                up = self._extra(raised, applied[0])
                self.outer[state, other] = Composition(up, True, applied[1])
                self.outer[other, state] = Composition(up, False, applied[1])
        self.passing.update(raised.values())
        for (open_type, state), middle in itertools.product(raised.items(), raising):
            applied = apply(self.open_types[middle], open_type)
            if applied is not None and applied[0] in self._number:
                taken = Composition(self._number[applied[0]], True, applied[1])
                self.compositions[middle, state] = taken

    def _scope_composed(self, raising: list[int]) -> dict[OpenType, int]:
        """Functions composed of two words, whose outcome a raising predicate may take."""
        composed: dict[OpenType, int] = {}
        leaves = sorted(set(self.start))
        for left, right in itertools.product(leaves, leaves):
            if (left, right) in self.compositions:
                continue
            for function, argument in ((left, right), (right, left)):
                made = compose(self.open_types[function], self.open_types[argument])
                if made is None:
                    continue
                outcome = (Signature((), made[0][0].returns),)
                if any(apply(self.open_types[middle], outcome) for middle in raising):
                    state = self._extra(composed, made[0])
                    self.compositions[left, right] = Composition(state, function == left, made[1])
                    break
        return composed

    def _keep_shifts(self) -> None:
        """States for meanings within type shifts, as far as compositions use them."""
        known: dict[OpenType, int] = {}
        for (left, right), how in {**self.compositions, **self.outer}.items():
            function, argument = (left, right) if how.left_is_function else (right, left)
            for state, shift in ((function, how.shift_function), (argument, how.shift_argument)):
                if shift is not None and (state, shift) not in self.type_shifts:
                    signatures = self.domain.type_shifts[shift].signatures
                    applied = apply(signatures, self.open_types[state])
                    assert applied is not None
                    self.type_shifts[state, shift] = applied[1], self._extra(known, applied[0])


def growing_pairs(items: Sized) -> Iterator[tuple[int, int]]:
    """All ordered pairs of numbers of items, of which there may be more meanwhile."""
    done = 0
    while done < len(items):
        for other in range(done + 1):
            yield done, other
            if other != done:
                yield other, done
        done += 1


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
    """The automaton of a domain's types (paper section 2, "computing programs"). A part that needs
    nothing more may be an argument; the left part is tried as the function first. Every tree with a
    final root state spells a complete, well-typed program."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        closure = Closure(domain)
        self.open_types = closure.open_types
        self.compositions = closure.compositions
        self.outer_compositions = closure.outer
        self.type_shifts = closure.type_shifts
        self.closed = [close_type(open_type) is not None for open_type in self.open_types]
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
        kind = close_type(self.open_types[state])
        return kind_of_answer(kind) if isinstance(kind, Type) else ("0 any",)

    def _is_final(self, open_type: OpenType) -> bool:
        kind = close_type(open_type)
        wanted = self.domain.root_type
        return kind is not None and (wanted is None or match(wanted, kind) is not None)

    def _needed_shifts(self, final: BoolArray, passing: Collection[int]) -> dict[int, Chain]:
        """State -> the type shifts of phrases that make a whole program of it, if it is none. As
        few as do, those that are declared first; each with the slot that it is applied to, the
        inmost first."""
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

    def check(self, program: Term) -> Application:
        """Read and type a whole program; copies of shared arguments are left out. Raises
        UnknownConstantError or ProgramTypeError."""
        application = self.domain.shared_arguments.without_copies(self.domain.interpret(program))
        open_type = open_type_of(application)
        if not self._is_final(open_type):
            raise ProgramTypeError(
                f"a whole program may not be {shown(open_type)}: {application.term()}"
            )
        return application
