"""Probabilities of programs, abstaining, and where readings part."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from library import without_manifest
from partwise.domains.geography.domain import Geography
from partwise.encoders import make_encoder
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.evaluation.confidence import fit_temperature, judge, measure_confidence
from partwise.interface.data import Example
from partwise.interface.prediction import Difference, Prediction
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser

QUESTION = "what is the largest city in texas ?"


@pytest.fixture(scope="module")
def examples() -> list[Example[Term]]:
    return load("geography", "iid").train[:30]


@pytest.fixture
def parser(examples: list[Example[Term]]) -> SpanParser:
    """Not trained: its lexicon makes it right now and then."""
    torch.manual_seed(0)
    words = [tokenize(example.question) for example in examples]
    config = SpanParserConfig(encoder="bilstm", hidden=16)
    return SpanParser(Geography(), config, make_encoder("bilstm", words)).eval()


def mostly_right(parser: SpanParser, examples: list[Example[Term]]) -> list[Example[Term]]:
    """The first twenty questions with what the parser makes of them as gold."""
    found = parser.parse([example.question for example in examples[:20]])
    assert None not in [one.meaning for one in found]
    made = [Example(one.question, one.meaning) for one in found if one.meaning]
    return made + examples[20:]


def test_a_high_temperature_flattens_and_a_low_one_sharpens(parser: SpanParser) -> None:
    (one,) = parser.confidences([QUESTION])
    assert one is not None
    shares = [one.at(temperature) for temperature in (0.001, 0.2, 1.0, 5.0, 50.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.5
    assert shares[-1] < 0.01


def test_probabilities_of_readings_are_those_at_the_temperature(parser: SpanParser) -> None:
    (one,) = parser.confidences([QUESTION])
    assert one is not None
    for temperature in (1.0, 2.5):
        parser.temperature = temperature
        (parse,) = parser.parse([QUESTION], k=3)
        assert parse.meaning == one.meaning
        assert parse.probability == pytest.approx(one.at(temperature), rel=1e-6)
        every = [parse.probability, *(other.probability for other in parse.alternatives)]
        assert sum(every) <= 1 + 1e-9


def test_the_temperature_fitted_makes_the_outcome_likelier(
    parser: SpanParser, examples: list[Example[Term]]
) -> None:
    examples = mostly_right(parser, examples)
    found = fit_temperature(parser, examples)
    assert parser.temperature == found != 1.0
    measured = measure_confidence(parser, examples)
    assert measured.log_loss_after < measured.log_loss_before
    assert (measured.temperature, measured.questions) == (found, len(examples))
    assert {right for _, right in judge(parser, examples)} == {True, False}


def test_the_temperature_of_a_parser_that_is_always_right_is_bounded(
    parser: SpanParser, examples: list[Example[Term]]
) -> None:
    right = mostly_right(parser, examples)[:10]
    assert all(good for _, good in judge(parser, right))
    assert 0.2 < fit_temperature(parser, right) < 1.0
    assert fit_temperature(parser, []) == 1.0


def test_what_is_not_probable_enough_is_no_parse(parser: SpanParser) -> None:
    (sure,) = parser.parse([QUESTION], k=2)
    bound = sure.probability
    assert parser.parse([QUESTION], 2, bound - 1e-6)[0].meaning == sure.meaning
    (shy,) = parser.parse([QUESTION], 2, min(1.0, bound + 1e-6))
    assert shy.meaning is None
    assert shy.reason is not None
    assert f"{100 * bound:.0f} %" in shy.reason
    assert [a.meaning for a in shy.alternatives] == [
        sure.meaning,
        *(a.meaning for a in sure.alternatives),
    ]
    assert not shy.alternatives[0].alternatives


def test_the_temperature_is_saved(parser: SpanParser, tmp_path: Path) -> None:
    parser.temperature = 1.75
    parser.save_pretrained(tmp_path / "model")
    assert SpanParser.from_pretrained(tmp_path / "model").temperature == 1.75
    config = read_json(without_manifest(tmp_path / "model") / "config.json")
    for wrong in (0, -1, math.nan, "warm"):
        write_json(tmp_path / "model" / "config.json", {**config, "temperature": wrong})
        with pytest.raises(CheckpointError, match=r"config\.json"):
            SpanParser.from_pretrained(tmp_path / "model")


def differences(one: Prediction[Term], other: Prediction[Term]) -> list[Difference]:
    assert one.derivation is not None
    return list(one.derivation.differences(other.derivation))


def test_derivations_differ_where_a_phrase_is_taken_otherwise(parser: SpanParser) -> None:
    (best,) = parser.parse(["what is the largest city in texas ?"], k=8)
    assert len(best.alternatives) >= 3
    for other in best.alternatives:
        for one in differences(best, other):
            assert one.words in best.question
            assert one.mine != one.other
        mirrored = [Difference(d.words, d.other, d.mine) for d in differences(best, other)]
        assert mirrored == differences(other, best)
    assert any(differences(best, other) for other in best.alternatives)
    assert differences(best, best) == []
