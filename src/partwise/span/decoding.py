"""From the scores of a question's spans to the best programs, with trees and probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from partwise.chart import compiled
from partwise.chart.algebra.base import Algebra
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import SpanScores
from partwise.chart.semantics import program, program_of, read_tree
from partwise.chart.tree import Derivation
from partwise.interface.prediction import Prediction
from partwise.language.program import Term
from partwise.language.tokenizer import Words
from partwise.span.config import SpanParserConfig
from partwise.span.derivation import SpanDerivation, unused
from partwise.span.labels import Prepared
from partwise.span.scorer import LEXICON_SCALE

ALTERNATIVE_TREES = 64
"""How many trees are listed at most to find alternatives with other programs."""


@dataclass(frozen=True, eq=False)
class SpanConfidence:
    """The best program of a question, and what its probability follows from.

    Attributes:
        scores: of the question's spans.
        gold: the algebra whose trees spell the program.
        types: the algebra of all trees.
    """

    meaning: Term
    scores: SpanScores
    gold: Algebra
    types: Algebra

    def at(self, temperature: float) -> float:
        """The probability of the program: of all its trees, among all well-typed trees."""
        scores = self.scores.tempered(temperature)
        return _share(scores, self.gold, compiled.log_partition(scores, self.types))


@dataclass(frozen=True, eq=False)
class Decoder:
    """Finds the best well-typed programs of questions.

    Attributes:
        algebra: which trees there are.
    """

    types: TypeAlgebra
    algebra: Algebra
    config: SpanParserConfig

    def best(
        self, one: Prepared, logits: NDArray[np.floating]
    ) -> tuple[SpanScores, Derivation | None]:
        """The best tree, and the scores it is the best by.

        Phrases of the lexicon count for more than training made of them. If names must be used and
        no tree can, the best tree may leave some out.
        """
        logits = logits.copy()
        rows, outputs = one.matches[:, 0], one.matches[:, 1]
        logits[rows, outputs] += LEXICON_SCALE * self.config.decode_lexicon_weight
        for keep in (True, False) if self.config.required_mentions else (False,):
            scores = one.span_scores(logits, keep)
            best = compiled.best(scores, self.algebra)
            if best is not None:
                break
        return scores, best

    def gold(self, meaning: Term) -> Algebra:
        """The algebra whose trees spell a program.

        Raises:
            PartwiseError: if the program does not type.
        """
        whole = TargetAlgebra(self.types, self.types.check(meaning))
        return whole if self.config.ternary else whole.without_ternary()

    def confidence(self, one: Prepared, logits: NDArray[np.floating]) -> SpanConfidence | None:
        """The best program with its confidence; None if there is none."""
        scores, best = self.best(one, logits)
        if best is None:
            return None
        spelled = program(best.tree, self.types)
        return SpanConfidence(spelled, scores, self.gold(spelled), self.algebra)

    def predict(
        self, one: Prepared, logits: NDArray[np.floating], k: int, temperature: float
    ) -> Prediction[Term]:
        """The best program, with ``k - 1`` alternatives.

        Many trees spell one program, so trees are listed until there are programs enough.

        Args:
            k: with 0 the best program alone, without its probability.
        """
        scores, best = self.best(one, logits)
        if best is None:
            return nothing(one.words, "no well-typed program fits the question")
        if not k:
            return self._prediction(one, best, scores, math.nan)
        tempered = scores.tempered(temperature)
        total = compiled.log_partition(tempered, self.algebra)
        predictions: dict[Term, Prediction[Term]] = {}
        for derivation in islice(compiled.trees(scores, self.algebra), ALTERNATIVE_TREES):
            spelled = program(derivation.tree, self.types)
            if spelled not in predictions:
                share = _share(tempered, self.gold(spelled), total)
                predictions[spelled] = self._prediction(one, derivation, scores, share)
            if len(predictions) == k:
                break
        first, *others = predictions.values()
        return replace(first, alternatives=tuple(others))

    def _prediction(
        self, one: Prepared, best: Derivation, scores: SpanScores, probability: float
    ) -> Prediction[Term]:
        node = read_tree(best.tree, self.types)
        tree = SpanDerivation(node, one.words, scores.of_nodes(best.tree), tree=best.tree)
        vocabulary = self.types.domain.vocabulary
        corrections = (
            (one.words.span(node.start, node.end), str(vocabulary[node.label].name))
            for node in best.tree.walk()
            if not node.children and (node.start, node.end, node.label) in one.guesses
        )
        return Prediction(
            one.words.text,
            shown_words(one.words),
            program_of(node, self.types),
            probability,
            best.score,
            tree,
            unused=unused(one.words, tree),
            corrections=tuple(corrections),
        )


def _share(scores: SpanScores, gold: Algebra, total: float) -> float:
    return math.exp(min(0.0, compiled.log_partition(scores, gold) - total))


def nothing(words: Words, reason: str) -> Prediction[Term]:
    """No program, and why."""
    return Prediction(words.text, shown_words(words), unused=unused(words, None), reason=reason)


def shown_words(words: Words) -> tuple[str, ...]:
    """The words as they were typed."""
    return tuple(words.span(place, place + 1) for place in range(len(words)))
