"""Learning curves, and what they say about more examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases import cases
from partwise.authoring.learning import FloatArray, LearningCurve, ahead, fit, learning_curve, trend
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.registry import load
from partwise.language.graph_domain import GraphDomain
from partwise.language.program import Term, parse_program
from partwise.language.sparql import parse_query
from partwise.span.config import presets_for_few
from partwise.span.parser import SpanParser
from partwise.training.trainer import TrainingConfig

pytestmark = pytest.mark.usefixtures("no_state")

PAIRS = [
    Example(f"question {n}", example.meaning, f"pairs:{n}")
    for n, example in enumerate(load("geography", "iid").train[:12])
]
GIVEN = {"encoder": "bilstm", "hidden": 16, "objective": "marginal"}
WRONG = parse_program("answer(state(all))")


class Counting(SpanParser):
    """Right are questions whose number is below the number of training examples."""

    seen: list[tuple[list[str], list[str]]]
    epochs: list[int]
    names: list[str]

    def fit(self, train: Any, dev: Any, config: TrainingConfig, checkpoints: Any) -> Any:  # type: ignore[override]
        assert dev == train
        self.names = [example.question for example in train]
        self.epochs.append(config.epochs)

    def parse_examples(self, examples: Any) -> list[Prediction[Term]]:
        self.seen.append((self.names, [example.question for example in examples]))
        right = [int(one.question.split()[1]) < len(self.names) for one in examples]
        return [
            Prediction(one.question, (), one.meaning if good else WRONG)
            for one, good in zip(examples, right, strict=True)
        ]


@pytest.fixture
def trainings() -> type[Counting]:
    Counting.seen, Counting.epochs = [], []
    return Counting


def test_every_pair_is_held_out_once_for_each_size(trainings: type[Counting]) -> None:
    told: list[tuple[int, int, int]] = []
    curve = learning_curve(
        trainings, Geography(), PAIRS, GIVEN, folds=3, tick=lambda *what: told.append(what[:3])
    )
    assert list(curve.shares) == ["denotation", "exact_match"]
    assert list(curve.shares["denotation"]) == [2, 3, 5, 8]
    assert [number for number, _, _ in told] == list(range(1, 13))
    assert {(of, size) for _, of, size in told} == {(12, size) for size in (2, 3, 5, 8)}
    for size in (2, 3, 5, 8):
        held = [name for train, names in trainings.seen for name in names if len(train) == size]
        assert sorted(held) == sorted(pair.question for pair in PAIRS)
        assert curve.shares["denotation"][size].sum() == size
        assert curve.shares["exact_match"][size].sum() == size


def test_nothing_is_tested_that_was_trained_on_and_small_sets_are_in_large_ones(
    trainings: type[Counting],
) -> None:
    learning_curve(trainings, Geography(), PAIRS, GIVEN, folds=2, sizes=(2, 6))
    for train, held in trainings.seen:
        assert not set(train) & set(held)
    (small, _), (large, _) = trainings.seen[:2]
    assert small == large[:2]


def test_given_questions_are_tested_in_every_fold(trainings: type[Counting]) -> None:
    curve = learning_curve(
        trainings, Geography(), PAIRS[:8], GIVEN, test=PAIRS[8:], sizes=(4, 8), folds=2
    )
    assert [names for _, names in trainings.seen] == [[pair.question for pair in PAIRS[8:]]] * 4
    assert np.array_equal(curve.shares["denotation"][8], [0, 0, 0, 0])
    assert trainings.seen[1][0] != trainings.seen[3][0]


def test_fewer_pairs_get_more_passes(trainings: type[Counting]) -> None:
    learning_curve(trainings, Geography(), PAIRS, GIVEN, sizes=(4, 8))
    wanted = [presets_for_few(size, "crf")["epochs"] for size in (4, 8)]
    assert trainings.epochs[:2] == wanted
    assert wanted[0] > wanted[1]
    learning_curve(trainings, Geography(), PAIRS, {**GIVEN, "epochs": 3}, sizes=(8,))
    assert trainings.epochs[-1] == 3


def test_a_graph_parser_has_a_curve_of_exact_matches() -> None:
    songs = GraphDomain("songs", "sparql")
    verbs = {"wrote": "writer", "sang": "singer", "produced": "producer"}
    pairs = [
        Example(
            f"Who {verb} M{n}", parse_query(f"SELECT DISTINCT ?x0 WHERE {{ M{n} song:{said} ?x0 }}")
        )
        for n in range(4)
        for verb, said in verbs.items()
    ]
    given = {"epochs": 1, "batch_size": 4, "dx": 8, "dh": 8, "hidden": 8}
    curve = learning_curve(GraphParser, songs, pairs, given, sizes=(6,), folds=2)
    assert [(name, list(of)) for name, of in curve.shares.items()] == [("exact_match", [6])]
    assert curve.to_json()["points"][0]["questions"] == 12


@cases("pairs, more, message")
def test_what_cannot_be_split_is_told(
    trainings: type[Counting], pairs: int, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        learning_curve(trainings, Geography(), PAIRS[:pairs], GIVEN, **more)


def rising() -> LearningCurve:
    table = {size: (np.arange(40) < 10 + size).astype(float) for size in (5, 10, 20)}
    return LearningCurve(30, {"denotation": table, "exact_match": table})


def test_figures_as_json() -> None:
    found = json.loads(json.dumps(rising().to_json()))
    point = {"size": 5, "denotation": 0.375, "exact_match": 0.375, "questions": 40}
    assert found["points"][0] == point
    assert found["trend"]["n"] == 30


def test_a_curve_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from partwise.authoring.learning import plot_learning
    from partwise.drawing.plots import write

    write(plot_learning(rising()), tmp_path / "curve.svg")
    text = (tmp_path / "curve.svg").read_text("utf-8")
    assert all(word in text for word in ("training pairs", "exact match", "expected"))


@pytest.mark.parametrize(("n", "batch"), [(1, 2), (99, 2), (100, 4), (199, 4)])
def test_few_questions_get_small_batches_and_enough_steps(n: int, batch: int) -> None:
    found = presets_for_few(n, "trees")
    assert found["batch_size"] == batch
    assert found["epochs"] * n >= 440


def test_few_questions_are_recombined_where_they_can_be() -> None:
    assert presets_for_few(30, "crf")["recombination"] == 0.5
    assert "recombination" not in presets_for_few(30, "trees")


def test_many_questions_are_trained_as_usual() -> None:
    assert presets_for_few(200, "crf") == {}
    assert presets_for_few(0, "crf") == {}


def right(share: float, questions: int) -> FloatArray:
    """So many right answers, spread evenly."""
    return (np.arange(questions) < round(share * questions)).astype(float)


def power(sizes: list[int], start: float, slope: float, questions: int) -> dict[int, FloatArray]:
    return {size: right(1 - start * size**slope, questions) for size in sizes}


def test_a_power_law_is_found_again() -> None:
    table = power([10, 20, 40, 80], 2.0, -0.7, 20_000)
    sizes = np.array(sorted(table), float)
    shares = np.stack([answers.mean() for answers in table.values()])
    slope, start = fit(sizes, shares, 20_000)
    assert slope == pytest.approx(-0.7, abs=0.02)
    assert np.exp(start) == pytest.approx(2.0, rel=0.05)
    now, twice = ahead(sizes, shares, 20_000, 100)
    assert now == pytest.approx(1 - 2 * 100**-0.7, abs=0.01)
    assert twice == pytest.approx(1 - 2 * 200**-0.7, abs=0.01)


def test_many_curves_are_fitted_as_one_by_one() -> None:
    sizes = np.array([10.0, 20.0, 40.0])
    shares = np.array([[0.5, 0.6, 0.8], [0.9, 0.7, 0.6]])
    slopes, starts = fit(sizes, shares, 50)
    assert slopes[0] < slopes[1] == 0
    for row, slope, start in zip(shares, slopes, starts, strict=True):
        assert (slope, start) == pytest.approx(fit(sizes, row, 50))


def test_a_curve_that_rises_says_that_more_helps() -> None:
    found = trend(power([10, 20, 40, 80], 2.0, -0.7, 400), 100)
    assert found.verdict == "helps"
    assert found.low is not None
    assert found.high is not None
    assert found.gain is not None
    assert 0 < found.low < found.gain < found.high < 0.1


def test_a_curve_that_is_flat_says_that_it_brings_little() -> None:
    found = trend(power([10, 20, 40, 80], 0.02, 0.0, 4000), 100)
    assert found.verdict == "little"


def test_a_curve_that_falls_promises_nothing() -> None:
    table = {size: right(share, 200) for size, share in ((10, 0.8), (20, 0.7), (40, 0.6))}
    found = trend(table, 50)
    assert found.gain == pytest.approx(0, abs=1e-9)
    assert found.verdict != "helps"


def test_few_questions_cannot_tell() -> None:
    noisy = {5: right(0.5, 24), 10: right(0.4, 24), 20: right(0.55, 24)}
    found = trend(noisy, 30)
    assert found.verdict == "cannot tell"
    assert found.low is not None
    assert "too unsure" in found.why


@cases("table, why")
def test_what_cannot_be_told_at_all(table: dict[int, FloatArray], why: str) -> None:
    found = trend(table, 30)
    assert (found.verdict, found.gain) == ("cannot tell", None)
    assert why in found.why


def test_the_same_questions_are_needed() -> None:
    with pytest.raises(ValueError, match="same test questions"):
        trend({5: right(0.5, 50), 10: right(0.6, 40)}, 30)


def test_the_same_seed_gives_the_same_interval() -> None:
    table = power([10, 20, 40], 1.0, -0.5, 100)
    assert trend(table, 50) == trend(table, 50)
