"""Where two readings of a question part: "did you mean", phrase by phrase."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.chart.tree import SpanTree
from partwise.language.domain import Domain
from partwise.span.parse import Parse

Place = tuple[int, int]


@dataclass(frozen=True)
class Difference:
    """Words that two readings take otherwise.

    Attributes:
        words: as the question has them.
        mine: categories that the first reading gives them; empty if they mean nothing to it.
        other: the same of the second.
    """

    words: str
    mine: tuple[str, ...]
    other: tuple[str, ...]


def differences(parse: Parse, other: Parse, domain: Domain) -> list[Difference]:
    """The phrases that another reading of the same question takes otherwise, from left to right.

    Where the spans of the two overlap without being the same, the phrase is all of them together.
    Readings may also differ only in how their parts are put together; then there are none.
    """
    mine, theirs = _named(parse, domain), _named(other, domain)
    odd = {place for place in mine.keys() | theirs.keys() if mine.get(place) != theirs.get(place)}
    return [
        Difference(parse.words.span(*place), _within(mine, place), _within(theirs, place))
        for place in _joined(odd)
    ]


def _named(parse: Parse, domain: Domain) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for node in _leaves(parse.tree):
        found[node.start, node.end] = domain.vocabulary[node.label].category
    return found


def _leaves(tree: SpanTree | None) -> list[SpanTree]:
    return [] if tree is None else [node for node in tree.walk() if not node.children]


def _joined(places: set[Place]) -> list[Place]:
    """The places, those that overlap taken together."""
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _within(named: dict[Place, str], place: Place) -> tuple[str, ...]:
    start, end = place
    inside = sorted(at for at in named if start <= at[0] and at[1] <= end)
    return tuple(named[at] for at in inside)
