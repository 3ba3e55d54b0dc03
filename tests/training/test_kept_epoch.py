"""Which epoch's weights are kept."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn

from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.training.neural import WATCHED, watched
from partwise.training.trainer import LossReport, Stopwatch, Trainer, TrainingConfig


class Line(nn.Module):
    """A parser of one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.clock = nn.Linear(1, 1), Stopwatch()

    def pretrained(self) -> list[nn.Parameter]:
        """None of them."""
        return []

    def begin_epoch(self, *_: object) -> None:
        """Nothing."""

    def loss(self, batch: list[int]) -> LossReport:
        """The weight itself, which so falls for ever."""
        return LossReport(self.encoder.weight.sum(), len(batch))


@pytest.mark.parametrize(
    ("judged", "shares", "kept"),
    [
        (0, [0.5, 0.9, 0.9, 0.8], 2),
        (0, [1.0, 0.998, 0.9, 0.9], 0),
        # One standard error of 99.2 % of 500 is two questions, of 100 % one.
        (500, [0.992, 0.990, 0.990, 0.986], 2),
        (500, [1.0, 0.998, 0.996, 0.996], 1),
        # A slow fall does not carry what is kept down with it.
        (500, [0.992, 0.990, 0.988, 0.986], 2),
        (500, [0.990, 0.988, 1.0, 0.5], 2),
        (500, [0.0, 0.0, 0.0, 0.0], 3),
    ],
)
def test_the_latest_of_the_epochs_that_are_as_good_is_kept(
    judged: int, shares: list[float], kept: int
) -> None:
    parser: Any = Line()
    told, weights = iter(shares), list[float]()

    def evaluate() -> dict[str, float]:
        weights.append(float(parser.encoder.weight.detach()))
        return {"dev": next(told)}

    trainer = Trainer(parser, [1], evaluate, TrainingConfig(epochs=4), judged=judged)
    assert trainer.run().best_epoch == kept
    assert float(parser.encoder.weight.detach()) == weights[kept]
    assert len(set(weights)) == 4


def test_the_last_epoch_is_kept_if_asked_for() -> None:
    told = iter([0.9, 0.2])
    settings = TrainingConfig(epochs=2, keep="last")
    parser: Any = Line()
    assert Trainer(parser, [1], lambda: {"dev": next(told)}, settings).run().best_epoch == 1
    with pytest.raises(PartwiseError, match="keep = best"):
        TrainingConfig(keep="last", patience=2)


def test_questions_that_choose_nothing_are_asked_in_part() -> None:
    many = [Example(str(number), number) for number in range(WATCHED + 1)]
    assert watched(many[:WATCHED]) == many[:WATCHED]
    assert len(set(map(id, watched(many)))) == WATCHED
    assert watched(many) == watched(many)
