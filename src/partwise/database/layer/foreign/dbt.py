"""dbt's semantic models and metrics (MetricFlow), in their former form and in that of dbt 1.12.

The former one has `semantic_models` with entities, dimensions and measures, and `metrics` over
measures. The later one has entities, dimensions and metrics in `models` and their columns. What
`models` says of tables and columns is read in any case.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from partwise.database.layer.foreign.model import (
    AGGREGATES,
    ForeignColumn,
    ForeignLink,
    ForeignMetric,
    ForeignSemantics,
    ForeignTable,
    entries,
    inner,
    text,
)

_REFERENCE = re.compile(r"""\{\{\s*(?:Time)?(?:Dimension|Entity)\(\s*['"]([^'"]+)['"][^}]*\}\}""")
_MODEL = re.compile(r"""ref\(.*?['"]([^'"]+)['"]\s*\)$|source\(.*['"]([^'"]+)['"]\s*\)$""")
Entry = Mapping[str, Any]


def read_dbt(trees: Sequence[Entry], semantics: ForeignSemantics) -> None:
    """Add what the files of a project say."""
    reader = _Reader(semantics)
    for tree in trees:
        for one in entries(tree, "semantic_models"):
            reader.semantic_model(one)
        for one in entries(tree, "models"):
            reader.model(one)
    reader.link()
    for tree in trees:
        for one in entries(tree, "metrics"):
            reader.metric(one)
        for one in entries(tree, "models"):
            for metric in entries(one, "metrics"):
                reader.metric(metric, text(one, "name"))
    reader.exposed_measures()


class _Reader:
    """Collects tables, then the figures over them."""

    def __init__(self, semantics: ForeignSemantics) -> None:
        self.semantics = semantics
        self.primary: dict[str, str] = {}
        """Entity -> the table whose rows are such ones."""
        self.foreign: list[tuple[str, str, str]] = []
        """Tables with a column that points to an entity."""
        self.measures: dict[str, tuple[str, Entry]] = {}
        """Measure -> its table, and what is said of it."""
        self.used: set[str] = set()
        self.dimensions: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """Dimension or entity -> the tables that have it, and the column there."""

    def semantic_model(self, entry: Entry) -> None:
        """A semantic model of the former form."""
        name = text(entry, "name")
        match = _MODEL.search(text(entry, "model"))
        stored = next((one for one in match.groups() if one), name) if match else name
        columns = [self._column(name, one) for one in entries(entry, "dimensions")]
        for one in entries(entry, "entities"):
            self._entity(name, text(one, "expr") or text(one, "name"), one)
        for one in entries(entry, "measures"):
            self.measures[text(one, "name")] = name, one
        date = text(inner(entry, "defaults"), "agg_time_dimension")
        self._table(name, stored, entry, columns, date)

    def model(self, entry: Entry) -> None:
        """A model, with what its columns say."""
        stated = entry.get("semantic_model")
        semantic = bool(inner(entry, "semantic_model").get("enabled", stated))
        name, columns = text(entry, "name"), []
        for one in entries(entry, "columns"):
            dimension, entity = inner(one, "dimension"), inner(one, "entity")
            column = text(one, "name")
            said = {"description": text(one, "description"), **dimension, "expr": column}
            columns.append(self._column(name, {"name": column, **said}))
            if semantic and entity:
                self._entity(name, column, {"name": column, **entity})
        self._table(
            name, text(entry, "alias") or name, entry, columns, text(entry, "agg_time_dimension")
        )

    def _table(
        self, name: str, stored: str, entry: Entry, columns: list[ForeignColumn], date: str
    ) -> None:
        key = next((c for t, c in self._keys() if t == name), "")
        table = ForeignTable(
            name,
            stored,
            label=text(entry, "label"),
            description=text(entry, "description"),
            columns=tuple(columns),
            key=key,
            date=next((one.expression for one in columns if one.name == date), date),
        )
        self.semantics.tables.append(table)

    def _keys(self) -> Iterator[tuple[str, str]]:
        yield from ((table, column) for table, column, kind in self.foreign if kind == "")

    def _column(self, table: str, entry: Entry) -> ForeignColumn:
        name = text(entry, "name")
        self.dimensions[name].append((table, name))
        return ForeignColumn(
            name,
            text(entry, "expr") or name,
            label=text(entry, "label"),
            description=text(entry, "description"),
        )

    def _entity(self, table: str, column: str, entry: Entry) -> None:
        """A key of a table, or a column that points to one."""
        name, kind = text(entry, "name"), text(entry, "type")
        self.dimensions[name].append((table, column))
        if kind == "primary":
            self.primary.setdefault(name, table)
            self.foreign.append((table, column, ""))
        elif kind == "foreign":
            self.foreign.append((table, column, name))

    def link(self) -> None:
        """The links, when all entities are known."""
        for table, column, entity in self.foreign:
            if entity in self.primary:
                self.semantics.links.append(ForeignLink(table, column, self.primary[entity]))

    def metric(self, entry: Entry, table: str = "") -> None:
        """A metric; of the later form if a table is given or it says how it is aggregated."""
        name, kind = text(entry, "name"), text(entry, "type") or "simple"
        where = [text(entry, "filter")] if entry.get("filter") else []
        if kind != "simple":
            self.semantics.left_out.append(
                f"metric {name}: it is of the type {kind}, and a measure is one function over rows"
            )
            return
        if "agg" in entry:
            self._add(entry, entry, table, where)
            return
        said = inner(entry, "type_params").get("measure")
        measure = said if isinstance(said, Mapping) else {"name": said}
        of = self.measures.get(text(measure, "name"))
        if of is None:
            said = text(measure, "name")
            self.semantics.left_out.append(f"metric {name}: no semantic model has a measure {said}")
            return
        self.used.add(text(measure, "name"))
        where += [text(measure, "filter")] if measure.get("filter") else []
        self._add(entry, of[1], of[0], where)

    def exposed_measures(self) -> None:
        """Measures that are metrics of the same name."""
        for name, (table, entry) in self.measures.items():
            if entry.get("create_metric") is True and name not in self.used:
                self._add(entry, entry, table, [])

    def _add(self, entry: Entry, measure: Entry, table: str, where: list[str]) -> None:
        """A figure.

        Args:
            entry: what it is called.
            measure: what it is of.
        """
        name, agg = text(entry, "name"), text(measure, "agg").lower()
        of = text(measure, "expr") or text(measure, "name")
        if measure.get("non_additive_dimension"):
            why = "it is not added up over a dimension, which a measure always is"
            self.semantics.left_out.append(f"metric {name}: {why}")
            return
        if agg == "count_distinct":
            expression = f"COUNT(DISTINCT {of})"
        elif agg == "sum_boolean":
            expression, where = "COUNT(*)", [*where, of]
        elif agg in AGGREGATES:
            expression = f"{agg}({of})"
        else:
            self.semantics.left_out.append(f"metric {name}: there is no function {agg or 'given'}")
            return
        said = [self._resolved(one) for one in where]
        metric = ForeignMetric(
            name,
            expression,
            table,
            tuple(said),
            label=text(entry, "label"),
            description=text(entry, "description") or text(measure, "description"),
        )
        self.semantics.metrics.append(metric)

    def _resolved(self, where: str) -> str:
        """A condition with columns in place of ``{{ Dimension('order__status') }}``."""
        return _REFERENCE.sub(lambda match: self._place(match[1]), where)

    def _place(self, said: str) -> str:
        *entities, name = said.split("__")
        table = self.primary.get(entities[-1]) if entities else None
        places = self.dimensions.get(name, [])
        ours = [one for one in places if one[0] == table] or places
        if not ours:
            return name
        return f'"{ours[0][0]}"."{ours[0][1]}"'
