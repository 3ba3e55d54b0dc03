"""The k best phrases of every span, for algebras whose items carry a meaning.

An item is a kind and a meaning. Items of neighbouring spans join as a table of pairs of kinds says;
a *frame* takes its modifiers one by one, from left to right, so that each meaning has one tree.
Words between may be passed over, at a price.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

Made = tuple[str, Any, str]
"""Kind, meaning and name of what a join or a unary step gives."""


class FromConstant(NamedTuple):
    """A constant of the question, by its number."""

    number: int


class FromJoin(NamedTuple):
    """Two neighbours."""

    name: str
    left: Item
    right: Item


class FromUnary(NamedTuple):
    """One item, raised to another kind."""

    name: str
    item: Item


class FromSkip(NamedTuple):
    """An item, and a word beside it that was passed over."""

    word: int
    item: Item


class FromFill(NamedTuple):
    """A frame and one modifier more.

    Attributes:
        slot: what the modifier does.
        links: how far its table is from those of the frame.
        before: the frame; None where this is its first modifier.
        last: the slot that was filled before; ``start`` if there is none.
        same: whether it speaks of a table of the frame, ``same`` or ``other``; nothing at the
            beginning.
    """

    slot: str
    links: int
    before: Item | None
    item: Item
    last: str
    same: str


Back = FromConstant | FromJoin | FromUnary | FromSkip | FromFill


class Item(NamedTuple):
    """A phrase.

    Attributes:
        back: what it is made of.
        constant: its number, where it is a constant and nothing else; -1 if it is built of several.
        start: its first word that gave something.
        end: behind its last word that did.
    """

    score: float
    kind: str
    meaning: Any
    back: Back
    constant: int
    start: int
    end: int


class Leaf(Protocol):
    """A constant of a question."""

    start: int
    end: int
    kind: str
    meaning: Any


class PhraseAlgebra(Protocol):
    """Which phrases join.

    Attributes:
        joins: pairs of kinds -> what two meanings give.
        unary: kind -> what one meaning may be as well. That of ``FRAME`` closes a frame.
        modifiers: kinds that a frame may take.
        empty: the frame that nothing has filled.
    """

    joins: Mapping[tuple[str, str], Callable[[Any, Any], Iterable[Made]]]
    unary: Mapping[str, Callable[[Any], Iterable[Made]]]
    modifiers: frozenset[str]
    empty: Any

    def fill(self, frame: Any, kind: str, meaning: Any) -> Iterable[tuple[Any, str]]:
        """What a modifier may do in a frame: the frame after it, and the slot."""
        ...

    def links(self, frame: Any, kind: str, meaning: Any) -> int:
        """How far what a modifier speaks of is from what the frame does."""
        ...


class PhraseScores(Protocol):
    """What is summed over a tree; of one question."""

    def constant(self, number: int) -> float:
        """Of a constant."""
        ...

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        ...

    def join(self, name: str, left: Item, right: Item) -> float:
        """Of a join."""
        ...

    def unary(self, name: str, item: Item) -> float:
        """Of a unary step."""
        ...

    def fill(self, slot: str, item: Item, last: str, same: str) -> float:
        """Of what a modifier does in a frame, as `FromFill` names it."""
        ...

    def links(self, number: int) -> float:
        """Of the links between a modifier and its frame."""
        ...
