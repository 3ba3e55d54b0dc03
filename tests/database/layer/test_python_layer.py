"""A layer as a Python module: one form becomes the other and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from shops import HEAD, PLACED, shop

from cases import cases
from partwise.database.layer.files import LayerFile, read_layer, write_layer
from partwise.database.layer.model import Measure
from partwise.database.layer.python import WIDTH, read_python, write_python
from partwise.errors import DataError, DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Belonging,
    Compare,
    Contains,
    Field,
    Figure,
    Not,
    Rows,
    Value,
)

SOURCE = "sqlite:///shop.db"
MODULE = "layer_module_of_a_test"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop(MODULE, None)


def imported(folder: Path, text: str) -> LayerFile:
    """The layer of a module with a text."""
    (folder / f"{MODULE}.py").write_text(text)
    return read_python(MODULE)


def test_a_module_makes_the_layer_that_it_was_written_from(folder: Path) -> None:
    text = write_python(shop(), SOURCE, date(2024, 5, 6))
    read = imported(folder, text)
    assert read == LayerFile(shop(), SOURCE, date(2024, 5, 6))
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_a_file_becomes_a_module_and_a_file_again(folder: Path) -> None:
    write_layer(shop(), folder / "one.yaml", SOURCE, date(2024, 5, 6))
    first = read_layer(folder / "one.yaml")
    read = imported(folder, write_python(first.layer, first.source, first.today))
    write_layer(read.layer, folder / "two.yaml", read.source, read.today)
    second = read_layer(folder / "two.yaml")
    assert second.layer == first.layer
    assert (second.source, second.today) == (first.source, first.today)


def test_a_module_says_what_no_formula_can(folder: Path) -> None:
    orders = Figure(Rows("Orders"), Aggregate("count"))
    where = Not(Compare(Field((PLACED,), "Status"), "=", Value(datetime(2024, 1, 2, 3))))
    busy = Measure(
        "busy", 'it\'s \\ "busy"\n', "Staff", "average", Belonging((HEAD,), orders), where
    )
    late = replace(busy, name="late", where=Contains(Field((), "Status"), "x", "end"))
    layer = replace(shop(), measures=(busy, late))
    assert imported(folder, write_python(layer, SOURCE)).layer == layer


def test_what_is_no_constant_is_refused() -> None:
    broken = replace(shop(), notes=(object(),))  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="cannot be written"):
        write_python(broken, SOURCE)


@cases("text")
def test_a_module_without_a_layer_is_refused(folder: Path, text: str) -> None:
    with pytest.raises(DataError, match=MODULE):
        imported(folder, text)
