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

_SYNONYMS = re.compile(r".* are also called .*, as is usual$")
WIDE = 80
"""Characters of an entry that stands in one line."""
WIDE_LIST = 160
"""Characters of a list that does."""
_HEAD = f"""\
yaml-language-server: $schema=./{SCHEMA_FILE}
What people call the tables, columns and figures of this database.
Edit it freely: a second import keeps what is here."""


def document(layer: SemanticLayer, source: str, options: Mapping[str, Any]) -> CommentedMap:
    """The whole file.

    Raises:
        DomainError: if a measure cannot be written as a formula.
    """
    notes = [line for note in layer.notes if (line := _one_line(note))]
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
        "columns": CommentedMap(
            (one.name, column_tree(layer, table, one)) for one in table.columns
        ),
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


def column_tree(layer: SemanticLayer, table: TableInfo, column: ColumnInfo) -> Any:
    """A column: its kind alone, if nothing else is to be said."""
    hidden = table.private or column.private
    values = () if hidden else column.values
    stored = layer.schema.column(table.name, column.name)
    said: dict[str, Any] = {
        "kind": column.kind,
        "label": column.label if column.label != readable(column.name) else None,
        "synonyms": _list(column.synonyms),
        "description": column.description,
        "unit": column.unit,
        "stored_as_text": stored.texts and stored.kind != "text",
        "read_as_text": stored.texts and stored.kind == "text",
        "private": column.private,
        "values": _several(values) if column.enumeration and not hidden else None,
        "examples": _flow(() if column.enumeration else values),
        "in_full": column.in_full,
        "prefer": column.prefer,
        "value_names": CommentedMap((key, _list(one)) for key, one in column.value_names.items()),
    }
    return _short(said, "kind", {"values"} if column.enumeration and not hidden else set())


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
    """Put each note before what it is about; those about nothing here are left in the list.

    What is said of synonyms is seen where they stand, so its reason is said once.
    """
    if _taken(notes, _SYNONYMS):
        notes.append("Synonyms that stand here already are usual for such names.")
    for table in layer.tables:
        columns = tables[table.name]["columns"]
        for column in table.columns:
            named = re.compile(rf"{re.escape(f'{table.name}.{column.name}')}(?!\w)")
            if texts := _taken(notes, named):
                columns.yaml_set_comment_before_after_key(column.name, "\n".join(texts), indent=6)
        name = re.escape(table.name)
        if texts := _taken(notes, re.compile(rf"{name}(?![.\w])|.* of {name}(?![.\w])")):
            tables.yaml_set_comment_before_after_key(table.name, "\n".join(texts), indent=2)


def _one_line(note: str) -> str:
    """A note without what would end its comment."""
    return " ".join("".join(one if one.isprintable() else " " for one in note).split())


def _taken(notes: list[str], about: re.Pattern[str]) -> list[str]:
    """Take out the notes that begin with a pattern."""
    taken = [note for note in notes if about.match(note)]
    notes[:] = [note for note in notes if note not in taken]
    return taken


def _short(said: Mapping[str, Any], key: str, keep: Iterable[str] = ()) -> Any:
    tree = _kept(said, keep)
    if list(tree) == [key]:
        return tree[key]
    if sum(len(str(part)) for item in tree.items() for part in item) < WIDE:
        tree.fa.set_flow_style()
    return tree


def _kept(said: Mapping[str, Any], keep: Iterable[str] = ()) -> CommentedMap:
    return CommentedMap((key, one) for key, one in said.items() if one or key in set(keep))


def _list(texts: Iterable[str]) -> Any:
    """One text, or several."""
    made = tuple(texts)
    return made[0] if len(made) == 1 else _several(made)


def _several(texts: Iterable[str]) -> CommentedSeq:
    """Texts in one line, or in lines of their own."""
    sequence = CommentedSeq(texts)
    return _flow(sequence) if sum(len(one) + 2 for one in sequence) < WIDE_LIST else sequence


def _flow(texts: Iterable[str]) -> CommentedSeq:
    """Texts in one line."""
    sequence = CommentedSeq(texts)
    sequence.fa.set_flow_style()
    return sequence
