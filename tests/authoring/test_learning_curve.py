"""The learning curve of pairs: who is trained on and tested on what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from partwise.authoring import trial
from partwise.authoring.learning import LearningCurve, learning_curve
from partwise.authoring.trial import span_trial
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.evaluation.metrics import Outcome, Scores
from partwise.interface.data import Example
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.presets import loop_for_few, parser_for_few

PAIRS = [
    Example(f"question {n}", example.meaning, f"pairs:{n}")
    for n, example in enumerate(load("geography", "iid").train[:12])
]
CONFIG = SpanParserConfig(encoder="bilstm", hidden=16, objective="marginal")
TRIAL = span_trial(Geography(), CONFIG)


class Trainings:
    """Stands for training and testing: right are questions whose number is below the size."""

    def __init__(self) -> None:
        self.seen: list[tuple[list[str], list[str]]] = []
        self.train: list[str] = []
        self.epochs: list[int] = []

    def session(
        self, kind: Any, domain: Any, data: Any, config: Any, settings: Any, **more: Any
    ) -> Any:
        assert data.dev == data.train
        self.train = [example.question for example in data.train]
        self.epochs.append(settings.epochs)
        return type("Session", (), {"parser": None})()

    def evaluate(self, parser: Any, held: list[Example[Term]]) -> Scores:
        names = [example.question for example in held]
        self.seen.append((self.train, names))
        numbers = [int(name.split()[1]) for name in names]
        return Scores(tuple(Outcome(n < 2, n < len(self.train)) for n in numbers))


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Trainings:
    stub = Trainings()
    monkeypatch.setattr(trial, "train_parser", stub.session)
    monkeypatch.setattr(trial, "evaluate", stub.evaluate)
    return stub


def test_every_pair_is_held_out_once_for_each_size(trainings: Trainings) -> None:
    told = []
    curve = learning_curve(PAIRS, TRIAL, folds=3, tick=lambda *what: told.append(what[:3]))
    assert sorted(curve.denotation) == [2, 3, 5, 8]
    assert [number for number, _, _ in told] == list(range(1, 13))
    assert {(of, size) for _, of, size in told} == {(12, size) for size in (2, 3, 5, 8)}
    for size in (2, 3, 5, 8):
        held = [name for train, names in trainings.seen for name in names if len(train) == size]
        assert sorted(held) == sorted(pair.question for pair in PAIRS)
        assert curve.denotation[size].sum() == size
        assert curve.exact[size].sum() == 2


def test_nothing_is_tested_that_was_trained_on_and_small_sets_are_in_large_ones(
    trainings: Trainings,
) -> None:
    learning_curve(PAIRS, TRIAL, folds=2, sizes=(2, 6))
    for train, held in trainings.seen:
        assert not set(train) & set(held)
    (small, _), (large, _) = trainings.seen[:2]
    assert small == large[:2]


def test_given_questions_are_tested_in_every_fold(trainings: Trainings) -> None:
    curve = learning_curve(PAIRS[:8], TRIAL, test=PAIRS[8:], sizes=(4, 8), folds=2)
    assert [names for _, names in trainings.seen] == [[pair.question for pair in PAIRS[8:]]] * 4
    assert np.array_equal(curve.denotation[8], [0, 0, 0, 0])
    assert trainings.seen[1][0] != trainings.seen[3][0]


def test_fewer_pairs_get_more_passes(trainings: Trainings) -> None:
    learning_curve(PAIRS, TRIAL, sizes=(4, 8))
    wanted = [loop_for_few(size)["epochs"] for size in (4, 8)]
    assert trainings.epochs[:2] == wanted
    assert wanted[0] > wanted[1]
    learning_curve(PAIRS, span_trial(Geography(), CONFIG, epochs=3), sizes=(8,))
    assert trainings.epochs[-1] == 3


@pytest.mark.parametrize(
    ("pairs", "more", "message"),
    [
        (5, {}, "5 pairs cannot be split into 3 folds; at least 6"),
        (12, {"folds": 13}, "cannot be split into 13 folds"),
        (12, {"sizes": (9,)}, "no 9 training pairs: 8 are left"),
        (12, {"sizes": (0,)}, "no 0 training pairs"),
    ],
)
def test_what_cannot_be_split_is_told(pairs: int, more: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        learning_curve(PAIRS[:pairs], TRIAL, **more)


def test_figures_as_json() -> None:
    table = {size: (np.arange(40) < 10 + size).astype(float) for size in (5, 10, 20)}
    found = json.loads(json.dumps(LearningCurve(30, table, table).to_json()))
    assert found["points"][0] == {
        "size": 5,
        "denotation": 0.375,
        "exact_match": 0.375,
        "questions": 40,
    }
    assert found["trend"]["n"] == 30


def test_a_curve_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from partwise.authoring.plot import plot_learning
    from partwise.drawing.plots import write

    table = {size: (np.arange(40) < 10 + size).astype(float) for size in (5, 10, 20)}
    write(plot_learning(LearningCurve(30, table, table)), tmp_path / "curve.svg")
    text = (tmp_path / "curve.svg").read_text("utf-8")
    assert all(word in text for word in ("training pairs", "exact match", "expected"))


@pytest.mark.parametrize(("n", "batch"), [(1, 2), (99, 2), (100, 4), (199, 4)])
def test_few_questions_get_small_batches_and_enough_steps(n: int, batch: int) -> None:
    found = loop_for_few(n)
    assert found["batch_size"] == batch
    assert found["epochs"] * n >= 440


def test_few_questions_are_recombined_where_they_can_be() -> None:
    assert parser_for_few(30, "crf") == {"recombination": 0.5}
    assert parser_for_few(30, "trees") == {}
    assert parser_for_few(200, "crf") == {}


def test_many_questions_are_trained_as_usual() -> None:
    assert loop_for_few(200) == {}
    assert loop_for_few(0) == {}
