"""Checks of a layer against its database: each finds its fault, and says where and what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cases import cases
from partwise.database.checking import check_layer
from partwise.database.layer.files import read_layer
from partwise.database.source.connections import connect
from partwise.interface.domain import Issue

HERE = Path(__file__).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "bikes.sqlite") as database:
        database.executescript((HERE / "bikes.sql").read_text("utf-8"))
    return tmp_path


def checked(folder: Path, *changes: tuple[str, str]) -> list[Issue]:
    """The issues of the layer with some changes."""
    text = (HERE / "bikes.yaml").read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file = folder / "bikes.yaml"
    file.write_text(text)
    return check_layer(read_layer(file), connect(folder / "bikes.sqlite"))


def line(folder: Path, text: str) -> str:
    """``file:line`` of the first line of the layer with a text."""
    file = folder / "bikes.yaml"
    lines = file.read_text().splitlines()
    return f"{file}:{next(n for n, one in enumerate(lines, 1) if text in one)}"


def test_nothing_is_said_of_a_good_layer(folder: Path) -> None:
    assert checked(folder) == []


RATE = """
  rate:
    columns:
      day: date
      rate: number
"""


@cases("old, new, severity, kind, what, at")
def test_each_fault_is_said_once_with_its_line(
    folder: Path, old: str, new: str, severity: str, kind: str, what: str, at: str
) -> None:
    issues = [one for one in checked(folder, (old, new)) if one.kind == kind]
    assert [(one.severity, one.what) for one in issues] == [(severity, what)]
    assert issues[0].where == line(folder, at.strip())
    assert issues[0].why
    assert issues[0].suggestion


def test_values_of_private_columns_are_not_said(folder: Path) -> None:
    issues = checked(
        folder, ("[model, price]", "model"), ("model: text", "model: {kind: text, private: true}")
    )
    assert [one.kind for one in issues] == ["private-display"]
    assert "City" not in str(issues[0])
