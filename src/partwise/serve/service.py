"""What the server asks: a parser with what it takes to answer, as one thing for both kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch

from partwise.span.asked import ask
from partwise.span.parser import SpanParser
from partwise.span.to_json import to_json

Kind = Literal["span", "graph"]


class Service(Protocol):
    """Reads and answers questions; called from one thread at a time."""

    @property
    def kind(self) -> Kind:
        """Of the replies."""
        ...

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """A reply to each question, as JSON values.

        Args:
            k: readings of each question, where the parser gives several.
            run: whether programs or queries are run.
        """
        ...

    def about(self) -> dict[str, Any]:
        """``domain``, ``runs`` (whether answers can be given), ``alternatives`` (whether several
        readings can) and ``examples`` (questions to begin with)."""
        ...


@dataclass(frozen=True)
class SpanService:
    """Programs and their trees.

    Attributes:
        context: what all questions are about, in a domain where that differs.
        examples: questions to begin with.
        at_least: the probability that a program must have to be run.
    """

    parser: SpanParser
    context: Any = None
    examples: Sequence[str] = ()
    at_least: float = 0.0
    kind: Kind = "span"

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """A reply to each question; see `partwise.span.to_json.to_json`."""
        with torch.inference_mode():
            found = ask(self.parser, questions, k, self.at_least, self.context, run)
        return [{"kind": self.kind, **to_json(one, self.parser.types, run)} for one in found]

    def about(self) -> dict[str, Any]:
        """What the parser is for."""
        return {
            "domain": self.parser.domain.name,
            "runs": True,
            "alternatives": True,
            "examples": list(self.examples),
        }
