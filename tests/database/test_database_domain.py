"""A database as a domain: rows, words, SQL, limits, ties, what is private, and examples."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from shop_helpers import (
    BUYER,
    COUNTRY,
    EMAIL,
    NAME,
    PROGRAMS,
    SCHEMA,
    KnowingParser,
    shop_domain,
    shop_layer,
)

from cases import cases
from partwise.database.domain import check_visible, describe, example_questions, hide, open_layer
from partwise.database.layer.model import ColumnInfo, TableInfo
from partwise.database.restating import headings
from partwise.database.source.connections import QueryLimits
from partwise.errors import DataError, UnknownConstantError
from partwise.execution.relational.program import (
    Aggregate,
    Belonging,
    Compare,
    Figure,
    Grouping,
    Listing,
    Missing,
    Order,
    Program,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Schema, Table
from partwise.interface import AnyDomain, ExplainingDomain, answer


@pytest.fixture
def shop(tmp_path: Path) -> Any:
    return shop_domain(tmp_path)


def test_it_is_a_domain_that_explains(shop: Any) -> None:
    assert isinstance(shop, AnyDomain)
    assert isinstance(shop, ExplainingDomain)
    assert (shop.name, shop.parser, shop.runnable) == ("shop", "database", True)
    assert shop.today.isoformat() == "2024-05-01"


@cases("question, columns, rows")
def test_programs_give_tables(shop: Any, question: str, columns: Any, rows: Any) -> None:
    table = shop.run(PROGRAMS[question])
    assert table.columns == columns
    assert sorted(table.rows, key=str) == sorted(rows, key=str)
    assert not table.truncated
    assert table.explanation == shop.explain(PROGRAMS[question])
    assert table.explanation.sql.startswith("SELECT")


def test_every_program_can_be_written_and_read_back(shop: Any) -> None:
    for question, program in PROGRAMS.items():
        if question != "emails":
            assert shop.read(shop.write(program)) == program
            once = shop.canonical(program)
            assert shop.canonical(once) == once
            assert shop.denotation(shop.run(once)) == shop.denotation(shop.run(program))


def test_the_sql_has_the_values_and_gives_the_same_rows(shop: Any, tmp_path: Path) -> None:
    import sqlite3

    program = Listing(Rows("customer", Compare(NAME, "=", Value("O'Neil"))), (NAME, COUNTRY))
    table = shop.run(program)
    query, values = shop.source._compiled(shop._compiler.select(program))
    assert "Neil" not in query
    assert "O'Neil" in values.values()
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        assert connection.execute(table.explanation.sql).fetchall() == list(table.rows)
    assert table.rows == (("O'Neil", "Chile"),)


def test_rows_tied_with_the_last_one_are_said(shop: Any) -> None:
    program = PROGRAMS["the customer with the most revenue"]
    table = shop.run(program)
    assert {table.rows[0][0], table.ties[0][0]} == {"Ana", "O'Neil"}
    assert (len(table.rows), len(table.ties)) == (1, 1)
    assert isinstance(program, Listing)
    everyone = shop.run(dataclasses.replace(program, ties=True))
    assert (len(everyone.rows), everyone.ties) == (2, ())
    first_two = shop.run(dataclasses.replace(program, limit=2))
    assert (len(first_two.rows), first_two.ties) == (2, ())


def test_more_rows_than_are_allowed_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    table = shop_domain(tmp_path, limits=QueryLimits(rows=2)).run(PROGRAMS["customers"])
    assert table.truncated
    assert len(table.rows) == 2
    assert table.notes == ("only the first 2 rows are shown",)


OF_EMAIL = Missing(EMAIL)
NAME_OF_BUYER = dataclasses.replace(NAME, path=(BUYER,))
COUNTED = Figure(Rows("sale"), Aggregate("count"))
PRIVATE: list[Program] = [
    PROGRAMS["emails"],
    Listing(Rows("customer", OF_EMAIL), (NAME,)),
    Listing(Rows("customer"), (NAME,), (Order(EMAIL),)),
    Figure(Rows("customer"), Aggregate("count", EMAIL, distinct=True)),
    Grouping(Rows("customer"), (EMAIL,), (Aggregate("count"),)),
    Listing(Rows("sale", Related((), Rows("customer", OF_EMAIL))), (NAME_OF_BUYER,)),
    Grouping(Rows("sale"), (dataclasses.replace(EMAIL, path=(BUYER,)),), (Aggregate("count"),)),
]


@pytest.mark.parametrize("program", PRIVATE, ids=range(len(PRIVATE)))
def test_what_is_private_is_refused_in_every_place(shop: Any, program: Program) -> None:
    for act in (shop.run, shop.explain, lambda one: shop.read(shop.write(one))):
        with pytest.raises(UnknownConstantError, match=r"customer\.email is private"):
            act(program)


def test_a_private_table_is_refused_even_as_a_way(tmp_path: Path) -> None:
    layer = shop_layer()
    hidden = dataclasses.replace(layer.tables[0], private=True)
    layer = dataclasses.replace(layer, tables=(hidden, layer.tables[1]))
    with pytest.raises(UnknownConstantError, match="customer is private"):
        check_visible(PROGRAMS["revenue by customer"], layer)


def test_no_path_leads_over_a_private_table(tmp_path: Path) -> None:
    layer = shop_layer()
    third = TableInfo("country", "country", (ColumnInfo("name", "name", "text"),))
    schema = Schema(
        (*layer.schema.tables, Table("country", (Column("name", "text"),), "name")),
        (BUYER, Link("customer", "country", "country")),
    )
    whole = dataclasses.replace(layer, schema=schema, tables=(*layer.tables, third))
    assert whole.schema.relation("sale", "country") is not None
    tables = (dataclasses.replace(layer.tables[0], private=True), *whole.tables[1:])
    hidden = open_layer(dataclasses.replace(whole, tables=tables, preferred=(BUYER,)))
    assert hidden.schema.relation("sale", "country") is None
    assert hidden.schema.relation("sale", "customer") is None
    assert hidden.preferred == ()
    assert open_layer(whole).schema is whole.schema
    assert "customer" not in str(describe(hidden, example_questions(hidden)))


def test_an_answer_never_holds_a_private_value(shop: Any) -> None:
    (told,) = answer(KnowingParser(shop), ["emails"])
    assert told.status == "refused"
    assert "example.org" not in str(told.to_json())
    described = str(shop.describe())
    assert "email" not in described
    assert "an address" not in described


def test_what_is_made_of_private_columns_is_not_told() -> None:
    private = {("sale", "price"), ("sale", "quantity"), ("customer", "country")}
    layer = open_layer(hide(shop_layer(), private))
    assert layer.column("customer", "country").values == ()
    told = str(describe(layer, example_questions(layer)))
    assert not [one for one in ("price", "quantity", "country", "Brazil", "revenue") if one in told]


def test_what_it_describes_can_be_asked_about(shop: Any) -> None:
    customer, sale = shop.describe().tables
    assert [one.name for one in customer.columns] == ["id", "name", "country"]
    assert customer.columns[2].values == ("Brazil", "Chile")
    assert sale.links == {"customer_id": "customer"}
    (revenue,) = shop.describe().measures
    assert (revenue.table, revenue.unit) == ("sale", "usd")


def test_headings_are_all_different() -> None:
    program = Listing(Rows("sale"), (NAME_OF_BUYER, NAME_OF_BUYER, Belonging((BUYER,), COUNTED)))
    assert headings(program, shop_layer()) == (
        "customer name",
        "customer name 2",
        "number of sales",
    )


def test_answers_are_compared_in_any_order_and_rounded(shop: Any) -> None:
    table = shop.run(PROGRAMS["revenue by customer"])
    turned = dataclasses.replace(table, rows=tuple(reversed(table.rows)))
    near = tuple((name, value + 1e-9) for name, value in table.rows)
    assert shop.denotation(table) == shop.denotation(turned)
    assert shop.denotation(table) == shop.denotation(dataclasses.replace(table, rows=near))
    twice = dataclasses.replace(table, rows=(*table.rows, table.rows[0]))
    assert shop.denotation(table) != shop.denotation(twice)


def test_lines_and_emptiness(shop: Any) -> None:
    assert shop.show(shop.run(PROGRAMS["customers"]))[0] == "Ana, Brazil"
    assert shop.show(shop.run(PROGRAMS["customers"]))[3].endswith(", -")
    assert shop.is_empty(shop.run(PROGRAMS["customers in peru"]))
    assert not shop.is_empty(shop.run(PROGRAMS["is there a customer in peru"]))


def test_a_context_is_refused(shop: Any) -> None:
    with pytest.raises(DataError, match="no context"):
        shop.read_context("x")


def test_examples_name_what_is_there_and_nothing_private() -> None:
    made = example_questions(shop_layer())
    assert len(made) >= 4
    assert len(set(made)) == len(made)
    assert "which customer has the most sales?" in made
    assert not [one for one in made if "email" in one]
    assert all(table.name in " ".join(made) for table in SCHEMA.tables)
