"""What tables and columns are, for scores that hold for any database."""

from __future__ import annotations

from bakery import TODAY, bakery_labeller, bakery_layer

from partwise.database.reading.features import features
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import words_of
from partwise.database.spans.types import TYPES, types_of


def test_each_thing_has_a_type() -> None:
    layer = bakery_layer()
    types = types_of(layer)
    assert set(types.values()) <= set(TYPES)
    columns = sum(len(table.columns) for table in layer.tables)
    assert len(types) == len(layer.tables) + columns + len(layer.measures)
    said = {
        SchemaItem("table", "baker"): "person",
        SchemaItem("column", "baker", "name"): "name",
        SchemaItem("column", "bread", "baker_id"): "id",
        SchemaItem("column", "bread", "price"): "money",
        SchemaItem("column", "bread", "kind"): "text",
        SchemaItem("column", "baker", "born"): "date",
    }
    assert {thing: types[thing] for thing in said} == said


def test_a_role_is_scored_by_the_type_and_by_how_well_words_fit() -> None:
    labels = bakery_labeller().labels(words_of("breads by price"), TODAY)
    price = next(one for one in labels[2] if one.kind == "column" and one.match[0])
    named = features(price, "show")
    assert named["show of money"] == named["show exact"] == 1
    number = next(one for one in bakery_labeller().labels(words_of("5 breads"), TODAY)[0])
    assert not any(" of " in name for name in features(number, "limit"))
