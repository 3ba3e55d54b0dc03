"""The learning curve of one's own examples: train on ever more of them, test on held-out ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np

from partwise.authoring.trend import FloatArray, Trend, trend
from partwise.authoring.trial import Trial
from partwise.errors import DataError
from partwise.evaluation.metrics import Outcome
from partwise.interface.data import Example

M = TypeVar("M")
LEAST = 6
"""Examples that are needed to split them."""
SHARES = (0.25, 0.4, 0.63, 1.0)
"""Parts of the training examples that are trained on, unless sizes are given."""

Tick = Callable[[int, int, int, float], object]
"""Called after each training with its number, how many there will be, its size and denotation."""


@dataclass
class LearningCurve:
    """What parsers trained on so many examples answered.

    Attributes:
        n: all examples.
        denotation, exact: number of training examples -> ``[questions]``, the share of trainings
            that answered each test question correctly, or gave it the correct program.
    """

    n: int
    denotation: dict[int, FloatArray] = field(default_factory=dict)
    exact: dict[int, FloatArray] = field(default_factory=dict)

    def trend(self) -> Trend:
        """What twice as many examples would bring."""
        return trend(self.denotation, self.n)

    def to_json(self) -> dict[str, Any]:
        """Sizes with their metrics, and the trend."""
        points = [
            {
                "size": size,
                "denotation": float(self.denotation[size].mean()),
                "exact_match": float(self.exact[size].mean()),
                "questions": len(self.denotation[size]),
            }
            for size in sorted(self.denotation)
        ]
        return {"pairs": self.n, "points": points, "trend": asdict(self.trend())}


def learning_curve(
    examples: Sequence[Example[M]],
    trial: Trial[M],
    *,
    test: Sequence[Example[M]] = (),
    sizes: Sequence[int] = (),
    folds: int = 3,
    seed: int = 0,
    tick: Tick | None = None,
) -> LearningCurve:
    """Train on parts of the examples and see how many of the others are answered.

    In each fold another part of the examples is held out and tested on; smaller training sets are
    parts of larger ones. With `test` all examples are trained on, in another order in each fold.

    Args:
        trial: trains on examples and tests on others.
        sizes: numbers of training examples; four from a quarter to all by default.

    Raises:
        DataError: for too few examples, sizes that there are not, and examples that cannot be used.
    """
    if len(examples) < LEAST or not 2 <= folds <= len(examples):
        raise DataError(
            f"{len(examples)} pairs cannot be split into {folds} folds; at least {LEAST} are "
            "needed, and 2 folds"
        )
    splits = _splits(examples, test, folds, seed)
    chosen = _sizes(sizes, min(len(train) for train, _ in splits))
    outcomes: dict[int, list[Sequence[Outcome]]] = {size: [] for size in chosen}
    runs = [(size, train[:size], held) for train, held in splits for size in chosen]
    for number, (size, train, held) in enumerate(runs, start=1):
        fold = trial(train, held)
        outcomes[size].append(fold)
        if tick is not None:
            tick(number, len(runs), size, sum(bool(one.denotation) for one in fold) / len(fold))
    return LearningCurve(
        len(examples),
        {size: _shares(folds, "denotation", bool(test)) for size, folds in outcomes.items()},
        {size: _shares(folds, "exact_match", bool(test)) for size, folds in outcomes.items()},
    )


def _splits(
    examples: Sequence[Example[M]], test: Sequence[Example[M]], folds: int, seed: int
) -> list[tuple[list[Example[M]], list[Example[M]]]]:
    """Training and test questions of each fold."""
    draw = random.Random(seed)
    order = list(examples)
    draw.shuffle(order)
    if test:
        return [(draw.sample(order, len(order)), list(test)) for _ in range(folds)]
    rests = [[one for i, one in enumerate(order) if i % folds != fold] for fold in range(folds)]
    return [(draw.sample(rest, len(rest)), order[fold::folds]) for fold, rest in enumerate(rests)]


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


def _shares(folds: Sequence[Sequence[Outcome]], name: str, same: bool) -> FloatArray:
    """``[questions]``: outcomes of folds one after the other, or of the same questions averaged."""
    table = [[float(getattr(outcome, name)) for outcome in fold] for fold in folds]
    return np.mean(table, axis=0) if same else np.concatenate([np.array(row) for row in table])
