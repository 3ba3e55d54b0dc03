"""Kinds of errors of hand-made predictions, and the calibration of their probabilities."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from baseline_errors import KINDS, Sorter, analysed, constrain, structure, trained_on
from cases import cases
from partwise.domains.geography import Geography
from partwise.errors import PartwiseError
from partwise.evaluation.splits import some_of
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.registry import load
from partwise.language.sparql import parse_query
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.seq2seq.config import Seq2SeqConfig

GOLD = "answer(capital(loc_2(stateid('texas'))))"
TRAIN = [Example("q", Geography().read("answer(capital(loc_2(stateid('ohio'))))"))]


def program(text: str | None) -> Any:
    """A program of geography; None for None."""
    return None if text is None else Geography().read(text)


@cases("guess, kind")
def test_kinds_of_wrong_programs(guess: str | None, kind: str) -> None:
    assert Sorter(Geography(), TRAIN).kind(program(GOLD), program(guess)) == kind


def test_a_template_that_is_not_in_train_is_an_unseen_structure() -> None:
    sorter = Sorter(Geography(), [Example("q", program("answer(stateid('ohio'))"))])
    wrong = program("answer(loc_1(stateid('texas')))")
    assert sorter.kind(program(GOLD), wrong) == "unseen structure"
    # What is right but for a predicate is lexical, however new the structure is.
    close = program("answer(city(loc_2(stateid('texas'))))")
    assert sorter.kind(program(GOLD), close) == "lexical"


def test_kinds_of_wrong_queries() -> None:
    gold, entity, lexical, other = (
        parse_query(f"ASK WHERE {{ {text} }}")
        for text in (
            "?x0 wdt:P57 M1 . M2 wdt:P161 ?x0",
            "?x0 wdt:P57 M2 . M1 wdt:P161 ?x0",
            "?x0 wdt:P161 M1 . M2 wdt:P161 ?x0",
            "?x0 wdt:P57 M1",
        )
    )
    sorter = Sorter(WIKIDATA, [])
    sorter._makes_sense = lambda meaning: True  # type: ignore[method-assign]
    assert [sorter.kind(gold, one) for one in (entity, lexical, other)] == [
        *("entity", "lexical"),
        "unseen structure",
    ]
    assert structure(gold) != structure(other)


def test_two_edges_between_the_same_nodes_stay_two() -> None:
    one = parse_query("ASK WHERE { M0 wdt:P57 M1 }")
    two = parse_query("ASK WHERE { M0 wdt:P57 M1 . M0 wdt:P58 M1 }")
    assert structure(one) != structure(two)


def said(text: str | None, probability: float) -> Prediction[Any]:
    """What a parser said."""
    return Prediction("q", meaning=program(text), probability=probability)


def test_shares_and_calibration() -> None:
    examples = [Example("q", program(GOLD))] * 4
    predictions = [
        *(said(GOLD, 1.0), said("answer(capital(loc_2(stateid('iowa'))))", 0.5)),
        *(said(None, 0.0), said(None, 0.9)),
    ]
    found = analysed(Sorter(Geography(), TRAIN), examples, predictions)
    assert (found["questions"], found["wrong"]) == (4, 3)
    assert found["kinds"] == {
        **dict.fromkeys(KINDS, 0.0),
        "unreadable": pytest.approx(2 / 3),
        "entity": pytest.approx(1 / 3),
    }
    assert (found["new"], found["exact_match_new"], found["exact_match_known"]) == (0, None, 0.25)
    # Only the wrong one with a probability of a half is off; no meaning counts as 0.
    assert found["calibration_error"] == pytest.approx(0.125)


def test_without_probabilities_there_is_no_calibration() -> None:
    found = analysed(
        Sorter(Geography(), TRAIN), [Example("q", program(GOLD))], [said(GOLD, math.nan)]
    )
    assert found["calibration_error"] is None
    assert found["kinds"] == dict.fromkeys(KINDS, 0.0)


def test_answers_without_meanings_are_refused() -> None:
    answered = Prediction("q", ("q",), meaning="yes")
    with pytest.raises(PartwiseError, match="answers and no meanings"):
        analysed(Sorter(Geography(), TRAIN), TRAIN, [answered])


def test_a_parser_is_constrained_once() -> None:
    form = SimpleNamespace(constrained=False)
    parser = SimpleNamespace(kind="seq2seq", config=Seq2SeqConfig(), form=form)
    constrain(parser)
    assert parser.config == Seq2SeqConfig(constrained=True)
    with pytest.raises(PartwiseError, match="changes no parser of kind seq2seq"):
        constrain(parser)


def test_what_has_no_constraint_is_not_measured_as_if_it_had() -> None:
    with pytest.raises(PartwiseError, match="changes no parser of kind span"):
        constrain(SimpleNamespace(kind="span", config=object()))


def test_only_questions_that_a_parser_was_trained_on_make_a_structure_seen() -> None:
    whole = load("geography", "iid").train
    few = trained_on({"split": "iid", "train_size": 20}, "geography", None)
    assert len(few) == 20 < len(whole)
    assert few == some_of(whole, 20)
    assert trained_on({"split": "iid", "train_size": len(whole)}, "geography", None) == whole
