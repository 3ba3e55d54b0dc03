"""A small shop's database, its semantic layer, and a parser that knows some questions by heart."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from partwise.database.domain import DatabaseDomain
from partwise.database.explanation import PhraseDerivation, PhrasePart
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.source.connections import QueryLimits, connect
from partwise.database.source.values import Collected, ValueIndex
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Belonging,
    Compare,
    Exists,
    Field,
    Figure,
    Grouping,
    Listing,
    Order,
    Program,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Schema, Table
from partwise.interface.prediction import Prediction, Turn

SCRIPT = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, email TEXT);
CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer,
                   price REAL, quantity INTEGER, day TEXT);
INSERT INTO customer VALUES (1, 'Ana', 'Brazil', 'ana@example.org'),
  (2, 'O''Neil', 'Chile', 'neil@example.org'), (3, '=1+1', 'Chile', NULL),
  (4, '<img src=x onerror=alert(1)>', NULL, NULL);
INSERT INTO sale VALUES (1, 1, 2.5, 2, '2024-03-01'), (2, 1, 1.0, 1, '2024-03-02'),
  (3, 2, 6.0, 1, '2024-04-01'), (4, 3, -3.0, 1, '2024-04-02');
"""
BUYER = Link("sale", "customer_id", "customer")
SCHEMA = Schema(
    (
        Table(
            "customer",
            tuple(
                Column(name, "id" if name == "id" else "text")
                for name in ("id", "name", "country", "email")
            ),
            "id",
        ),
        Table(
            "sale",
            (
                *(Column("id", "id"), Column("customer_id", "id"), Column("price", "number")),
                *(Column("quantity", "number"), Column("day", "date")),
            ),
            "id",
        ),
    ),
    (BUYER,),
)
TOTAL = Arithmetic("*", Field((), "price"), Field((), "quantity"))
REVENUE = Aggregate("sum", TOTAL)
NAME, COUNTRY, EMAIL = (Field((), name) for name in ("name", "country", "email"))
PROGRAMS: Mapping[str, Program] = {
    "customers": Listing(Rows("customer"), (NAME, COUNTRY)),
    "customers in chile": Listing(Rows("customer", Compare(COUNTRY, "=", Value("Chile"))), (NAME,)),
    "how many customers": Figure(Rows("customer"), Aggregate("count")),
    "revenue by customer": Grouping(
        Rows("sale"), (Field((BUYER,), "name"),), (REVENUE,), order=(Order(REVENUE, True),)
    ),
    "the customer with the most revenue": Listing(
        Rows("customer"),
        (NAME,),
        (Order(Belonging((), Figure(Rows("sale"), REVENUE)), True),),
        limit=1,
    ),
    "is there a customer in peru": Exists(Rows("customer", Compare(COUNTRY, "=", Value("Peru")))),
    "customers in peru": Listing(Rows("customer", Compare(COUNTRY, "=", Value("Peru"))), (NAME,)),
    "emails": Listing(Rows("customer"), (EMAIL,)),
}
OTHERS: Mapping[str, Sequence[str]] = {
    "the customer with the most revenue": ("revenue by customer", "customers in chile")
}
"""What else a question may mean."""


def shop_layer(private: bool = True) -> SemanticLayer:
    """What is known of the shop; e-mail addresses are private unless said otherwise."""
    kinds = {one.name: {c.name: c.kind for c in one.columns} for one in SCHEMA.tables}
    customer = {name: ColumnInfo(name, name, kind) for name, kind in kinds["customer"].items()}
    customer["email"] = replace(customer["email"], private=private, description="an address")
    customer["country"] = replace(customer["country"], values=("Brazil", "Chile"), enumeration=True)
    sale = [ColumnInfo(name, name.replace("_", " "), kind) for name, kind in kinds["sale"].items()]
    tables = (
        TableInfo("customer", "customer", tuple(customer.values()), display=("name",), person=True),
        TableInfo("sale", "sale", tuple(sale), date="day"),
    )
    revenue = Measure("revenue", "revenue", "sale", "sum", TOTAL, unit="usd")
    return SemanticLayer("shop", SCHEMA, tables, (revenue,))


def write_shop(file: Path) -> Path:
    """The database as a SQLite file."""
    connection = sqlite3.connect(file)
    connection.executescript(SCRIPT)
    connection.close()
    return file


def shop_domain(folder: Path, private: bool = True, limits: QueryLimits | None = None) -> Any:
    """The shop as a domain, its file in a folder; it finds no values in questions."""
    file = folder / "shop.db"
    source = connect(file if file.exists() else write_shop(file), limits)
    index = ValueIndex.of(Collected())
    return DatabaseDomain(shop_layer(private), source, index, date(2024, 5, 1))


@dataclass
class KnowingParser:
    """Parses the questions of `PROGRAMS`, and no others; a word more is not used."""

    domain: DatabaseDomain
    programs: Mapping[str, Program] = field(default_factory=lambda: PROGRAMS)
    kind: str = "knowing"
    conversation: bool = True

    def follow_up(
        self, question: str, last: Turn, k: int = 1, at_least: float | None = None
    ) -> Prediction[Program]:
        """``how many is that`` counts the rows of the last program; others stand by themselves."""
        if question != "how many is that":
            return self._one(question, k).at_least(at_least)
        count = Figure(last.meaning.rows, Aggregate("count"))
        return Prediction(question, (), count, 0.9, goes_on=True)

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Program]]:
        """One prediction a question, doubtful where it has alternatives."""
        return [self._one(question, k).at_least(at_least) for question in questions]

    def _one(self, question: str, k: int) -> Prediction[Program]:
        words = tuple(question.rstrip("?").lower().split())
        for end in (len(words), len(words) - 1):
            text = " ".join(words[:end])
            if text in self.programs:
                others = [self._meant(one, words, 0.25) for one in OTHERS.get(text, ())]
                best = self._meant(text, words, 0.5 if others else 0.9)
                unused = tuple(range(end, len(words)))
                return replace(
                    best,
                    question=question,
                    unused=unused,
                    doubtful=bool(others),
                    alternatives=tuple(others[: k - 1]),
                )
        return Prediction(question, words, reason="the shop cannot tell this")

    def _meant(self, text: str, words: tuple[str, ...], share: float) -> Prediction[Program]:
        parts = (PhrasePart(0, 1, words[0], f"first word of {text}"),)
        derivation = PhraseDerivation(parts, ("through sale",))
        return Prediction(text, words, self.programs[text], share, derivation=derivation)
