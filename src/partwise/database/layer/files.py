"""The file of a semantic layer: YAML that a person reads and edits.

It is read by ruamel.yaml, which keeps comments and the order of keys when a file is rewritten,
knows the line of each key, and reads "no" as a text. A file makes no objects and runs no code. A
new one has the reasons of what was inferred as comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.representer import RoundTripRepresenter

from partwise.database.layer.entries import (
    SCHEMA_FILE,
    ColumnEntry,
    FileEntry,
    MeasureEntry,
    TableEntry,
    readable,
    schema_text,
    singular,
)
from partwise.database.layer.formulas import Formula, read_formula, write_formula
from partwise.database.layer.kept import text_of
from partwise.database.layer.model import (
    ColumnInfo,
    Keys,
    LayerFile,
    Measure,
    SemanticLayer,
    TableInfo,
    line_of,
)
from partwise.errors import DataError, DomainError, ProgramSyntaxError
from partwise.execution.relational.formats import is_format
from partwise.execution.relational.schema import Column, Link, Schema, Table
from partwise.interface.files import write_whole


class Fault(NamedTuple):
    """Something in a file that does not hold together."""

    keys: Keys
    what: str


def build_layer(entry: FileEntry) -> tuple[SemanticLayer | None, list[Fault]]:
    """The layer, or what is wrong."""
    faults = [
        fault
        for name, table in entry.tables.items()
        for fault in (*_names(name, table), *_links(name, table, entry.tables))
    ]
    if faults:
        return None, faults
    preferred, others = _ordered_links(entry)
    try:
        schema = Schema(tuple(_table(*item) for item in entry.tables.items()), preferred + others)
    except DomainError as error:
        return None, [Fault(("tables",), str(error))]
    measures = list(_measures(entry, schema, faults))
    called = {
        link: table.links[link.column].called
        for link in schema.links
        if (table := entry.tables[link.table]).links[link.column].called
    }
    if faults:
        return None, faults
    tables = tuple(_info(*item) for item in entry.tables.items())
    return SemanticLayer(
        entry.name, schema, tables, tuple(measures), called, preferred=preferred
    ), []


def _names(name: str, table: TableEntry) -> Iterator[Fault]:
    """The names of columns and measures that a table gives."""
    here = ("tables", name)
    named = [("key", table.key), ("date", table.date), *(("display", one) for one in table.display)]
    for key, column in named:
        if column is not None and column not in table.columns:
            known = ", ".join(table.columns)
            yield Fault((*here, key), f"{name} has no column {column}; it has {known}")
    for column, one in table.columns.items():
        if one.format and not is_format(one.kind, one.format):
            what = f"{one.format} is no format of a {one.kind}; write it as 1,234.5 or dd.mm.yyyy"
            yield Fault((*here, "columns", column, "format"), what)
    for column in table.links:
        if column not in table.columns:
            known = ", ".join(table.columns)
            what = f"{name} has no column {column}; it has {known}"
            yield Fault((*here, "links", column), what)


def _links(name: str, table: TableEntry, tables: Mapping[str, TableEntry]) -> Iterator[Fault]:
    for column, link in table.links.items():
        where = ("tables", name, "links", column)
        if link.to is None:
            continue
        if link.to not in tables:
            yield Fault(where, f"there is no table {link.to}; there are {', '.join(tables)}")
        elif tables[link.to].key is None:
            what = f"{column} cannot point to {link.to}: give {link.to} a key"
            yield Fault(where, what)


def _ordered_links(entry: FileEntry) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """The links: first those to prefer."""
    listed = [
        (Link(name, column, link.to), link.prefer)
        for name, table in entry.tables.items()
        for column, link in table.links.items()
        if link.to is not None
    ]
    preferred = tuple(link for link, prefer in listed if prefer)
    return preferred, tuple(link for link, prefer in listed if not prefer)


def _table(name: str, table: TableEntry) -> Table:
    columns = (
        Column(column, one.kind, one.stored_as_text or one.read_as_text, one.format)
        for column, one in table.columns.items()
    )
    return Table(name, tuple(columns), table.key)


def _info(name: str, table: TableEntry) -> TableInfo:
    return TableInfo(
        name=name,
        label=table.label or singular(name),
        columns=tuple(_column(*item, table.private) for item in table.columns.items()),
        **table.model_dump(
            include={"synonyms", "description", "private", "display", "date", "measure", "bridge"}
        ),
        person=table.person,
    )


def _column(name: str, column: ColumnEntry, private: bool) -> ColumnInfo:
    """A column, of a private table or not; of what is private no values are kept."""
    shared = {"kind", "synonyms", "description", "unit", "private", "value_names"}
    shared |= {"in_full", "prefer"}
    stated = column.examples if column.values is None else column.values
    return ColumnInfo(
        name=name,
        label=column.label or readable(name),
        values=() if private or column.private else stated,
        enumeration=column.values is not None and not (private or column.private),
        **column.model_dump(include=shared),
    )


def _measures(entry: FileEntry, schema: Schema, faults: list[Fault]) -> Iterator[Measure]:
    """The measures of all tables; what is wrong is added to the faults."""
    tables: dict[str, str] = {}
    for table, one in entry.tables.items():
        for name, measure in one.measures.items():
            keys = ("tables", table, "measures", name)
            if measure.formula is None:
                continue
            if (what := _bad_name(name, tables)) is not None:
                faults.append(Fault(keys, what))
                continue
            tables[name] = table
            try:
                yield _measure(name, measure, measure.formula, schema, table)
            except ProgramSyntaxError as error:
                at = f"{error.text[: error.position]}>>>{error.text[error.position :]}"
                faults.append(Fault(keys, f"{error.message}, at >>> in: {at}"))
    for table, one in entry.tables.items():
        if one.measure is not None and one.measure not in tables:
            known = ", ".join(tables) or "none"
            what = f"there is no measure {one.measure}; there are {known}"
            faults.append(Fault(("tables", table, "measure"), what))


def _bad_name(name: str, tables: Mapping[str, str]) -> str | None:
    """Why a measure cannot have a name; None if it can."""
    if name in tables:
        return f"{tables[name]} has a measure {name}, too; give this one another name"
    if not name.isidentifier():
        return f"the name {name!r} has more than letters, digits and _; put words into its label"
    return None


def _measure(name: str, one: MeasureEntry, formula: str, schema: Schema, table: str) -> Measure:
    read = read_formula(formula, schema, table)
    return Measure(
        name=name,
        label=one.label or readable(name),
        table=table,
        **read._asdict(),
        **one.model_dump(include={"synonyms", "description", "unit"}),
    )


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
    """The whole file. Raises DomainError if a measure cannot be written as a formula."""
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
        "format": stored.format,
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
    """Put each note before what it is about; those about nothing here are left in the list. What is
    said of synonyms is seen where they stand, so its reason is said once."""
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


MOST = 20
"""Faults of a file that are listed."""
_ALIAS = re.compile(r"(?:^|[\s\[{,:])\*\w")


def write_layer(layer: SemanticLayer, file: Path, source: str, today: date | None = None) -> None:
    """Write a new file, and beside it the JSON Schema that editors complete it with. What follows
    from a name is left out. The reasons of what was inferred stand as comments. Raises DomainError
    if a measure cannot be written as a formula."""
    text = dump(document(layer, source, {} if today is None else {"today": today}))
    write_whole(file, lambda part: part.write_text(text, "utf-8"))
    write_whole(file.with_name(SCHEMA_FILE), lambda part: part.write_text(schema_text(), "utf-8"))


def read_layer(file: Path) -> LayerFile:
    """What a file says. Raises DataError if it cannot be read or does not hold together; says each
    line."""
    tree = load(file)
    lines = dict(_lines(tree, ()))
    try:
        entry = FileEntry.model_validate(tree)
    except ValidationError as error:
        raise _refusal(file, lines, [_fault(one) for one in error.errors()]) from None
    layer, faults = build_layer(entry)
    if layer is None:
        raise _refusal(file, lines, faults)
    return LayerFile(layer, entry.source, entry.today, file, lines)


def load(file: Path) -> CommentedMap:
    """The file as a tree that keeps comments and order. Raises DataError if it is no YAML of keys
    and values."""
    text = text_of(file)
    try:
        if _ALIAS.search(text):
            _refuse_aliases(file, text)
        tree = _yaml().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f":{mark.line + 1}"
        what = " ".join(str(error.problem or error.context).split())
        raise DataError(f"{file}{line}: this is no valid YAML: {what}") from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise DataError(f"{file}: this is no valid YAML: {type(error).__name__}") from error
    if not isinstance(tree, CommentedMap):
        raise DataError(f"{file}:1: a layer begins with keys, as name: shop and source: ...")
    return tree


def dump(tree: Mapping[str, Any]) -> str:
    """The text of a file."""
    stream = StringIO()
    _yaml().dump(tree, stream)
    return stream.getvalue()


class _Representer(RoundTripRepresenter):
    """Quotes what ruamel.yaml writes plainly and reads as something else: tabs, line breaks and
    other signs without a form, and a question mark at the beginning."""

    def represent_str(self, data: str) -> Any:
        style = None if data.isprintable() and not data.startswith("?") else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Representer.add_representer(str, _Representer.represent_str)


def _yaml() -> YAML:
    """Python only, since the C library knows no comments."""
    yaml = YAML(typ="rt", pure=True)
    yaml.Representer = _Representer
    yaml.width = 4096
    yaml.preserve_quotes = True
    yaml.allow_unicode = True
    return yaml


def _refuse_aliases(file: Path, text: str) -> None:
    """An alias could make a small file stand for a huge one."""
    for event in _yaml().parse(text):
        if isinstance(event, AliasEvent):
            line = event.start_mark.line + 1
            raise DataError(f"{file}:{line}: aliases (*{event.anchor}) are not read; write it out")


def _lines(tree: Any, keys: Keys) -> Iterator[tuple[Keys, int]]:
    """The line of each key below some keys."""
    if isinstance(tree, CommentedMap):
        for key, value in tree.items():
            here = (*keys, str(key))
            yield here, tree.lc.key(key)[0] + 1
            yield from _lines(value, here)
    elif isinstance(tree, CommentedSeq):
        for number, value in enumerate(tree):
            here = (*keys, str(number))
            yield here, tree.lc.item(number)[0] + 1
            yield from _lines(value, here)


def _fault(error: Any) -> Fault:
    """A fault in terms of the file."""
    keys = tuple(str(one) for one in error["loc"] if one != "[key]")
    if error["type"] == "key":
        return Fault((*keys, str(error["ctx"]["key"])), error["msg"])
    if error["type"] == "missing":
        return Fault(keys[:-1], f"the key {keys[-1]!r} is missing")
    value = " ".join(repr(error["input"]).split())
    said = value if len(value) < 60 else f"{value[:60]}..."
    what = error["msg"].removeprefix("Input ").removeprefix("should ")
    name = next((one for one in reversed(keys) if not one.isdecimal()), "the file")
    return Fault(keys, f"{name} should {what}, and is {said}")


def _refusal(file: Path, lines: Mapping[Keys, int], faults: list[Fault]) -> DataError:
    placed = sorted((line_of(lines, one.keys), one.what) for one in faults)
    listed = [f"{file}:{line}: {what}" for line, what in placed[:MOST]]
    if len(placed) > MOST:
        listed.append(f"and {len(placed) - MOST} more")
    return DataError("\n".join(listed))
