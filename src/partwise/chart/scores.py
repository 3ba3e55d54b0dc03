"""What a chart reads and gives: the score of every label on every span, and trees of spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partwise.errors import PartwiseError

JOIN = -1
"""The label of a composed span."""


@dataclass(frozen=True)
class SpanTree:
    """A node over the words ``start..end`` (end excluded).

    Attributes:
        label: a constant's number, or `JOIN`.
        children: none for a constant; one where a constant takes a φ gap on its right or the root
            takes one on its left; two; or three for a ternary join, whose outer parts combine
            first. Words under a node but under none of its children are φ.
    """

    start: int
    end: int
    label: int
    children: tuple[SpanTree, ...] = ()

    def walk(self) -> Iterator[SpanTree]:
        """All nodes, this one first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def labels(self) -> dict[tuple[int, int], int]:
        """Span -> label, of all nodes; every other span is φ."""
        return {(node.start, node.end): node.label for node in self.walk()}

    @staticmethod
    def of_labels(labels: Mapping[tuple[int, int], int]) -> SpanTree:
        """The tree that gives these labels, from shorter spans up; the longest is the root."""
        open_: list[SpanTree] = []
        for (start, end), label in sorted(labels.items(), key=lambda item: item[0][1] - item[0][0]):
            below = [node for node in open_ if start <= node.start and node.end <= end]
            open_ = [node for node in open_ if node not in below]
            children = tuple(sorted(below, key=lambda node: node.start))
            open_.append(SpanTree(start, end, label, children))
        (root,) = open_
        return root


@dataclass(frozen=True)
class ScoredTree:
    score: float
    tree: SpanTree


FloatArray = NDArray[np.float64]
NEVER = -np.inf
LARGEST = 1e300
"""Scores up to this can be summed over all labels of a tree."""


def no_answers() -> FloatArray:
    """The scores of answers where what is asked for counts nothing."""
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class SpanScores:
    """Scores relative to φ (paper section 3.2: ``s' = s - s(φ)``), so that φ scores zero.

    Spans are half-open: index ``[i, k]`` is the words ``i..k-1``, ``0 <= i < k <= n``. Entries
    with ``i >= k`` are never read. ``-inf`` forbids a label.

    Attributes:
        constants: ``[n+1, n+1, columns]``.
        join: ``[n+1, n+1]``.
        gap: ``[n+1, n+1]``, 0 where the span may be left without meaning and ``-inf`` elsewhere.
        columns: ``[columns]``, the category number of each column of `constants`; of a thousand
            entities a question names only a few.
        root: ``[answers]``, at most 0: what a tree scores by what its whole question asks for (see
            `Algebra.answer`). Empty where that counts nothing.
    """

    constants: FloatArray
    join: FloatArray
    gap: FloatArray
    columns: NDArray[np.int64]
    root: FloatArray = field(default_factory=no_answers)

    @property
    def n(self) -> int:
        return int(self.join.shape[0]) - 1

    def tempered(self, temperature: float) -> SpanScores:
        """The scores of the same trees divided by a temperature; what is forbidden stays so."""
        if temperature == 1.0:
            return self
        return SpanScores(
            self.constants / temperature,
            self.join / temperature,
            self.gap,
            self.columns,
            self.root / temperature,
        )

    @staticmethod
    def of(
        constants: ArrayLike,
        join: ArrayLike,
        gap: ArrayLike | None = None,
        columns: ArrayLike | None = None,
    ) -> SpanScores:
        """Scores from arrays of any float type. Without `gap`, φ may cover anything; without
        `columns`, column c is category c."""
        named, joined = _floats(constants), _floats(join)
        numbers = np.arange(named.shape[2]) if columns is None else np.asarray(columns)
        free = np.zeros_like(joined) if gap is None else _floats(gap)
        return SpanScores(named, joined, free, numbers.astype(np.int64))

    def of_nodes(self, tree: SpanTree) -> dict[tuple[int, int], float]:
        """Span -> score of its label, of all nodes of a tree; they sum to the tree's score."""
        found = {}
        for span, label in tree.labels().items():
            named = self.constants[(*span, self.columns == label)]
            found[span] = float(self.join[span] if label == JOIN else named.max(initial=NEVER))
        return found


def _floats(values: ArrayLike) -> FloatArray:
    return np.ascontiguousarray(values, np.float64)


def check_scores(constants: FloatArray, join: FloatArray) -> None:
    """Check that all scores are numbers that can be summed; ``-inf`` is one. Raises PartwiseError
    naming the first span whose score is NaN or above `LARGEST`."""
    spans = np.triu(np.ones(join.shape, bool), 1)
    for values in (join, constants):
        wrong = np.argwhere(~(values[spans] <= LARGEST))
        if len(wrong):
            start, end = np.argwhere(spans)[wrong[0][0]]
            score = values[spans][tuple(wrong[0])]
            raise PartwiseError(
                f"the score of a label over words {start}..{end} is {score}; scores must be finite "
                f"numbers up to {LARGEST:.0e}, or -inf for what is forbidden"
            )


@dataclass(frozen=True)
class Marginals:
    """Posterior probabilities of labels over all trees of a chart; the rest of a span is φ.

    Attributes:
        constants: ``[n+1, n+1, columns]``, the columns of the scores.
        join: ``[n+1, n+1]``.
        log_partition: log of the sum over trees of exp(score); ``-inf`` if there is no tree.
        root: ``[answers]``, of what is asked for; empty where the scores have none.
    """

    constants: FloatArray
    join: FloatArray
    log_partition: float
    root: FloatArray = field(default_factory=no_answers)
