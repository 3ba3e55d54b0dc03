"""The setup and the metrics of a saved parser's result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Outcome, Scores
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import data_note
from partwise.interface.settings import recorded, to_dict
from partwise.language.program import Term, parse_program
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import run_name
from partwise.training.trainer import TrainingConfig
from partwise_papers.incontext.parser import InContextParser
from partwise_papers.results.recorder import metrics_of, protocol, setup_of
from partwise_papers.seq2seq.config import Seq2SeqConfig

PROGRAM = parse_program("answer(capital(loc_2(stateid('ohio'))))")
DEV = {"dev_denotation": 0.9, "dev_exact_match": 0.8}


def scores(*groups: str, right: tuple[bool, ...]) -> Scores:
    outcomes = (Outcome(one, one, group=group) for group, one in zip(groups, right, strict=True))
    return Scores(tuple(outcomes))


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


def evaluation(
    dataset: str = "clevr", split: str = "iid", groups: tuple[str, ...] = ("",), **facts: Any
) -> Evaluation:
    test: list[Example[Term]] = [Example("capital of ohio", PROGRAM, group=one) for one in groups]
    return Evaluation(config(**facts), Dataset(dataset, split, [], [], test), "made again")


def test_groups_that_examples_name_are_noted() -> None:
    asked = evaluation("scan", "simple", ("b", "a", "", "b"))
    found = scores("b", "a", "of the domain", "b", right=(True, False, False, False))
    assert metrics_of(asked, found) == {
        "exact_match": 0.25,
        "denotation": 0.25,
        "denotation/a": 0.0,
        "denotation/b": 0.5,
    }


def test_where_edges_alone_are_predicted_nothing_else_is_noted() -> None:
    asked = evaluation(dev={"n": 1, "exact_match": 0.0, "edges_match": 0.75})
    asked = replace(asked, config={**asked.config, "parser": {"protocol": "paper"}})
    right = Scores((Outcome(False, None, partial={"edges": True}),))
    assert metrics_of(asked, right) == {"edges_match": 1.0, "dev_edges_match": 0.75}
    none = Scores((Outcome(False, None),))
    assert metrics_of(asked, none)["edges_match"] == 0.0


def test_notes_are_of_a_folder(tmp_path: Path) -> None:
    assert (data_note("geography"), data_note("my own")) == ("", "")
    (tmp_path / "clevr").mkdir()
    assert data_note("clevr", tmp_path) == ""
    (tmp_path / "clevr" / "regenerated").mkdir()
    assert "not the released files" in data_note("clevr", tmp_path)


def test_metrics_of_the_training_go_with_its_data() -> None:
    right = scores("", right=(True,))
    test = {"exact_match": 1.0, "denotation": 1.0}
    assert metrics_of(evaluation(split="closure", chart_share=0.1), right) == {**test, **DEV}
    assert metrics_of(evaluation(chart_share=1.1), right) == {**test, **DEV, "chart_share": 1.0}
    assert metrics_of(evaluation("scan", "simple"), right) == test
    assert metrics_of(evaluation(dev=None), right) == test
    assert metrics_of(replace(evaluation(), readings=10), right) == test


def test_what_is_fine_tuned_as_a_whole_is_the_encoder() -> None:
    made = evaluation()
    parser = to_dict(Seq2SeqConfig(pretrained="some/writer/"))
    changed = {**made.config, "kind": "seq2seq", "parser": parser}
    assert setup_of(replace(made, config=changed)).encoder == "writer"


def test_setup_of_a_saved_parser() -> None:
    setup = setup_of(evaluation(), 100)
    assert (setup.system, setup.dataset, setup.split, setup.variant) == (
        *("span", "clevr", "iid"),
        "crf-sharp",
    )
    assert (setup.encoder, setup.data, setup.parameters) == ("encoder", "made again", 100)
    assert (setup.train_size, setup.dev_size, setup.test_size) == (10, 5, 1)
    assert setup.protocol == "best of 10 epochs on dev (denotation, exact match)"
    assert list(setup.settings) == ["types", "parser", "loop"]
    assert setup.settings["parser"] == recorded(SpanParserConfig(encoder="some/encoder/"))
    assert "seed" not in setup.settings["loop"]
    closure = setup_of(evaluation(split="closure", groups=("", "")), 100)
    assert closure == replace(setup, split="closure", test_size=2)
    assert setup_of(evaluation("scan", "simple")).dev_size is None
    guided = setup_of(replace(evaluation(), readings=10))
    assert guided.file_name == "span-clevr-iid-crf-sharp-guided.json"
    assert guided.settings["readings"] == 10
    held = setup_of(evaluation(held_out=3)).protocol
    assert held == "best of 10 epochs on 3 held-out questions of train (denotation, exact match)"


def test_names_of_runs() -> None:
    assert run_name("clevr", "iid", "crf-sharp", 7) == "clevr-iid-crf-sharp-7"
    with pytest.raises(DataError, match="cannot be part of a file name"):
        run_name("clevr", "iid", "a/b", 7)


def test_types_by_the_notes_or_by_the_domain() -> None:
    def types(asked: Evaluation) -> Any:
        return setup_of(asked).settings["types"]

    by_name = replace(evaluation(), config={**config(), "domain": "geoquery-paper"})
    assert (types(evaluation(types="paper")), types(by_name)) == ("paper", "paper")
    assert types(evaluation()) == "sharp"


def test_parsers_that_do_not_belong_in_results() -> None:
    with pytest.raises(DataError, match="does not say its dataset, split, variant"):
        setup_of(replace(evaluation(), config={"domain": "scenes", "parser": {}}))
    with pytest.raises(DataError, match="to choose settings by"):
        setup_of(replace(evaluation(), config=config(split="iid-inner-template")))


def test_no_exact_match_is_noted_where_no_programs_are_written() -> None:
    asked = evaluation()
    asked = replace(asked, config={**asked.config, "kind": "end2end"})
    assert metrics_of(asked, scores("", right=(True,))) == {
        "denotation": 1.0,
        "dev_denotation": 0.9,
    }


def test_a_parser_that_keeps_its_pairs_has_no_epochs() -> None:
    loop = {"epochs": 3, "patience": 0}
    assert protocol(InContextParser, loop, 0, False) == "no epochs: the training pairs are kept"
    assert protocol(SpanParser, loop, 0, False).startswith("best of 3 epochs on dev")
