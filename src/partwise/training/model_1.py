"""IBM Model 1 (Brown et al. 1993): which words of questions go with which parts of meanings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

Word = TypeVar("Word", bound=Hashable)
Label = TypeVar("Label", bound=Hashable)


def model_1(
    pairs: Collection[tuple[tuple[Sequence[Word], Sequence[Label]], float]],
    rounds: int = 10,
    times: Mapping[Word, float] | None = None,
) -> dict[tuple[Word, Label], float]:
    """How likely each word gives each label, by expectation-maximisation. `pairs`: words with the
    labels of the meaning, and how often they were seen together; `times`: what a word's counts are
    shares of, if not of their own sum."""
    shares: dict[tuple[Word, Label], float] = {}
    for _ in range(rounds):
        counts: dict[tuple[Word, Label], float] = defaultdict(float)
        for (words, labels), often in pairs:
            for label in labels:
                weights = [shares.get((word, label), 0.0) if shares else 1.0 for word in words]
                total = sum(weights) or 1.0
                for word, weight in zip(words, weights, strict=True):
                    counts[word, label] += often * weight / total
        sums: dict[Word, float] = defaultdict(float)
        for (word, _), count in counts.items():
            sums[word] += count
        shares = {key: count / (times or sums)[key[0]] for key, count in counts.items()}
    return shares
