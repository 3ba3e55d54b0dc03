"""The paper's tables with ours beside them, and the recipes behind our rows."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from partwise.errors import DataError
from partwise.interface.registry import DATASETS
from partwise_papers.recipes.recipes import VARIANTS, recipes
from partwise_papers.results.result import Run, Setup, add_seed, load_results
from partwise_papers.tables.published import SPLITS, TITLE, figures, models, rows_of
from partwise_papers.tables.span import span_report, tables

NOTE = "regenerated with the official generator"


def add(folder: Path, setup: Setup, run: Run, seed: int, **metrics: float) -> None:
    """One seed of a result."""
    named = {name.replace("__", "/"): value for name, value in metrics.items()}
    made = replace(run, metrics={**run.metrics, **named})
    add_seed(folder, setup, seed, made)


@pytest.fixture
def results(tmp_path: Path, setup: Setup, run: Run) -> Path:
    """GeoQuery's iid split, CLEVR's two, and a further split of SCAN."""
    geo = replace(setup, variant="crf-sharp", encoder="minilm", dev_size=60)
    for seed, value in enumerate((0.9, 0.94)):
        add(tmp_path, geo, run, seed, denotation=value, dev_denotation=0.95, tree_f1=0.9)
    add(tmp_path, replace(geo, variant="hard-paper"), run, 0, denotation=0.86)
    clevr = replace(geo, dataset="clevr", train_size=10000, test_size=5000, data=NOTE)
    add(tmp_path, clevr, run, 0, denotation=0.99, tree_f1=0.7, tree_f1_equivalent=0.98)
    closure = replace(clevr, split="closure", test_size=2431)
    add(tmp_path, closure, run, 0, denotation=0.97, denotation__or_mat=0.96)
    scan = replace(geo, dataset="scan_sp", split="mcd1")
    add(tmp_path, scan, run, 0, denotation=1.0, dev_denotation=0.99)
    return tmp_path


def test_the_papers_figures_are_whole() -> None:
    assert len(models()) == 10
    assert figures("SpanBasedSP", "geoquery", "length") == (95.0, 63.6)
    assert figures("-lexicon", "clevr", "closure") == (98.5, 88.6)
    assert figures("+gold trees", "scan_sp", "around_right") == (100, 100)
    assert figures("-non projective", "clevr", "iid") is None
    assert figures("End2End", "clevr", "closure") == (99.9, 63.3)
    for split in SPLITS:
        if split.dataset in DATASETS:
            assert split.split in DATASETS[split.dataset].splits


def test_every_row_stands_under_one_of_the_paper_and_can_be_trained() -> None:
    for row in rows_of("span"):
        assert row.paper in models()
        assert row.variant in VARIANTS
    assert [row.key for row in rows_of("span", "scan_sp")] == ["span", "no-lexicon", "gold-trees"]
    made = {(recipe.row, recipe.dataset, recipe.split) for recipe in recipes()}
    wanted = {(row.key, s.dataset, s.split) for s in SPLITS for row in rows_of("span", s.dataset)}
    assert wanted <= made


def test_tables_in_markdown(results: Path) -> None:
    text = span_report(load_results(results)).markdown()
    assert text.startswith(TITLE)
    assert "| GeoQuery | IID | 540 | 60 | 280 | 540 | 60 | 280 |" in text
    assert "| CLEVR | IID | 694,689 | 5,000 | 149,991 | 10,000 | 60 | 5,000 |" in text
    assert "| SCAN-SP | IID | 13,383 | 3,345 | 4,182 | – | – | – |" in text
    geo = text[text.index("### Table 2, GeoQuery") :]
    lines = geo.splitlines()
    paper = next(i for i, line in enumerate(lines) if line.startswith("| SpanBasedSP |"))
    assert "paper, BERT-base | 88.3 | 86.1 | 93.3 | 82.2 | 95.0 | 63.6 |" in lines[paper]
    ours = "| crf-sharp | ours, minilm | 95.0 ± 0.0 (2) | 92.0 ± 25.4 (2) | – | – | – | – |"
    assert lines[paper + 1] == ours
    assert lines[paper + 2] == "| hard-paper | ours, minilm | – | 86.0 (1) | – | – | – | – |"
    assert "| crf-sharp-projective | ours | – | – | – | – | – | – |" in geo
    clevr = text[text.index("### Table 2, CLEVR") : text.index("### Table 2, GeoQuery")]
    assert f"\nData of clevr: {NOTE}.\n" in clevr
    assert "non projective" not in clevr
    assert NOTE not in geo[: geo.index("### Table 3")]


def test_trees_families_and_further_splits(results: Path) -> None:
    text = span_report(load_results(results)).markdown()
    trees = text[text.index("### Table 3") :]
    assert "| data | split | paper | crf-sharp | crf-sharp, equivalent |\n" in trees
    assert "| GeoQuery | IID | 94.7 | 90.0 ± 0.0 (2) | – |" in trees
    assert "| CLEVR | IID | 70.6 | 70.0 (1) | 98.0 (1) |" in trees
    assert "| family | crf-sharp |\n| --- | --- |\n| or_mat | 96.0 (1) |" in trees
    assert "| mcd1 | crf-sharp | minilm | 99.0 (1) | 100.0 (1) | 70.0 (1) | 540 | 280 |" in trees


def test_without_results_the_papers_tables_stand(tmp_path: Path) -> None:
    titles = [grid.title for grid in tables([])]
    assert len(titles) == 5
    assert tables([])[-1].head == ("data", "split", "paper", "crf-sharp")
    with pytest.raises(DataError, match="no results"):
        span_report(load_results(tmp_path)).markdown()


def test_counted_sizes_go_before_those_of_results(results: Path) -> None:
    sizes: Mapping[tuple[str, str], tuple[int, int, int]] = {("geoquery", "iid"): (1, 2, 3)}
    text = span_report(load_results(results), sizes).markdown()
    assert "| GeoQuery | IID | 540 | 60 | 280 | 1 | 2 | 3 |" in text


def test_terminal(results: Path) -> None:
    stream = io.StringIO()
    Console(file=stream, width=160).print(span_report(load_results(results)).rich())
    assert "crf-sharp-projective" in stream.getvalue()
    assert NOTE in stream.getvalue()


def test_json_has_fractions(results: Path) -> None:
    found = json.loads(span_report(load_results(results)).json())
    splits = {(s["dataset"], s["split"]): s for s in found["splits"]}
    geo = splits["geoquery", "iid"]
    assert geo["paper"]["denotation"]["SpanBasedSP"] == {"dev": 0.883, "test": 0.861}
    assert geo["paper"]["denotation"]["End2End"] is None
    first, second = geo["ours"]
    assert (first["row"], second["row"]) == ("span", "paper")
    assert first["metrics"]["tree_f1"] == {"mean": 0.9, "ci95": 0.0, "seeds": 2}
    (closure,) = splits["clevr", "closure"]["ours"]
    assert closure["data"] == NOTE
    assert closure["metrics"]["denotation/or_mat"]["mean"] == 0.96
    assert [result["split"] for result in found["further"]] == ["mcd1"]


def test_steps_of_a_recipe() -> None:
    by_key = {(r.row, r.dataset, r.split): r for r in recipes()}
    (train,) = by_key["paper", "geoquery", "length"].steps(2)
    assert train.words[:7] == ("train", "geoquery", "--split", "length", "--seed", "2", "--test")
    assert train.run == "geoquery-length-hard-paper-2"
    assert train.file == "span-geoquery-length-hard-paper.json"
    closure = by_key["span", "clevr", "closure"]
    first, second = closure.steps(0)
    assert first == by_key["span", "clevr", "iid"].steps(0)[0]
    assert second.words[:3] == ("evaluate", "runs/clevr-iid-crf-sharp-0", "clevr")
    assert second.words[3:6] == ("--split", "closure", "--save")
    assert (second.run, second.file) == (first.run, closure.file_name)
