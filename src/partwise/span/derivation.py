"""The span tree behind a prediction: which words gave which part of the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from partwise.chart.derivation import TreeDerivation
from partwise.chart.semantics import MeaningNode
from partwise.chart.tree import SpanTree
from partwise.interface.prediction import Difference
from partwise.language.text import FUNCTION_WORDS, Words, only_punctuation

Place = tuple[int, int]

_TEXT = """
's can could give list many me much name please show tell there us will would
"""
_EMPTY = FUNCTION_WORDS | frozenset(_TEXT.split())
"""Words that ask or hold sentences together."""


@dataclass(frozen=True)
class SpanDerivation(TreeDerivation):
    """A span tree over the words of a question, with its meaning.

    Attributes:
        tree: the spans with the numbers of their categories.
    """

    tree: SpanTree = field(kw_only=True)

    def leaves(self) -> Iterator[MeaningNode]:
        """The nodes that name constants."""
        return (node for node in self.node.walk() if not node.children)

    def differences(self, other: SpanDerivation) -> list[Difference]:
        """The phrases that another derivation of the question takes otherwise, from left to right.

        Where the spans of the two overlap without being the same, the phrase is all of them
        together. Derivations may also differ only in how their parts are put together; then there
        are none.
        """
        mine, theirs = (
            {(leaf.start, leaf.end): leaf.label for leaf in one.leaves()} for one in (self, other)
        )
        odd = {at for at in mine.keys() | theirs.keys() if mine.get(at) != theirs.get(at)}
        return [
            Difference(self.words.span(*place), _within(mine, place), _within(theirs, place))
            for place in _joined(odd)
        ]


def unused(
    words: Words, derivation: SpanDerivation | None, mentions: NDArray[np.bool_] | None = None
) -> tuple[int, ...]:
    """The words that gave nothing to the program, by their numbers in the question.

    That is words under no constant of the tree (all words if there is none), without punctuation
    and without those that only ask or hold sentences together. Either they were not understood,
    or they were not needed. A name that is taken for a predicate gave nothing, too.

    Args:
        mentions: for each word, whether it is part of a name and of no other phrase.
    """
    leaves = () if derivation is None else derivation.leaves()
    used = {
        place
        for leaf in leaves
        for place in range(leaf.start, leaf.end)
        if leaf.kind == "entity" or mentions is None or not mentions[place]
    }
    return tuple(
        place
        for place, word in enumerate(words.words)
        if place not in used and word not in _EMPTY and not only_punctuation(word)
    )


def _joined(places: set[Place]) -> list[Place]:
    """The places, those that overlap taken together."""
    joined: list[Place] = []
    for start, end in sorted(places):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _within(named: Mapping[Place, str], place: Place) -> tuple[str, ...]:
    start, end = place
    inside = sorted(at for at in named if start <= at[0] and at[1] <= end)
    return tuple(named[at] for at in inside)
