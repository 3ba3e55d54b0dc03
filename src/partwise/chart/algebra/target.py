"""TargetAlgebra: the (partly applied) subterms of one gold program, equal subterms shared."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.algebra.categories import FewStarts
from partwise.chart.algebra.closure import Composition
from partwise.chart.algebra.composition import Args, Meaning, blank, closed_term, filled, shifted
from partwise.chart.algebra.type import TypeAlgebra
from partwise.language.domain import Application
from partwise.language.program import Term


class TargetAlgebra(Algebra):
    """The automaton whose trees are exactly those that the type algebra reads as `program`.

    It runs `types` on the gold program's own constants and keeps the meanings that can still
    become a subterm of it, so search under it is the paper's constrained CKY (section 3.3) made
    exact.

    Args:
        program: the typed gold program, as `TypeAlgebra.check` returns it.
    """

    def __init__(self, types: TypeAlgebra, program: Application) -> None:
        self.types = types
        self.meanings: list[Meaning] = []
        self._number: dict[Meaning, int] = {}
        self.wanted: dict[int, set[tuple[Term | None, ...]]] = {}
        self._known: dict[tuple[int, int], set[Term | None]] = {}
        self._type_shifts: dict[tuple[Meaning, int | None], tuple[Meaning, Term | None]] = {}
        start: dict[int, int] = {}
        for part in program.walk():
            constant = part.constant.number
            filled = tuple(arg.term() if arg else None for arg in part.args)
            self.wanted.setdefault(constant, set()).add(filled)
            if not part.constant.type_shift:
                start[constant] = self._state(blank(types, constant))
        compositions, outer_compositions = self._close()
        size = len(self.meanings)
        table = np.full((size, size), NONE, np.int32)
        for (left, right), state in compositions.items():
            table[left, right] = state
        outer = table.copy()
        for (left, right), state in outer_compositions.items():
            outer[left, right] = state
        goal = program.term()
        final = np.array([closed_term(types, m) == goal for m in self.meanings], bool)
        type_states = [meaning.state for meaning in self.meanings]
        final &= types.final[type_states]
        constants = np.zeros(size, bool)
        constants[list(start.values())] = True
        middle = types.middle[type_states] & constants
        few = FewStarts(start)
        self.used = few.numbers
        """The constants that the program holds, by number, in order; implied ones left out."""
        super().__init__(few, table, final, middle, outer)

    def _state(self, meaning: Meaning) -> int:
        if meaning not in self._number:
            self._number[meaning] = len(self.meanings)
            self.meanings.append(meaning)
        return self._number[meaning]

    def _close(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        plain: dict[tuple[int, int], int] = {}
        outer: dict[tuple[int, int], int] = {}
        done = 0
        while done < len(self.meanings):
            for left, right in _new_pairs(done):
                states = self.meanings[left].state, self.meanings[right].state
                for known, found in (
                    (self.types.compositions, plain),
                    (self.types.outer_compositions, outer),
                ):
                    if states in known:
                        joined = self._joined(known[states], left, right)
                        if joined is not None and self._is_part(joined):
                            found[left, right] = self._state(joined)
            done += 1
        return plain, outer

    def _joined(self, how: Composition, left: int, right: int) -> Meaning | None:
        """The meaning of two parts, as `combine` gives it; None if it is no part of the program."""
        function, argument = (left, right) if how.left_is_function else (right, left)
        taken, value = self._shifted(self.meanings[argument], how.shift_argument)
        taker, _ = self._shifted(self.meanings[function], how.shift_function)
        # Most pairs end here: the program has no such argument in this slot.
        waits = any(isinstance(arg, Meaning) for arg in taker.args)
        if not waits and value is not None and value not in self._values(taker.constant, how.slot):
            return None
        return filled(self.types, taker, how.slot, taken if value is None else value, how.state)

    def _shifted(self, meaning: Meaning, shift: int | None) -> tuple[Meaning, Term | None]:
        """A meaning within a type shift (for None as it is), and its program if closed."""
        if (meaning, shift) not in self._type_shifts:
            made = shifted(self.types, meaning, shift)
            self._type_shifts[meaning, shift] = made, closed_term(self.types, made)
        return self._type_shifts[meaning, shift]

    def _values(self, constant: int, slot: int) -> set[Term | None]:
        """What the program has in a slot of a constant, or in those it may be swapped with."""
        if (constant, slot) not in self._known:
            swaps = self.types.domain.vocabulary[constant].commutes
            slots = swaps if slot in swaps else (slot,)
            args = self.wanted.get(constant, ())
            self._known[constant, slot] = {one[other] for one in args for other in slots}
        return self._known[constant, slot]

    def _is_part(self, part: Meaning, whole: Term | None = None) -> bool:
        """Whether what is filled is as in a part of the program, in `whole` if that is given."""
        constant = self.types.domain.vocabulary[part.constant]
        fillable = self._fillable(part, constant.commutes)
        return any(
            self._fits(args, wanted, fillable)
            for wanted in self.wanted.get(part.constant, ())
            if whole is None or constant.term(wanted) == whole
            for args in _swaps(part.args, constant.commutes)
        )

    def _fillable(self, part: Meaning, commutes: tuple[int, ...]) -> frozenset[int]:
        """The slots that may still be filled: none where an argument waits for its own."""
        if any(isinstance(arg, Meaning) for arg in part.args):
            return frozenset()
        open_type = self.types.open_types[part.state]
        found = frozenset(slot for signature in open_type for slot, _, _ in signature.params)
        return found.union(commutes) if found.intersection(commutes) else found

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


def _new_pairs(done: int) -> Iterator[tuple[int, int]]:
    """All ordered pairs in which `done` is the greater number."""
    for other in range(done + 1):
        yield done, other
        if other != done:
            yield other, done
