"""How answers are seen: their kind, their charts, in the terminal, in files and in notebooks."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.drawing import draw_table
from partwise.drawing.charts import LISTED, POINTS, Display, display
from partwise.errors import DataError
from partwise.interface.prediction import (
    Answer,
    Cell,
    Explanation,
    Prediction,
    ResultColumn,
    ResultTable,
)

COUNTRY = ResultColumn("country", "text", role="group")
CHANNEL = ResultColumn("channel", "text", role="group")
MONTH = ResultColumn("month", "month", role="group")
SALES = ResultColumn("sales", "integer", role="figure", adds=True)
MEAN = ResultColumn("average price", "money", "USD", "$", role="figure")
NAME = ResultColumn("name", "text", role="name")
PRICE = ResultColumn("price", "money", "EUR", "€", role="value")


def table(
    columns: Sequence[ResultColumn], rows: Sequence[Sequence[Cell]], **more: Any
) -> ResultTable:
    names = tuple(column.name for column in columns)
    said = Explanation("What was <b>understood</b>", "SELECT 1")
    return ResultTable(names, tuple(map(tuple, rows)), said, types=tuple(columns), **more)


def values(seen: Display) -> list[dict[str, Any]]:
    assert seen.chart is not None
    return list(seen.chart["data"]["values"])


def points(seen: Display) -> list[tuple[Any, ...]]:
    return [tuple(value.values()) for value in values(seen)]


def test_names_are_bars_the_largest_first_unless_an_order_was_asked_for() -> None:
    rows = [("Chile", 2), (None, 1), ("Brazil", 5)]
    seen = display(table([COUNTRY, SALES], rows))
    assert seen.kind == "bar"
    assert points(seen) == [("Brazil", 5), ("Chile", 2), ("(none)", 1)]
    asked = display(table([COUNTRY, SALES], rows, ordered=True))
    assert [point[0] for point in points(asked)] == ["Chile", "(none)", "Brazil"]


def test_a_time_has_no_gaps_and_its_periods_are_named() -> None:
    counted = display(table([MONTH, SALES], [("2024-02", 3), ("2023-11", 4), ("2023-12", 1)]))
    assert counted.kind == "line"
    assert points(counted) == [("Nov 2023", 4), ("Dec 2023", 1), ("Jan 2024", 0), ("Feb 2024", 3)]
    means = display(table([MONTH, MEAN], [("2023-11", 4.0), ("2023-12", 1.0), ("2024-02", 3.5)]))
    assert points(means)[2] == ("Jan 2024", None)
    some = [("2023-11", 4), ("2024-02", 3), ("2024-05", 1)]
    chosen = display(table([MONTH, SALES], some, complete=False))
    assert (chosen.kind, len(values(chosen))) == ("bar", 3)


def test_parts_of_dates_are_named_and_in_their_order() -> None:
    weekday = ResultColumn("weekday", "weekday", role="group")
    seen = display(table([weekday, SALES], [(6, 1), (0, 4), (2, 3)]))
    assert seen.kind == "bar"
    assert [x[:3] for x, _ in points(seen)] == ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    month = ResultColumn("month", "month", role="group")
    assert points(display(table([month, SALES], [(3, 1), (1, 4)])))[1] == ("February", 0)


def test_too_many_names_are_cut_and_the_chart_says_so() -> None:
    rows = [(f"c{number}", number) for number in range(57)]
    seen = display(table([COUNTRY, SALES], rows))
    assert seen.note == "the largest 20 of 57"
    assert points(seen)[0] == ("c56", 56)
    assert seen.chart is not None
    assert seen.chart["title"]["subtitle"] == seen.note
    pie = display(table([COUNTRY, SALES], rows), "pie")
    assert pie.kind == "pie"
    assert points(pie)[-1] == ("others", sum(range(50)))


def test_two_groups_stand_beside_one_another_or_are_stacked() -> None:
    few = [(c, d, 1) for c in "ab" for d in "xyz"]
    many = [(c, d, 1) for c in "abcdefghij" for d in "xyz"]
    assert display(table([COUNTRY, CHANNEL, SALES], few)).kind == "grouped"
    assert display(table([COUNTRY, CHANNEL, SALES], many)).kind == "stacked"
    assert display(table([COUNTRY, CHANNEL, MEAN], many)).kind == "grouped"
    assert display(table([COUNTRY, CHANNEL, SALES], few), "stacked").kind == "stacked"
    over = [(f"2024-0{m}", d, m) for d in "xyz" for m in (1, 2, 4)]
    seen = display(table([MONTH, CHANNEL, SALES], over))
    assert seen.kind == "line"
    assert {"x": "Mar 2024", "y": 0, "series": "y"} in values(seen)


@pytest.mark.parametrize(
    ("columns", "rows", "wish", "kind"),
    [
        ([SALES], [(3,)], "", "number"),
        ([SALES], [(3,)], "pie", "number"),
        ([NAME], [("Ada",), ("Bob",)], "", "table"),
        ([NAME, PRICE], [("Tea", 3.5), ("Cake", 2.0)], "", "bar"),
        ([NAME, PRICE], [(f"n{n}", n / 2) for n in range(LISTED + 1)], "", "table"),
        ([NAME, PRICE], [(f"n{n}", n / 2) for n in range(LISTED + 1)], "chart", "bar"),
        ([NAME, PRICE], [("Tea", 3.5), ("Tea", 2.0)], "", "table"),
        ([COUNTRY, SALES], [("a", 1), ("b", 2)], "table", "table"),
        ([COUNTRY, SALES], [("a", 1), ("b", 2)], "line", "line"),
        ([COUNTRY, SALES], [("a", 1), ("b", -2)], "pie", "bar"),
        ([COUNTRY, SALES, MEAN], [("a", 1, 2.0), ("b", 2, 1.0)], "", "table"),
        ([COUNTRY, SALES, MEAN], [("a", 1, 2.0), ("b", 2, 1.0)], "bar", "bar"),
        ([COUNTRY, SALES], [], "bar", "table"),
    ],
)
def test_what_is_asked_for_is_obeyed_where_it_can_be(
    columns: list[ResultColumn], rows: list[tuple[Cell, ...]], wish: str, kind: str
) -> None:
    assert display(table(columns, rows), wish).kind == kind


CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
CELLS |= st.sampled_from(["2024-02", "2024-Q9", "2024-02-30", "9999-12", "", "2024-01-01 10:00"])
KINDS = st.sampled_from(["integer", "text", "month", "quarter", "weekday", "date", "year", "money"])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_table_is_seen_and_its_chart_is_valid(data: st.DataObject) -> None:
    altair = pytest.importorskip("altair")
    count = data.draw(st.integers(1, 3))
    roles = st.sampled_from([None, "group", "name", "figure", "value"])
    columns = [
        ResultColumn(f"c.{n}", data.draw(KINDS), role=data.draw(roles), adds=True)
        for n in range(count)
    ]
    column = st.sampled_from([CELLS, st.integers(0, 40)])
    cells = [data.draw(column) for _ in columns]
    rows = data.draw(st.lists(st.tuples(*cells), max_size=6))
    wish = data.draw(st.sampled_from(["", "pie", "line", "bar", "stacked", "scatter", "chart"]))
    asked = table(columns, rows)
    seen = display(asked, wish)
    assert draw_table(asked, 60, color=False, wish=wish)
    json.dumps(seen.to_json(), allow_nan=False)
    if seen.chart is not None:
        altair.Chart.from_dict(seen.chart)
        assert len(values(seen)) <= POINTS


def test_the_terminal_draws_bars_with_units() -> None:
    rows = [("Tea", 1234.5), ("Cake", -617.25)]
    lines = draw_table(table([NAME, PRICE], rows), 60, color=False).splitlines()
    assert lines[2].split() == ["Tea", "€1,234.50", 30 * "█"]
    assert lines[3].split() == ["Cake", "-€617.25", 15 * "▒"]


def told(seen: ResultTable, **more: Any) -> Answer[str]:
    return Answer(Prediction("q", meaning="m"), "m", ("line",), seen, **more)


def test_charts_and_rows_are_written(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    answer = told(table([NAME, PRICE], [("=1+1", 3.5), ("Cake", 2.0)]))
    begins = {"svg": b"<svg", "png": b"\x89PNG", "json": b"{", "html": b"<!DOCTYPE"}
    for form, begin in begins.items():
        answer.save_chart(tmp_path / f"a.{form}")
        assert (tmp_path / f"a.{form}").read_bytes().strip().startswith(begin)
    assert b"Cake" in (tmp_path / "a.svg").read_bytes()
    answer.save(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8") as stream:
        assert [*csv.reader(stream)] == [["name", "price"], ["'=1+1", "3.5"], ["Cake", "2.0"]]
    with pytest.raises(DataError, match=r"\.png, \.svg"):
        answer.save_chart(tmp_path / "a.gif")
    with pytest.raises(DataError, match="cannot be written"):
        answer.save(tmp_path / "none" / "a.csv")


def test_pictures_need_the_extra_and_a_specification_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    answer = told(table([NAME, PRICE], [("Tea", 3.5), ("Cake", 2.0)]))
    with pytest.raises(DataError, match=r"partwise\[charts\]"):
        answer.save_chart(tmp_path / "a.png")
    answer.save_chart(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == answer.chart()
    assert "partwise[charts]" in answer._repr_html_()


def test_a_notebook_shows_answers_doubt_and_refusals() -> None:
    shown = table([SALES], [(1234567,)])
    number = told(shown, explanation=shown.explanation)._repr_html_()
    assert "1,234,567" in number
    assert "&lt;b&gt;understood&lt;/b&gt;" in number
    hostile = told(table([NAME], [("<script>1</script>",), ("b",)]))._repr_html_()
    assert "<script" not in hostile
    refused: Answer[str] = Answer(Prediction("q", suggestions=("try",)), reason="nothing <found>")
    assert "nothing &lt;found&gt;" in refused._repr_html_()
    assert "try" in refused._repr_html_()
    with pytest.raises(DataError, match="nothing <found>"):
        refused.to_pandas()
    with pytest.raises(DataError, match="there is no chart"):
        refused.chart()


def test_bars_are_narrower_in_a_narrow_terminal() -> None:
    seen = table([COUNTRY, CHANNEL, SALES], [(c, d, 9) for c in ("Chile", "Peru") for d in "xyz"])
    for width in (80, 40, 34):
        lines = draw_table(seen, width, color=False).splitlines()
        assert max(map(len, lines)) <= width
        words = [line.split() for line in lines[-2:]]
        assert [each[:3] for each in words] == [["z", "Chile", "9"], ["z", "Peru", "9"]]
        assert words[0][3].startswith("█")
        assert "…" not in "".join(lines)
    assert "█" not in draw_table(seen, 24, color=False)
