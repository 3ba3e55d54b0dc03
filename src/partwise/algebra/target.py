"""TargetAlgebra: the (partly applied) subterms of one gold program, equal subterms shared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from partwise.algebra.base import NONE, Algebra
from partwise.algebra.type import TypeAlgebra
from partwise.domain import Application
from partwise.program import Term

Args = tuple[Term | None, ...]


@dataclass(frozen=True)
class Meaning:
    """A partial program: a constant (by number) with some arguments filled, and its type state."""

    constant: int
    args: Args
    state: int


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
        domain = types.domain
        self.meanings: list[Meaning] = []
        self._number: dict[Meaning, int] = {}
        wanted: dict[int, set[Args]] = {}
        start = np.full(len(domain.constants), NONE, np.int32)
        for part in program.walk():
            constant = domain.categories[part.constant.category]
            filled = tuple(arg.term() if arg else None for arg in part.args)
            wanted.setdefault(constant, set()).add(filled)
            blank: Args = (None,) * len(part.args)
            start[constant] = self._state(Meaning(constant, blank, int(types.start[constant])))
        self.wanted = wanted
        compositions = self._close()
        size = len(self.meanings)
        table = np.full((size, size), NONE, np.int32)
        for (left, right), state in compositions.items():
            table[left, right] = state
        goal = program.term()
        final = np.array([self._closed(m) == goal for m in self.meanings], bool)
        type_states = [meaning.state for meaning in self.meanings]
        final &= types.final[type_states]
        constants = np.zeros(size, bool)
        constants[start[start != NONE]] = True
        super().__init__(start, table, final, types.middle[type_states] & constants)

    def _state(self, meaning: Meaning) -> int:
        if meaning not in self._number:
            self._number[meaning] = len(self.meanings)
            self.meanings.append(meaning)
        return self._number[meaning]

    def _closed(self, meaning: Meaning) -> Term | None:
        if self.types.result_type(meaning.state) is None:
            return None
        return self.types.domain.constants[meaning.constant].term(meaning.args)

    def _close(self) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        done = 0
        while done < len(self.meanings):
            for left, right in _new_pairs(done):
                joined = self._compose(self.meanings[left], self.meanings[right])
                if joined is not None:
                    found[left, right] = self._state(joined)
            done += 1
        return found

    def _compose(self, left: Meaning, right: Meaning) -> Meaning | None:
        how = self.types.compositions.get((left.state, right.state))
        if how is None:
            return None
        function, argument = (left, right) if how.left_is_function else (right, left)
        value = self._closed(argument)
        args = (*function.args[: how.slot], value, *function.args[how.slot + 1 :])
        fits = any(_fits(args, whole) for whole in self.wanted[function.constant])
        return Meaning(function.constant, args, how.state) if fits else None


def _fits(part: Args, whole: Args) -> bool:
    """Whether the filled arguments of `part` are those of `whole`."""
    return all(mine is None or mine == theirs for mine, theirs in zip(part, whole, strict=True))


def _new_pairs(done: int) -> Iterator[tuple[int, int]]:
    """All ordered pairs in which `done` is the greater number."""
    for other in range(done + 1):
        yield done, other
        if other != done:
            yield other, done


def constants_of(program: Application) -> Sequence[str]:
    """Categories of a program in reading order, repeats kept."""
    return [part.constant.category for part in program.walk()]
