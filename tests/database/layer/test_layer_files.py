"""The file of a layer: written, read, and refused with file and line."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML
from shops import HEAD, shop

from cases import cases
from partwise.database.layer.entries import SCHEMA_FILE, layer_schema, schema_text
from partwise.database.layer.files import read_layer, write_layer
from partwise.errors import DataError

SOURCE = "sqlite:///shop.db"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "shop.yaml"
    write_layer(shop(), written, SOURCE, date(2024, 5, 6))
    return written


def test_a_file_says_what_was_written(file: Path) -> None:
    layer = shop()
    read = read_layer(file)
    assert (read.source, read.today) == (SOURCE, date(2024, 5, 6))
    assert read.layer.tables == layer.tables
    assert set(read.layer.measures) == set(layer.measures)
    assert read.layer.schema.tables == layer.schema.tables
    assert read.layer.links == layer.links
    assert read.layer.preferred == layer.preferred
    assert set(read.layer.schema.links) == set(layer.schema.links)
    assert read.layer.schema.links[0] == layer.preferred[0]


def test_a_file_written_again_is_the_same(file: Path, tmp_path: Path) -> None:
    read = read_layer(file)
    again = tmp_path / "again.yaml"
    layer = replace(read.layer, notes=shop().notes)
    write_layer(layer, again, read.source, read.today)
    assert again.read_text() == file.read_text()


def test_what_was_inferred_carries_its_reason(file: Path) -> None:
    lines = file.read_text().splitlines()
    assert lines[0] == f"# yaml-language-server: $schema=./{SCHEMA_FILE}"
    at = lines.index("      Placed: date")
    assert lines[at - 1] == "      # Orders.Placed holds dates: each of its values is one"
    assert "# SellerId was looked at" in lines


def test_what_follows_from_a_name_is_left_out(file: Path) -> None:
    text = file.read_text()
    assert "SellerId: id\n" in text
    assert "label: order" not in text
    assert "label: colleague" in text


def test_values_of_private_columns_are_not_written(tmp_path: Path) -> None:
    layer = shop()
    table = layer.table("Orders")
    hidden = replace(table.column("Status"), private=True)
    columns = tuple(hidden if one.name == "Status" else one for one in table.columns)
    tables = tuple(replace(one, columns=columns) if one is table else one for one in layer.tables)
    write_layer(replace(layer, tables=tables), tmp_path / "a.yaml", SOURCE)
    assert "[F," not in (tmp_path / "a.yaml").read_text()


def test_editors_accept_what_is_written_and_refuse_what_is_not(file: Path) -> None:
    tree = YAML(typ="safe", pure=True).load(file)
    tree["today"] = tree["today"].isoformat()
    schema = json.loads(file.with_name(SCHEMA_FILE).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tree, schema)
    tree["tables"]["Orders"]["columns"]["Placed"] = "day"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tree, schema)


def test_the_schema_says_what_each_key_means() -> None:
    parts = layer_schema()["$defs"]
    for name in ("TableEntry", "ColumnEntry", "LinkEntry", "MeasureEntry"):
        long = parts[name].get("anyOf", [parts[name]])[-1]
        assert all(one.get("description") for one in long["properties"].values())
        assert long["additionalProperties"] is False


def test_a_column_may_point_nowhere_and_a_measure_be_unwanted(file: Path) -> None:
    text = file.read_text().replace("ManagerId: {to: Staff, called: reports to}", "ManagerId:")
    file.write_text(text.replace("sellers: count of distinct SellerId", "sellers: ~"))
    layer = read_layer(file).layer
    assert HEAD not in layer.schema.links
    assert [one.name for one in layer.measures] == ["revenue"]


def test_texts_that_look_like_something_else_stay_texts(file: Path) -> None:
    edited = file.read_text().replace(
        "Placed: date", "Placed: {kind: date, synonyms: [1, no, 3.5]}"
    )
    file.write_text(edited)
    assert read_layer(file).layer.column("Orders", "Placed").synonyms == ("1", "no", "3.5")


@cases("old, new, why")
def test_a_wrong_file_is_refused_with_the_line(file: Path, old: str, new: str, why: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    line = 1 + text[: text.index(old)].count("\n")
    with pytest.raises(DataError) as caught:
        read_layer(file)
    assert why in str(caught.value)
    assert any(f"{file}:{near}:" in str(caught.value) for near in (line, line + 1, line + 2))


@cases("text")
def test_what_is_no_layer_at_all_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(DataError, match=r"a\.yaml"):
        read_layer(file)


def test_all_that_is_wrong_is_said_at_once(file: Path) -> None:
    text = file.read_text().replace("date: Placed", "date: A").replace("to: Staff", "to: B")
    file.write_text(text)
    with pytest.raises(DataError) as caught:
        read_layer(file)
    assert len(str(caught.value).splitlines()) > 2


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        read_layer(tmp_path / "none.yaml")


def test_the_stored_schema_is_that_of_the_declarations() -> None:
    stored = files("partwise.database.layer").joinpath(SCHEMA_FILE).read_text("utf-8")
    how = f"python -m partwise.database.layer.entries > src/partwise/database/layer/{SCHEMA_FILE}"
    assert stored == schema_text(), f"write it again with: {how}"
