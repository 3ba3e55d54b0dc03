"""Tables of results: all of them, those beside published figures, and the README's rows."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import run_cli
from rich.console import Console
from summary import summary, summary_plot, summary_rows

from graph_ablation import ALIKE, TABLE3, Cell, ablation_tables, cells
from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Outcome, Scores
from partwise.graph.config import GraphParserConfig
from partwise.graph.flat import read_flat
from partwise.graph.grammar.tokens import Tagger
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import DATASETS, PARSERS
from partwise.interface.settings import to_dict
from partwise.training.trainer import TrainingConfig, settings_for
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.recipes.recipes import VARIANTS, all_recipes, recipes
from partwise_papers.recipes.reproduce import of_table
from partwise_papers.results.recorder import metrics_of, setup_of
from partwise_papers.results.result import Result, Run, Setup, add_seed, load_result, load_results
from partwise_papers.seq2seq.config import SYSTEMS
from partwise_papers.tables.graph import graph_report
from partwise_papers.tables.grid import Grid, show
from partwise_papers.tables.published import (
    MCD,
    OPEN,
    SPLITS,
    TITLE,
    all_rows,
    figures,
    models,
    note,
    published_rows,
    rows_of,
)
from partwise_papers.tables.results import cell, report
from partwise_papers.tables.span import span_report, tables
from partwise_papers.tables.whole import FAR, WHOLE, sheets, whole_table

# The report's tables and JSON.


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


# The paper's tables with ours beside them, and the recipes behind our rows.


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


def test_paper_span_terminal(results: Path) -> None:
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


# Tables of query graphs: ours, and published figures beside them.


MCWQ_NOTE = "most queries of the training parts are recovered by rules and not official"


def add_mcwq(folder: Path, split: str, variant: str, seed: int, exact: float, edges: float) -> None:
    """A seed of a result on MCWQ."""
    paper = variant.endswith("-paper")
    setup = Setup(
        system="graph",
        dataset="mcwq",
        split=split,
        variant=variant,
        protocol="edges only" if paper else "latest of 3 epochs",
        encoder="lstm",
        parameters=300_000 + int(split[-1]),
        train_size=1000,
        test_size=200,
        data=MCWQ_NOTE,
    )
    figures = {"edges_match": edges} if paper else {"exact_match": exact, "edges_match": edges}
    add_seed(folder, setup, seed, Run(figures, 3.0, "cpu", "partwise", None))


@pytest.fixture
def mcwq_results(tmp_path: Path) -> Path:
    """Two seeds of `declared` on all splits, one of `flat` on one, and the paper's protocol."""
    for place, split in enumerate(MCD):
        add_mcwq(tmp_path, split, "declared", 0, 0.9 + place / 100, 0.95)
        add_mcwq(tmp_path, split, "declared", 1, 0.8 + place / 100, 0.95)
    add_mcwq(tmp_path, "mcd2", "flat", 0, 0.5, 0.6)
    add_mcwq(tmp_path, "mcd1", "flat-paper", 0, 0.0, 0.7)
    return tmp_path


def test_published_means_are_those_of_the_leaderboard() -> None:
    rows = published_rows("graph", "mcwq", "exact_match")
    figures = [row.figures for row in rows if row.data == "MCWQ"]
    means = [round(sum(row[split] for split in MCD) / 3, 1) for row in figures]
    assert means == [19.4, 29.3, 26.6, 28.1, 38.3, 33.8, 55.2]
    assert all("random" in row for row in figures)
    assert [row.figures[0] for row in TABLE3] == [59.1, 76.0, 98.6]
    # The last row of the ablation is the tuned model of Table 2.
    tuned = next(row for row in rows if row.model == "Grounded Graph Decoding, tuned")
    assert tuple(tuned.figures.values()) == TABLE3[-1].figures


def test_ours_stand_beside_published_figures(mcwq_results: Path) -> None:
    table = graph_report(load_results(mcwq_results)).grids[-1]
    rows = {row[0]: row for row in table.rows}
    assert rows["mT5-small"][2:] == ("77.6", "13.0", "24.3", "38.3", "300M")
    assert rows["declared (0.2.0)"][2] == "85.0 ± 63.5 (2)"
    # Over each seed's mean of the three splits: 0.91 and 0.81.
    assert rows["declared (0.2.0)"][5] == "86.0 ± 63.5 (2)"
    assert rows["declared (0.2.0)"][6] == "300,001 to 300,003"
    assert rows["flat"][2:] == ("–", "50.0 (1)", "–", "–", "300,002")
    assert "flat-paper" not in rows, "edges alone are no exact match"


def test_all_results_have_their_notes(mcwq_results: Path) -> None:
    first, second = graph_report(load_results(mcwq_results)).grids
    assert [row[2] for row in first.rows] == [
        "declared (0.2.0)",
        "flat-paper",
        "declared (0.2.0)",
        "flat",
        "declared (0.2.0)",
    ]
    assert first.rows[1][3:5] == ("–", "70.0 (1)")
    for table in (first, second):
        assert any(MCWQ_NOTE in note for note in table.notes)


def test_forms_agree(mcwq_results: Path) -> None:
    text = graph_report(load_results(mcwq_results)).markdown()
    assert "| mT5-base | Cui et al. 2022 | 55.5 |" in text
    console = Console(width=200, record=True)
    console.print(graph_report(load_results(mcwq_results)).rich())
    assert "86.0 ± 63.5 (2)" in console.export_text()
    content = json.loads(graph_report(load_results(mcwq_results)).json())
    assert content["published"]["mcwq"]["LSTM"] == {"mcd1": 0.382, "mcd2": 0.063, "mcd3": 0.136}
    assert len(content["ours"]) == 5


def test_the_command_prints_them(mcwq_results: Path) -> None:
    run = run_cli("report", "--results", str(mcwq_results), "--paper", "graph", "--markdown")
    assert run.exit_code == 0
    assert run.stdout.strip() == graph_report(load_results(mcwq_results)).markdown().strip()
    refused = run_cli("report", "--paper", "graph", "--data", str(mcwq_results))
    assert refused.exit_code == 2
    assert "--data is for --paper span" in refused.stderr


# Tables with all rows: ours, baselines and published ones, and the notes where they differ.


RESULTS = Path(__file__).parents[2] / "results"


def result(setup: Setup, *values: float, metric: str = "denotation") -> Result:
    """A result with a seed for each value."""
    metrics = ({"exact_match": 0.5, metric: value} for value in values)
    return Result(setup, {n: Run(m, 1.0, "cpu", "x", None) for n, m in enumerate(metrics)})


def rows(grid: Grid) -> dict[str, tuple[str, ...]]:
    """The last row of each name."""
    return {row[0]: row for row in grid.rows}


@pytest.mark.parametrize("table", WHOLE)
def test_every_row_stands_in_the_first_grid_without_results(table: str) -> None:
    first, *others = whole_table(table, [])
    here = [row for row in first.rows if "published" not in row[1]]
    assert sorted(row[0] for row in here) == sorted(row.key for row in all_rows(WHOLE[table]))
    assert all(set(row[2:]) == {"–"} for row in here)
    for grid in others:
        assert all(row[1].startswith("published (") for row in grid.rows)


def test_what_is_compared_with_is_published() -> None:
    published = {one.model for table in WHOLE for sheet in sheets(table) for one in sheet.published}
    for row in all_rows():
        assert row.paper in {*published, ""}
        assert row.variant == row.key or row.kind == "span"
    assert len({row.key for row in all_rows()}) == len(all_rows())


def test_published_figures_are_of_splits_that_there_are() -> None:
    for table, dataset in WHOLE.items():
        for sheet in sheets(table):
            assert set(sheet.splits) <= set(DATASETS[dataset].splits)
            for one in sheet.published:
                assert set(one.figures) <= set(sheet.splits)
                assert all(0 <= value <= 100 for value in one.figures.values())
    others = (
        *published_rows("others", "geoquery", "exact_match"),
        *published_rows("others", "scan_sp", "denotation"),
    )
    assert {one.source for one in others} > {"Li et al. 2023", "Shaw et al. 2021"}


def test_rows_stand_below_what_they_are_compared_with(setup: Setup) -> None:
    geo = replace(setup, system="seq2seq", variant="grammar", encoder="bilstm")
    (first, _) = whole_table("geoquery", [result(geo, 0.7, 0.72)])
    places = [row[0] for row in first.rows]
    for model in models():
        if model != "End2End":
            assert model in places
    assert places[places.index("Grammar") + 1] == "grammar"
    line = rows(first)["grammar"]
    assert line[1:3] == ("baseline", "bilstm")
    assert line[3:] == ("71.0 ± 12.7 (2)", "–", "–", "540", "–")


def test_a_row_that_is_far_off_has_a_note(setup: Setup) -> None:
    near = replace(setup, system="seq2seq", variant="seq2seq")
    far = replace(near, variant="bert2seq", split="template")
    grid, exact = whole_table("geoquery", [result(near, 0.75), result(far, 0.7)])
    assert rows(grid)["seq2seq"][-1] == "–"
    assert rows(grid)["bert2seq"][-1] == "1"
    said = "1. bert2seq: Template +20.4 points from BERT2Seq (Herzig and Berant 2021): "
    assert grid.notes[1].startswith(said)
    assert OPEN not in grid.notes[1]
    # Nothing of the kind was published of exact match.
    assert rows(exact)["bert2seq"][4] == "50.0 (1)"
    assert rows(exact)["bert2seq"][-1] == "–"


def test_queries_have_a_mean_and_both_kinds_of_published_figures(setup: Setup) -> None:
    base = replace(setup, dataset="mcwq", system="seq2seq", variant="lstm", train_size=12000)
    found = [
        result(replace(base, split=split), value, metric="exact_match")
        for split, value in (("mcd1", 0.3), ("mcd2", 0.06), ("mcd3", 0.12))
    ]
    (grid,) = whole_table("cfq", found)
    assert grid.head[3:8] == ("MCD1", "MCD2", "MCD3", "random", "mean")
    assert rows(grid)["lstm"][3:] == (
        "30.0 (1)",
        "6.0 (1)",
        "12.0 (1)",
        "–",
        "16.0 (1)",
        "12,000",
        "1",
    )
    assert grid.notes[1].startswith("1. lstm: MCD1 -8.2 points from LSTM (MCWQ, Cui et al. 2022)")
    of_lstm = [row for row in grid.rows if row[0] == "LSTM"]
    assert [row[3] for row in of_lstm] == ["38.2", "28.9"]
    assert [row[1] for row in of_lstm] == ["published (a), MCWQ", "published (b), CFQ"]
    told = "Published figures were not run here: (a) Cui et al. 2022; (b) Keysers et al. 2020; "
    assert grid.notes[0].startswith(told)
    assert rows(grid)["mBART50*"][3:8] == ("75.4", "35.9", "54.4", "98.9", "55.2")


def test_other_splits_of_scan_stand_apart(setup: Setup) -> None:
    scan = replace(setup, dataset="scan_sp", split="mcd2", variant="crf-sharp")
    first, other = whole_table("scan", [result(scan, 1.0)])
    assert rows(first)["span"][3] == "–"
    assert rows(other)["span"][3:] == ("–",) * 4 + ("100.0 (1)", "–", "540", "–")
    assert rows(other)["LSTM + SpanSub"][7] == "72.9"
    assert "seq2seq" not in rows(other)


def test_notes_are_of_rows_and_of_stored_results() -> None:
    grids = {table: whole_table(table, load_results(RESULTS)) for table in WHOLE}
    for table, some in grids.items():
        for grid in some:
            assert not any(text.endswith(f"{OPEN}.") for text in grid.notes), table
    assert note("geoquery", "no-such-row") == OPEN
    assert note("clevr", "gold-trees") != OPEN
    assert FAR == 5.0


def test_every_row_has_a_recipe_for_each_of_its_splits() -> None:
    for table, dataset in WHOLE.items():
        made = {(one.row, one.split) for one in of_table(table)}
        for row in all_rows(dataset):
            for split in sheets(table)[0].splits:
                assert ((row.key, split) in made) == (not row.former)


def test_a_system_of_the_core_is_named_in_its_command() -> None:
    for one in all_recipes():
        words = one.steps(0)[0].words
        assert ("--system" in words) == (one.kind == "seq2seq")
        if one.kind == "seq2seq" and one.variant in SYSTEMS:
            given = {"system": words[words.index("--system") + 1]}
            config, _ = settings_for(PARSERS.find("seq2seq"), None, 600, given)
            assert PARSERS.find("seq2seq").variant(None, config) == one.variant
            assert one.file_name == f"seq2seq-{one.dataset}-{one.split}-{one.variant}.json"


# The ablation's cells and tables.


PAPER_ROW = Cell("words", True, True, "group")
BARE = Cell("words", False, False, ALIKE)


def row(cell: Cell, split: str, seed: int, exact: float, edges: float) -> dict[str, Any]:
    """A row of the benchmark's file."""
    figures = {"exact_match": exact, "edges_match": edges}
    return {"split": split, "seed": seed, **cell._asdict(), **figures}


def test_the_papers_rows_come_first() -> None:
    found = cells()
    assert len(found) == len(set(found)) == 18
    assert found[0] == BARE
    assert PAPER_ROW in found[:3]
    for one in found:
        GraphParserConfig(composition="flat", **one.settings())


@pytest.mark.parametrize("question", ["Did M0 and M1 marry M2", "Who edited M1 , M0 , and M3"])
def test_without_grouping_both_kinds_of_nodes_are_the_same(question: str) -> None:
    tokens = Tagger(WIKIDATA)(question)
    plain = GraphParserConfig(grouping=False)
    both = [
        read_flat(tokens, GraphParserConfig(grouping=False, group_nodes=n)) for n in (True, False)
    ]
    assert both[0] == both[1] == read_flat(tokens, plain)
    grouped = [read_flat(tokens, GraphParserConfig(group_nodes=n)).members for n in (True, False)]
    assert grouped[0] != grouped[1]


def test_tables_have_means_and_the_papers_rows() -> None:
    done = [
        row(PAPER_ROW, "mcd1", 0, 0.3, 0.4),
        row(PAPER_ROW, "mcd1", 1, 0.5, 0.6),
        row(BARE, "mcd3", 0, 0.1, 0.2),
        row(Cell("tags", True, True, "group"), "mcd1", 0, 0.7, 0.8),
    ]
    every, beside = ablation_tables({"budget": "small", "data": "recovered", "cells": done})
    by_name = {line[-1]: line for line in every.rows if line[-1]}
    full = by_name["Grounded Graph Decoding"]
    assert full[:6] == ("words", "yes", "yes", "group", "40.0 ± 127.1 (2)", "50.0 ± 127.1 (2)")
    assert by_name["Graph decoding only"][8:10] == ("10.0 (1)", "20.0 (1)")
    assert sum("70.0 (1)" in line for line in every.rows) == 1
    assert [line[0] for line in beside.rows][2] == "Grounded Graph Decoding"
    assert beside.rows[2][1:] == ("50.0 ± 127.1 (2)", "–", "–", "98.6", "67.9", "77.4")
    for grid in (every, beside):
        assert any("recovered" in note for note in grid.notes)
        assert any("small" in note for note in grid.notes)


# The rows of the README, from the stored results.


def test_ours_stand_beside_the_best_published_figures() -> None:
    rows = {row.label: row for row in summary_rows(RESULTS)}
    assert len(rows) == 6
    lengths = rows["GeoQuery, longer programs"]
    assert lengths.published == ("SpanBasedSP", 63.6)
    assert lengths.sequence == ("BERT2Seq", 26.1)
    assert len(lengths.ours) == 5
    assert all(0 < value <= 100 for row in rows.values() for value in row.ours)
    table = summary(RESULTS)
    assert len(table.rows) == 6
    assert table.rows[2][3] == "63.6 (SpanBasedSP)"


def test_the_plot_is_always_the_same(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = tmp_path / "one.svg", tmp_path / "two.svg"
    for file in files:
        summary_plot(RESULTS, file)
    assert files[0].read_bytes() == files[1].read_bytes()
