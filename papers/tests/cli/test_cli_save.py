"""What `train --test` and `evaluate --save` write into result files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Files

from library import without_manifest
from partwise.cli import evaluate as evaluating
from partwise.cli.evaluate import further_metrics
from partwise.evaluation.metrics import Evaluation
from partwise.interface.data import Dataset
from partwise.interface.registry import load
from partwise.span.parser import SpanParser
from partwise_papers.results.recorder import setup_of
from partwise_papers.results.result import load_results


def saved(trained: Files, cli: Any, folder: Path, *more: str) -> Any:
    """Evaluate the tiny parser on data that come with the package."""
    arguments = [str(trained.run), "geography", "--split", "compositional", "--save"]
    return cli("evaluate", *arguments, "--results", str(folder), *more)


def test_training_notes_figures_on_dev_and_the_time_in_charts(trained: Files) -> None:
    (result,) = load_results(trained.run.parent / "results")
    history = json.loads((trained.run / "history.json").read_text())
    metrics = result.runs[0].metrics
    assert metrics["dev_denotation"] == history["dev"]["denotation"]
    assert metrics["dev_exact_match"] == history["dev"]["exact_match"]
    assert 0 < metrics["tree_f1"] <= metrics["tree_f1_equivalent"] <= 1
    assert metrics["chart_share"] == history["chart_share"]
    assert (result.setup.dev_size, result.setup.data) == (12, None)


def test_a_saved_parser_knows_the_setup_of_its_run(trained: Files) -> None:
    (result,) = load_results(trained.run.parent / "results")
    config = json.loads((trained.run / "model" / "config.json").read_text())
    data = Dataset("train", "own", [], [], load("geography", "iid").test[:12])
    assert setup_of(Evaluation(config, data), result.setup.parameters) == result.setup
    assert config["training"]["command"] == result.runs[0].command


def test_save_adds_a_result_of_another_data_set(trained: Files, cli: Any, tmp_path: Path) -> None:
    done = saved(trained, cli, tmp_path)
    assert done.exit_code == 0, done.output
    (run,) = load_results(trained.run.parent / "results")
    (result,) = load_results(tmp_path)
    assert (result.setup.dataset, result.setup.split) == ("geography", "compositional")
    assert (result.setup.variant, result.setup.encoder) == (run.setup.variant, "bilstm")
    assert (result.setup.train_size, result.setup.test_size) == (40, 190)
    assert result.setup.settings == run.setup.settings
    assert result.setup.parameters == run.setup.parameters
    name = f"runs/train-own-{run.setup.variant}-0"
    command = f"partwise evaluate {name} geography --split compositional --save"
    assert result.runs[0].command == command
    assert result.runs[0].seconds == pytest.approx(run.runs[0].seconds)
    # Dev is of the questions that it was trained for, not of these.
    trees = {"tree_f1", "tree_f1_equivalent"}
    assert set(result.runs[0].metrics) == {"exact_match", "denotation", *trees}
    assert f"{100 * result.runs[0].metrics['denotation']:.2f} %" in done.stdout


def test_execution_guided_is_a_variant_of_its_own(
    trained: Files, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Listing ten programs a question takes an untrained parser long.
    monkeypatch.setattr(evaluating, "guided", lambda _p, _d, asked, *_: [None] * len(asked))
    done = saved(trained, cli, tmp_path, "--execution-guided", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["n"] == 190
    (result,) = load_results(tmp_path)
    assert result.setup.variant.endswith("-guided")
    assert result.setup.settings["readings"] == 10
    assert "first of 10 programs" in result.setup.protocol
    assert result.runs[0].metrics == {"exact_match": 0.0, "denotation": 0.0}


def test_results_of_other_setups_are_refused_before_the_work(
    trained: Files, cli: Any, tmp_path: Path
) -> None:
    assert saved(trained, cli, tmp_path).exit_code == 0
    (file,) = tmp_path.iterdir()
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "train_size": 41}))
    done = saved(trained, cli, tmp_path)
    assert done.exit_code == 2
    assert "was made with another train_size" in done.stderr
    assert "exact match" not in done.stdout


def test_figures_without_a_place_are_refused(trained: Files, cli: Any, tmp_path: Path) -> None:
    results = ("--save", "--results", str(tmp_path / "results"))
    done = cli("evaluate", str(trained.run), "geography", "--part", "dev", *results)
    assert done.exit_code == 2
    assert "--save is for the test part" in done.stderr
    assert cli("evaluate", str(trained.run), str(trained.dev), *results).exit_code == 2
    model = tmp_path / "model"
    shutil.copytree(trained.run / "model", model)
    config = json.loads((without_manifest(model) / "config.json").read_text())
    del config["training"]["variant"]
    (model / "config.json").write_text(json.dumps(config))
    done = cli("evaluate", str(model), "geography", *results)
    assert done.exit_code == 2
    assert "does not say its variant" in done.stderr
    assert not (tmp_path / "results").exists()


def test_trees_where_they_can_be_had(
    trained: Files, cli: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("evaluate", str(trained.run), str(trained.test), "--trees")
    assert "tree F1" in cli(*arguments).stdout
    assert 0 < json.loads(cli(*arguments, "--json").stdout)["tree_f1"] <= 1
    done = cli(*arguments, "--part", "dev")
    assert done.exit_code == 2
    assert "--trees is for the test part" in done.stderr
    # A folder without the published trees does not cost the other figures.
    (tmp_path / "geoquery").mkdir()
    tested = load("geography", "iid").test[:2]
    parser = SpanParser.from_pretrained(trained.run)
    assert further_metrics(parser, Dataset("geoquery", "iid", [], [], tested), tmp_path) == {}
    assert "no tree_f1: " in capsys.readouterr().err
