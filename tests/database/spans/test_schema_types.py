"""What tables and columns are, for scores that hold for any database."""

from __future__ import annotations

from bakery import bakery_layer

from partwise.database.spans.names import SchemaItem
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
