"""How far a program is read: the calls around the next token, and what stands before it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from partwise_papers.constrained.names import START

Phase = Literal["argument", "first", "value", "symbol", "name", "after"]
"""What comes next: an argument; the first one or ``)``; an argument after its name; what follows a
symbol; more words of a name; what follows a part."""


@dataclass(frozen=True)
class Frame:
    """A call whose arguments are not all there.

    Attributes:
        place: of the automaton of its head.
        room: how many levels its arguments may have below them.
        keyword: the name of the argument that is being read, if it has one.
        is_empty: whether it has no argument yet.
    """

    head: str
    place: Hashable
    room: int
    parent: Frame | None
    keyword: str = ""
    is_empty: bool = True

    @property
    def local(self) -> Hashable:
        """All but the calls around it."""
        return self.head, self.place, self.room, self.keyword, self.is_empty


@dataclass(frozen=True)
class NameState:
    """How far a quoted name is read.

    Attributes:
        named, bare: nodes in the trie of names that the call around takes, and that of names that
            stand alone.
    """

    named: int = START
    bare: int = START


@dataclass(frozen=True)
class ProgramState:
    """A place in a program; `frame` is None outside of all calls.

    Attributes:
        symbol: what was read last, in the phase of that name; it may be a whole name in quotes.
        name: the quoted name that is being read.
    """

    phase: Phase
    frame: Frame | None = None
    symbol: str = ""
    name: NameState = NameState()
