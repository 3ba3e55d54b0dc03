"""An automaton of finitely many states, as `TypeAlgebra` is, as an algebra of phrases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from partwise.chart.algebra import NONE, Algebra
from partwise.chart.k_best import FromConstant, FromFill, FromJoin, Item, JoinRule, Made, UnaryRule
from partwise.chart.scores import JOIN, NEVER, SpanScores, SpanTree

Half = tuple[int, int]
"""States of the left part and the middle of a ternary join."""


class SpanPart(NamedTuple):
    """A constant, with its gap if it has one, or the gap before a question."""

    tree: SpanTree
    kind: str
    meaning: int
    score: float

    @property
    def start(self) -> int:
        return self.tree.start

    @property
    def end(self) -> int:
        return self.tree.end


class AutomatonPhrases:
    """States as meanings. A frame is a whole tree: it takes one part, of a final state. The parts
    of a ternary join come one by one."""

    empty = NONE
    modifiers = frozenset({"part", "root"})
    distinct: frozenset[str] = frozenset()

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.unary: dict[str, UnaryRule] = {}
        self.joins: dict[tuple[str, str], JoinRule] = {
            ("part", "part"): self.binary,
            ("part", "middle"): lambda left, middle: [("half", (left, middle), "half")],
            ("half", "part"): self.ternary,
            ("gap", "part"): lambda _, part: [("root", part, "root")],
        }

    def binary(self, left: int, right: int) -> Iterator[Made]:
        if self.algebra.table[left, right] != NONE:
            yield "part", int(self.algebra.table[left, right]), "binary"

    def ternary(self, half: Half, right: int) -> Iterator[Made]:
        left, middle = half
        outer = self.algebra.outer_table[left, right]
        if outer != NONE and self.algebra.table[middle, outer] != NONE:
            yield "part", int(self.algebra.table[middle, outer]), "ternary"

    def fill(self, frame: int, kind: str, state: int) -> Iterator[tuple[int, str]]:
        if frame == NONE and self.algebra.final[state]:
            yield state, "whole"

    def links(self, frame: int, kind: str, meaning: int) -> int:
        return 0


class AutomatonScores:
    """The scores of spans; no word may be passed over, as gaps are constants here."""

    def __init__(self, scores: SpanScores, algebra: Algebra) -> None:
        self.scores, self.root = scores, algebra.root(scores)
        # A part that joins with nothing makes the chart see all words.
        self.parts = [SpanPart(SpanTree(0, scores.n, JOIN), "", NONE, 0.0), *self.gaps()]
        for number, category in enumerate(scores.columns.tolist()):
            state = int(algebra.start[category])
            for tree, score in self.constants(number, category) if state != NONE else ():
                self.parts.append(SpanPart(tree, "part", state, score))
                if algebra.middle[state]:
                    self.parts.append(SpanPart(tree, "middle", state, score))

    def gaps(self) -> Iterator[SpanPart]:
        for end in range(1, self.scores.n):
            yield SpanPart(SpanTree(0, end, JOIN), "gap", NONE, float(self.scores.gap[0, end]))

    def constants(self, column: int, category: int) -> Iterator[tuple[SpanTree, float]]:
        for start, end in itertools.combinations(range(self.scores.n + 1), 2):
            tree = SpanTree(start, end, category)
            score = float(self.scores.constants[start, end, column])
            yield tree, score
            for stop in range(end + 1, self.scores.n + 1):
                more = float(self.scores.gap[end, stop] + self.scores.join[start, stop])
                yield SpanTree(start, stop, JOIN, (tree,)), score + more

    def constant(self, number: int) -> float:
        return self.parts[number].score

    def skip(self, word: int) -> float:
        return NEVER

    def join(self, name: str, left: Item, right: Item) -> float:
        return 0.0 if name == "half" else float(self.scores.join[left.start, right.end])

    def unary(self, name: str, item: Item) -> float:
        return 0.0

    def fill(self, slot: str, item: Item, last: str, same: str) -> float:
        return float(self.root[item.meaning])

    def links(self, number: int) -> float:
        return 0.0

    def tree(self, item: Item) -> SpanTree:
        """The tree of spans."""
        match item.back:
            case FromConstant(number):
                return self.parts[number].tree
            case FromFill(item=part):
                return self.tree(part)
            case FromJoin(name, left, right):
                parts = [right] if name == "root" else [left, right]
                if name == "ternary" and isinstance(left.back, FromJoin):
                    parts = [left.back.left, left.back.right, right]
                return SpanTree(item.start, item.end, JOIN, tuple(map(self.tree, parts)))
        raise AssertionError(item.back)
