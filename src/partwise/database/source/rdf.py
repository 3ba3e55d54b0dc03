"""RDF as tables of a DuckDB file: one for each class, with a column for each property.

A property that no thing has twice is a column: of values, or of keys where it leads to things of
one class. Any other property is a table that links. A thing's key is its IRI; its name is its
label, else the last part of its IRI.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import unquote

import pyoxigraph as ox

from partwise.database.source.loading import DeclaredLink, duckdb_connection
from partwise.errors import DomainError

KEY = "iri"
_NULL = "\\N"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_SCHEMA = ("http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2002/07/owl#")
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("integer", "int", "long", "short", "nonNegativeInteger"), "BIGINT"),
    **dict.fromkeys(("positiveInteger", "unsignedInt", "byte", "gYear"), "BIGINT"),
    **dict.fromkeys(("decimal", "double", "float"), "DOUBLE"),
    **{"boolean": "BOOLEAN", "date": "DATE", "dateTime": "TIMESTAMP"},
}
_WIDER = {("BIGINT", "DOUBLE"): "DOUBLE", ("DATE", "TIMESTAMP"): "TIMESTAMP"}


@dataclass
class _Class:
    """The things of a class.

    Attributes:
        things: IRI -> property -> objects.
    """

    iri: str
    name: str
    things: dict[str, dict[str, list[Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Property:
    """A property of the things of a class.

    Attributes:
        kind: the type of its values in DuckDB.
        target: the table that it leads to; None if its values are literals.
        many: whether a thing has it twice.
    """

    iri: str
    name: str
    kind: str
    target: str | None
    many: bool


def load_rdf(path: Path, target: Path) -> list[DeclaredLink]:
    """Copy a file of RDF to tables, and tell which columns lead to which tables.

    Raises:
        DomainError: if it cannot be read, or says of nothing which class it is of.
    """
    classes = _classes(path)
    of_thing = {iri: one.name for one in classes for iri in one.things}
    described = {one.name: _properties(one, of_thing) for one in classes}
    links = [
        (one.name, part.name, part.target)
        for one in classes
        for part in described[one.name]
        if part.target is not None and not part.many
    ]
    with duckdb_connection(target) as connection:
        for one in classes:
            _create(connection, one, [p for p in described[one.name] if not p.many])
        for one in classes:
            for several in [p for p in described[one.name] if p.many]:
                links += _link(connection, one, several)
    return links


def _classes(path: Path) -> list[_Class]:
    store = ox.Store()
    try:
        kind = ox.RdfFormat.from_extension(path.suffix.lstrip("."))
        store.load(path=str(path), format=kind)
    except (OSError, SyntaxError, ValueError) as error:
        raise DomainError(f"{path}: cannot be read as RDF: {error}") from error
    names: dict[str, str] = {}
    made: dict[str, _Class] = {}
    owner: dict[Any, _Class] = {}
    for quad in store.quads_for_pattern(None, ox.NamedNode(_TYPE), None, None):
        iri = getattr(quad.object, "value", "")
        if not iri.startswith(_SCHEMA) and quad.subject not in owner:
            one = made.setdefault(iri, _Class(iri, _named(iri, names)))
            owner[quad.subject] = one
            one.things[_key(quad.subject)] = defaultdict(list)
    if not made:
        raise DomainError(f"{path}: nothing in it has a class (rdf:type), which makes its tables")
    for quad in store.quads_for_pattern(None, None, None, None):
        if quad.subject in owner and quad.predicate.value != _TYPE:
            thing = owner[quad.subject].things[_key(quad.subject)]
            thing[quad.predicate.value].append(quad.object)
    return sorted(made.values(), key=lambda one: one.name)


def _properties(of: _Class, of_thing: Mapping[str, str]) -> list[_Property]:
    names = {"": KEY}
    iris = dict.fromkeys(iri for thing in of.things.values() for iri in thing)
    # Labels come first, whatever the order of the file.
    ordered = sorted(iris, key=lambda iri: (iri != _LABEL, iri))
    made = []
    for iri in ordered:
        each = [_in_one_language(thing[iri]) for thing in of.things.values() if iri in thing]
        objects = [one for some in each for one in some]
        targets = {of_thing.get(_key(one)) for one in objects if not isinstance(one, ox.Literal)}
        literal = any(isinstance(one, ox.Literal) for one in objects)
        target = targets.pop() if len(targets) == 1 and not literal else None
        kind = "VARCHAR" if target or not literal or targets else _kind(objects)
        many = any(len(some) > 1 for some in each)
        made.append(_Property(iri, _named(iri, names), kind, target, many))
    return made


def _in_one_language(objects: Sequence[Any]) -> list[Any]:
    """The same without texts in other languages than English where there are several."""
    texts = [one for one in objects if isinstance(one, ox.Literal) and one.language]
    if len(texts) < 2:
        return list(objects)
    tags = sorted({str(one.language) for one in texts}, key=lambda tag: (tag[:2] != "en", tag))
    return [one for one in objects if one not in texts or one.language == tags[0]]


def _kind(literals: Iterable[Any]) -> str:
    kinds = {
        _KINDS.get(one.datatype.value.removeprefix(_XSD), "VARCHAR")
        for one in literals
        if isinstance(one, ox.Literal)
    }
    if len(kinds) == 1:
        return kinds.pop()
    return _WIDER.get(tuple(sorted(kinds)), "VARCHAR")  # type: ignore[arg-type]


def _create(connection: Any, of: _Class, columns: Sequence[_Property]) -> None:
    declared = [f"{_quoted(one.name)} {one.kind}" for one in columns]
    parts = ", ".join([f"{KEY} VARCHAR PRIMARY KEY", *declared])
    connection.execute(f"CREATE TABLE {_quoted(of.name)} ({parts})")
    _insert(connection, of.name, _rows(of, columns))


def _rows(of: _Class, columns: Sequence[_Property]) -> Iterator[list[Any]]:
    for iri, thing in of.things.items():
        values = [_in_one_language(thing[one.iri]) if one.iri in thing else [] for one in columns]
        yield [iri, *(_stored(some[0]) if some else None for some in values)]


def _link(connection: Any, of: _Class, several: _Property) -> list[DeclaredLink]:
    """A table of its own for a property that a thing has several times."""
    name = f"{of.name}_{several.name}"
    other = several.target if several.target not in (None, of.name) else several.name
    columns = f"{_quoted(of.name)} VARCHAR, {_quoted(str(other))} {several.kind}"
    connection.execute(f"CREATE TABLE {_quoted(name)} ({columns})")
    rows = (
        [iri, _stored(one)]
        for iri, thing in of.things.items()
        for one in _in_one_language(thing.get(several.iri, []))
    )
    _insert(connection, name, rows)
    made = [(name, of.name, of.name)]
    return made if several.target is None else [*made, (name, str(other), several.target)]


def _insert(connection: Any, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Through a file, since DuckDB takes single rows slowly."""
    with NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=".csv") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([[_NULL if one is None else one for one in row] for row in rows])
        file.flush()
        settings = f"FORMAT csv, HEADER false, NULLSTR '{_NULL}', QUOTE '\"', ESCAPE '\"'"
        connection.execute(f"COPY {_quoted(table)} FROM '{file.name}' ({settings})")


def _stored(one: Any) -> Any:
    return one.value if isinstance(one, ox.Literal) else _key(one)


def _key(node: Any) -> str:
    return (
        f"_:{node.value}" if isinstance(node, ox.BlankNode) else str(getattr(node, "value", node))
    )


def _named(iri: str, names: dict[str, str]) -> str:
    """The last part of an IRI, told apart from others."""
    last = unquote(iri.rstrip("/#").rsplit("#", 1)[-1].rsplit("/", 1)[-1]) or iri
    if iri not in names:
        taken = {one.lower() for one in names.values()}
        number = 1
        name = last
        while name.lower() in taken:
            number += 1
            name = f"{last}_{number}"
        names[iri] = name
    return names[iri]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
