"""What goes without saying of people and things, of plans and of what is next."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from asked_database import AskedDatabase, asked_database, example

from partwise.database.inflection import inflected
from partwise.database.reading.closing import closed
from partwise.database.reading.frame import Cond, Frame, Ref
from partwise.database.reading.labels import marked
from partwise.database.reading.programs import programs
from partwise.database.reading.shape import shape_of
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.periods import Period
from partwise.database.spans.text import words_of
from partwise.execution.relational.program import Listing, Related, Rows

SALES = SchemaItem("table", "ticket_sale")


hall = example("concerts")


def test_a_quantity_is_meant_and_not_the_rows_that_have_it(hall: AskedDatabase) -> None:
    alone = [one.thing for one in hall.labels("tickets sold") if (one.start, one.end) == (0, 1)]
    assert SALES not in alone
    assert [one for one in hall.labels("ticket sales") if one.thing == SALES]


def test_a_plan_is_meant_only_where_it_is_said(hall: AskedDatabase) -> None:
    plan = SchemaItem("column", "concert", "estimated_cost")
    assert plan not in {one.thing for one in hall.labels("cost of the concerts")}
    assert plan in {one.thing for one in hall.labels("estimated cost of the concerts")}


def test_what_plays_an_instrument_does_not_play_it_as_a_second_one(hall: AskedDatabase) -> None:
    columns = {one.thing.column for one in hall.labels("violinists") if one.kind == "value"}
    assert columns == {"instrument"}


def test_the_name_of_a_row_is_meant_and_no_text_that_is_not_spoken_of(hall: AskedDatabase) -> None:
    """The title of a concert is stored in a note, too."""
    said = [one.thing for one in hall.labels("sales of Dusk") if one.kind == "value"]
    assert SchemaItem("column", "ticket_sale", "note") not in said
    said = [one.thing for one in hall.labels("sales with the note Dusk") if one.kind == "value"]
    assert SchemaItem("column", "ticket_sale", "note") in said


@pytest.mark.parametrize("question", ["people with a long name", "how many people are there"])
def test_people_may_be_those_of_any_table(hall: AskedDatabase, question: str) -> None:
    tables = {one.thing.table for one in hall.labels(question) if one.op == "who" and one.thing}
    assert tables == {"patron", "player"}


def test_words_that_spell_a_value_are_guessed_to_be_nothing_else(hall: AskedDatabase) -> None:
    words = words_of("cellists and the celloed")
    marks = [one.stored for one in marked(words, [hall.labels("cellists and the celloed")])]
    assert marks == [True, False, False, False]


def test_nothing_is_missing_and_there(hall: AskedDatabase) -> None:
    left = Ref("player", "left_on")
    gone, here = Cond(left, "missing", negated=True), Cond(left, "missing")
    assert list(closed(Frame(head="player", conds=(gone,)), hall.layer))
    assert not list(closed(Frame(head="player", conds=(gone, here)), hall.layer))


def test_a_year_is_no_row_and_no_key_is_at_least_a_year(hall: AskedDatabase) -> None:
    year = Period(date(2022, 1, 1), date(2023, 1, 1), True)

    def whole(column: str, op: str) -> bool:
        cond = Cond(Ref("player", column), op, year)
        return bool(programs(Frame(head="player", conds=(cond,)), hall.layer))

    assert whole("hired_on", ">=")
    assert not whole("salary", ">=")
    assert whole("id", "in")
    assert not whole("id", ">=")
    assert not whole("mentor_id", "in")


def test_a_link_that_is_called_a_year_is_one(tmp_path: Path) -> None:
    script = """CREATE TABLE season (year INTEGER PRIMARY KEY, url TEXT);
    CREATE TABLE race (id INTEGER PRIMARY KEY, name TEXT, year INTEGER REFERENCES season);
    INSERT INTO season VALUES (2009, 'a'), (2010, 'b');
    INSERT INTO race VALUES (1, 'Spa', 2009), (2, 'Monza', 2010);"""
    with asked_database(script, tmp_path / "races.db") as opened:
        assert [("Spa",)] in opened.answers("races in 2009", first=3)


def test_who_did_something_is_sooner_who_is_near_it(hall: AskedDatabase) -> None:
    """Players are two links away from sales, patrons one."""
    where = Related((), Rows("ticket_sale"))
    shapes = {
        table: shape_of(Listing(Rows(table, where), ()), {table}, hall.layer, {table})
        for table in ("player", "patron")
    }
    assert ["is far" in one for one in shapes.values()] == [True, False]


def test_instruments_of_players() -> None:
    assert "cello" in inflected("cellists")
    assert "trombone" in inflected("trombonist")
