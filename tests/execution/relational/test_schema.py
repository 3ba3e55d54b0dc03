"""Paths, and which rows belong to which."""

from __future__ import annotations

import pytest

from partwise.errors import DomainError
from partwise.execution.relational.schema import Association, Column, Link, Schema, Table


def table(name: str, *links: str, key: str | None = "id") -> Table:
    columns = (Column("id", "id"), *(Column(one, "id") for one in links))
    return Table(name, columns, key)


FIRED, BY, IN = (
    Link("pot", "kiln", "kiln"),
    Link("pot", "potter", "potter"),
    Link("kiln", "studio", "studio"),
)
HOME = Link("potter", "studio", "studio")
SOLD, BUYER = Link("sale", "pot", "pot"), Link("sale", "buyer", "buyer")
WORKSHOP = Schema(
    (
        *(table("pot", "kiln", "potter"), table("kiln", "studio"), table("potter", "studio")),
        *(table("studio"), table("sale", "pot", "buyer", key=None), table("buyer"), table("fair")),
    ),
    (FIRED, BY, IN, HOME, SOLD, BUYER),
)


def test_the_shortest_path_and_of_such_ones_the_first() -> None:
    assert WORKSHOP.path("sale", "studio") == (SOLD, FIRED, IN)
    assert WORKSHOP.path("pot", "pot") == ()
    assert WORKSHOP.path("studio", "pot") is None


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("pot", "studio", Association((FIRED, IN), "studio", (), ())),
        ("studio", "potter", Association((), "potter", (HOME,), ())),
        ("buyer", "potter", Association((), "sale", (BUYER,), (SOLD, BY))),
        ("kiln", "potter", Association((), "pot", (FIRED,), (BY,))),
        ("studio", "studio", None),
        ("studio", "fair", None),
    ],
)
def test_what_belongs_to_what(one: str, other: str, relation: Association | None) -> None:
    assert WORKSHOP.relation(one, other) == relation


def test_rows_that_lead_to_the_same_row() -> None:
    two = Schema((table("cup", "set"), table("saucer", "set"), table("set")),
                 (Link("cup", "set", "set"), Link("saucer", "set", "set")))  # fmt: skip
    cup, saucer = two.links
    assert two.relation("cup", "saucer") == Association((cup,), "saucer", (saucer,), ())


@pytest.mark.parametrize(
    ("tables", "links", "told"),
    [
        ((table("pot"), table("pot")), (), "two tables are called pot"),
        ((Table("pot", (Column("a", "text"),) * 2),), (), "two columns of pot"),
        ((Table("pot", (), "id"),), (), "the key of pot is no column of it: id"),
        (
            (table("pot", key=None), table("lid", "pot")),
            (Link("lid", "pot", "pot"),),
            "it has no key",
        ),
        ((table("pot"),), (Link("pot", "lid", "pot"),), "pot has no column lid; it has id"),
        ((table("pot"),), (Link("pot", "id", "lid"),), "there is no table lid; there are pot"),
    ],
)
def test_schemas_that_cannot_be(
    tables: tuple[Table, ...], links: tuple[Link, ...], told: str
) -> None:
    with pytest.raises(DomainError, match=told):
        Schema(tables, links)


def test_what_is_not_linked() -> None:
    with pytest.raises(DomainError, match="nothing links fair with pot"):
        WORKSHOP.related("fair", "pot")
    with pytest.raises(DomainError, match=r"no link pot\.kiln leads on from kiln"):
        WORKSHOP.end("kiln", (FIRED,))
