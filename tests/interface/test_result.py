"""Answers as tables and data frames, and their JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from partwise.errors import DataError
from partwise.interface.prediction import Answer, Cell, Explanation, Prediction, ResultTable, spell

SAID = Explanation("the names and heights of people", "SELECT name, height FROM person")


def answer_of(*rows: tuple[Cell, ...], **more: Any) -> Answer[str]:
    table = ResultTable(("name", "height"), rows, SAID, **more)
    prediction = Prediction("who is how tall", ("who", "is", "how", "tall"), "m", 0.5, unused=(1,))
    return Answer(prediction, "m", ("some lines",), table, explanation=SAID)


def test_frames_have_the_columns_and_rows_of_the_table() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    answer = answer_of(("Ada", 1), ("Bob", 1.75), (None, None))
    wanted: dict[str, list[Cell]] = {"name": ["Ada", "Bob", None], "height": [1.0, 1.75, None]}
    assert answer.to_arrow().to_pydict() == wanted
    assert answer.to_polars().to_dict(as_series=False) == wanted
    frame = answer.to_pandas()
    assert list(frame.columns) == ["name", "height"]
    assert frame["height"][:2].tolist() == [1.0, 1.75]
    assert frame["height"].isna().tolist() == [False, False, True]


def test_a_column_of_texts_and_numbers_becomes_texts() -> None:
    answer = answer_of(("Ada", 3), (7, "tall"))
    assert answer.to_arrow().to_pydict() == {"name": ["Ada", "7"], "height": ["3", "tall"]}


def test_an_empty_table_keeps_its_columns() -> None:
    assert answer_of().to_arrow().column_names == ["name", "height"]


def test_an_answer_that_is_no_table_has_one_column() -> None:
    answer = Answer(Prediction("q", meaning="m"), "m", ("ada", "bob"), {"ada", "bob"})
    assert answer.to_arrow().to_pydict() == {"answer": ["ada", "bob"]}


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(DataError, match=r"partwise\[polars\]"):
        answer_of().to_polars()


def test_json_of_a_table() -> None:
    answer = answer_of(("Ada", 1), truncated=True)
    values = json.loads(json.dumps(answer.to_json()))
    assert values["answer"] == [["Ada", 1]]
    assert values["columns"] == ["name", "height"]
    assert values["ignored"] == ["is"]
    assert (values["restated"], values["sql"]) == SAID
    assert values["notes"] == ["only the first 1 rows are shown"]
    assert values["outcome"] == "answered"
    assert "answer" not in answer.to_json(ran=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "yes"), (2024, "2024"), (0.1 + 0.2, "0.3"), (2.0, "2"), ("a", "a")],
)
def test_values_are_spelt_for_people(value: Cell, text: str) -> None:
    assert spell(value) == text


def test_ties_are_said() -> None:
    assert answer_of(("Ada", 1), ties=(("Eve", 1),)).table.notes == ("tied with the last row: Eve",)
