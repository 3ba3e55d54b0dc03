"""Where a question speaks of a node: in a noun phrase with all that stands in it, or about it.

"Did a film director that directed M0 direct M1" mentions one node twice: the noun phrase says what
it is and that it directed M0, the clause around it says that it directed M1. What a phrase says of
its node restricts it; what is said about it from outside does not, so that an edge can imply an
attribute in the one case and not in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from partwise.phrases.pieces import Node, PlacedPiece

Mention = tuple[str, Node | None]
"""A phrase that is of the node (``of``), or a phrase that speaks about it (``about``); None for the
whole question."""
Edge = tuple[str, bool]
"""A predicate, and whether it begins at the node."""

Place = TypeVar("Place")


@dataclass
class Gathered(Generic[Place]):
    """What a mention says, while a question is gone through.

    Attributes:
        places: where the node is spoken of.
        edges: those of the node that are said there.
    """

    places: list[Place] = field(default_factory=list)
    edges: set[Edge] = field(default_factory=set)


def outside(mentions: Sequence[Collection[Edge]]) -> list[set[Edge]]:
    """For each mention of a node the edges that the others say, from those that each says."""
    return [
        {edge for other, some in enumerate(mentions) if other != number for edge in some}
        for number in range(len(mentions))
    ]


class Mentions:
    """The mentions of the nodes of a question.

    Args:
        names: the names of what a phrase's own node stands for.
    """

    def __init__(
        self, pieces: Sequence[PlacedPiece], names: Callable[[Node], Collection[str]]
    ) -> None:
        self.names = names
        self.parents: dict[Node, Node | None] = {}
        for placed in pieces:
            own = placed.slots[0][0] if placed.piece.headed else None
            for slot in placed.slots[1:] if placed.piece.headed else placed.slots:
                self.parents.update((node, own) for node in slot if node >= 0)

    def of(self, placed: PlacedPiece, name: str) -> Mention:
        """The mention that a piece belongs to, where it speaks of a node.

        That is the largest phrase around it of which all phrases between are of the same node; or,
        if the piece's phrase is of another node, that phrase.
        """
        if not placed.piece.headed:
            return ("about", None)
        phrase = placed.slots[0][0]
        if name not in self.names(phrase):
            return ("about", phrase)
        while (above := self.parents.get(phrase)) is not None and name in self.names(above):
            phrase = above
        return ("of", phrase)
