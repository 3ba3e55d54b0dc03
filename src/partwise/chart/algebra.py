"""What a chart needs to know of meanings: a finite automaton over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.chart.scores import FloatArray, SpanScores

IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]

NONE = -1
"""The state that stands for "does not compose"."""


Starts = Mapping[int, int] | IntArray
"""The state of each constant by its number."""


class SumRules(NamedTuple):
    """What sums over all trees walk.

    Attributes:
        middle: as in the algebra.
        root: ``[states]``, what a whole question of this state scores by what it asks for;
            ``-inf`` if it may not have this state.
        pairs: ``[pairs, 3]``, binary joins ``(left, right, result)``.
        pair_rules: ``[ternary pairs, 3]``: ``(left, middle, number of the pair)``.
        triples: ``[triples, 3]``, how ternary joins end: ``(number of the pair, right, result)``.
    """

    root: FloatArray
    middle: BoolArray
    pairs: IntArray
    pair_rules: IntArray
    triples: IntArray


class JoinRules(NamedTuple):
    """All joins as ``left + right -> result``, sorted by result; a ternary one is made in two, a
    left part with its middle first.

    Attributes:
        left: a state, `n_states` more where a middle follows, twice as many more for a left part
            with a middle, by its number.
        right: a state, `n_states` more for a middle.
        result: a state, three times `n_states` more for a left part with a middle.
    """

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    result: NDArray[np.intp]


class SearchRules(NamedTuple):
    """What the search for the best tree walks.

    The first axis is 0 for the parts of binary joins and 1 for the outer parts of ternary ones.

    Attributes:
        table: ``[2, states, states]``, as `Algebra.table` and `Algebra.outer_table`.
        degree, partners: ``[2, states]`` and ``[2, states, widest]``, how many, and which, right
            states compose with each left state.
        pair_of: ``[states, states]``, the number of a ``(left, middle)`` that some right part
            completes to a ternary join, or `NONE`.
        n_pairs: how many of these there are.
        making: ``[joins, 3]``, ``(left, middle, right)`` of each join by its result, the middle
            `NONE` for a binary one; binary ones come first.
        first: ``[2, states + 1]``, where those of a result begin and end in `making`.
        root, middle: as for sums.
    """

    table: IntArray
    degree: IntArray
    partners: IntArray
    pair_of: IntArray
    n_pairs: int
    making: IntArray
    first: IntArray
    root: FloatArray
    middle: BoolArray


@dataclass(frozen=True, eq=False)
class Algebra:
    """A semantic algebra: states of (partial) meanings and how two of them compose.

    Attributes:
        start: the state of each constant by its number, or `NONE` if it may not be used.
        table: ``[states, states]``, the state of a left part joined with a right part, or `NONE`.
        final: ``[states]``, whether a whole question may have this state.
        middle: ``[states]``, whether a *constant* of this state may stand between two parts that
            compose first (the middle of a ternary join, paper section 3.4).
        outer: ``[states, states]``, how the outer parts of a ternary join compose; `table` where
            that is all they do.
        answer: ``[states]``, the number of what a whole question of this state asks for; see
            `SpanScores.root`. None where nothing tells them apart.
    """

    start: Starts
    table: IntArray
    final: BoolArray
    middle: BoolArray
    outer: IntArray | None = None
    answer: IntArray | None = None

    @property
    def outer_table(self) -> IntArray:
        """How the outer parts of a ternary join compose."""
        return self.table if self.outer is None else self.outer

    @property
    def n_states(self) -> int:
        return int(self.table.shape[0])

    @cached_property
    def triples(self) -> IntArray:
        """``[triples, 4]``: all ternary joins ``(left, middle, right, result)``, sorted. The outer
        parts compose first, then the middle with the outcome."""
        lefts, rights = np.nonzero(self.outer_table != NONE)
        outer = self.outer_table[lefts, rights]
        middles = np.nonzero(self.middle)[0]
        which, pair = np.nonzero(self.table[np.ix_(middles, outer)] != NONE)
        middle = middles[which]
        made = np.stack([lefts[pair], middle, rights[pair], self.table[middle, outer[pair]]], 1)
        return made[np.lexsort(made.T[::-1])].astype(np.int32)

    def starts(self, columns: NDArray[np.int64]) -> IntArray:
        """``[columns]``, the state of the constant of each column."""
        return np.array([self.start[number] for number in columns.tolist()], np.int32)

    @cached_property
    def search_rules(self) -> SearchRules:
        """The tables in the shape that the search for the best tree walks."""
        table = np.stack([self.table, self.outer_table]).astype(np.int32)
        degree = (table != NONE).sum(2, dtype=np.int32)
        widest = max(1, degree.max(initial=0))
        partners = np.argsort(table == NONE, 2, kind="stable")[:, :, :widest].astype(np.int32)
        pair_of = np.full(self.table.shape, NONE, np.int32)
        rules = self.sum_rules
        lefts, middles, numbers = rules.pair_rules.T
        pair_of[lefts, middles] = numbers
        plain = np.insert(rules.pairs, 1, NONE, axis=1)
        kinds = [one[np.argsort(one[:, 3], kind="stable")] for one in (plain, self.triples)]
        results = np.arange(self.n_states + 1)
        first = np.stack([np.searchsorted(one[:, 3], results) for one in kinds])
        first[1] += len(plain)
        return SearchRules(
            table,
            degree,
            partners,
            pair_of,
            len(numbers),
            np.concatenate(kinds)[:, :3].astype(np.int32),
            first.astype(np.int32),
            rules.root,
            rules.middle,
        )

    @cached_property
    def join_rules(self) -> JoinRules:
        """The tables as one list of joins."""
        sums, size = self.sum_rules, self.n_states
        rules = np.concatenate(
            [
                sums.pairs,
                sums.triples + np.array([2 * size, 0, 0]),
                sums.pair_rules + np.array([size, size, 3 * size]),
            ]
        ).astype(np.intp)
        return JoinRules(*np.ascontiguousarray(rules[np.argsort(rules[:, 2], kind="stable")].T))

    @cached_property
    def sum_rules(self) -> SumRules:
        """The tables in the shape that sums over all trees walk."""
        left, right = np.nonzero(self.table != NONE)
        pairs, numbers = np.unique(self.triples[:, :2], axis=0, return_inverse=True)
        return SumRules(
            np.where(self.final, 0.0, -np.inf),
            np.ascontiguousarray(self.middle),
            np.column_stack([left, right, self.table[left, right]]).astype(np.int32),
            np.column_stack([pairs, np.arange(len(pairs))]).astype(np.int32),
            np.column_stack([numbers.ravel(), self.triples[:, 2:]]).astype(np.int32),
        )

    def without_ternary(self) -> Algebra:
        """The same algebra with binary joins only."""
        middle = np.zeros_like(self.middle)
        return Algebra(self.start, self.table, self.final, middle, self.outer, self.answer)

    def root(self, scores: SpanScores) -> FloatArray:
        """``[states]``, what whole questions of each state score by what they ask for."""
        asked: FloatArray = np.append(scores.root, 0.0)[self.asked(len(scores.root))]
        return self.sum_rules.root + asked

    def sum_rules_for(self, scores: SpanScores) -> SumRules:
        """`sum_rules` with what the question asks for."""
        return self.sum_rules._replace(root=self.root(scores))

    def search_rules_for(self, scores: SpanScores) -> SearchRules:
        """`search_rules` with what the question asks for."""
        return self.search_rules._replace(root=self.root(scores))

    def asked(self, answers: int) -> IntArray:
        """``[states]``, the number of what whole questions of each state ask for. `answers`: how
        many there are scores for; with 0 what is asked for counts nothing, and the number is
        `NONE`."""
        if self.answer is None or not answers:
            return np.full(self.n_states, NONE, np.int32)
        return self.answer


def tables(
    size: int, plain: Mapping[tuple[int, int], int], outer: Mapping[tuple[int, int], int]
) -> tuple[IntArray, IntArray]:
    """`Algebra.table` and `Algebra.outer` of so many states from what each pair makes. `outer`:
    what pairs make as the outer parts of a ternary join, where it is another state."""
    table = np.full((size, size), NONE, np.int32)
    for pair, state in plain.items():
        table[pair] = state
    more = table.copy()
    for pair, state in outer.items():
        more[pair] = state
    return table, more
