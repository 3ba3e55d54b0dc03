"""TargetAlgebra: the (partly applied) subterms of one gold program, equal subterms shared."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np

from partwise.chart.algebra import NONE, Algebra, tables
from partwise.chart.semantics import (
    Args,
    Meaning,
    blank,
    combine,
    filled,
    function_and_value,
)
from partwise.chart.type_algebra import Composition, TypeAlgebra, growing_pairs
from partwise.language.constants import Application
from partwise.language.program import Term


class TargetAlgebra(Algebra):
    """The automaton whose trees are exactly those that the type algebra reads as `program`. It runs
    `types` on the gold program's own constants and keeps the meanings that can still become a
    subterm of it, so search under it is the paper's constrained CKY (section 3.3) made exact.
    `program`: the typed gold program, as `TypeAlgebra.check` returns it."""

    def __init__(self, types: TypeAlgebra, program: Application) -> None:
        self.types = types
        self.meanings: list[Meaning] = []
        self._number: dict[Meaning, int] = {}
        self.wanted: dict[int, set[tuple[Term | None, ...]]] = {}
        self._values = cache(self._find_values)
        start: dict[int, int] = {}
        shifts = {shift.head: shift.number for shift in types.domain.type_shifts}
        for part in program.walk():
            constant = part.constant.number
            filled = tuple(arg.term() if arg else None for arg in part.args)
            # What has words may be a type shift, too, where none of them stands.
            for number in {constant, shifts.get(part.constant.head, constant)}:
                self.wanted.setdefault(number, set()).add(filled)
            if not part.constant.type_shift:
                start[constant] = self._state(blank(types, constant))
        plain, outer_only = self._close()
        table, outer = tables(len(self.meanings), plain, outer_only)
        goal = program.term()
        type_states = [meaning.state for meaning in self.meanings]
        spelled = [types.finished(meaning.state, meaning.term) for meaning in self.meanings]
        final = np.array([term == goal for term in spelled], bool)
        middle = np.zeros(len(self.meanings), bool)
        middle[list(start.values())] = True
        self.used = np.array(sorted(start), np.int64)
        """The constants that the program holds, by number, in order; type shifts left out."""
        super().__init__(
            # No other constant may be used.
            defaultdict(lambda: NONE, start),
            table,
            final & types.final[type_states],
            middle & types.middle[type_states],
            outer,
            None if types.answer is None else types.answer[type_states],
        )

    def _state(self, meaning: Meaning) -> int:
        if meaning not in self._number:
            self._number[meaning] = len(self.meanings)
            self.meanings.append(meaning)
        return self._number[meaning]

    def _close(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        plain: dict[tuple[int, int], int] = {}
        outer: dict[tuple[int, int], int] = {}
        for left, right in growing_pairs(self.meanings):
            states = self.meanings[left].state, self.meanings[right].state
            for known, made in (
                (self.types.compositions, plain),
                (self.types.outer_compositions, outer),
            ):
                if states in known:
                    joined = self._joined(known[states], left, right)
                    if joined is not None and self._is_part(joined):
                        made[left, right] = self._state(joined)
        return plain, outer

    def _joined(self, how: Composition, left: int, right: int) -> Meaning | None:
        """The meaning of two parts, as `combine` gives it; None if it is no part of the program."""
        parts = self.meanings[left], self.meanings[right]
        if how.conjunction is not None:
            return combine(self.types, how, *parts)
        function, value = function_and_value(self.types, how, *parts)
        # Most pairs end here: the program has no such argument in this slot.
        known = function.waiting is not None or isinstance(value, Meaning)
        if not known and value not in self._values(function.constant, how.slot):
            return None
        return filled(self.types, function, how.slot, value, how.state)

    def _find_values(self, constant: int, slot: int) -> set[Term | None]:
        """What the program has in a slot of a constant, or in those it may be swapped with."""
        swaps = self.types.domain.vocabulary[constant].commutes
        slots = swaps if slot in swaps else (slot,)
        return {one[other] for one in self.wanted.get(constant, ()) for other in slots}

    def _is_part(self, part: Meaning, whole: Term | None = None) -> bool:
        """Whether what is filled is as in a part of the program, in `whole` if that is given."""
        constant = self.types.domain.vocabulary[part.constant]
        if constant.variadic:
            mine = Counter(part.args)
            return any(mine <= Counter(wanted) for wanted in self.wanted.get(part.constant, ()))
        fillable = self._fillable(part, constant.commutes)
        return any(
            self._fits(args, wanted, fillable)
            for wanted in self.wanted.get(part.constant, ())
            if whole is None or constant.term(wanted) == whole
            for args in _swaps(part.args, constant.commutes)
        )

    def _fillable(self, part: Meaning, commutes: tuple[int, ...]) -> frozenset[int]:
        """The slots that may still be filled: none where an argument waits for its own."""
        if part.waiting is not None:
            return frozenset()
        open_type = self.types.open_types[part.state]
        slots = frozenset(slot for signature in open_type for slot, _, _ in signature.params)
        return slots.union(commutes) if slots.intersection(commutes) else slots

    def _fits(self, part: Args, whole: tuple[Term | None, ...], fillable: frozenset[int]) -> bool:
        return all(
            theirs is not None and self._is_part(mine, theirs)
            if isinstance(mine, Meaning)
            else mine == theirs or (mine is None and slot in fillable)
            for slot, (mine, theirs) in enumerate(zip(part, whole, strict=True))
        )


def _swaps(args: Args, slots: tuple[int, ...]) -> Iterator[Args]:
    """The arguments in every order of those that may be swapped."""
    for order in itertools.permutations(slots):
        swapped = list(args)
        for slot, other in zip(slots, order, strict=True):
            swapped[slot] = args[other]
        yield tuple(swapped)
