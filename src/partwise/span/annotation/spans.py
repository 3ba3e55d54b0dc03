"""Span trees as the flat labelled spans that examples carry, and back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from partwise.chart.tree import JOIN, SpanTree
from partwise.errors import DataError
from partwise.interface.data import JOIN_LABEL, Span
from partwise.language.domain import Domain


def spans_of(tree: SpanTree, domain: Domain) -> tuple[Span, ...]:
    """The labelled spans of a tree, parents before children, left before right."""
    return tuple(
        (
            node.start,
            node.end,
            JOIN_LABEL if node.label == JOIN else domain.vocabulary[node.label].category,
        )
        for node in tree.walk()
    )


def tree_of(spans: Sequence[Span], domain: Domain, words: Sequence[str]) -> SpanTree:
    """The tree that has these spans, in whatever order; it need not mean anything.

    Args:
        words: what the spans are over; the tree is over all of them.

    Raises:
        DataError: for spans that are no tree (outside the words, twice the same, crossing, none
            over all words, a constant over others, a join over none) or a category that the
            domain lacks.
    """
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    _check(ordered, domain, words)
    tree = SpanTree.of_labels(
        {
            (start, end): JOIN if category == JOIN_LABEL else domain.categories[category]
            for start, end, category in ordered
        }
    )
    for node, (start, end, category) in zip(tree.walk(), ordered, strict=True):
        if (category == JOIN_LABEL) != bool(node.children):
            what = "other spans" if node.children else "nothing"
            text = " ".join(words[start:end])
            raise DataError(f"{text!r} is labelled {category} but holds {what}")
    return tree


def _check(ordered: Sequence[Span], domain: Domain, words: Sequence[str]) -> None:
    for start, end, category in ordered:
        if not 0 <= start < end <= len(words):
            raise DataError(
                f"span {start}..{end} ({category}) is not within the {len(words)} words of "
                f"{' '.join(words)!r}; ends are excluded and starts count from 0"
            )
        if category != JOIN_LABEL and category not in domain.categories:
            raise DataError(
                f"span {start}..{end} has the category {category!r}, which {domain.name} lacks; "
                f"composed spans are {JOIN_LABEL!r}"
            )
    for (start, end, one), (begin, stop, two) in combinations(ordered, 2):
        text, other = " ".join(words[start:end]), " ".join(words[begin:stop])
        if (start, end) == (begin, stop):
            raise DataError(f"the words {text!r} are labelled twice, as {one} and as {two}")
        if start < begin < end < stop:
            raise DataError(f"the spans {text!r} and {other!r} cross")
    if not ordered or ordered[0][:2] != (0, len(words)):
        raise DataError(f"no span covers all the words of {' '.join(words)!r}; label it, too")
