"""The layer of the documentation fits the database of the documentation."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from partwise.database.checking import check_layer
from partwise.database.layer.files import read_layer
from partwise.database.layer.merging import merge
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "database"
FILE = EXAMPLES / "shop.yaml"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    file = tmp_path_factory.mktemp("shop") / "shop.db"
    spec = importlib.util.spec_from_file_location("make_shop", EXAMPLES / "make_shop.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.make(str(file))
    return connect(f"sqlite:///{file}")


def test_nothing_is_wrong_with_it(source: Source) -> None:
    assert check_layer(read_layer(FILE), source) == []


def test_reading_the_database_again_changes_nothing(source: Source) -> None:
    merged = merge(FILE, import_database(source, "shop"))
    assert merged == (FILE.read_text("utf-8"), ())


def test_its_first_line_names_the_stored_schema() -> None:
    first = FILE.read_text("utf-8").splitlines()[0]
    assert (EXAMPLES / first.partition("$schema=")[2]).is_file()
