"""Annotates questions with the span trees of their programs (paper, section 4.4).

The paper's trees were built bottom-up over the program by rules of each domain. Here the program
is taken as a whole: of all ways to put its constants on phrases of a lexicon, the chart says which
have a tree that means the program, and these conventions say which one is meant:

1. Projective trees before those with ternary joins, and then as few ternary joins as can be.
2. The most plausible placement (`placement.rank`): long phrases, constants that stand together.
   Of two placements that are equally plausible the one whose words come first, as in the paper;
   more than two are ambiguous, and the question gets no tree.
3. Of the bracketings that are left, the most left-branching, ``[[river not] [through texas]]``,
   except among the arguments of one implied predicate: ``[large [red cube]]``.

Gaps are where all charts have them (see `partwise.chart.readable`): after the constant on their
left, or before the whole tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from partwise.chart.algebra.base import Algebra
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import FloatArray
from partwise.chart.tree import SpanTree
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Application
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize
from partwise.span.annotation.lexicon import lexicons
from partwise.span.annotation.placement import (
    MAX_PLACEMENTS,
    Placement,
    TooManyPlacements,
    placements,
    rank,
    wordless,
)
from partwise.span.annotation.search import best_over
from partwise.span.annotation.spans import spans_of

Phrases = Mapping[str, Sequence[str]]


class AnnotationError(PartwiseError):
    """A question whose words do not say which tree its program has; says why."""


class Annotator:
    """Builds the trees of a domain's programs.

    Args:
        phrases: category -> phrases, for annotation; by default the domain's own, see
            `partwise.span.annotation.lexicon`.

    Raises:
        DomainError: for phrases of a category that the domain lacks.
    """

    def __init__(self, types: TypeAlgebra, phrases: Phrases | None = None) -> None:
        self.types = types
        self.lexicons = lexicons(types.domain, phrases)

    def annotate(self, example: Example[Term]) -> SpanTree:
        """The tree of one example.

        Raises:
            UnknownConstantError, ProgramTypeError: if the program does not type.
            AnnotationError: if no tree fits, or too many placements do equally well.
        """
        words = tokenize(example.question).words
        program = self.types.check(example.meaning)
        categories = self.types.domain.categories
        counts = Counter(
            part.constant.category
            for part in program.walk()
            if part.constant.category in categories
        )
        missing = wordless(words, counts, self.lexicons[-1])
        if missing:
            raise AnnotationError(f"no words, or too few, for {', '.join(missing)}")
        problem = _Problem(self.types, program, words)
        for found in self._tries(words, counts):
            tree = problem.solve(found)
            if tree is not None:
                return tree
        raise AnnotationError("no tree over its words means the program")

    def _tries(self, words: Sequence[str], counts: Mapping[str, int]) -> Iterator[list[Placement]]:
        for lexicon in self.lexicons:
            for whole in (True, False):
                try:
                    yield placements(words, counts, lexicon, whole=whole)
                except TooManyPlacements:
                    raise AnnotationError(
                        f"more than {MAX_PLACEMENTS} ways to place its constants"
                    ) from None


class _Problem:
    """One program, and the question that it is to be placed on."""

    def __init__(self, types: TypeAlgebra, program: Application, words: Sequence[str]) -> None:
        self.categories = types.domain.categories
        self.words = words
        self.target = TargetAlgebra(types, program)
        self.projective = self.target.without_ternary()
        self.groups = _argument_groups(program)

    def solve(self, found: Sequence[Placement]) -> SpanTree | None:
        """The tree of the most plausible placement (`found` has them in order), if any has one."""
        for algebra in (self.projective, self.target):
            trees: list[SpanTree] = []
            least: tuple[int, ...] = ()
            for placement in found:
                if trees and rank(placement) != least:
                    break
                tree = self._tree(algebra, placement)
                if tree is not None:
                    least = rank(placement)
                    trees.append(tree)
            if len(trees) > 2:
                raise AnnotationError(
                    f"{len(trees)} ways to place its constants are equally plausible"
                )
            if trees:
                return trees[0]
        return None

    def _tree(self, algebra: Algebra, placement: Placement) -> SpanTree | None:
        leaves = [(start, end, self.categories[name]) for start, end, name in placement]
        return best_over(algebra, leaves, self._bias(placement))

    def _bias(self, placement: Placement) -> FloatArray:
        """``[n+1, n+1]``: one for each join, so that ternary ones are avoided, and less than one
        over the whole tree for how it branches."""
        size = len(self.words) + 1
        sign = -np.ones((size, size))
        for start, end in _grouped(placement, self.groups, len(self.words)):
            sign[start, end] = 1.0
        bias = sign * np.arange(size)[:, None] / (4.0 * size * size)
        return 1.0 + bias


def _argument_groups(program: Application) -> list[frozenset[str]]:
    """For each implied predicate, the constants that stand in it as they are."""
    groups: dict[str, set[str]] = {}
    for part in program.walk():
        if part.constant.type_shift:
            plain = (arg for arg in part.args if arg is not None and not any(arg.args))
            names = {arg.constant.category for arg in plain}
            groups.setdefault(part.constant.category, set()).update(names)
    return [frozenset(names) for names in groups.values()]


def _grouped(
    placement: Placement, groups: Sequence[frozenset[str]], n_words: int
) -> Iterator[tuple[int, int]]:
    """Spans over constants of one group alone, with or without the gap at their end."""
    starts = [start for start, _, _ in placement[1:]] + [n_words]
    for first, (start, _, name) in enumerate(placement):
        for group in groups:
            last = first
            while name in group and last < len(placement) and placement[last][2] in group:
                yield from ((start, end) for end in range(placement[last][1], starts[last] + 1))
                last += 1


def annotate(
    example: Example[Term], types: TypeAlgebra, phrases: Phrases | None = None
) -> SpanTree:
    """The tree of one example; see `Annotator.annotate`."""
    return Annotator(types, phrases).annotate(example)


def annotate_all(
    examples: Iterable[Example[Term]], types: TypeAlgebra, phrases: Phrases | None = None
) -> tuple[list[Example[Term]], list[tuple[Example[Term], str]]]:
    """The examples that can be annotated, with their spans, and the others with the reason."""
    annotator = Annotator(types, phrases)
    done: list[Example[Term]] = []
    left: list[tuple[Example[Term], str]] = []
    for example in examples:
        try:
            spans = spans_of(annotator.annotate(example), types.domain)
        except PartwiseError as error:
            left.append((example, str(error)))
        else:
            done.append(replace(example, spans=spans))
    return done, left
