"""Annotates questions with the span trees of their programs (paper, section 4.4).

Of all ways to put the constants of a program on phrases of a lexicon, the chart says which have a
tree that means the program, and the conventions of docs/reference/data.md choose among them. Gaps
are where all charts have them: after the constant on their left, or before the whole tree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product

import numpy as np

from partwise.chart import compiled
from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import NEVER, FloatArray, SpanScores
from partwise.chart.tree import SpanTree
from partwise.interface.data import Example
from partwise.language.constants import Application
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.annotation.lexicon import lexicons
from partwise.span.annotation.placement import AnnotationError, Placement, placements, places, rank
from partwise.span.annotation.spans import spans_of

Phrases = Mapping[str, Sequence[str]]
Leaf = tuple[int, int, int]
"""A constant on words: ``(start, end, category number)``, end excluded."""


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
        named = (part.constant.category for part in program.walk())
        counts = Counter(name for name in named if name in self.types.domain.categories)
        phrases = self.lexicons[-1]
        missing = [c for c, count in counts.items() if len(places(words, phrases[c])) < count]
        if missing:
            raise AnnotationError(f"no words, or too few, for {', '.join(missing)}")
        target = TargetAlgebra(self.types, program)
        algebras = target.without_ternary(), target
        groups = _argument_groups(program)
        for lexicon, whole in product(self.lexicons, (True, False)):
            choices = placements(words, counts, lexicon, whole=whole)
            for algebra in algebras:
                tree = self._first(algebra, choices, groups, len(words))
                if tree is not None:
                    return tree
        raise AnnotationError("no tree over its words means the program")

    def with_spans(self, example: Example[Term]) -> Example[Term]:
        """One example with its tree; raises as `annotate`."""
        return replace(example, spans=spans_of(self.annotate(example), self.types.domain))

    def _first(
        self, algebra: Algebra, choices: Sequence[Placement], groups: Sequence[set[str]], n: int
    ) -> SpanTree | None:
        """The tree of the most plausible placement (they are in order), if any has one."""
        numbers = self.types.domain.categories
        for _, equal in groupby(choices, rank):
            trees = []
            for placement in equal:
                leaves = [(start, end, numbers[name]) for start, end, name in placement]
                tree = best_over(algebra, leaves, _join_scores(placement, groups, n))
                trees += [] if tree is None else [tree]
            if len(trees) > 2:
                number = len(trees)
                raise AnnotationError(f"{number} ways to place its constants are equally plausible")
            if trees:
                return trees[0]
        return None


def _argument_groups(program: Application) -> list[set[str]]:
    """For each implied predicate, the constants that stand in it as they are."""
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for part in program.walk():
        if part.constant.type_shift:
            groups[part.constant.category].update(
                arg.constant.category for arg in part.args if arg is not None and not any(arg.args)
            )
    return list(groups.values())


def _join_scores(placement: Placement, groups: Sequence[set[str]], n: int) -> FloatArray:
    """``[n+1, n+1]``: one for each join, so that ternary ones are avoided, and less than one
    over the whole tree for how it branches: to the right over constants of one group alone, with
    or without the gap at their end."""
    sign = -np.ones((n + 1, n + 1))
    gap_ends = [start for start, _, _ in placement[1:]] + [n]
    for first, (start, _, _) in enumerate(placement):
        for group in groups:
            for (_, end, name), gap_end in zip(placement[first:], gap_ends[first:], strict=True):
                if name not in group:
                    break
                sign[start, end : gap_end + 1] = 1.0
    return 1.0 + sign * np.arange(n + 1)[:, None] / (4.0 * (n + 1) ** 2)


def leaves_of(tree: SpanTree) -> frozenset[Leaf]:
    """The constants of a tree with their words."""
    return frozenset((n.start, n.end, n.label) for n in tree.walk() if not n.children)


def best_over(algebra: Algebra, leaves: Collection[Leaf], join: FloatArray) -> SpanTree | None:
    """The tree with the most score that has exactly these constants, None if there is none.

    Args:
        join: ``[n+1, n+1]``, the score of a composed span; constants score zero.
    """
    columns = np.unique([category for _, _, category in leaves])
    if (algebra.starts(columns) == NONE).any():
        return None
    constants = np.full((*join.shape, len(columns)), NEVER)
    for start, end, category in leaves:
        constants[start, end, np.searchsorted(columns, category)] = 0.0
    best = compiled.best(SpanScores.of(constants, join, columns=columns), algebra)
    return best.tree if best is not None and leaves_of(best.tree) == frozenset(leaves) else None
