"""The command line with graph parsers: train, evaluate and report."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import graph_helpers
import pytest
from cli_helpers import refused, run_cli, shown
from graph_helpers import TINY

from cases import cases
from partwise.domains.films.domain import FILMS
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser


def test_writes_model_log_history_and_result(graphs: Any) -> None:
    assert {file.name for file in graphs.run.iterdir()} == {"model", "train.log", "history.json"}
    facts = json.loads((graphs.run / "model" / "config.json").read_text())["training"]
    assert (facts["train_size"], facts["held_out"], facts["usable"]) == (192, 6, 186)
    (result,) = graphs.results.iterdir()
    assert result.name.startswith("graph-train-own-flat-")
    found = json.loads(result.read_text())
    assert set(found["metrics"]) >= {"denotation", "exact_match", "edges_match"}
    assert found["encoder"] == "lstm"
    assert found["parameters"] > 1000
    assert found["settings"]["loop"]["batch_size"] == 16
    assert "6 held-out questions of train" in found["protocol"]
    # Where things lie on this machine is nobody's business.
    assert str(graphs.run.parent / "run") not in result.read_text()


def test_trains_on_generated_questions_and_reports(tmp_path: Path) -> None:
    options = [*graph_helpers.generated(tmp_path), *TINY, "--composition", "flat"]
    places = ["--out", str(tmp_path / "run"), "--results", str(tmp_path / "results")]
    told = shown("train", *options, *places, "--test", "--variant", "mine")
    assert "40 of 50 questions, 10 held out" in told
    assert "edges match" in told
    text = run_cli("report", "--results", str(tmp_path / "results"), "--markdown").stdout
    assert "| split | denotation | exact match | edges match |" in text
    near = "latest of 2 epochs within one standard error of the best"
    assert f"{near} on 10 held-out questions of train (exact match)" in text
    # The same seed again, and another one; other settings have no place there.
    shown("train", *options, *places, "--test", "--variant", "mine", "--seed", "1")
    assert "± " in run_cli("report", "--results", str(tmp_path / "results"), "--markdown").stdout
    assert "made with another protocol" in refused(
        "train", *options, *places, "--test", "--variant", "mine", "--held", "3"
    )


def test_the_papers_protocol(tmp_path: Path) -> None:
    options = [*graph_helpers.generated(tmp_path), *TINY, "--protocol", "paper"]
    run, results = tmp_path / "run", ["--results", str(tmp_path / "results")]
    shown("train", *options, "--out", str(run), *results, "--test")
    (file,) = (tmp_path / "results").iterdir()
    assert "-flat-paper-" in file.name
    assert set(json.loads(file.read_text())["metrics"]) == {"edges_match", "dev_edges_match"}
    refusal = run_cli("parse", "Who directed Alien?", "--model", str(run))
    assert "train with protocol=full" in refusal.output


def test_evaluate_gives_figures_and_mistakes(graphs: Any, tmp_path: Path) -> None:
    file = str(graphs.run.parent / "test.jsonl")
    told = shown("evaluate", str(graphs.run), file)
    assert "exact match  100.00 %" in told
    assert "denotation   100.00 %" in told
    assert "denotation   100.00 %  0 variables" in told
    lines = [json.loads(line) for line in Path(file).read_text().splitlines()]
    lines[0]["question"] = "Who edited M0"
    (tmp_path / "bad.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    errors = tmp_path / "errors.jsonl"
    bad = [str(graphs.run), str(tmp_path / "bad.jsonl"), "--errors", str(errors), "--json"]
    result = run_cli("evaluate", *bad)
    found = json.loads(result.stdout)
    assert found["errors"] == {"edges": 1}
    assert found["exact_match"] == pytest.approx(5 / 6)
    (line,) = map(json.loads, errors.read_text().splitlines())
    assert line["wrong"] == "edges"
    assert line["missing"] == ["M0 film:director ?x0"]
    assert line["right_answer"] is False


@cases("arguments, message")
def test_errors_in_evaluation(
    graphs: Any, arguments: list[str], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert message in refused("evaluate", str(graphs.run), *arguments)


def test_a_span_parser_is_for_programs(trained: Any, graphs: Any) -> None:
    assert "films has meanings of the domain films, which geography does not have" in refused(
        "evaluate", str(trained.run), "films"
    )
    assert "takes no context" in refused(
        "ask", "which states border ohio ?", "--model", str(trained.run), "--bind", "M0=x"
    )


@cases("arguments, message")
def test_errors_in_training(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARTWISE_DATA", raising=False)
    assert message in refused("train", *arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["random", "length", "mcd"])
def test_inner_splits(tmp_path: Path, kind: str) -> None:
    # Few questions have no split by compounds.
    options = [
        *graph_helpers.generated(tmp_path, 200 if kind == "mcd" else 50),
        *TINY,
        "--composition",
        "flat",
    ]
    told = shown("train", *options, "--out", str(tmp_path / "run"), "--inner", kind)
    assert "inner  " in told
    assert "test  " not in told
    facts = json.loads((tmp_path / "run" / "model" / "config.json").read_text())["training"]
    assert facts["split"] == f"own-inner-{kind}"
    assert facts["train_size"] + facts["dev"]["n"] <= 200
    assert "its metrics are no results" in refused(
        "evaluate", str(tmp_path / "run"), "films", "--save"
    )


def test_an_mcd_inner_split_of_too_few_kinds_of_questions_says_so(tmp_path: Path) -> None:
    options = graph_helpers.write(tmp_path, graph_helpers.patterns(5), graph_helpers.patterns(1))
    told = refused("train", *options, "--inner", "mcd", "--out", str(tmp_path / "run"))
    assert "6 different rule graphs" in told
    assert "Give more examples" in told


def test_own_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "from dataclasses import replace\nfrom partwise.domains.films.domain import FILMS\n"
    (tmp_path / "films_of_mine.py").write_text(text + 'MINE = replace(FILMS, name="mine")\n')
    options = graph_helpers.write(tmp_path, graph_helpers.patterns(5), graph_helpers.patterns(1))
    options[1] = "films_of_mine:MINE"
    flat = [*TINY, "--composition", "flat", "--out", "run"]
    assert run_cli("train", *options, *flat).exit_code == 0
    result = run_cli("parse", "Who directed M0", "--model", "run", "--domain", options[1])
    assert result.exit_code in (0, 1)
    # From so few pairs no confidence is fitted, and new words make a doubt.
    assert result.stderr in ("", "partwise: doubtful: the answer may well be wrong\n")
    assert run_cli("parse", "Who directed M0", "--model", "run").exit_code == result.exit_code
    (tmp_path / "films_of_mine.py").unlink()
    assert "'mine', which is not built in" in refused("parse", "Who directed M0", "--model", "run")


def made(given: dict[str, Any]) -> GraphParserConfig:
    """The settings of a parser where these are given."""
    names = {one.name for one in fields(GraphParserConfig)}
    values = {**GraphParser.presets(FILMS, given, {}, 100), **given}
    return GraphParserConfig(**{name: one for name, one in values.items() if name in names})


def test_names_of_variants() -> None:
    assert GraphParser.variant(FILMS, made({"composition": "flat"})) == "flat"
    paper = made({"protocol": "paper", "dx": 7, "nil": False})
    assert GraphParser.variant(FILMS, paper) == "flat-paper-dx7-no_nil"
