"""What every parser returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from partwise.program import Term
from partwise.tokenizer import Words
from partwise.tree import SpanTree


@dataclass(frozen=True)
class Parse:
    """One reading of a question, or none.

    Attributes:
        program: the whole program, or None if no well-typed program fits ("no parse").
        tree: the span tree behind it.
        score: the tree's score (sum of label scores relative to φ).
        probability: of the program, by all its trees among all well-typed trees of the question;
            not a number if only the best tree was asked for.
        alternatives: further readings with other programs, best first.
        reason: why there is no parse.
        scores: span -> score of its label, of all nodes of the tree; they sum to `score`.
    """

    words: Words
    program: Term | None = None
    tree: SpanTree | None = None
    score: float = float("-inf")
    probability: float = 0.0
    alternatives: tuple[Parse, ...] = field(default=())
    reason: str | None = None
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The question as given."""
        return self.words.text
