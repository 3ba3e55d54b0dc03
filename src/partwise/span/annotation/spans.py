"""Span trees as the flat labelled spans that examples carry, and back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.semantics import program
from partwise.chart.tree import JOIN, SpanTree
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import JOIN_LABEL, Example, Span
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize


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
    """The tree that has these spans; their order does not matter.

    Whether it means anything is not looked at; see `mismatch`.

    Args:
        words: what the spans are over; the tree is over all of them.

    Raises:
        DataError: for spans that are no tree (outside the words, twice the same, crossing, none
            over all words, a constant over others, a join over none) or a category that the
            domain lacks.
    """
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    _check(ordered, domain, words)
    return _Nest(ordered, domain, words).tree()


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
    for one, two in pairwise(ordered):
        if one[:2] == two[:2]:
            raise DataError(
                f"the words {_shown(one, words)} are labelled twice, as {one[2]} and as {two[2]}"
            )
    if not ordered or ordered[0][:2] != (0, len(words)):
        raise DataError(f"no span covers all the words of {' '.join(words)!r}; label it, too")


def _shown(span: Span, words: Sequence[str]) -> str:
    return repr(" ".join(words[span[0] : span[1]]))


class _Nest:
    """Takes spans, outer ones first, into nodes."""

    def __init__(self, ordered: Sequence[Span], domain: Domain, words: Sequence[str]) -> None:
        self.ordered, self.domain, self.words, self.next = ordered, domain, words, 0

    def tree(self) -> SpanTree:
        span = self.ordered[self.next]
        start, end, category = span
        self.next += 1
        children: list[SpanTree] = []
        while self.next < len(self.ordered) and self.ordered[self.next][0] < end:
            inner = self.ordered[self.next]
            if inner[1] > end:
                raise DataError(
                    f"the spans {_shown(span, self.words)} and {_shown(inner, self.words)} cross"
                )
            children.append(self.tree())
        if (category == JOIN_LABEL) != bool(children):
            what = "nothing" if category == JOIN_LABEL else "other spans"
            raise DataError(f"{_shown(span, self.words)} is labelled {category} but holds {what}")
        label = JOIN if children else self.domain.categories[category]
        return SpanTree(start, end, label, tuple(children))


def mismatch(example: Example[Term], types: TypeAlgebra) -> str | None:
    """Why an example's spans are no tree of its program; None if they are one.

    Raises:
        ValueError: if the example has no spans.
    """
    if example.spans is None:
        raise ValueError(f"{example.source or example.question}: no spans")
    domain = types.domain
    try:
        tree = tree_of(example.spans, domain, tokenize(example.question).words)
        found = program(tree, types)
    except PartwiseError as error:
        return str(error)
    wanted = domain.canonical(example.meaning)
    return None if domain.canonical(found) == wanted else f"the tree means {found}, not {wanted}"
