"""The tree of a new file from a layer, with the reasons of what was inferred as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from partwise.database.layer.formula_text import write_formula
from partwise.database.layer.formulas import Formula
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.layer.naming import readable, singular
from partwise.database.layer.schema import SCHEMA_FILE
from partwise.execution.relational.schema import Link

_HEAD = f"""\
yaml-language-server: $schema=./{SCHEMA_FILE}
What people call the tables, columns and figures of this database.
Edit it freely: a second import keeps what is here."""


def document(layer: SemanticLayer, source: str, options: Mapping[str, Any]) -> CommentedMap:
    """The whole file.

    Raises:
        DomainError: if a measure cannot be written as a formula.
    """
    notes = list(layer.notes)
    tables = CommentedMap()
    for table in layer.tables:
        tables[table.name] = table_tree(layer, table)
    _comment(layer, tables, notes)
    tree = CommentedMap({"name": layer.name, "source": source, **options, "tables": tables})
    tree.yaml_set_start_comment("\n".join([_HEAD, *notes]) + "\n")
    return tree


def table_tree(layer: SemanticLayer, table: TableInfo) -> CommentedMap:
    """A table. What follows from its name is left out."""
    schema = layer.schema
    said: dict[str, Any] = {
        "label": table.label if table.label != singular(table.name) else None,
        "synonyms": _list(table.synonyms),
        "description": table.description,
        "key": schema.table(table.name).key,
        "display": _list(table.display),
        "date": table.date,
        "measure": table.measure,
        "person": table.person,
        "bridge": table.bridge,
        "private": table.private,
        "columns": CommentedMap((one.name, column_tree(one)) for one in table.columns),
        "links": CommentedMap(
            (link.column, link_tree(layer, link)) for link in schema.leaving(table.name)
        ),
        "measures": CommentedMap(
            (one.name, measure_tree(layer, one))
            for one in layer.measures
            if one.table == table.name
        ),
    }
    return _kept(said)


def column_tree(column: ColumnInfo) -> Any:
    """A column: its kind alone, if nothing else is to be said."""
    values = () if column.private else column.values
    said: dict[str, Any] = {
        "kind": column.kind,
        "label": column.label if column.label != readable(column.name) else None,
        "synonyms": _list(column.synonyms),
        "description": column.description,
        "unit": column.unit,
        "private": column.private,
        "values": _flow(values) if column.enumeration and not column.private else None,
        "examples": _list(() if column.enumeration else values),
        "value_names": CommentedMap((key, _list(one)) for key, one in column.value_names.items()),
    }
    return _short(said, "kind", {"values"} if column.enumeration and not column.private else set())


def link_tree(layer: SemanticLayer, link: Link) -> Any:
    """A link: the table that it leads to alone, if nothing else is to be said."""
    called = _list(layer.links.get(link, ()))
    return _short({"to": link.target, "called": called, "prefer": link in layer.preferred}, "to")


def measure_tree(layer: SemanticLayer, measure: Measure) -> Any:
    """A measure: its formula alone, if nothing else is to be said."""
    formula = Formula(measure.function, measure.of, measure.where, measure.distinct)
    said = {
        "formula": write_formula(formula, layer.schema, measure.table),
        "label": measure.label if measure.label != readable(measure.name) else None,
        "synonyms": _list(measure.synonyms),
        "description": measure.description,
        "unit": measure.unit,
    }
    return _short(said, "formula")


def _comment(layer: SemanticLayer, tables: CommentedMap, notes: list[str]) -> None:
    """Put each note before what it is about; those about nothing here are left in the list."""
    for table in layer.tables:
        own = _about(notes, [table.name])
        for column in table.columns:
            names = [f"{table.name}.{column.name}"]
            if found := _about(own, names) + _about(notes, names):
                where = tables[table.name]["columns"]
                where.yaml_set_comment_before_after_key(column.name, "\n".join(found), indent=6)
        if own:
            tables.yaml_set_comment_before_after_key(table.name, "\n".join(own), indent=2)


def _about(notes: list[str], names: Iterable[str]) -> list[str]:
    """Take out the notes that speak of one of some names first."""
    starts = tuple(re.compile(rf"{re.escape(name)}(?![\w])") for name in names)
    taken = [note for note in notes if any(start.match(note) for start in starts)]
    notes[:] = [note for note in notes if note not in taken]
    return [" ".join(note.split()) for note in taken]


def _short(said: Mapping[str, Any], key: str, keep: Iterable[str] = ()) -> Any:
    tree = _kept(said, keep)
    if list(tree) == [key]:
        return tree[key]
    if sum(len(str(part)) for item in tree.items() for part in item) < 70:
        tree.fa.set_flow_style()
    return tree


def _kept(said: Mapping[str, Any], keep: Iterable[str] = ()) -> CommentedMap:
    return CommentedMap((key, one) for key, one in said.items() if one or key in set(keep))


def _list(texts: Iterable[str]) -> Any:
    """Several texts in one line, or one."""
    made = tuple(texts)
    return made[0] if len(made) == 1 else _flow(made)


def _flow(texts: Iterable[str]) -> CommentedSeq:
    sequence = CommentedSeq(texts)
    sequence.fa.set_flow_style()
    return sequence
