"""The learning curve of one's own examples, and what it says about more of them.

Parsers are trained on ever more of the examples and tested on held-out ones. The share of wrong
answers is taken to fall as a power of the number of training questions (Hestness et al. 2017, "Deep
Learning Scaling is Predictable, Empirically"). The interval comes from resampling the test
questions of each size (the bootstrap); whether the law holds beyond the sizes that were tried, it
does not know.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from partwise.drawing.plots import new_figure
from partwise.errors import DataError
from partwise.evaluation.metrics import Scores, evaluate
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints, Parser
from partwise.training.trainer import settings_for

if TYPE_CHECKING:
    from matplotlib.figure import Figure

M = TypeVar("M")
LEAST = 6
"""Examples that are needed to split them."""
SHARES = (0.25, 0.4, 0.63, 1.0)
"""Parts of the training examples that are trained on, unless sizes are given."""

Tick = Callable[[int, int, int, float], object]
"""Called after each training with its number, how many there will be, its size, and the share of
correct answers."""


@dataclass(frozen=True)
class LearningCurve:
    """What parsers answered that were trained on parts of `n` examples. `shares`: metric
    (``denotation`` first, where anything is run) -> number of training examples -> ``[questions]``,
    the share of trainings that got each one right."""

    n: int
    shares: Mapping[str, Mapping[int, FloatArray]]

    def trend(self) -> Trend:
        return trend(next(iter(self.shares.values())), self.n)

    def points(self) -> list[dict[str, float]]:
        return [
            {
                "size": size,
                **{name: float(shares[size].mean()) for name, shares in self.shares.items()},
                "questions": len(answers),
            }
            for size, answers in sorted(self.shares["exact_match"].items())
        ]

    def to_json(self) -> dict[str, Any]:
        return {"pairs": self.n, "points": self.points(), "trend": asdict(self.trend())}


def learning_curve(
    kind: type[Parser[M]],
    domain: Any,
    examples: Sequence[Example[M]],
    given: Mapping[str, Any],
    *,
    test: Sequence[Example[M]] = (),
    sizes: Sequence[int] = (),
    folds: int = 3,
    seed: int = 0,
    tick: Tick | None = None,
) -> LearningCurve:
    """Train on parts of the examples and see how many of the others are answered. In each fold
    another part is held out and tested on; smaller training sets are parts of larger ones. With
    `test` all examples are trained on, in another order in each fold. `given`: settings in place of
    presets; `sizes`: numbers of training examples. Raises PartwiseError for too few examples, sizes
    that there are not, and settings that the domain does not take."""
    if len(examples) < LEAST or not 2 <= folds <= len(examples):
        raise DataError(
            f"{len(examples)} pairs cannot be split into {folds} folds; at least {LEAST} are "
            "needed, and 2 folds"
        )
    splits = _splits(examples, test, folds, seed)
    chosen = _sizes(sizes, min(len(train) for train, _ in splits))
    runs = [(size, train[:size], held) for train, held in splits for size in chosen]
    folded: dict[str, dict[int, list[FloatArray]]] = {}
    for number, (size, train, held) in enumerate(runs, start=1):
        config, training = settings_for(kind, domain, size, given)
        parser = kind.create(domain, config)
        # Too few to hold any out: the best epoch is chosen by what is trained on.
        parser.fit(train, train, training, Checkpoints())
        for name, right in _metrics(evaluate(parser, held)).items():
            folded.setdefault(name, {size: [] for size in chosen})[size].append(right)
        if tick is not None:
            tick(number, len(runs), size, float(next(iter(folded.values()))[size][-1].mean()))
    shares = {
        # Of folds one after the other, or of the same questions averaged.
        name: {
            size: np.stack(rows).mean(axis=0) if test else np.concatenate(rows)
            for size, rows in of_sizes.items()
        }
        for name, of_sizes in folded.items()
    }
    return LearningCurve(len(examples), shares)


def _metrics(scores: Scores) -> dict[str, FloatArray]:
    """Which questions are right, by each metric; by denotation only where anything is run."""
    exact = np.array([outcome.exact_match for outcome in scores.outcomes], float)
    if scores.denotation is None:
        return {"exact_match": exact}
    answers = np.array([outcome.denotation for outcome in scores.outcomes], float)
    return {"denotation": answers, "exact_match": exact}


def _splits(
    examples: Sequence[Example[M]], test: Sequence[Example[M]], folds: int, seed: int
) -> list[tuple[list[Example[M]], list[Example[M]]]]:
    draw = random.Random(seed)
    order = list(examples)
    draw.shuffle(order)
    if test:
        return [(draw.sample(order, len(order)), list(test)) for _ in range(folds)]
    rests = [
        [example for i, example in enumerate(order) if i % folds != fold] for fold in range(folds)
    ]
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


def plot_learning(curve: LearningCurve) -> Figure:
    """The metrics over the number of examples, with 95 % intervals over questions, and what twice
    as many examples are expected to bring. Raises PartwiseError if matplotlib is not installed."""
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    sizes: list[float] = [point["size"] for point in curve.points()]
    for name, shares in curve.shares.items():
        means = np.array([point[name] for point in curve.points()])
        halves = 196 * np.sqrt(means * (1 - means) / len(next(iter(shares.values()))))
        label = name.replace("_", " ")
        axes.errorbar(sizes, 100 * means, yerr=halves, marker="o", ms=4, capsize=3, label=label)
    ahead = curve.trend()
    if ahead.now is not None and ahead.twice is not None:
        expected = [100 * ahead.now, 100 * ahead.twice]
        ends = [ahead.n, 2 * ahead.n]
        axes.plot(ends, expected, "--", color="C0", marker="o", mfc="white", label="expected")
        sizes += ends
    axes.set(xlabel="training pairs", ylabel="held-out questions, percent", ylim=(0, 103))
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure


DRAWS = 2000
SIZES, QUESTIONS = 3, 20
"""Sizes and test questions that are needed to say anything."""
LITTLE, SURE, WIDE = 0.02, 0.01, 0.25
"""A gain that is as good as none; one that is surely more; an interval that says nothing."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Trend:
    """What is expected with all examples, and with twice as many, as shares: `now`, `twice`, their
    difference `gain`, and its 90 % interval from `low` to `high`; None where nothing can be told.
    The verdict is ``helps``, ``little`` or ``cannot tell``."""

    n: int
    verdict: str
    why: str
    now: float | None = None
    twice: float | None = None
    gain: float | None = None
    low: float | None = None
    high: float | None = None


def trend(correct: Mapping[int, FloatArray], n: int) -> Trend:
    """Fit the power law and look ahead to twice as many of the `n` examples. `correct`: number of
    training questions -> ``[questions]``, the share in which each test question was answered
    correctly. Raises ValueError if the arrays differ in length or there are none."""
    if len({len(answers) for answers in correct.values()}) != 1:
        raise ValueError("the same test questions are needed for every size")
    sizes = np.array(sorted(correct), float)
    table = np.stack([correct[size] for size in sorted(correct)])
    questions = table.shape[1]
    if len(sizes) < SIZES or questions < QUESTIONS:
        why = f"{len(sizes)} sizes and {questions} test questions are too few"
        return Trend(n, "cannot tell", why)
    if table[-1].min() == 1.0:
        why = "every test question is correct; give harder ones to see what is missing"
        return Trend(n, "cannot tell", why)
    draw = np.random.default_rng(0)
    # Each size apart: what one training gets right by luck another one may not.
    resampled = [
        np.take_along_axis(table, draw.integers(0, questions, table.shape), axis=1).mean(1)
        for _ in range(DRAWS)
    ]
    shares = np.stack([table.mean(1), *resampled])
    now, twice = ahead(sizes, shares, questions, n)
    gains = twice - now
    low, high = (float(edge) for edge in np.percentile(gains[1:], (5, 95)))
    verdict, why = _verdict(gains[0], low, high)
    return Trend(n, verdict, why, float(now[0]), float(twice[0]), float(gains[0]), low, high)


def ahead(
    sizes: FloatArray, shares: FloatArray, questions: int, n: int
) -> tuple[FloatArray, FloatArray]:
    """The expected shares of correct answers with `n` examples and with twice as many. Arguments
    are as for `fit`; one share for each of its curves."""
    slope, start = fit(sizes, shares, questions)
    now, twice = (1 - np.minimum(1.0, np.exp(start + slope * np.log(m))) for m in (n, 2 * n))
    return now, twice


def fit(sizes: FloatArray, shares: FloatArray, questions: int) -> tuple[FloatArray, FloatArray]:
    """Slope (not above zero) and start of the line of log error over log size, of `shares` of
    correct answers, ``[..., sizes]``. Errors are smoothed by half a question, so that none is zero,
    and weighted by how well so many questions tell them. Large sizes count more, as the square:
    with a few examples nothing is learned yet, and the law holds only from where something is."""
    error = (questions * (1 - shares) + 0.5) / (questions + 1)
    weight = error / (1 - error) * sizes**2
    weight /= weight.sum(-1, keepdims=True)
    x, y = np.log(sizes), np.log(error)
    mean_x, mean_y = (weight * x).sum(-1), (weight * y).sum(-1)
    away = x - mean_x[..., None]
    slope = np.minimum(0.0, (weight * away * y).sum(-1) / (weight * away**2).sum(-1))
    return slope, mean_y - slope * mean_x


def _verdict(gain: float, low: float, high: float) -> tuple[str, str]:
    shown = f"{100 * gain:.0f} points ({100 * low:.0f} to {100 * high:.0f})"
    if high < LITTLE:
        return "little", f"twice as many pairs of this kind would bring {shown}: next to nothing"
    if low < SURE or high - low > WIDE:
        return "cannot tell", f"twice as many pairs would bring {shown}: too unsure to say"
    return "helps", f"twice as many pairs would bring {shown}, if errors go on falling as here"
