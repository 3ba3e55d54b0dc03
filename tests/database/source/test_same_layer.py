"""The same data in any source gives the same layer, the same values and the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.database.source.sources import KINDS, place_of

from partwise.database.layer.model import SemanticLayer
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import (
    Aggregate,
    Compare,
    Field,
    Figure,
    Listing,
    Order,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise.execution.relational.sql import Compiler


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    made = connect(place_of("hire", request.param, tmp_path))
    yield made
    made.close()


@pytest.fixture
def expected(tmp_path_factory: pytest.TempPathFactory) -> SemanticLayer:
    source = connect(place_of("hire", "sqlite", tmp_path_factory.mktemp("expected")))
    made = import_database(source, "hire")
    source.close()
    return made


def bare(layer: SemanticLayer) -> object:
    """A layer without its notes, comments and the order of its links."""
    tables = [
        replace(table, columns=tuple(replace(one, description="") for one in table.columns))
        for table in layer.tables
    ]
    return tables, layer.schema.tables, set(layer.schema.links), layer.measures, layer.links


def test_the_same_layer(source: Source, expected: SemanticLayer) -> None:
    assert bare(import_database(source, "hire")) == bare(expected)


def test_what_the_layer_says(expected: SemanticLayer) -> None:
    assert {table.name: table.label for table in expected.tables} == {
        **{"shops": "shop", "employees": "employee", "bicycles": "bicycle", "rentals": "rental"},
        "shop_bicycles": "shop bicycle",
    }
    manager = Link("employees", "manager_id", "employees")
    assert manager in expected.schema.links
    assert expected.links[manager] == ("manager",)
    employee = expected.table("employees")
    assert employee.person
    assert employee.display == ("first_name", "last_name")
    assert employee.column("password_hash").private
    assert employee.column("password_hash").values == ()
    assert expected.table("shop_bicycles").bridge
    rental = expected.table("rentals")
    assert (rental.date, rental.measure) == ("rental_date", "amount_paid")
    bicycle = expected.table("bicycles")
    assert bicycle.display == ("model",)
    assert bicycle.column("colour").values == ("green", "red", "sky blue")
    assert bicycle.column("weight_kg").unit == "kg"
    assert bicycle.column("frame_no").kind == "text"
    assert "rental_date says when a row of rentals happened" in " ".join(expected.notes)


def test_comments_are_descriptions(tmp_path: Path) -> None:
    source = connect(place_of("hire", "postgresql", tmp_path))
    made = import_database(source, "hire")
    source.close()
    assert made.column("bicycles", "colour").description == "of the frame"


def test_the_same_values(source: Source, expected: SemanticLayer) -> None:
    index = ValueIndex.build(source, expected)
    places = {
        (one.text, one.places, one.people)
        for question in ("sky blue cafe racer", "mary peacock", "x11f", "rentals in oslo")
        for one in index.find(question.split())
        if one.score > 0.85
    }
    assert {(text, places) for text, places, people in places if not people} == {
        ("sky blue", (("bicycles", "colour"),)),
        ("Café Racer", (("bicycles", "model"),)),
        ("Oslo", (("shops", "city"),)),
        ("Peacock", (("employees", "last_name"),)),
    }
    named = [one for _, _, people in places for one in people]
    assert [(one.table, one.values) for one in named] == [("employees", ("Mary", "Peacock"))]


def test_the_same_answers(source: Source) -> None:
    layer = import_database(source, "hire")
    light = Compare(Field((), "weight_kg"), "<", Value(10.4))
    bicycles = Listing(
        Rows("bicycles", light), (Field((), "model"),), (Order(Field((), "weight_kg"), True),)
    )
    total = Figure(Rows("rentals"), Aggregate("sum", Field((), "amount_paid")))
    compiler = Compiler(layer.schema, texts=source.texts)
    assert source.run(compiler.select(bicycles)).rows == [
        *[("Mountain King",), ("Penny-Farthing",), ("Café Racer",)]
    ]
    assert source.run(compiler.select(total)).rows[0][0] == pytest.approx(304.65)
