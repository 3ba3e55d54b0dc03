"""Semantic layers of other tools in one form: dbt's semantic models, and Open Semantic Interchange.

dbt (MetricFlow) is read in its former form, with `semantic_models` and `metrics`, and in that of
dbt 1.12, with entities, dimensions and metrics in `models` and their columns. Of Open Semantic
Interchange (since 2026 Apache Ossie), its core specification 0.1 and 0.2, read are datasets with
their fields, relationships of one column, metrics, and of `ai_context` the synonyms. Of several
dialects the expression in ANSI SQL is taken, else the first one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from partwise.database.layer.files import load
from partwise.errors import DataError
from partwise.execution.relational.program import Function


@dataclass(frozen=True)
class ForeignColumn:
    """A column, or what is computed of columns.

    Attributes:
        name: in that tool.
        expression: SQL over the columns of the table.
    """

    name: str
    expression: str
    label: str = ""
    synonyms: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class ForeignTable:
    """A table.

    Attributes:
        name: in that tool.
        stored: in the database, as far as the tool says it.
        key: the column that tells its rows apart.
        date: the column that says when a row happened.
    """

    name: str
    stored: str
    label: str = ""
    synonyms: tuple[str, ...] = ()
    description: str = ""
    columns: tuple[ForeignColumn, ...] = ()
    key: str = ""
    date: str = ""

    def expressions(self) -> Mapping[str, str]:
        """Column -> what it is computed of."""
        return {one.name: one.expression for one in self.columns}


@dataclass(frozen=True)
class ForeignLink:
    """A column of a table that points to another table; both by their names in that tool."""

    table: str
    column: str
    target: str


@dataclass(frozen=True)
class ForeignMetric:
    """A figure.

    Attributes:
        expression: SQL, as ``SUM(price * quantity)``.
        table: whose columns are named without a table; "" if all are named with one.
        where: conditions in SQL that all hold.
    """

    name: str
    expression: str
    table: str = ""
    where: tuple[str, ...] = ()
    label: str = ""
    synonyms: tuple[str, ...] = ()
    description: str = ""


@dataclass
class ForeignSemantics:
    """All that some files say.

    Attributes:
        left_out: what no layer can hold, a sentence each.
    """

    tables: list[ForeignTable] = field(default_factory=list)
    links: list[ForeignLink] = field(default_factory=list)
    metrics: list[ForeignMetric] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


AGGREGATES: Mapping[str, Function] = {
    **{"sum": "sum", "avg": "average", "average": "average", "min": "minimum", "max": "maximum"},
    **{"count": "count", "median": "median"},
}
"""Functions of SQL and of dbt -> ours."""


def text(entry: Mapping[str, Any], key: str) -> str:
    """A text of a mapping; "" if there is none."""
    value = entry.get(key)
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def entries(entry: Mapping[str, Any], key: str) -> Iterable[Mapping[str, Any]]:
    """The mappings of a list in a mapping."""
    value = entry.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def inner(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A mapping in a mapping; an empty one if there is none."""
    value = entry.get(key)
    return value if isinstance(value, Mapping) else {}


_REFERENCE = re.compile(r"""\{\{\s*(?:Time)?(?:Dimension|Entity)\(\s*['"]([^'"]+)['"][^}]*\}\}""")
_MODEL = re.compile(r"""ref\(.*?['"]([^'"]+)['"]\s*\)$|source\(.*['"]([^'"]+)['"]\s*\)$""")
Tree = Mapping[str, Any]


def read_dbt(trees: Sequence[Tree], semantics: ForeignSemantics) -> None:
    """Add what the files of a project say."""
    reader = _DbtReader(semantics)
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


class _DbtReader:
    """Collects tables, then the figures over them."""

    def __init__(self, semantics: ForeignSemantics) -> None:
        self.semantics = semantics
        self.primary: dict[str, str] = {}
        """Entity -> the table whose rows are such ones."""
        self.foreign: list[tuple[str, str, str]] = []
        """Tables with a column that points to an entity."""
        self.measures: dict[str, tuple[str, Tree]] = {}
        """Measure -> its table, and what is said of it."""
        self.used: set[str] = set()
        self.dimensions: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """Dimension or entity -> the tables that have it, and the column there."""

    def semantic_model(self, entry: Tree) -> None:
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

    def model(self, entry: Tree) -> None:
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
        self, name: str, stored: str, entry: Tree, columns: list[ForeignColumn], date: str
    ) -> None:
        key = next((column for of, column, to in self.foreign if of == name and not to), "")
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

    def _column(self, table: str, entry: Tree) -> ForeignColumn:
        name = text(entry, "name")
        self.dimensions[name].append((table, name))
        return ForeignColumn(
            name,
            text(entry, "expr") or name,
            label=text(entry, "label"),
            description=text(entry, "description"),
        )

    def _entity(self, table: str, column: str, entry: Tree) -> None:
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

    def metric(self, entry: Tree, table: str = "") -> None:
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

    def _add(self, entry: Tree, measure: Tree, table: str, where: list[str]) -> None:
        """A figure. `entry`: what it is called. `measure`: what it is of."""
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
        # Columns in place of ``{{ Dimension('order__status') }}``.
        said = [_REFERENCE.sub(lambda match: self._place(match[1]), one) for one in where]
        metric = ForeignMetric(
            name,
            expression,
            table,
            tuple(said),
            label=text(entry, "label"),
            description=text(entry, "description") or text(measure, "description"),
        )
        self.semantics.metrics.append(metric)

    def _place(self, said: str) -> str:
        *entities, name = said.split("__")
        table = self.primary.get(entities[-1]) if entities else None
        places = self.dimensions.get(name, [])
        ours = [one for one in places if one[0] == table] or places
        if not ours:
            return name
        return f'"{ours[0][0]}"."{ours[0][1]}"'


def read_interchange(tree: Mapping[str, Any], semantics: ForeignSemantics) -> None:
    """Add what a file says."""
    for model in entries(tree, "semantic_model"):
        semantics.tables += [_dataset(one) for one in entries(model, "datasets")]
        for one in entries(model, "relationships"):
            _relationship(one, semantics)
        semantics.metrics += [
            ForeignMetric(
                text(one, "name"),
                _expression(one),
                synonyms=_synonyms(one),
                description=text(one, "description"),
            )
            for one in entries(model, "metrics")
        ]


def _dataset(entry: Mapping[str, Any]) -> ForeignTable:
    key = entry.get("primary_key")
    times = [text(one, "name") for one in entries(entry, "fields") if _is_time(one)]
    return ForeignTable(
        text(entry, "name"),
        text(entry, "source") or text(entry, "name"),
        synonyms=_synonyms(entry),
        description=text(entry, "description"),
        columns=tuple(_field(one) for one in entries(entry, "fields")),
        key=str(key[0]) if isinstance(key, list) and len(key) == 1 else "",
        date=times[0] if len(times) == 1 else "",
    )


def _field(entry: Mapping[str, Any]) -> ForeignColumn:
    return ForeignColumn(
        text(entry, "name"),
        _expression(entry),
        synonyms=_synonyms(entry),
        description=text(entry, "description"),
    )


def _is_time(entry: Mapping[str, Any]) -> bool:
    stated = inner(entry, "dimension").get("is_time")
    return bool(stated) if stated is not None else text(entry, "datatype").startswith("Date")


def _expression(entry: Mapping[str, Any]) -> str:
    dialects = list(entries(inner(entry, "expression"), "dialects"))
    ours = [one for one in dialects if text(one, "dialect") == "ANSI_SQL"]
    return next((text(one, "expression") for one in (*ours, *dialects)), text(entry, "name"))


def _synonyms(entry: Mapping[str, Any]) -> tuple[str, ...]:
    listed = inner(entry, "ai_context").get("synonyms")
    return tuple(str(one) for one in listed) if isinstance(listed, list) else ()


def _relationship(entry: Mapping[str, Any], semantics: ForeignSemantics) -> None:
    columns = entry.get("from_columns")
    if isinstance(columns, list) and len(columns) == 1:
        link = ForeignLink(text(entry, "from"), str(columns[0]), text(entry, "to"))
        semantics.links.append(link)
    else:
        name = text(entry, "name")
        semantics.left_out.append(f"relationship {name}: it is of several columns")


MOST_FILES = 2000
"""Of a folder."""
_PASSED_OVER = {"dbt_packages", "dbt_modules", "target", "node_modules", "logs"}


def read_foreign(path: Path) -> ForeignSemantics:
    """What a file says, or the YAML files of a folder: a dbt project, or Open Semantic Interchange.
    Raises DataError if there is none, or if one cannot be read."""
    files = sorted(_files(path)) if path.is_dir() else [path]
    if len(files) > MOST_FILES:
        raise DataError(f"{path} holds more than {MOST_FILES} YAML files; name a folder within it")
    trees = [load(file) for file in files]
    semantics = ForeignSemantics()
    for tree in trees:
        if isinstance(tree.get("semantic_model"), list):
            read_interchange(tree, semantics)
    read_dbt([tree for tree in trees if "semantic_model" not in tree], semantics)
    if not (semantics.tables or semantics.metrics):
        raise DataError(
            f"{path} says nothing of tables or metrics; give a dbt project with semantic models, "
            "or a file of Open Semantic Interchange"
        )
    return semantics


def _files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*.y*ml"):
        parts = file.relative_to(folder).parts
        hidden = any(part.startswith(".") for part in parts)
        if file.suffix in (".yml", ".yaml") and not hidden and not _PASSED_OVER & set(parts):
            yield file
