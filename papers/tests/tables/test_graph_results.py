"""Results of graph parsers: what every run has, and their tables beside those of span parsers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import DataError
from partwise.evaluation.result import Run, Setup
from partwise.evaluation.results import add_seed, load_result, load_results, result_path
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.settings import recorded
from partwise.training.config import TrainingConfig
from partwise.training.trained import ResultData, Trained, make_setup
from partwise_papers.tables.report import report

FULL = {"exact_match": 0.5, "edges_match": 0.75}


def graph_setup(dataset: str, **parser: Any) -> Setup:
    return make_setup(
        GraphParser,
        ResultData(dataset, "mcd1", 1000, 100, 200),
        "flat",
        recorded(GraphParserConfig(composition="flat", **parser)),
        recorded(TrainingConfig(epochs=3)),
        held=500,
        parameters=7,
    )


def run_of(**metrics: float) -> Run:
    return Run(metrics, 3.0, "cpu", "partwise train", None)


def test_answers_are_needed_only_where_queries_can_run(tmp_path: Path) -> None:
    mcwq, films = graph_setup("mcwq"), graph_setup("films")
    assert set(mcwq.required) == {"exact_match", "edges_match"}
    path = result_path(tmp_path, mcwq)
    assert path.name == "graph-mcwq-mcd1-flat.json"
    add_seed(path, mcwq, 0, run_of(**FULL))
    assert load_result(path).setup == mcwq
    assert load_result(path).values("edges_match") == [0.75]
    with pytest.raises(DataError, match="denotation"):
        add_seed(result_path(tmp_path, films), films, 0, run_of(**FULL))
    with pytest.raises(DataError, match="edges_match"):
        add_seed(path, mcwq, 1, run_of(exact_match=0.5))
    add_seed(result_path(tmp_path, films), films, 0, run_of(**FULL, denotation=0.6))


def test_the_papers_protocol_has_edges_alone(tmp_path: Path) -> None:
    paper = graph_setup("films", protocol="paper")
    assert paper.required == ("edges_match",)
    assert "number of variables given from gold" in paper.protocol
    assert "(edges match)" in paper.protocol
    add_seed(result_path(tmp_path, paper), paper, 0, run_of(edges_match=0.9))
    text = report(load_results(tmp_path)).markdown()
    assert "edges match" in text
    assert "exact match |" not in text


def test_span_tables_do_not_change(tmp_path: Path, setup: Setup, run: Run) -> None:
    add_seed(result_path(tmp_path, setup), setup, 0, run)
    before = report(load_results(tmp_path)).markdown()
    assert "edges" not in before
    mcwq = graph_setup("mcwq")
    add_seed(result_path(tmp_path, mcwq), mcwq, 0, run_of(**FULL))
    after = report(load_results(tmp_path)).markdown()
    assert before in after
    table = after.replace(before, "")
    assert "| split | exact match | edges match | train |" in table
    assert "50.0 (1) | 75.0 (1)" in table
    assert "denotation" not in table
    near = "latest of 3 epochs within one standard error of the best"
    assert f"{near} on 500 held-out questions of train (exact match)" in table


def test_a_saved_parser_gives_the_setup_of_its_run() -> None:
    setup = graph_setup("mcwq")
    config = {
        "kind": "graph",
        "domain": "wikidata",
        "parser": setup.settings["parser"],
        "training": {
            "dataset": "mcwq",
            "split": "mcd1",
            "variant": "flat",
            "train_size": 1000,
            "held_out": 500,
            "seconds": 3.0,
            "settings": TrainingConfig(epochs=3, seed=4).to_dict(),
            "dev": {**FULL, "n": 100, "errors": {}},
        },
    }
    trained = Trained(config)
    assert trained.setup("mcwq", "mcd1", 200, 7) == setup
    assert trained.seed == 4
    assert trained.figures("mcwq", "mcd1") == {
        "dev_exact_match": 0.5,
        "dev_edges_match": 0.75,
    }
    elsewhere = trained.setup("films", "random", 9, 7)
    assert elsewhere == replace(setup, dataset="films", split="random", test_size=9, dev_size=None)
    assert trained.figures("films", "random") == {}


def test_the_last_epoch_is_kept_where_nothing_is_held_out() -> None:
    setup = make_setup(
        GraphParser,
        ResultData("films", "random", 10, 1, 1),
        "flat",
        recorded(GraphParserConfig()),
        recorded(TrainingConfig(epochs=3)),
        held=0,
    )
    assert setup.protocol == "last of 3 epochs"
