"""From a frame to the relational programs that it stands for."""

from __future__ import annotations

from collections.abc import Mapping

from partwise.database.layer.model import SemanticLayer
from partwise.database.phrases import Aggregated, Column, Declared, Measure
from partwise.database.spans.names import SchemaItem


class Meanings:
    """Turns frames over one database into programs."""

    def __init__(self, layer: SemanticLayer, types: Mapping[SchemaItem, str]) -> None:
        self.layer, self.schema, self._types = layer, layer.schema, types

    def type_of(self, table: str) -> str:
        """What the rows of a table are."""
        return self._types.get(SchemaItem("table", table), "table")

    def near(self, table: str) -> list[str]:
        """Tables linked with a table, the nearest first."""
        ways = {
            other: way
            for other in (known.name for known in self.schema.tables)
            if other != table and (way := self.schema.relation(table, other)) is not None
        }
        lengths = {o: len(way.outer) + len(way.end) + len(way.inner) for o, way in ways.items()}
        return sorted(ways, key=lambda other: (lengths[other], other))

    def totals(self, table: str) -> list[Measure]:
        """Figures that rows of a table may stand for: its named sums, or its amounts."""
        sums = [
            one.name for one in self.layer.measures if (one.table, one.function) == (table, "sum")
        ]
        made: list[Measure] = [Declared(name) for name in sums[:2]]
        no_amounts = {link.column for link in self.schema.leaving(table)}
        no_amounts.add(self.schema.table(table).key or "")
        amounts = [
            column.name
            for column in self.layer.table(table).columns
            if column.kind == "number" and not column.private and column.name not in no_amounts
        ]
        if len(amounts) <= 4:
            made += [Aggregated("sum", Column(table, name)) for name in amounts[:2]]
        return made
