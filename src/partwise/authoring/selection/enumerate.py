"""Well-typed programs, the smallest first, built up by the type algebra's own compositions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from partwise.authoring.validation.heads import Heads, size_of
from partwise.chart.algebra.closure import Composition
from partwise.chart.algebra.composition import Meaning, blank, combine
from partwise.errors import PartwiseError
from partwise.language.domain import Application

KEPT = 4_000
"""Partial programs that are kept of each size; where there are more, some drawn at random."""
TRIED = 40_000
"""Compositions that are made for each size; where there are more, some drawn at random."""

ByState = dict[int, list[Meaning]]
"""Partial programs by their state in the type algebra."""
Block = tuple[Composition, list[Meaning], list[Meaning]]
"""Functions and arguments that all compose in one way."""


class TemplateEnumerator:
    """All templates of whole programs, by size (the parts that words name) and then by text.

    A template is a program with a sample name of each type, which stands for all names of its type.
    Only applications to complete programs are built: whatever else composes (ternary joins,
    extracted arguments) spells the same programs in other orders of words.
    """

    def __init__(self, heads: Heads, seed: int = 0) -> None:
        self.heads, self.types = heads, heads.types
        self.draw = random.Random(seed)
        used = (head for head in heads.all.values() if head.state in heads.used)
        self.sizes = [{}, _by_state(blank(self.types, head.sample.number) for head in used)]

    def up_to(self, largest: int) -> Iterator[Application]:
        """Templates of up to so many parts."""
        for size in range(1, largest + 1):
            if len(self.sizes) <= size:
                self.sizes.append(self._next(size))
            yield from self._whole(self.sizes[size], size)

    def _next(self, size: int) -> ByState:
        """Partial programs with so many parts; where there are too many, a share of each block."""
        blocks = list(self._blocks(size))
        total = sum(len(functions) * len(arguments) for _, functions, arguments in blocks)
        share = min(1.0, TRIED / max(1, total))
        made: dict[Meaning, None] = {}
        for how, functions, arguments in blocks:
            pairs: Sequence[int] = range(len(functions) * len(arguments))
            wanted = max(1, round(share * len(pairs)))
            if wanted < len(pairs):
                pairs = sorted(self.draw.sample(pairs, wanted))
            for pair in pairs:
                function, argument = divmod(pair, len(arguments))
                meaning = combine(self.types, how, functions[function], arguments[argument])
                made[meaning] = None
        every = list(made)
        return _by_state(every if len(every) <= KEPT else self.draw.sample(every, KEPT))

    def _blocks(self, size: int) -> Iterator[Block]:
        """All ways to put a complete program into another one, so many parts together."""
        for mine in range(1, size):
            functions, arguments = self.sizes[mine], self.sizes[size - mine]
            for state in functions:
                for other in filter(self.types.is_closed, arguments):
                    how = self.types.compositions.get((state, other))
                    if how is not None and how.left_is_function and how.state in self.heads.used:
                        yield how, functions[state], arguments[other]

    def _whole(self, meanings: ByState, size: int) -> Iterator[Application]:
        final = [m for state in meanings if self.types.final[state] for m in meanings[state]]
        finished = (self.types.finished(m.state, m.term) for m in final)
        programs = {str(term): term for term in finished if term is not None}
        for text in sorted(programs):
            try:
                program = self.types.check(self.types.domain.wrap(programs[text]))
            except PartwiseError:
                continue
            # A type shift may have been put around a name: it has no words of its own.
            if size_of(program) == size:
                yield program


def _by_state(meanings: Iterable[Meaning]) -> ByState:
    by_state: ByState = {}
    for meaning in meanings:
        by_state.setdefault(meaning.state, []).append(meaning)
    return by_state
