"""Tables with all rows: ours, baselines and published ones, and the notes where they differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.interface.registry import DATASETS, PARSERS
from partwise.training.trainer import settings_for
from partwise_papers.recipes.recipes import all_recipes
from partwise_papers.recipes.reproduce import of_table
from partwise_papers.results.result import Result, Run, Setup, load_results
from partwise_papers.seq2seq.config import SYSTEMS
from partwise_papers.tables.grid import Grid
from partwise_papers.tables.published import OPEN, all_rows, models, note, published, read_notes
from partwise_papers.tables.whole import FAR, WHOLE, sheets, whole_table

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
        *published("others", "geoquery", "exact_match"),
        *published("others", "scan_sp", "denotation"),
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


@pytest.mark.parametrize("text", ["[geoquery\n", "seq2seq = 'x'\n", "[geoquery]\nseq2seq = 1\n"])
def test_a_damaged_file_of_notes_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"notes\.toml"):
        read_notes(text)


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
