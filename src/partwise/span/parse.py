"""What every parser returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from partwise.chart.tree import SpanTree
from partwise.interface.prediction import Prediction
from partwise.language.program import Term
from partwise.language.tokenizer import Words, tokenize
from partwise.span.derivation import SpanDerivation


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
        corrections: names that are misspelt, as ``(words, name)``: what was typed and what it was
            taken for.
        scores: span -> score of its label, of all nodes of the tree; they sum to `score`.
    """

    words: Words
    program: Term | None = None
    tree: SpanTree | None = None
    score: float = float("-inf")
    probability: float = 0.0
    alternatives: tuple[Parse, ...] = field(default=())
    reason: str | None = None
    corrections: tuple[tuple[str, str], ...] = ()
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The question as given."""
        return self.words.text


def parse_of(prediction: Prediction[Term]) -> Parse:
    """A prediction as a parse."""
    tree = prediction.derivation
    return Parse(
        tree.words if isinstance(tree, SpanDerivation) else tokenize(prediction.question),
        prediction.meaning,
        tree.tree if isinstance(tree, SpanDerivation) else None,
        prediction.score,
        prediction.probability,
        tuple(map(parse_of, prediction.alternatives)),
        prediction.reason,
        prediction.corrections,
        tree.scores if isinstance(tree, SpanDerivation) else {},
    )


class Probable(Protocol):
    """What has a probability."""

    @property
    def probability(self) -> float:
        """From 0 to 1."""
        ...


def abstained(parse: Parse, at_least: float) -> Parse:
    """The parse if it is probable enough, else no parse, with what was found as alternatives."""
    if parse.program is None or parse.probability >= at_least:
        return parse
    best = replace(parse, alternatives=())
    others = (best, *parse.alternatives)
    return Parse(parse.words, alternatives=others, reason=doubt(parse, at_least))


def doubt(parse: Probable, at_least: float) -> str:
    """Why a parse that is not probable enough is not taken."""
    return (
        f"the best reading has a probability of {100 * parse.probability:.0f} %, and at least "
        f"{100 * at_least:.0f} % is asked for"
    )
