"""The report's tables and JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Outcome, Scores
from partwise.graph.config import GraphParserConfig
from partwise.interface.data import Dataset, Example
from partwise.interface.settings import to_dict
from partwise.training.trainer import TrainingConfig
from partwise_papers.results.recorder import metrics_of, setup_of
from partwise_papers.results.result import Run, Setup, add_seed, load_result, load_results
from partwise_papers.tables.grid import Grid, show
from partwise_papers.tables.results import cell, report


def fill(folder: Path, setup: Setup, run: Run) -> None:
    for split, base in (("length", 0.4), ("iid", 0.8)):
        at = replace(setup, split=split)
        for seed in range(2):
            metrics = {"exact_match": base, "denotation": base + seed / 50}
            add_seed(folder, at, seed, replace(run, metrics=metrics))
    lone = replace(setup, system="seq", protocol="a|b")
    add_seed(folder, lone, 0, run)


def test_markdown(tmp_path: Path, setup: Setup, run: Run) -> None:
    fill(tmp_path, setup, run)
    text = report(load_results(tmp_path)).markdown()
    assert "| split | system | denotation | exact match | train |" in text
    assert "| iid | span | 81.0 ± 12.7 (2) | 80.0 ± 0.0 (2) | 540 |" in text
    assert "| length | span | 41.0 ± 12.7 (2) | 40.0 ± 0.0 (2) | 540 |" in text
    assert "| iid | seq | 80.0 (1) | 70.0 (1) | 540 |" in text
    assert "| length | span | 1 | 42.0 | 40.0 | 540 | 280 | 12 |" in text
    assert "All rows: variant: base; encoder: bilstm." in text
    assert "All rows: variant: base; encoder: bilstm; device: cpu." in text
    assert "base: a|b." in text
    # Known splits stand in their usual order.
    assert text.index("| iid | span | 81") < text.index("| length | span | 41")


def test_figures_that_only_some_have(tmp_path: Path, setup: Setup, run: Run) -> None:
    more = {"tree_f1": 0.947, "denotation/in a state": 0.5, "dev_denotation": 0.9}
    add_seed(tmp_path, setup, 0, run)
    add_seed(tmp_path, setup, 1, replace(run, metrics={**run.metrics, **more}))
    other = replace(setup, split="length", data="regenerated")
    add_seed(tmp_path, other, 0, run)
    text = report(load_results(tmp_path)).markdown()
    assert "| split | denotation | exact match | tree F1 | dev denotation | train |" in text
    assert "| iid | 80.0 ± 0.0 (2) | 70.0 ± 0.0 (2) | 94.7 (1) | 90.0 (1) | 540 |" in text
    assert "| length | 80.0 (1) | 70.0 (1) | – | – | 540 |" in text
    assert "| kind | iid base |\n| --- | --- |\n| in a state | 50.0 (1) |" in text
    assert "\nData of geoquery: regenerated.\n" in text


def test_json_is_the_content_of_the_files(tmp_path: Path, setup: Setup, run: Run) -> None:
    fill(tmp_path, setup, run)
    found = json.loads(report(load_results(tmp_path)).json())
    files = [json.loads(f.read_text()) for f in sorted(tmp_path.glob("*.json"))]
    assert [{"format": 1, **one} for one in found] == files


def test_terminal(tmp_path: Path, setup: Setup, run: Run) -> None:
    odd = replace(setup, encoder="[red]x")
    add_seed(tmp_path, odd, 0, run)
    stream = io.StringIO()
    Console(file=stream, width=250).print(report(load_results(tmp_path)).rich())
    assert "80.0 (1)" in stream.getvalue()
    assert "[red]x" in stream.getvalue()


def test_cells(tmp_path: Path, setup: Setup, run: Run) -> None:
    add_seed(tmp_path, setup, 0, run)
    result = load_result(tmp_path / setup.file_name)
    assert cell(result, "denotation") == "80.0 (1)"
    assert cell(result, "tree_f1") == cell(None, "denotation") == "–"


def test_columns_that_say_nothing_are_left_out() -> None:
    grid = Grid("t", ("a", "b", "c"), (("1", "–", "x"), ("–", "–", "x")), ("note",))
    assert grid.without_empty().head == ("a", "c")
    assert grid.without_empty(2).head == ("a", "b", "c")
    found = grid.without_constant(("a", "c"))
    assert (found.head, found.rows) == (("a", "b"), (("1", "–"), ("–", "–")))
    assert found.notes == ("All rows: c: x.", "note")
    assert Grid("t", ("a|b",), (("1\n2",),)).markdown() == (
        "### t\n\n| a\\|b |\n| --- |\n| 1 2 |\n"
    )


def test_without_a_terminal_tables_are_wide(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = Grid("Title", ("name", "about"), (("first", "x" * 120),))
    monkeypatch.delenv("COLUMNS", raising=False)
    show(grid)
    assert "x" * 120 in capsys.readouterr().out
    # Who asks for a width gets it.
    monkeypatch.setenv("COLUMNS", "60")
    show(grid)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert sum(line.count("x") for line in lines) == 120


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
