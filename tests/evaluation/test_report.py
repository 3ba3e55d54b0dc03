"""The report's tables and JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from partwise.evaluation.report import report, rich_report
from partwise.evaluation.result import Run, Setup
from partwise.evaluation.results import add_seed, result_path


def fill(folder: Path, setup: Setup, run: Run) -> None:
    for split, base in (("length", 0.4), ("iid", 0.8)):
        at = replace(setup, split=split)
        for seed in range(2):
            metrics = {"exact_match": base, "denotation": base + seed / 50}
            add_seed(result_path(folder, at), at, seed, replace(run, metrics=metrics))
    lone = replace(setup, system="seq", protocol="a|b")
    add_seed(result_path(folder, lone), lone, 0, run)


def test_markdown(tmp_path: Path, setup: Setup, run: Run) -> None:
    fill(tmp_path, setup, run)
    text = report(tmp_path)
    head = "| system | variant | encoder | protocol |"
    splits = " iid denotation | iid exact match | length denotation | length exact match |"
    assert head + splits in text
    row = "| span | base | bilstm | dev |"
    figures = " 81.0 ± 12.7 (2) | 80.0 ± 0.0 (2) | 41.0 ± 12.7 (2) | 40.0 ± 0.0 (2) |"
    assert row + figures in text
    assert "| seq | base | bilstm | a\\|b | 80.0 (1) | 70.0 (1) | – | – |" in text
    assert f"{row} length | 1 | 42.0 | 40.0 | 540 | 280 | 12 | cpu |" in text


def test_json_is_the_content_of_the_files(tmp_path: Path, setup: Setup, run: Run) -> None:
    fill(tmp_path, setup, run)
    files = sorted(tmp_path.glob("*.json"))
    assert json.loads(report(tmp_path, json=True)) == [json.loads(f.read_text()) for f in files]


def test_terminal(tmp_path: Path, setup: Setup, run: Run) -> None:
    odd = replace(setup, encoder="[red]x")
    add_seed(result_path(tmp_path, odd), odd, 0, run)
    stream = io.StringIO()
    Console(file=stream, width=250).print(rich_report(tmp_path))
    assert "80.0 (1)" in stream.getvalue()
    assert "[red]x" in stream.getvalue()
