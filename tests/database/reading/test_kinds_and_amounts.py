"""Values that say what is asked for, counts that rows stand for, and what superlatives speak of."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import amounts_of, count_of
from partwise.database.reading.filling import Step
from partwise.database.reading.frame import Frame, Ref
from partwise.database.reading.kinds import head_of_kind, is_kind, key_of_kind
from partwise.database.reading.label import Label
from partwise.database.reading.labels import Labeller
from partwise.database.reading.programs import programs
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import words_of
from partwise.execution.relational.writing import write

SCRIPT = """
CREATE TABLE worker (id INTEGER PRIMARY KEY, name TEXT, job TEXT, hired DATE);
CREATE TABLE tyre (id INTEGER PRIMARY KEY, title TEXT, mass_kg REAL, bulk_kg REAL);
CREATE TABLE sold (tyre_id INTEGER REFERENCES tyre(id), worker_id INTEGER REFERENCES worker(id),
    day DATE, cnt INTEGER);
INSERT INTO worker VALUES (1, 'Ann Lee', 'Fitter', '2019-02-01'), (2, 'Bo Ray', 'Clerk',
    '2021-03-01'), (3, 'Cy Fox', 'Fitter', '2020-07-01'), (4, 'Di Orr', 'Clerk', '2022-01-05');
INSERT INTO tyre VALUES (1, 'Snow', 9.5, 1), (2, 'Road', 8.25, 2), (3, 'Mud', 11.75, 3);
INSERT INTO sold VALUES (1, 1, '2024-01-02', 4), (2, 3, '2024-01-03', 7), (2, 2, '2024-02-01', 1);
"""
FITTER = Label(1, 2, "value", SchemaItem("column", "worker", "job"), value="Fitter")


class _Garage:
    def __init__(self, file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(SCRIPT)
        source = connect(file)
        self.layer: SemanticLayer = import_database(source, "garage")
        self.labeller = Labeller(self.layer, ValueIndex.build(source, self.layer))

    def speaks_of(self, text: str, op: str) -> set[str]:
        """The columns that an adjective of a question speaks of."""
        found = self.labeller.labels(words_of(text), date(2024, 5, 5))
        return {one.thing.column for some in found for one in some if one.op == op and one.thing}


@pytest.fixture(scope="module")
def garage(tmp_path_factory: pytest.TempPathFactory) -> _Garage:
    return _Garage(tmp_path_factory.mktemp("garage") / "garage.db")


def test_words_with_a_hyphen_are_superlatives(garage: _Garage) -> None:
    for text in ("longest-serving worker", "longest serving worker"):
        assert "hired" in garage.speaks_of(text, "dir:asc")


def test_superlatives_speak_of_numbers_by_their_unit(garage: _Garage) -> None:
    assert {"mass_kg", "bulk_kg"} <= garage.speaks_of("heaviest tyre", "dir:desc")


def test_kinds_stand_for_the_rows_or_make_groups_of_them(garage: _Garage) -> None:
    assert is_kind(FITTER, garage.layer)
    (made,) = head_of_kind(Step(Frame(), "value"), FITTER, garage.layer)
    assert (made.frame.head, made.role) == ("worker", "value_head")
    (made,) = key_of_kind(Frame(per=True), FITTER, garage.layer)
    assert made.frame.keys == ("worker",)
    assert made.frame.conds[0].value == "Fitter"


def test_names_are_no_kinds(garage: _Garage) -> None:
    name = Label(1, 2, "value", SchemaItem("column", "worker", "name"), value="Ann Lee")
    assert head_of_kind(Step(Frame(), "value"), name, garage.layer) == []
    assert key_of_kind(Frame(per=True), name, garage.layer) == []


def test_a_table_may_say_how_many_each_row_stands_for(garage: _Garage) -> None:
    assert [one.name for one in amounts_of(garage.layer, "sold")] == ["cnt"]
    assert count_of(garage.layer, "tyre") is None
    column = count_of(garage.layer, "sold")
    assert column is not None
    assert column.name == "cnt"


def test_groups_count_rows_or_sum_what_they_stand_for(garage: _Garage) -> None:
    made = programs(Frame(head="sold", keys=(Ref("sold", "day"),)), garage.layer)
    figures = {one.shifts: write(one.program) for one in made}
    summed = [text for shifts, text in figures.items() if "silent_amount" in shifts]
    assert summed
    assert all("sum of=(Field [] cnt)" in text for text in summed)
    assert any("(Aggregate count)" in text for text in figures.values())
