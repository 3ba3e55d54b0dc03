"""What is read from a database, and what is inferred."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from partwise.database.source.connections import connect
from partwise.database.source.importing import Imported, read_schema
from partwise.errors import DomainError
from partwise.execution.relational.schema import Link

DECLARED = """
CREATE TABLE studios (studio_id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
CREATE TABLE potters (
    potter_id INTEGER PRIMARY KEY, name TEXT, studio INTEGER REFERENCES studios (studio_id),
    teacher INTEGER REFERENCES potters (potter_id)
);
CREATE TABLE pots (
    id INTEGER PRIMARY KEY, glaze TEXT, fired TEXT, weight TEXT, potter_id INTEGER, sold BOOLEAN
);
CREATE TABLE shows (pot_id INTEGER, studio_id INTEGER, opened DATE);
INSERT INTO studios VALUES (1, 'North Yard', NULL), (2, 'Kiln Lane', NULL);
INSERT INTO potters VALUES (7, 'Ada', 1, NULL), (8, 'Bo', 2, 7);
INSERT INTO pots VALUES (1, 'ash', '2024-03-01', '2.5', 7, 1), (2, 'salt', '2024-04-02', '3', 9, 0);
INSERT INTO shows VALUES (1, 1, '2024-05-01'), (2, 2, '2024-06-01');
"""


@pytest.fixture
def imported(tmp_path: Path) -> Callable[[str], Imported]:
    def read(script: str) -> Imported:
        with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
            connection.executescript(script)
        return read_schema(connect(tmp_path / "made.db"))

    return read


def test_keys_kinds_and_links(imported: Callable[[str], Imported]) -> None:
    made = imported(DECLARED)
    kinds = {(t.name, one.name): one.kind for t in made.schema.tables for one in t.columns}
    assert {table.name: table.key for table in made.schema.tables} == {
        **{"potters": "potter_id", "pots": "id", "shows": None, "studios": "studio_id"}
    }
    assert kinds["pots", "fired"] == kinds["shows", "opened"] == "date"
    assert kinds["pots", "weight"] == "number"
    assert kinds["pots", "sold"] == "boolean"
    assert kinds["potters", "teacher"] == kinds["potters", "potter_id"] == "id"
    assert set(made.schema.links) == {
        Link("potters", "studio", "studios"),
        Link("potters", "teacher", "potters"),
        Link("shows", "pot_id", "pots"),
        Link("shows", "studio_id", "studios"),
    }
    assert made.left_out == ("studios.photo: it holds bytes",)
    told = "\n".join(made.notes)
    assert "pots.weight holds numbers" in told
    assert "shows.pot_id points to pots" in told


def test_a_column_whose_values_are_no_keys_is_no_link(
    imported: Callable[[str], Imported],
) -> None:
    links = imported(DECLARED).schema.links
    # 9 is no potter.
    assert Link("pots", "potter_id", "potters") not in links


def test_a_key_that_is_not_declared(imported: Callable[[str], Imported]) -> None:
    made = imported("CREATE TABLE bowls (bowl_id INTEGER, size INTEGER);\n"
                    "INSERT INTO bowls VALUES (1, 4), (2, 4);\n"
                    "CREATE TABLE lids (bowl INTEGER);\n")  # fmt: skip
    assert made.schema.table("bowls").key == "bowl_id"
    assert made.schema.table("lids").key is None
    assert made.notes == (
        "bowl_id tells the rows of bowls apart: it is named so, and no value repeats",
    )


def test_a_database_without_tables(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(DomainError, match=r"no table to ask about in .*empty\.db"):
        read_schema(connect(f"sqlite:///{tmp_path}/empty.db"))
