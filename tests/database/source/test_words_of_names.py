"""Readable words for the names of tables and columns."""

from __future__ import annotations

import pytest

from partwise.database.source.words import column_words, singular, table_words, words_of_name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("InvoiceDate", "invoice date"),
        ("QtyOnHand", "quantity on hand"),
        ("unit_price", "unit price"),
        ("hiredate", "hire date"),
        ("LName", "last name"),
        ("fname", "first name"),
        ("order_no", "order number"),
        ("No_of_seats", "number of seats"),
        ("ProductID", "product id"),
        ("XMLFile", "xml file"),
        ("address1", "address 1"),
        ("dob", "birth date"),
        ("classroom", "classroom"),
        ("together", "together"),
        ("straße", "straße"),
        ("min_price", "minimum price"),
        ("duration min", "duration min"),
    ],
)
def test_words(name: str, words: str) -> None:
    assert " ".join(words_of_name(name)) == words


@pytest.mark.parametrize(
    ("words", "one"),
    [("people", "person"), ("addresses", "address"), ("series", "series"), ("bus", "bus"),
     ("categories", "category"), ("news", "news"), ("status", "status"), ("wine", "wine")],
)  # fmt: skip
def test_singular(words: str, one: str) -> None:
    assert singular((words,)) == (one,)


def test_tables_without_what_all_begin_with() -> None:
    made = table_words(["app_customers", "app_order_lines", "app_tblPeople"])
    assert [" ".join(one) for one in made.values()] == ["customer", "order line", "person"]
    # A plural inside a name is one of another table.
    made = table_words(["Customers", "Customers_Cards", "Sales_Targets"])
    assert [" ".join(one) for one in made.values()] == ["customer", "customer card", "sales target"]


def test_columns_without_their_table() -> None:
    made = column_words(["cust_id", "cust_name", "cust_phone"], ("customer",))
    assert [" ".join(one) for one in made.values()] == ["id", "name", "phone"]
    made = column_words(["PlaylistId", "TrackId", "TrackNote"], ("playlist", "track"))
    assert [" ".join(one) for one in made.values()] == ["playlist id", "track id", "note"]
    made = column_words(["c_key", "c_name", "c_phone", "c_comment"], ("customer",))
    assert [" ".join(one) for one in made.values()] == ["key", "name", "phone", "comment"]


def test_columns_are_told_apart() -> None:
    made = column_words(["name", "dog_name", "age"], ("dog",))
    assert [" ".join(one) for one in made.values()] == ["name", "dog name", "age"]
