"""Results of graph parsers: what every run has, and their tables beside those of span parsers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Outcome, Scores
from partwise.graph.config import GraphParserConfig
from partwise.interface.data import Dataset, Example
from partwise.interface.settings import to_dict
from partwise.training.trainer import TrainingConfig
from partwise_papers.results.files import add_seed, load_result, load_results
from partwise_papers.results.result import Run, Setup
from partwise_papers.results.setup import metrics_of, setup_of
from partwise_papers.tables.report import report

NONE = Scores((Outcome(False, None),))
FULL = {"exact_match": 0.5, "edges_match": 0.75}


def evaluation(dataset: str, split: str = "mcd1", test: int = 200, **parser: Any) -> Evaluation:
    """A graph parser trained on MCWQ, or on what it is evaluated on."""
    config = {
        "kind": "graph",
        "domain": "wikidata",
        "parser": to_dict(GraphParserConfig(**{"composition": "flat", **parser})),
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
    data: Dataset[Any] = Dataset(dataset, split, [], [], [Example("Who?", None)] * test)
    return Evaluation(config, data)


def graph_setup(dataset: str, **parser: Any) -> Setup:
    return setup_of(evaluation(dataset, **parser), 7)


def run_of(**metrics: float) -> Run:
    return Run(metrics, 3.0, "cpu", "partwise train", None)


def test_all_seeds_have_the_metrics_of_the_first(tmp_path: Path) -> None:
    mcwq, films = graph_setup("mcwq"), graph_setup("films")
    path = add_seed(tmp_path, mcwq, 0, run_of(**FULL))
    assert path.name == "graph-mcwq-mcd1-flat.json"
    assert load_result(path).setup == mcwq
    assert load_result(path).values("edges_match") == [0.75]
    with pytest.raises(DataError, match="edges_match"):
        add_seed(tmp_path, mcwq, 1, run_of(exact_match=0.5))
    add_seed(tmp_path, films, 0, run_of(**FULL, denotation=0.6))
    with pytest.raises(DataError, match="denotation"):
        add_seed(tmp_path, films, 1, run_of(**FULL))


def test_the_papers_protocol_has_edges_alone(tmp_path: Path) -> None:
    paper = graph_setup("films", protocol="paper")
    assert "number of variables given from gold" in paper.protocol
    assert "(edges match)" in paper.protocol
    add_seed(tmp_path, paper, 0, run_of(edges_match=0.9))
    text = report(load_results(tmp_path)).markdown()
    assert "edges match" in text
    assert "exact match |" not in text


def test_span_tables_do_not_change(tmp_path: Path, setup: Setup, run: Run) -> None:
    add_seed(tmp_path, setup, 0, run)
    before = report(load_results(tmp_path)).markdown()
    assert "edges" not in before
    mcwq = graph_setup("mcwq")
    add_seed(tmp_path, mcwq, 0, run_of(**FULL))
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
    assert (setup.system, setup.dev_size, setup.train_size) == ("graph", 100, 1000)
    assert list(setup.settings) == ["parser", "loop", "held"]
    assert setup.settings["held"] == 500
    assert metrics_of(evaluation("mcwq"), NONE) == {
        "exact_match": 0.0,
        "dev_exact_match": 0.5,
        "dev_edges_match": 0.75,
    }
    elsewhere = setup_of(evaluation("films", "random", 9), 7)
    assert elsewhere == replace(setup, dataset="films", split="random", test_size=9, dev_size=None)
    assert metrics_of(evaluation("films", "random"), NONE) == {"exact_match": 0.0}


def test_the_last_epoch_is_kept_where_nothing_is_held_out() -> None:
    asked = evaluation("mcwq")
    training = {**asked.config["training"], "held_out": 0}
    setup = setup_of(replace(asked, config={**asked.config, "training": training}))
    assert setup.protocol == "last of 3 epochs"
