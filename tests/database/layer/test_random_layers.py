"""Any layer is read as it was written, and dropping and restoring what it names loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from shops import shop

from partwise.database.layer.files import read_layer, write_layer
from partwise.database.layer.merging import merge
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.execution.relational.program import Field
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table

ODD = ["~", "null", "true", "1", "1.5", "2024-01-01", "<<", "=", "a: b", "a #b", "- a", "*a", "&a"]
ODD += ["!a", "%a", "@a", "`a", "'", '"', "\\n", "{", "[", "a,b", "on", "?", "|", ">"]
TEXTS = st.sampled_from(ODD) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
)
SIGNS = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")
LINES = st.text(SIGNS, max_size=30)
NAMES = TEXTS.filter(lambda one: one == one.strip())
KINDS: st.SearchStrategy[Kind] = st.sampled_from(["number", "text", "date", "boolean", "id"])
SEVERAL = st.lists(TEXTS, max_size=3, unique=True).map(tuple)


@st.composite
def columns(draw: st.DrawFn, name: str, hidden: bool) -> tuple[Column, ColumnInfo]:
    kind, private = draw(KINDS), draw(st.booleans())
    shown = not (hidden or private)
    info = ColumnInfo(
        name=name,
        label=draw(TEXTS),
        kind=kind,
        synonyms=draw(SEVERAL),
        description=draw(LINES),
        unit=draw(st.none() | TEXTS),
        private=private,
        values=draw(SEVERAL) if shown else (),
        enumeration=shown and draw(st.booleans()),
        value_names=draw(st.dictionaries(TEXTS, SEVERAL, max_size=2)),
        in_full=draw(st.booleans()),
        prefer=draw(st.booleans()),
    )
    return Column(name, kind, draw(st.booleans())), info


@st.composite
def tables(draw: st.DrawFn, name: str) -> tuple[Table, TableInfo]:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    hidden = draw(st.booleans())
    pairs = [draw(columns(one, hidden)) for one in names]
    info = TableInfo(
        name=name,
        label=draw(TEXTS),
        columns=tuple(info for _, info in pairs),
        synonyms=draw(SEVERAL),
        description=draw(LINES),
        private=hidden,
        display=draw(st.lists(st.sampled_from(names), max_size=2, unique=True).map(tuple)),
        date=draw(st.none() | st.sampled_from(names)),
        bridge=draw(st.booleans()),
        person=draw(st.booleans()),
    )
    return Table(name, tuple(column for column, _ in pairs), names[0]), info


@st.composite
def layers(draw: st.DrawFn) -> SemanticLayer:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    pairs = [draw(tables(one)) for one in names]
    links = tuple(
        Link(table.name, column.name, draw(st.sampled_from(names)))
        for table, _ in pairs
        for column in table.columns
        if draw(st.booleans())
    )
    of = draw(st.sampled_from(pairs))[0]
    measure = Measure(
        "figure", draw(TEXTS), of.name, "sum", Field((), draw(st.sampled_from(of.columns)).name)
    )
    called = {link: draw(SEVERAL) for link in links}
    return SemanticLayer(
        "domain",
        Schema(tuple(table for table, _ in pairs), links),
        tuple(info for _, info in pairs),
        (measure,),
        {link: some for link, some in called.items() if some},
        draw(st.lists(LINES, max_size=2).map(tuple)),
    )


@settings(max_examples=25, deadline=None)
@given(layers())
def test_any_layer_is_read_as_it_was_written(layer: SemanticLayer) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "layer.yaml"
        write_layer(layer, file, "sqlite:///a.db")
        assert read_layer(file).layer == replace(layer, notes=())
        assert merge(file, layer) == (file.read_text("utf-8"), ())


def dropped(layer: SemanticLayer, gone: Sequence[tuple[str, str]]) -> SemanticLayer:
    """The layer as imported when some columns are gone; a table without columns is gone, too."""
    tables, infos = [], []
    for table, info in zip(layer.schema.tables, layer.tables, strict=True):
        kept = tuple(one for one in table.columns if (table.name, one.name) not in gone)
        if kept:
            names = {one.name for one in kept}
            key = table.key if table.key in names else None
            tables.append(Table(table.name, kept, key))
            said = tuple(one for one in info.columns if one.name in names)
            display = tuple(one for one in info.display if one in names)
            date = info.date if info.date in names else None
            infos.append(replace(info, columns=said, display=display, date=date, measure=None))
    keyed = {one.name for one in tables if one.key is not None}
    places = {(table.name, column.name) for table in tables for column in table.columns}
    links = tuple(
        link
        for link in layer.schema.links
        if link.target in keyed and (link.table, link.column) in places
    )
    return SemanticLayer(layer.name, Schema(tuple(tables), links), tuple(infos))


EVERY = [(table.name, column.name) for table in shop().tables for column in table.columns]


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sets(st.sampled_from(EVERY), max_size=len(EVERY) - 1), max_size=3))
def test_what_is_dropped_and_restored_is_as_before(steps: list[set[tuple[str, str]]]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "layer.yaml"
        write_layer(shop(), file, "sqlite:///shop.db")
        before = read_layer(file).layer
        for gone in steps:
            file.write_text(merge(file, dropped(shop(), sorted(gone))).text, "utf-8")
            read_layer(file)
        file.write_text(merge(file, shop()).text, "utf-8")
        after = read_layer(file).layer
        assert "\ngone:" not in file.read_text("utf-8")
        assert set(after.schema.links) == set(before.schema.links)
        assert set(after.measures) == set(before.measures)
        assert after.links == before.links
        for table in before.tables:
            restored = after.table(table.name)
            columns = {one.name: one for one in restored.columns}
            assert columns == {one.name: one for one in table.columns}
            assert replace(restored, columns=()) == replace(table, columns=())
