"""What phrases about a database leave unsaid: heads, amounts and rows that are meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from partwise.database import phrases as M
from partwise.database.conditions import Places
from partwise.database.layer.model import SemanticLayer
from partwise.database.spans.names import SchemaItem

Steps = tuple[str, ...]
"""The names of what no word said."""
COUNT = M.Aggregated("count")
"""The number of rows, where no word says of which table."""


def step(name: str, *details: object) -> Steps:
    """The name of a step, and names that say more of it, which have weights of their own."""
    return (name, *(f"{name} {detail}" for detail in details))


class Unsaid:
    """Tables and figures that phrases about some others may mean."""

    def __init__(self, layer: SemanticLayer, types: Mapping[SchemaItem, str]) -> None:
        self.layer, self.schema, self._types = layer, layer.schema, types
        self._places = Places(layer)

    def type_of(self, table: str) -> str:
        """What the rows of a table are."""
        return self._types.get(SchemaItem("table", table), "table")

    def near(self, table: str) -> list[str]:
        """Tables linked with a table, the nearest first."""
        lengths = {
            other: len(way.outer) + len(way.end) + len(way.inner)
            for other in self._places.names
            if other in self.schema.linked(table)
            and (way := self.schema.relation(table, other)) is not None
        }
        return sorted(lengths, key=lambda other: (lengths[other], other))

    def totals(self, table: str) -> list[M.Measure]:
        """Figures that rows of a table may stand for: its named sums, or its amounts."""
        named = [
            measure
            for measure in self.layer.measures
            if measure.table == table and measure.function == "sum"
        ]
        made: list[M.Measure] = [M.Declared(known.name) for known in named[:2]]
        no_amounts = {
            self._places.key(table),
            *(link.column for link in self.schema.leaving(table)),
        }
        amounts = [
            column.name
            for column in self.layer.table(table).columns
            if column.kind == "number" and not column.private and column.name not in no_amounts
        ]
        if len(amounts) <= 4:
            made += [M.Aggregated("sum", M.ColumnOf(table, name)) for name in amounts[:2]]
        return made

    def completed(self, frame: M.Frame) -> Iterator[tuple[M.Frame, Steps]]:
        """A frame, and what it may be together with a thing that nobody said."""
        yield frame, ()
        yield from self._related(frame)
        yield from self._total(frame)
        yield from self._usual_order(frame)
        yield from self._event(frame)

    def _related(self, frame: M.Frame) -> Iterator[tuple[M.Frame, Steps]]:
        """Rows that belong to what was said."""
        if frame.head or frame.shown or frame.keys:
            return
        # The table of a measure that has a name is less said than that of any other condition.
        ranked = sorted(
            frame.conditions,
            key=lambda x: isinstance(x, M.Figures) and isinstance(x.measure, M.Declared),
        )
        said = next((table for condition in ranked for table in self._spoken_of(condition)), None)
        if said is None:
            return
        for number, table in enumerate(self.near(said)[:4]):
            up = self.schema.path(said, table) is not None
            down = self.schema.path(table, said) is not None
            way = "up" if up else "down" if down else "across"
            steps = step("silent related", number, self.type_of(table), way)
            yield frame._replace(head=table), steps

    def _spoken_of(self, condition: M.Condition) -> list[str]:
        if isinstance(condition, M.Figures):
            table = self._places.table_of_measure(condition.measure)
            return [] if table is None else [table]
        return sorted(self._places.tables_in(condition))

    def _total(self, frame: M.Frame) -> Iterator[tuple[M.Frame, Steps]]:
        """Rows that stand for what they bring: "downloads in March", "sales by year"."""
        if frame.head is None or frame.shown or frame.measures or frame.orders:
            return
        if frame.conditions or frame.keys:
            for number, measure in enumerate(self.totals(frame.head)):
                steps = step("silent total", f"{measure.tag} {number}", self.type_of(frame.head))
                yield frame._replace(measures=(measure,)), steps

    def _usual_order(self, frame: M.Frame) -> Iterator[tuple[M.Frame, Steps]]:
        """Ordered by an amount in place of a number of rows: "the worst marks"."""
        for at, order in enumerate(frame.orders):
            match order.by:
                case M.Aggregated("count", _, str(table)):
                    totals = [
                        total for total in self.totals(table)[:1] if isinstance(total, M.Aggregated)
                    ]
                case _:
                    totals = []
            for total in totals:
                averaged, added = total._replace(function="average"), total
                for name, by in (("average", averaged), ("sum", added)):
                    orders = (*frame.orders[:at], order._replace(by=by), *frame.orders[at + 1 :])
                    steps = step(f"silent order {name}", self.type_of(table))
                    yield frame._replace(orders=orders), steps

    def _event(self, frame: M.Frame) -> Iterator[tuple[M.Frame, Steps]]:
        """What is counted are rows that belong to the head: "the most frequent guests"."""
        if frame.head is None or _counting(frame, COUNT._replace(table=frame.head)) == frame:
            return
        towards = [table for table in self.near(frame.head) if self.schema.path(table, frame.head)]
        for number, table in enumerate(towards[:5]):
            made = _counting(frame, COUNT._replace(table=table))
            yield made, step("silent event", number, self.type_of(table))


def _counting(frame: M.Frame, events: M.Aggregated) -> M.Frame:
    """The frame with events counted, where no word says which rows are."""
    return frame._replace(
        measures=tuple(events if measure == COUNT else measure for measure in frame.measures),
        orders=tuple(
            order._replace(by=events) if order.by == COUNT else order for order in frame.orders
        ),
        conditions=tuple(
            condition._replace(measure=events)
            if isinstance(condition, M.Figures) and condition.measure == COUNT
            else condition
            for condition in frame.conditions
        ),
    )
