"""What systems cost: ratios over repetitions, and a run of a tiny parser in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from cli_helpers import TINY, make_files, run_cli

import cost
from partwise_papers.results.result import load_result


def row(latency: float, seconds: float | None = 10.0) -> dict[str, Any]:
    """What one process says."""
    same = {"variant": "a", "parameters": 100, "training": seconds, "accuracy": 0.5}
    return {**same, "latency": latency, "throughput": 1 / latency, "memory": 300.0}


def test_ratios_are_to_the_first_system_of_the_same_repetition() -> None:
    # The machine is twice as slow the second time, which meets both systems.
    first, second = cost.summed([[row(1.0), row(3.0, 5.0)], [row(2.0), row(6.0, 5.0)]])
    assert first["ratios"]["latency"] == {"mean": 1.0, "ci95": 0.0}
    assert second["ratios"]["latency"] == {"mean": 3.0, "ci95": 0.0}
    assert second["latency"] == [3.0, 6.0]
    assert second["ratios"]["throughput"]["mean"] == pytest.approx(1 / 3)
    assert second["ratios"]["training"]["mean"] == 0.5
    assert second["ratios"]["parameters"] == 1.0


def test_what_is_not_known_has_no_ratio_and_one_repetition_no_interval() -> None:
    _, second = cost.summed([[row(1.0), row(2.0, None)]])
    assert second["ratios"]["training"] == {"mean": None, "ci95": None}
    assert second["ratios"]["latency"] == {"mean": 2.0, "ci95": None}


def test_accuracies_of_stored_results_are_taken_once_more() -> None:
    stored = {"system": "seq2seq", "variant": "seq2seq", "metric": "exact match", "accuracy": 0.1}
    others = {**stored, "variant": "no such variant"}
    content = {"dataset": "geoquery", "split": "iid", "rows": [stored, others], "repetitions": 5}
    made = cost.refreshed(content)
    result = load_result(cost.RESULTS / "seq2seq-geoquery-iid-seq2seq.json")
    mean, _ = result.mean_ci95("denotation")
    assert made["rows"] == [{**stored, "metric": "denotation", "accuracy": mean}, others]
    assert made["repetitions"] == 5


def test_what_is_measured_must_be_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["cost.py", "--dataset", "geoquery"])
    with pytest.raises(SystemExit):
        cost.main()
    assert "name the models" in capsys.readouterr().err


def test_a_system_runs_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, out = make_files(tmp_path), tmp_path / "cost.json"
    assert run_cli("train", *files.options, *TINY, "--out", str(files.run)).exit_code == 0
    given = ["--dataset", "geography", "--split", "iid", "--questions", "4", "--repetitions", "1"]
    monkeypatch.setattr(sys, "argv", ["cost.py", str(files.run), *given, "--out", str(out)])
    cost.main()
    (made,) = json.loads(out.read_text())["rows"]
    assert made["system"] == "span"
    assert made["parameters"] > 1000
    assert made["metric"] == "denotation"
    assert made["latency"][0] > 0
    assert made["memory"][0] > 50
    assert made["training"][0] > 0
    failed = CompletedProcess[str]([], 1, stdout="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(SystemExit, match="exit code"):
        cost.main()


def test_a_training_is_timed_in_the_precision_that_the_machine_is_fast_in() -> None:
    assert cost.of_this_machine({"precision": "bf16", "epochs": 7}).precision == "auto"
    assert cost.of_this_machine({"precision": "bf16", "epochs": 7}).epochs == 7
    assert cost.of_this_machine({"precision": "fp32"}).precision == "fp32"
