"""Edits of a layer's file that are kept apart from it."""

from pathlib import Path

import pytest
from shop_helpers import shop_layer

from edited_layer import edited, lines_of, merged
from partwise.errors import DataError

EDITS = """\
# What the owner wrote.
tables:
  customer:
    synonyms: [buyer]

    columns:
      country: {synonyms: [land], value_names: {Brazil: Brasil}}
  sale:
    measures:
      sales_made: {formula: count, synonyms: deals}
"""


def test_what_is_said_stands_and_the_rest_is_as_imported() -> None:
    there = {
        "label": "shop",
        "synonyms": ["store", "market"],
        "columns": {"id": "id", "name": "text"},
    }
    edits = {"synonyms": ["+", "kiosk"], "columns": {"name": {"label": "title"}}, "label": None}
    assert merged(there, edits) == {
        "synonyms": ["store", "market", "kiosk"],
        "columns": {"id": "id", "name": {"kind": "text", "label": "title"}},
    }


def test_a_list_takes_the_place_of_another() -> None:
    assert merged(["store"], ["kiosk"]) == ["kiosk"]
    assert merged("store", ["+", "kiosk"]) == ["store", "kiosk"]
    assert merged(None, ["+", "kiosk"]) == ["kiosk"]


@pytest.mark.parametrize(
    ("part", "short"), [("columns", "kind"), ("links", "to"), ("measures", "formula")]
)
def test_a_bare_word_becomes_its_key(part: str, short: str) -> None:
    said = merged({part: {"one": "word"}}, {part: {"one": {"more": "yes"}}})
    assert said == {part: {"one": {short: "word", "more": "yes"}}}


def test_a_layer_is_edited(tmp_path: Path) -> None:
    file = tmp_path / "edits.yaml"
    file.write_text(EDITS)
    layer = edited(shop_layer(), file)
    assert "buyer" in layer.table("customer").names
    assert layer.column("customer", "country").value_names == {"Brazil": ("Brasil",)}
    assert layer.measure("sales_made").synonyms == ("deals",)
    assert layer.table("sale").columns == shop_layer().table("sale").columns
    assert lines_of(file) == 8


def test_edits_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "edits.yaml"
    file.write_text("tables: {customer: {synonym: buyer}}")
    with pytest.raises(DataError, match="did you mean 'synonyms'"):
        edited(shop_layer(), file)
