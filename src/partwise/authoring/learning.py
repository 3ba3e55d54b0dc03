"""The learning curve of one's own pairs: trained on ever more of them, tested on held-out ones."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from partwise.authoring.trend import FloatArray, Trend, trend
from partwise.errors import DataError
from partwise.evaluation.metrics import Outcome
from partwise.interface.data import Dataset, Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.few import parser_settings_for_few, settings_for_few
from partwise.span.session import evaluate, train_span_parser
from partwise.training.settings import TrainSettings

LEAST = 6
"""Pairs that are needed to part them."""
SHARES = (0.25, 0.4, 0.63, 1.0)
"""Parts of the training pairs that are trained on, unless sizes are given."""

Told = Callable[[int, int, int, float], object]
"""Called after each training with its number, how many there will be, its size and denotation."""


@dataclass
class LearningCurve:
    """What parsers trained on so many pairs answered.

    Attributes:
        n: all pairs.
        denotation, exact: number of training pairs -> ``[questions]``, the share of trainings in
            which each test question was answered rightly, or had the right program.
    """

    n: int
    denotation: dict[int, FloatArray] = field(default_factory=dict)
    exact: dict[int, FloatArray] = field(default_factory=dict)

    def trend(self) -> Trend:
        """What twice as many pairs would bring."""
        return trend(self.denotation, self.n)

    def to_json(self) -> dict[str, Any]:
        """Sizes with their figures, and the trend."""
        points = [
            {
                "size": size,
                "denotation": float(self.denotation[size].mean()),
                "exact_match": float(self.exact[size].mean()),
                "questions": len(self.denotation[size]),
            }
            for size in sorted(self.denotation)
        ]
        return {"pairs": self.n, "points": points, "trend": self.trend().to_json()}


def learning_curve(
    domain: Domain,
    pairs: Sequence[Example[Term]],
    config: SpanParserConfig,
    *,
    test: Sequence[Example[Term]] = (),
    sizes: Sequence[int] = (),
    folds: int = 3,
    seed: int = 0,
    epochs: int | None = None,
    told: Told | None = None,
) -> LearningCurve:
    """Train on parts of the pairs and see how many of the others are answered.

    In each fold another part of the pairs is held out and tested on; smaller training sets are
    parts of larger ones. With `test` all pairs are trained on, in another order in each fold.

    Args:
        sizes: numbers of training pairs; four from a quarter to all by default.
        epochs: passes, for all sizes; by default more passes over fewer pairs.

    Raises:
        DataError: for too few pairs, sizes that there are not, and pairs that cannot be used.
    """
    if len(pairs) < LEAST or not 2 <= folds <= len(pairs):
        raise DataError(
            f"{len(pairs)} pairs cannot be parted into {folds} folds; at least {LEAST} are needed, "
            "and 2 folds"
        )
    parts = _parts(pairs, test, folds, seed)
    chosen = _sizes(sizes, min(len(train) for train, _ in parts))
    right: dict[int, list[list[Outcome]]] = {size: [] for size in chosen}
    for number, (size, (train, held)) in enumerate(
        ((size, part) for part in parts for size in chosen), start=1
    ):
        found = _outcomes(domain, train[:size], held, config, seed, epochs)
        right[size].append(found)
        if told is not None:
            share = sum(outcome.denotation for outcome in found) / len(found)
            told(number, len(chosen) * len(parts), size, share)
    return LearningCurve(
        len(pairs),
        {size: _shares(found, "denotation", bool(test)) for size, found in right.items()},
        {size: _shares(found, "exact_match", bool(test)) for size, found in right.items()},
    )


def _parts(
    pairs: Sequence[Example[Term]], test: Sequence[Example[Term]], folds: int, seed: int
) -> list[tuple[list[Example[Term]], list[Example[Term]]]]:
    """Training and test questions of each fold."""
    draw = random.Random(seed)
    order = list(pairs)
    draw.shuffle(order)
    if test:
        return [(draw.sample(order, len(order)), list(test)) for _ in range(folds)]
    found = []
    for fold in range(folds):
        rest = [pair for number, pair in enumerate(order) if number % folds != fold]
        found.append((draw.sample(rest, len(rest)), order[fold::folds]))
    return found


def _sizes(given: Sequence[int], largest: int) -> list[int]:
    if not given:
        return sorted({max(2, round(share * largest)) for share in SHARES})
    wrong = [size for size in given if not 1 <= size <= largest]
    if wrong:
        raise DataError(
            f"no {wrong[0]} training pairs: {largest} are left when a fold is held out; give sizes "
            f"from 1 to {largest}"
        )
    return sorted(set(given))


def _outcomes(
    domain: Domain,
    train: list[Example[Term]],
    held: list[Example[Term]],
    config: SpanParserConfig,
    seed: int,
    epochs: int | None,
) -> list[Outcome]:
    loop: dict[str, Any] = {**settings_for_few(len(train)), "seed": seed}
    if not config.recombine:
        config = replace(config, **parser_settings_for_few(len(train), config.objective))
    if epochs is not None:
        loop["epochs"] = epochs
    data = Dataset("curve", "own", train=train, dev=train, test=[])
    with tempfile.TemporaryDirectory() as folder:
        session = train_span_parser(
            data, domain, config, TrainSettings(**loop), folder=Path(folder), progress=False
        )
    return list(evaluate(session.parser, held).outcomes)


def _shares(found: Sequence[Sequence[Outcome]], name: str, same: bool) -> FloatArray:
    """``[questions]``: outcomes of folds one after the other, or of the same questions averaged."""
    table = [[float(getattr(outcome, name)) for outcome in fold] for fold in found]
    return np.mean(table, axis=0) if same else np.concatenate([np.array(row) for row in table])
