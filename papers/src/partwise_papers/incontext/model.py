"""What a language model does for the parser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Completion:
    """What a model writes after a prompt.

    Attributes:
        text: one line.
        log_probability: natural logarithm of the product of its tokens' probabilities, its end
            included. With a grammar each is a share among the tokens that it allows. Not a
            number if the model does not tell.
        finished: whether it ended by itself, and not for its length.
    """

    text: str
    log_probability: float
    finished: bool


class LanguageModel(Protocol):
    """Writes on after a prompt. Many threads may share one.

    Attributes:
        facts: what results must say of it: ``name``, ``quantisation``, and of a file ``sha256``
            and ``parameters``, a number.
    """

    @property
    def facts(self) -> Mapping[str, Any]: ...

    def fits(self, prompt: str, longest: int) -> bool:
        """Whether there is room for a prompt and `longest` tokens more."""
        ...

    def complete(self, prompt: str, grammar: str | None, longest: int) -> Completion:
        """The likeliest line, token by token.

        Args:
            grammar: GBNF text that the line keeps to; None for any line.
            longest: tokens at most.

        Raises:
            PartwiseError: if the grammar cannot be used, or the model fails.
        """
        ...
