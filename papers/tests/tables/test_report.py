"""The report's tables and JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from partwise_papers.results.files import add_seed, load_result, load_results
from partwise_papers.results.result import Run, Setup
from partwise_papers.tables.columns import cell
from partwise_papers.tables.grid import Grid, show
from partwise_papers.tables.report import report


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
