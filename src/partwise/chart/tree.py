"""SpanTree: what a parse looks like, and the labels it gives to spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
    """A tree with its score."""

    score: float
    tree: SpanTree
