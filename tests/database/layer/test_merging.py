"""A file after the database changed: nothing that a person wrote is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from shops import shop

from partwise.database.layer.files import read_layer, write_layer
from partwise.database.layer.merging import Merged, merge
from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.execution.relational.schema import Column, Link, Schema, Table

SOURCE = "sqlite:///shop.db"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "shop.yaml"
    write_layer(shop(), written, SOURCE)
    return written


def without(layer: SemanticLayer, table: str, *columns: str) -> SemanticLayer:
    """The layer as imported after columns of a table were dropped, or the whole table."""

    def kept(one: str, column: str) -> bool:
        return one != table or column not in columns

    def left(link: Link) -> bool:
        return kept(link.table, link.column) if columns else table not in (link.table, link.target)

    tables, infos = [], []
    for one, info in zip(layer.schema.tables, layer.tables, strict=True):
        if one.name == table and not columns:
            continue
        stored = tuple(column for column in one.columns if kept(one.name, column.name))
        said = tuple(column for column in info.columns if kept(one.name, column.name))
        display = tuple(column for column in info.display if kept(one.name, column))
        tables.append(replace(one, columns=stored))
        infos.append(replace(info, columns=said, display=display, measure=None))
    schema = Schema(tuple(tables), tuple(link for link in layer.schema.links if left(link)))
    return SemanticLayer(layer.name, schema, tuple(infos))


def again(file: Path, layer: SemanticLayer) -> Merged:
    """Merge and write the result."""
    merged = merge(file, layer)
    file.write_text(merged.text)
    return merged


def test_nothing_changes_where_nothing_changed(file: Path) -> None:
    text = file.read_text()
    assert merge(file, shop()) == (text, ())


def test_what_a_person_wrote_stays(file: Path) -> None:
    edited = (
        file.read_text()
        .replace("label: colleague", "label: team mate  # so they say")
        .replace("      FirstName: text", "      # given\n      FirstName: {kind: text, unit: a}")
        .replace("    date: Placed\n", "")
    )
    file.write_text(edited)
    assert merge(file, shop()) == (edited, ())


def test_a_dropped_column_is_kept_and_comes_back(file: Path) -> None:
    text = file.read_text()
    first = read_layer(file)
    merged = again(file, without(shop(), "Orders", "Status"))
    assert "column Orders.Status is gone, and kept under gone" in merged.changes
    why = "kept under gone: Orders has no column Status"
    assert any(f"measure Order Line.revenue is gone, and {why}" in one for one in merged.changes)
    assert "Status" not in [one.name for one in read_layer(file).layer.table("Orders").columns]
    back = again(file, shop())
    assert "column Orders.Status is back" in back.changes
    assert "measure Order Line.revenue is back" in back.changes
    last = read_layer(file)
    assert set(last.layer.measures) == set(first.layer.measures)
    assert last.layer.table("Orders").column("Status") == first.layer.column("Orders", "Status")
    assert "gone:" not in file.read_text()
    assert text.splitlines()[:3] == file.read_text().splitlines()[:3]


def test_a_dropped_table_takes_its_links_and_comes_back(file: Path) -> None:
    first = read_layer(file)
    merged = again(file, without(shop(), "Staff"))
    assert any(one.startswith("table Staff is gone") for one in merged.changes)
    assert any(one.startswith("link Orders.SellerId is gone") for one in merged.changes)
    assert [one.name for one in read_layer(file).layer.tables] == ["Orders", "Order Line"]
    assert merge(file, without(shop(), "Staff")).changes == ()
    again(file, shop())
    last = read_layer(file).layer
    assert {one.name: one for one in last.tables} == {one.name: one for one in first.layer.tables}
    assert set(last.schema.links) == set(first.layer.schema.links)


def test_a_display_that_is_gone_is_replaced(file: Path) -> None:
    merged = again(file, without(shop(), "Staff", "FirstName"))
    assert read_layer(file).layer.table("Staff").display == ("LastName",)
    assert "display of Staff is LastName now" in merged.changes


def grown() -> SemanticLayer:
    """The shop with a column, a table and a link more, other values and another kind."""
    layer = shop()
    rows = Table("Shelf", (Column("ShelfId", "id"),), "ShelfId")
    tables = []
    for one in layer.schema.tables:
        columns = (*one.columns, Column("ShelfId", "id")) if one.name == "Orders" else one.columns
        tables.append(replace(one, columns=columns))
    infos = []
    for info in layer.tables:
        if info.name == "Orders":
            status = replace(info.column("Status"), values=("F", "no", "1", "X"), label="phase")
            changed = {"Status": status, "Paid": ColumnInfo("Paid", "paid", "text")}
            more = ColumnInfo("ShelfId", "shelf id", "id")
            columns_ = tuple(changed.get(one.name, one) for one in info.columns)
            info = replace(info, columns=(*columns_, more))
        infos.append(info)
    shelf = TableInfo("Shelf", "shelf", (ColumnInfo("ShelfId", "shelf id", "id"),))
    link = Link("Orders", "ShelfId", "Shelf")
    return replace(
        layer,
        schema=Schema((*tables, rows), (*layer.schema.links, link)),
        tables=(*infos, shelf),
    )


def test_what_is_new_is_added_and_values_follow_the_database(file: Path) -> None:
    merged = again(file, grown())
    assert set(merged.changes) == {
        "table Shelf is new",
        "column Orders.ShelfId is new",
        "link Orders.ShelfId is new",
        "Orders.Status: its values are F, no, 1, X now",
        "Orders.Paid: the file says boolean and the database text; the file's stands",
    }
    layer = read_layer(file).layer
    assert layer.column("Orders", "Status").values == ("F", "no", "1", "X")
    assert layer.column("Orders", "Status").label == "state"
    assert Link("Orders", "ShelfId", "Shelf") in layer.schema.links


def test_links_and_measures_that_are_unwanted_do_not_return(file: Path) -> None:
    text = (
        file.read_text()
        .replace("SellerId: Staff", "SellerId:")
        .replace("    measure: revenue\n", "")
    )
    at = text.index("      revenue:")
    file.write_text(f"{text[:at]}      revenue:\n")
    again(file, shop())
    layer = read_layer(file).layer
    assert Link("Orders", "SellerId", "Staff") not in layer.schema.links
    assert [one.name for one in layer.measures] == ["sellers"]


def test_values_of_a_column_that_became_private_are_taken_out(file: Path) -> None:
    file.write_text(file.read_text().replace("label: state", "private: true"))
    assert read_layer(file).layer.column("Orders", "Status").values == ()
    changes = again(file, shop()).changes
    assert changes == ("Orders.Status is private: its values are taken out of the file",)
    assert "[F, no" not in file.read_text()


def test_values_that_a_person_listed_stay(file: Path) -> None:
    text = file.read_text().replace("examples: ['1', '2.5']", "values: ['1', '2.5']")
    file.write_text(text)
    assert merge(file, shop()) == (text, ())
    file.write_text(text.replace("['1', '2.5']", "['1']"))
    assert merge(file, shop()).changes == (
        "Order Line.Quantity has other values than the file says, as 2.5",
    )


def test_values_in_a_table_that_became_private_are_taken_out(file: Path) -> None:
    file.write_text(file.read_text().replace("    bridge: true", "    private: true"))
    assert read_layer(file).layer.column("Order Line", "Quantity").values == ()
    assert any("Quantity is private" in one for one in again(file, shop()).changes)
    assert "2.5" not in file.read_text()
