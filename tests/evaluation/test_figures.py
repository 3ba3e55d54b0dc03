"""Figures by kind of question, and the setup of a saved parser's result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import DataError
from partwise.evaluation.figures import on_dev, on_test
from partwise.evaluation.metrics import Outcome, Scores
from partwise.interface.data import Example
from partwise.interface.registry import data_note
from partwise.interface.settings import recorded, to_dict
from partwise.language.program import Term, parse_program
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.config import TrainingConfig
from partwise.training.trained import ResultData, Trained, guided_setup, make_setup, run_name

PROGRAM = parse_program("answer(capital(loc_2(stateid('ohio'))))")
QUESTION = "capital of ohio"


def example(group: str = "") -> Example[Term]:
    return Example(QUESTION, PROGRAM, group=group)


def scores(*groups: str, right: tuple[bool, ...]) -> Scores:
    outcomes = (Outcome(one, one, group=group) for group, one in zip(groups, right, strict=True))
    return Scores(tuple(outcomes))


def test_groups_that_examples_name_are_noted() -> None:
    examples = [example("b"), example("a"), example(), example("b")]
    found = scores("b", "a", "of the domain", "b", right=(True, False, False, False))
    assert on_test(found, examples) == {
        "exact_match": 0.25,
        "denotation": 0.25,
        "denotation/a": 0.0,
        "denotation/b": 0.5,
    }


def test_under_a_protocol_of_edges_nothing_else_is_noted() -> None:
    found = Scores((Outcome(False, None, partial={"edges": True}),))
    assert on_test(found, [example()], edges_only=True) == {"edges_match": 1.0}
    assert on_dev(found.to_json(), edges_only=True) == {"dev_edges_match": 1.0}


def test_notes_are_of_a_folder(tmp_path: Path) -> None:
    assert (data_note("geography"), data_note("my own")) == ("", "")
    (tmp_path / "clevr").mkdir()
    assert data_note("clevr", tmp_path) == ""
    (tmp_path / "clevr" / "regenerated").mkdir()
    assert "not the released files" in data_note("clevr", tmp_path)


def test_dev_figures() -> None:
    assert on_dev(None) == {}
    metrics = scores("", "", right=(True, False)).to_json()
    assert on_dev(metrics) == {"dev_denotation": 0.5, "dev_exact_match": 0.5}


def config(**facts: Any) -> dict[str, Any]:
    training = {
        "dataset": "clevr",
        "split": "iid",
        "variant": "crf-sharp",
        "train_size": 10,
        "dev": {"n": 5, "denotation": 0.9, "exact_match": 0.8},
        "seconds": 3.0,
        "settings": TrainingConfig(seed=7).to_dict(),
        **facts,
    }
    return {
        "domain": "scenes",
        "parser": to_dict(SpanParserConfig(encoder="some/encoder/")),
        "training": training,
    }


def test_setup_of_a_saved_parser_is_that_of_its_run() -> None:
    trained = Trained(config())
    run = make_setup(
        SpanParser,
        ResultData("clevr", "iid", 10, 5, 20, "made anew"),
        "crf-sharp",
        recorded(SpanParserConfig(encoder="some/encoder/")),
        recorded(TrainingConfig(seed=7)),
        parameters=100,
    )
    assert trained.setup("clevr", "iid", 20, 100, "made anew") == run
    assert (run.encoder, run.data) == ("encoder", "made anew")
    assert "seed" not in run.settings["loop"]
    closure = trained.setup("clevr", "closure", 30, 100, "made anew")
    assert closure == replace(run, split="closure", test_size=30)
    assert trained.setup("scan", "simple", 30, 100).dev_size is None
    assert (trained.seed, trained.run_name) == (7, "clevr-iid-crf-sharp-7")
    assert trained.run_name == run_name("clevr", "iid", "crf-sharp", 7)
    guided = guided_setup(run, 10)
    assert guided.file_name == "span-clevr-iid-crf-sharp-guided.json"
    assert guided.settings["readings"] == 10


def test_figures_of_the_training_go_with_its_data() -> None:
    trained = Trained(config(chart_share=0.1))
    dev = {"dev_denotation": 0.9, "dev_exact_match": 0.8}
    assert trained.figures("clevr", "closure") == dev
    assert trained.figures("clevr", "iid") == {**dev, "chart_share": 0.1}
    assert trained.figures("scan", "simple") == {}


def test_types_by_the_notes_or_by_the_domain() -> None:
    assert Trained(config(types="paper")).types == "paper"
    assert Trained({**config(), "domain": "geoquery-paper"}).types == "paper"
    assert Trained(config()).types == "sharp"


def test_parsers_that_do_not_belong_in_results() -> None:
    with pytest.raises(DataError, match="does not say its dataset, split, variant"):
        Trained({"domain": "scenes", "parser": {}})
    with pytest.raises(DataError, match="to choose settings by"):
        Trained(config(split="iid-inner-template"))
