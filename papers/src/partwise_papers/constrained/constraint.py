"""Which tokens may come next in a text that a domain is to read, whatever the domain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Allowed:
    """What may come next; ``token in allowed`` says it of one token.

    Attributes:
        tokens: the tokens that can be listed.
        end: whether the text may end here.
        literal: says of any other token whether it is a number, a date or the like that may stand
            here; None where there are none.
    """

    tokens: frozenset[str]
    end: bool = False
    literal: Callable[[str], bool] | None = None

    def __contains__(self, token: str) -> bool:
        return token in self.tokens or (self.literal is not None and self.literal(token))


class Constraint(Protocol):
    """A recogniser of the texts of one domain, token by token.

    States are immutable and hashable. Whatever is allowed can be continued to a text that the
    domain reads as a well-typed meaning, so decoding never comes to a dead end.
    """

    def start(self, names: str | Collection[str] = ()) -> Hashable:
        """The state before the first token.

        Args:
            names: a question, or the placeholders in it; programs do not depend on them.
        """

    def allowed(self, state: Any) -> Allowed:
        """What may come next."""

    def advance(self, state: Any, token: str) -> Hashable:
        """The state after one more token.

        Raises:
            ProgramTypeError, QueryError: if the token is not allowed.
        """

    def split(self, meaning: Any) -> Sequence[str]:
        """The tokens of a meaning, as they are allowed one after the other."""

    def join(self, tokens: Sequence[str]) -> Any:
        """The meaning that the tokens of a whole text spell.

        Raises:
            PartwiseError: for tokens that the domain cannot read.
        """
