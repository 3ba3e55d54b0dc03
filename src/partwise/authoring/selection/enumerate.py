"""Well-typed programs, the smallest first, built up by the type algebra's own compositions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from partwise.authoring.validation.coverage import size_of
from partwise.authoring.validation.heads import Heads
from partwise.chart.algebra.closure import Composition
from partwise.chart.algebra.composition import Meaning, blank, closed_term, combine
from partwise.errors import PartwiseError
from partwise.language.domain import Application
from partwise.language.program import Term

KEPT = 4_000
"""Partial programs that are kept of each size; where there are more, some drawn at random."""
TRIED = 40_000
"""Compositions that are made for each size; where there are more, some drawn at random."""


@dataclass(frozen=True)
class Shape:
    """A whole program in which each name stands for all names of its kind.

    Attributes:
        program: with a sample name of each kind.
        size: number of parts that words name.
    """

    program: Application
    size: int


@dataclass(frozen=True)
class _Pairs:
    """All pairs of a function and an argument, by number."""

    functions: Sequence[Meaning]
    arguments: Sequence[Meaning]

    def __len__(self) -> int:
        return len(self.functions) * len(self.arguments)

    def __getitem__(self, number: int) -> tuple[Meaning, Meaning]:
        function, argument = divmod(number, len(self.arguments))
        return self.functions[function], self.arguments[argument]


@dataclass(frozen=True)
class _Block:
    """Functions and arguments that all compose in one way."""

    how: Composition
    pairs: _Pairs

    def some(self, share: float, draw: random.Random) -> Iterator[tuple[Meaning, Meaning]]:
        """A share of the pairs, at least one, in their order."""
        count = len(self.pairs)
        wanted = count if share >= 1 else max(1, round(share * count))
        for number in sorted(draw.sample(range(count), wanted)) if wanted < count else range(count):
            yield self.pairs[number]


class Shapes:
    """All shapes of whole programs up to a size, by size and then by text.

    Only applications to complete programs are built: whatever else composes (ternary joins,
    fronted arguments) spells the same programs in other orders of words.
    """

    def __init__(self, heads: Heads, seed: int = 0) -> None:
        self.heads, self.types = heads, heads.types
        self.draw = random.Random(seed)
        self.sizes: list[dict[int, list[Meaning]]] = [{}, self._single()]

    def up_to(self, largest: int) -> Iterator[Shape]:
        """Shapes of up to so many parts."""
        for size in range(1, largest + 1):
            yield from self._whole(self._of(size), size)

    def _single(self) -> dict[int, list[Meaning]]:
        found: dict[int, list[Meaning]] = {}
        for head in self.heads.all.values():
            if head.state in self.heads.used:
                found.setdefault(head.state, []).append(blank(self.types, head.number))
        return found

    def _of(self, size: int) -> dict[int, list[Meaning]]:
        """Partial programs with so many parts, by their state."""
        while len(self.sizes) <= size:
            self.sizes.append(self._next(len(self.sizes)))
        return self.sizes[size]

    def _next(self, size: int) -> dict[int, list[Meaning]]:
        blocks = list(self._blocks(size))
        share = min(1.0, TRIED / max(1, sum(len(block.pairs) for block in blocks)))
        made: dict[Meaning, None] = {}
        for block in blocks:
            for function, argument in block.some(share, self.draw):
                made[combine(self.types, block.how, function, argument)] = None
        every = list(made)
        if len(every) > KEPT:
            every = self.draw.sample(every, KEPT)
        found: dict[int, list[Meaning]] = {}
        for meaning in every:
            found.setdefault(meaning.state, []).append(meaning)
        return found

    def _blocks(self, size: int) -> Iterator[_Block]:
        """All ways to put a program into another, so many parts together."""
        for mine in range(1, size):
            functions, arguments = self.sizes[mine], self.sizes[size - mine]
            for state in functions:
                for other in arguments:
                    how = self.types.compositions.get((state, other))
                    if how is not None and how.left_is_function and self._fit(how.state, other):
                        yield _Block(how, _Pairs(functions[state], arguments[other]))

    def _fit(self, result: int, argument: int) -> bool:
        return self.types.is_closed(argument) and result in self.heads.used

    def _whole(self, meanings: dict[int, list[Meaning]], size: int) -> Iterator[Shape]:
        programs: dict[str, Term] = {}
        for state, found in meanings.items():
            if self.types.final[state]:
                terms = (closed_term(self.types, meaning) for meaning in found)
                programs.update({str(term): term for term in terms if term is not None})
        for text in sorted(programs):
            try:
                program = self.types.check(self.types.domain.wrap(programs[text]))
            except PartwiseError:
                continue
            # An implied predicate may have been put around a name: it has no words of its own.
            if size_of(program) == size:
                yield Shape(program, size)
