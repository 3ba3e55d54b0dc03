"""The states of a domain's types, closed under all the ways in which two meanings compose."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from partwise.chart.algebra.open_types import Need, apply, closed_type, compose, lifts
from partwise.errors import DomainError
from partwise.language.domain import Domain
from partwise.language.types import nesting

MAX_STATES = 4000
MAX_NESTING = 12
"""A type nested deeper than this comes from a signature that returns ever larger types."""


@dataclass(frozen=True)
class Composition:
    """How two adjacent meanings compose.

    Attributes:
        left_is_function: which of them takes the other.
        slot: which slot is filled.
        lift_function, lift_argument: number (in `Domain.type_shifts`) of the implied predicate that
            the one or the other is put into first; None for none.
    """

    state: int
    left_is_function: bool
    slot: int
    lift_function: int | None = None
    lift_argument: int | None = None


@dataclass(frozen=True)
class Reading:
    """A meaning as it is, or put into an implied predicate."""

    need: Need
    lift: int | None = None


@dataclass(frozen=True)
class Lift:
    """What a meaning becomes within an implied predicate: the slot it fills, and its state."""

    slot: int
    state: int


Pairs = dict[tuple[int, int], Composition]


class Closure:
    """All states that constants can come to by composing, and the compositions.

    Attributes:
        needs: what each state needs and returns.
        start: the state of each predicate, then of the entities of each type.
        compositions: (left, right) -> how they compose.
        outer: the same for the outer parts of a ternary join, where it is more.
        lifts: (state, implied predicate) -> what a meaning of this state becomes within it.
        passing: states that no whole question may have.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.needs: list[Need] = []
        self.compositions: Pairs = {}
        self.outer: Pairs = {}
        self.lifts: dict[tuple[int, int], Lift] = {}
        self.passing: set[int] = set()
        self._number: dict[Need, int] = {}
        self._readings: dict[int, list[Reading]] = {}
        vocabulary = domain.vocabulary
        self.predicates = vocabulary[: vocabulary.n_predicates]
        self.start = [self._state(constant.signatures) for constant in self.predicates]
        self.start += [self._state(one.blank.signatures) for one in vocabulary.types]
        self._names = set(self.start[vocabulary.n_predicates :])
        self._close()
        self._plain = len(self.needs)
        self._front()
        self._float()
        self._keep_lifts()

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

    def _extra(self, known: dict[Need, int], need: Need) -> int:
        """A state of its own for a need, whatever other states have the same."""
        if need not in known:
            self.needs.append(need)
            known[need] = len(self.needs) - 1
        return known[need]

    # --- application ---------------------------------------------------------------------

    def _close(self) -> None:
        done = 0
        while done < len(self.needs):
            for other in range(done + 1):
                self._pair(done, other)
                if other != done:
                    self._pair(other, done)
            done += 1

    def _pair(self, left: int, right: int) -> None:
        """Application: the left part is tried as the function first, and no lift before any."""
        sides = ((left, right, True), (right, left, False))
        for count, (function, argument, is_left) in itertools.product((0, 1, 2), sides):
            for taker, taken in self._tries(function, argument, count):
                if not is_left and any(s.waits_for_extracted for s in taker.need):
                    continue
                kind = closed_type(taken.need)
                found = apply(taker.need, kind, not is_left) if kind is not None else None
                if found is not None:
                    state = self._state(found[0])
                    how = Composition(state, is_left, found[1], taker.lift, taken.lift)
                    self.compositions[left, right] = how
                    return

    def _tries(self, function: int, argument: int, count: int) -> Iterator[tuple[Reading, Reading]]:
        """Readings of both with `count` lifts in all."""
        for taker, taken in itertools.product(self.readings(function), self.readings(argument)):
            if (taker.lift is not None) + (taken.lift is not None) == count:
                yield taker, taken

    def readings(self, state: int) -> list[Reading]:
        """A meaning of this state as it is, then within each implied predicate that takes it."""
        if state not in self._readings:
            more = [Reading(made, number) for number, made, _ in self._lifts(state)]
            self._readings[state] = [Reading(self.needs[state]), *more]
        return self._readings[state]

    # --- fronting ------------------------------------------------------------------------

    def _front(self) -> None:
        """Let arguments stand in front of the phrase that lacks them.

        In "there is a cube; how many things are left of it" the relation lacks its argument when
        "how many" takes it. So a function to its left composes with it to a function of what is
        still open, and so do the functions to the left of that, until what stands in front of
        them all is taken. Such a function takes its argument from the left only, and where the
        argument follows the relation no composition is needed: each reading has one shape.
        """
        composed: dict[Need, int] = {}
        open_ = [
            (state, reading)
            for state in range(self._plain)
            for reading in self.readings(state)
            if all(s.waits_for_extracted for s in reading.need)
        ]
        while open_:
            inner, reading = open_.pop()
            for outer in range(self._plain):
                made = self._compose(outer, inner, reading)
                if made is not None:
                    known = made in composed
                    state = self._extra(composed, made)
                    how = self.compositions[outer, inner]
                    self.compositions[outer, inner] = Composition(
                        state, True, how.slot, how.lift_function, how.lift_argument
                    )
                    if not known:
                        open_.append((state, Reading(made)))
        self._take_front(composed)

    def _compose(self, outer: int, inner: int, reading: Reading) -> Need | None:
        """Compose the function `outer` with the open `inner` at its right, if it can."""
        if (outer, inner) in self.compositions:
            return None
        for taker in self.readings(outer):
            made = compose(taker.need, reading.need)
            if made is not None:
                how = Composition(-1, True, made[1], taker.lift, reading.lift)
                self.compositions[outer, inner] = how
                return made[0]
        return None

    def _take_front(self, composed: dict[Need, int]) -> None:
        results: dict[Need, int] = {}
        for need, state in composed.items():
            for front in range(self._plain):
                for taken in self.readings(front):
                    kind = closed_type(taken.need)
                    found = apply(need, kind) if kind is not None else None
                    if found is None or (front, state) in self.compositions:
                        continue
                    result = self._number.get(found[0])
                    if result is None:
                        result = self._extra(results, found[0])
                    how = Composition(result, False, found[1], None, taken.lift)
                    self.compositions[front, state] = how

    # --- floating ------------------------------------------------------------------------

    def _float(self) -> None:
        """Let the domain's floating predicates take scope over the phrase around them.

        "Borders the most states" counts the borderers, not the states: `most` stands before the
        inner noun and applies to the whole. So a noun and a relation that is still open
        ("state borders") compose to a function of their own, which is used only as an outer part
        of a ternary join, and whose outcome only a floating predicate in the middle may take.
        """
        floating = sorted(
            {
                self._number[constant.signatures]
                for constant in self.predicates
                if constant.category in self.domain.scope_raising
            }
        )
        composed = self._float_composed(floating) if floating else {}
        raised: dict[Need, int] = {}
        for need, state in composed.items():
            for other in range(self._plain):
                kind = closed_type(self.needs[other])
                found = apply(need, kind) if kind is not None else None
                if found is None:
                    continue
                up = self._extra(raised, found[0])
                self.outer[state, other] = Composition(up, True, found[1])
                self.outer[other, state] = Composition(up, False, found[1])
        self.passing.update(raised.values())
        for need, state in raised.items():
            result = closed_type(need)
            for middle in floating:
                found = apply(self.needs[middle], result) if result is not None else None
                if found is not None and found[0] in self._number:
                    taken = Composition(self._number[found[0]], True, found[1])
                    self.compositions[middle, state] = taken

    def _float_composed(self, floating: list[int]) -> dict[Need, int]:
        """Functions composed of two words, whose outcome a floating predicate may take."""
        composed: dict[Need, int] = {}
        leaves = sorted(set(self.start))
        for left, right in itertools.product(leaves, leaves):
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
        return composed

    # --- lifts ---------------------------------------------------------------------------

    def _keep_lifts(self) -> None:
        """States for meanings within implied predicates, as far as compositions use them."""
        known: dict[Need, int] = {}
        pairs = {**self.compositions, **self.outer}
        for (left, right), how in pairs.items():
            function, argument = (left, right) if how.left_is_function else (right, left)
            for state, lift in ((function, how.lift_function), (argument, how.lift_argument)):
                if lift is not None and (state, lift) not in self.lifts:
                    made = {n: (need, slot) for n, need, slot in self._lifts(state)}[lift]
                    self.lifts[state, lift] = Lift(made[1], self._extra(known, made[0]))

    def _lifts(self, state: int) -> Iterator[tuple[int, Need, int]]:
        """Only names are put into implied predicates; phrases are what these have made of them."""
        return lifts(self.needs[state], self.domain.type_shifts if state in self._names else ())
