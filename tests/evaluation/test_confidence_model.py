"""Measures of probabilities, by hand and against their definitions, and when a parser answers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import cases, rows
from partwise.errors import CheckpointError
from partwise.evaluation.confidence import (
    MODEL_FILE,
    ConfidenceModel,
    Judgement,
    Vectors,
    at_coverage,
    calibration_error,
    chance_error,
    everyday,
    fit_confidence,
    idle_cost,
    log_loss,
    logistic,
    minimum,
    reliability,
    thresholds,
)
from partwise.interface.data import Example
from partwise.interface.prediction import Answer, Prediction

SOME = rows(globals(), "SOME")
judged = st.lists(st.builds(Judgement, st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_bins_by_hand() -> None:
    low, high = reliability(SOME)
    assert (low.probability, low.accuracy, low.size) == (0.25, 0.0, 1)
    assert high.probability == pytest.approx(2.78 / 3)
    assert (high.accuracy, high.size) == (pytest.approx(2 / 3), 3)
    assert reliability([Judgement(1.0, True)])[0].size == 1


def test_errors_by_hand() -> None:
    assert calibration_error(SOME) == pytest.approx((3 * (2.78 / 3 - 2 / 3) + 0.25) / 4)
    wanted = -sum(map(math.log, (0.95, 0.91, 0.08, 0.75))) / 4
    assert log_loss(SOME) == pytest.approx(wanted)


def test_certainty_that_is_wrong_costs_much_but_not_all() -> None:
    assert 20 < log_loss([Judgement(1.0, False)]) < 40


def test_accuracy_of_the_most_probable() -> None:
    assert at_coverage(SOME, 1.0) == (0.5, 0.25)
    assert at_coverage(SOME, 0.75) == (pytest.approx(2 / 3), 0.91)
    assert at_coverage(SOME, 0.25) == (1.0, 0.95)
    assert at_coverage(SOME, 0.01) == (1.0, 0.95)
    # Nine of ten are nine, whatever 0.9 is in binary.
    ten = [Judgement(1 - n / 10, n < 9) for n in range(10)]
    assert at_coverage(ten, 0.9) == (1.0, pytest.approx(0.2))


def test_nothing_to_judge_is_told() -> None:
    with pytest.raises(ValueError, match="no predictions"):
        calibration_error([])
    with pytest.raises(ValueError, match="coverage of 0"):
        at_coverage(SOME, 0)


@given(judged)
def test_the_calibration_error_is_a_share_and_nought_in_one_bin_that_is_right(
    some: list[Judgement],
) -> None:
    assert 0 <= calibration_error(some) <= 1
    share = sum(one.right for one in some) / len(some)
    even = [Judgement(share, one.right) for one in some]
    assert calibration_error(even) == pytest.approx(0, abs=1e-9)
    assert sum(part.size for part in reliability(some)) == len(some)


def test_the_error_by_chance_is_that_of_few_answers_and_goes_with_many() -> None:
    # One answer at one half is off by one half, right or wrong.
    assert chance_error([Judgement(0.5, True)]) == pytest.approx(0.5)
    assert chance_error([Judgement(1.0, False)] * 5) == pytest.approx(0)
    # Of two at one half, half of the time one is right: 0; else both or none: 0.5.
    assert chance_error([Judgement(0.5, True)] * 2, draws=2000) == pytest.approx(0.25, abs=0.02)
    assert chance_error([Judgement(0.5, True)] * 900, draws=50) < 0.03
    with pytest.raises(ValueError, match="no predictions"):
        chance_error([])


@given(st.floats(-4, 4), st.floats(0.1, 5))
def test_the_least_of_a_valley_is_found(where: float, width: float) -> None:
    found = minimum(lambda x: ((x - where) / width) ** 2, -5, 5, 40)
    assert found == pytest.approx(where, abs=1e-4)


BASE = ConfidenceModel(
    ["big", "ball"],
    ["kindly"],
    ["which ball is big", "is the ball big", "how old is the ball", "name a ball"],
    [0.5, 0.8, -0.6, -1.0, -20.0],
    usual=0.1,
    refused_below=0.3,
    doubtful_below=0.7,
)


def said(probability: float, *unused: str, unknown: tuple[str, ...] = ()) -> Prediction[str]:
    words = ("big", "ball", *unused)
    numbers = tuple(range(2, len(words)))
    return Prediction(
        " ".join(words), words, "big(ball)", probability, unused=numbers, unknown=unknown
    )


@given(
    st.floats(0, 1),
    st.lists(st.sampled_from(["kite", "yogurt", "7", "Paris", "kindly"]), max_size=9),
    st.sampled_from(["kite", "8", "Rome"]),
)
def test_more_words_that_gave_nothing_never_raise_the_probability(
    probability: float, unused: list[str], more: str
) -> None:
    fewer, others = (
        BASE.apply(said(probability, *words), at_least=0.0).probability
        for words in (unused, [*unused, more])
    )
    assert others <= fewer


@settings(max_examples=15)
@given(
    st.lists(st.tuples(*[st.floats(-5, 5)] * 4, st.booleans()), min_size=2, max_size=20),
)
def test_no_data_give_weights_of_another_sign(rows: list[tuple[float, ...]]) -> None:
    features = np.array([[1.0, *row[:4]] for row in rows])
    weights = logistic(features, np.array([bool(row[4]) for row in rows]))
    assert weights[1] >= 0 >= max(weights[2:])


def test_answered_doubtful_and_refused_are_told_apart() -> None:
    sure = BASE.apply(said(0.99))
    shy = BASE.apply(said(0.55, "kite", unknown=("kite",)), at_least=0.0)
    none = BASE.apply(said(0.1, "kite", "yogurt", unknown=("kite", "yogurt")))
    assert [one.status for one in (sure, shy, none)] == ["answered", "doubtful", "refused"]
    assert none.reason is not None
    assert "'kite', 'yogurt'" in none.reason
    assert "unlike" in none.reason
    assert none.alternatives[0].meaning == "big(ball)"
    assert len(none.suggestions) == 3
    assert Answer(none, reason=none.reason).to_json()["status"] == "refused"
    assert Answer(shy).to_json()["status"] == "doubtful"
    assert Answer(sure, lines=("red",), value=["red"]).status == "answered"
    assert Answer(sure, value=[]).status == "doubtful", "few people ask for what is not"


def test_from_few_questions_new_words_make_a_doubt() -> None:
    parser = SimpleNamespace(confidence=None)
    few = fit_confidence(parser, [Example("which ball is big", "big(ball)")], [])
    assert parser.confidence is few
    assert few.apply(said(0.99, "which")).status == "answered"
    assert few.apply(said(0.99, "kite", "yogurt", unknown=("kite", "yogurt"))).status == "doubtful"
    assert few.apply(said(0.01)).status == "doubtful"


def test_words_that_often_give_nothing_are_harmless() -> None:
    assert BASE.unused_words(said(0.9, "kindly", "kite")) == ["kite"]


def test_who_asks_for_any_probability_gets_an_answer() -> None:
    assert BASE.apply(said(0.01, "kite"), at_least=0.0).meaning == "big(ball)"


def test_a_question_far_from_training_is_less_probable() -> None:
    far, near = np.array([0.0, 1.0], np.float32), np.array([1.0, 0.0], np.float32)
    model = replace(BASE, vectors=np.array([[1.0, 0.0]] * 4, np.float32))
    shares = [model.apply(said(0.9), v, 0.0).probability for v in (near, far)]
    assert shares[1] < 0.01 < shares[0]


def test_alternatives_stay_in_order() -> None:
    other = replace(said(0.3), meaning="old(ball)")
    both = replace(said(0.6, "kite"), alternatives=(other,))
    for judged in (BASE.apply(both, at_least=0.0), BASE.apply(replace(both, unused=()))):
        total = judged.probability + judged.alternatives[0].probability
        assert judged.alternatives[0].probability <= judged.probability
        assert total <= 1


def test_thresholds_keep_what_is_right() -> None:
    shares = np.linspace(0, 1, 200)
    plain = np.arange(200) % 2 == 0
    refused, doubtful = thresholds(shares, shares > 0.4, plain)
    assert 0.4 < refused <= 0.5 < doubtful
    assert (shares[shares > 0.4] >= refused).mean() >= 0.8
    assert (shares[plain & (shares > 0.4)] >= refused).mean() >= 0.95
    assert thresholds(shares, shares > 0.4, shares < 0.4)[0] == 0.5, "nothing to keep"


def test_a_word_costs_more_the_more_often_it_gives_something() -> None:
    model = replace(BASE, costs={"the": 0.1, "ball": 2.5})
    costs = [model.features(said(0.9, *words))[2] for words in (["the"], ["kite"], ["ball", "the"])]
    assert costs == pytest.approx([0.1, idle_cost(0, 0), 2.6])


@pytest.mark.parametrize("vectors", [None, np.eye(4, dtype=np.float32)])
def test_it_is_read_as_it_was_written(tmp_path: Path, vectors: Vectors | None) -> None:
    model = replace(BASE, vectors=vectors)
    model.write(tmp_path)
    again = ConfidenceModel.read(tmp_path)
    assert again == model
    assert again is not None
    assert (again.vectors is None) == (vectors is None)


def test_an_old_folder_has_none(tmp_path: Path) -> None:
    assert ConfidenceModel.read(tmp_path) is None


@cases("name, value")
def test_a_damaged_file_is_refused(tmp_path: Path, name: str, value: object) -> None:
    BASE.write(tmp_path)
    file = tmp_path / MODEL_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))
    with pytest.raises(CheckpointError):
        ConfidenceModel.read(tmp_path)


def test_there_are_everyday_questions() -> None:
    questions = everyday()
    assert len(questions) == len(set(questions)) == 100
