"""RDF as tables: classes, properties, links, and tables for what a thing has several times."""

from __future__ import annotations

from pathlib import Path

import pytest

from partwise.database.layer.model import SemanticLayer
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Compare,
    Contains,
    Field,
    Figure,
    Listing,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise.execution.relational.sql import Compiler

POTTERY = """
@prefix : <http://pottery.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Potter a rdfs:Class .
:ada a :Potter ; rdfs:label "Ada, \\"the\\" Great" ; :born "1980-01-02"^^xsd:date ; :studio :yard .
:bo a :Potter ; rdfs:label "Bo" ; :teacher :ada ; :studio :yard ; :nick "" .
:yard a :Studio ; rdfs:label "North Yard"@en, "Nordhof"@de ; :size 4 .
:bowl a :Pot ; rdfs:label "tea bowl" ; :madeBy :ada, :bo ; :weight 2.5 ; :sold true ;
    :tag "a", "b" .
:jug a :Pot ; rdfs:label "jug" ; :madeBy :bo ; :weight 3 ; :sold false .
_:b1 a :Pot ; :weight 1 .
"""


@pytest.fixture
def pottery(tmp_path: Path) -> tuple[Source, SemanticLayer]:
    (tmp_path / "pottery.ttl").write_text(POTTERY)
    source = connect(tmp_path / "pottery.ttl")
    return source, import_database(source, "pottery")


def test_tables_columns_and_links(pottery: tuple[Source, SemanticLayer]) -> None:
    source, layer = pottery
    kinds = {
        table.name: {one.name: one.kind for one in table.columns} for table in layer.schema.tables
    }
    assert kinds == {
        "Pot": {"iri": "id", "label": "text", "sold": "boolean", "weight": "number"},
        "Pot_madeBy": {"Pot": "id", "Potter": "id"},
        "Pot_tag": {"Pot": "id", "tag": "text"},
        "Potter": {
            **{"iri": "id", "label": "text", "born": "date", "nick": "text"},
            **{"studio": "id", "teacher": "id"},
        },
        "Studio": {"iri": "id", "label": "text", "size": "number"},
    }
    assert set(layer.schema.links) == {
        Link("Pot_madeBy", "Pot", "Pot"),
        Link("Pot_madeBy", "Potter", "Potter"),
        Link("Pot_tag", "Pot", "Pot"),
        Link("Potter", "studio", "Studio"),
        Link("Potter", "teacher", "Potter"),
    }
    assert layer.table("Pot_madeBy").bridge
    assert layer.table("Potter").display == ("label",)
    source.close()


def test_questions_and_values(pottery: tuple[Source, SemanticLayer]) -> None:
    source, layer = pottery
    compiler = Compiler(layer.schema, texts=source.texts)
    name = Field((), "label")
    by_ada = Related((), Rows("Potter", Contains(name, "Great", "end")))
    assert source.run(compiler.select(Listing(Rows("Pot", by_ada), (name,)))).rows == [
        ("tea bowl",)
    ]
    heavy = Rows("Pot", Compare(Field((), "weight"), ">=", Value(2)))
    assert source.run(compiler.select(Figure(heavy, Aggregate("count")))).rows == [(2,)]
    index = ValueIndex.build(source, layer)
    assert [(one.text, one.places) for one in index.find(["north", "yard"])] == [
        ("North Yard", (("Studio", "label"),))
    ]
    source.close()


def test_what_has_no_tables(tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text("this is no turtle")
    with pytest.raises(DomainError, match=r"bad\.ttl: cannot be read as RDF"):
        connect(tmp_path / "bad.ttl")
    (tmp_path / "untyped.nt").write_text("<http://a> <http://b> <http://c> .\n")
    with pytest.raises(DomainError, match="nothing in it has a class"):
        connect(tmp_path / "untyped.nt")
