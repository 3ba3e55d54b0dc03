"""The rows of the README, from the stored results."""

from __future__ import annotations

from pathlib import Path

import pytest
from summary import summary, summary_plot, summary_rows

RESULTS = Path(__file__).parents[2] / "results"


def test_ours_stand_beside_the_best_published_figures() -> None:
    rows = {row.label: row for row in summary_rows(RESULTS)}
    assert len(rows) == 6
    lengths = rows["GeoQuery, longer programs"]
    assert lengths.published == ("SpanBasedSP", 63.6)
    assert lengths.sequence == ("BERT2Seq", 26.1)
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
