"""What an import infers that nothing declares, with a note for each."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from partwise.database.layer.model import SemanticLayer
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.lexicon import synonyms_for, usual_synonyms
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import Arithmetic, Compare, Field, Listing, Rows, Value
from partwise.execution.relational.schema import Link
from partwise.execution.relational.sql import Compiler

Made = Callable[[str], SemanticLayer]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def read(script: str) -> SemanticLayer:
        with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
            connection.executescript(script)
        source = connect(tmp_path / "made.db")
        layer = import_database(source, "made")
        source.close()
        return layer

    return read


LEAGUE = """
CREATE TABLE team (team_id INTEGER, team_name TEXT, town TEXT);
CREATE TABLE staff (staff_id INTEGER, first_name TEXT, last_name TEXT, supervisor_id INTEGER);
CREATE TABLE game (game_id INTEGER, home_team_id INTEGER, away_team_id INTEGER, trainer INTEGER,
                   referee_id INTEGER, score INTEGER);
INSERT INTO team VALUES (1, 'Reds', 'Oslo'), (2, 'Blues', 'Bern'), (3, 'Greens', 'Lyon');
INSERT INTO staff VALUES (10, 'Ada', 'Moe', NULL), (11, 'Bo', 'Lund', 10), (12, 'Cy', 'Vik', 10);
INSERT INTO game VALUES (7, 1, 2, 10, 90, 3), (8, 2, 3, 11, 91, 1), (9, 3, 1, 12, 92, 2);
"""


def test_links_that_are_not_named_after_a_key(made: Made) -> None:
    layer = made(LEAGUE)
    assert set(layer.schema.links) == {
        Link("game", "home_team_id", "team"),
        Link("game", "away_team_id", "team"),
        Link("staff", "supervisor_id", "staff"),
    }
    assert layer.links[Link("game", "home_team_id", "team")] == ("home team",)
    told = " ".join(layer.notes)
    assert "staff.supervisor_id points to staff: supervisor is said of rows of the same" in told
    assert "game.home_team_id points to team: its name ends with that of the table" in told
    # 90 is no key of any table, and nothing is said of "trainer".
    assert layer.column("game", "referee_id").kind == "number"


def test_keys_and_names_of_rows(made: Made) -> None:
    layer = made(LEAGUE)
    assert {one.name: one.key for one in layer.schema.tables} == {
        **{"team": "team_id", "staff": "staff_id", "game": "game_id"}
    }
    assert layer.table("team").display == ("team_name",)
    assert layer.table("staff").display == ("first_name", "last_name")
    assert layer.table("game").display == ("game_id",)


TEXTS = """
CREATE TABLE reading (id INTEGER PRIMARY KEY, taken TEXT, value TEXT, zip TEXT, code TEXT,
                      ok TEXT, sex TEXT, mixed INTEGER, epoch DATE, place TEXT);
"""


def rows_of_texts() -> str:
    rows = [
        f"({at}, '2024-01-{10 + at}', '{at}.5', '{90000 + at}', '0{at}', '{'YN'[at % 2]}', "
        f"'{'MF'[at % 2]}', {at if at % 2 else repr('n/a')}, {1700000000 + at}, 'x{at}')"
        for at in range(1, 13)
    ]
    return f"{TEXTS}INSERT INTO reading VALUES {', '.join(rows)}"


def test_kinds_by_content(made: Made) -> None:
    layer = made(rows_of_texts())
    kinds = {one.name: one.kind for one in layer.table("reading").columns}
    assert kinds == {
        **{"id": "id", "taken": "date", "value": "number", "zip": "text", "code": "text"},
        **{"ok": "text", "sex": "text", "mixed": "text", "epoch": "number", "place": "text"},
    }
    assert layer.schema.column("reading", "value").texts
    told = " ".join(layer.notes)
    assert "reading.mixed holds texts such as 'n/a', although it is declared otherwise" in told
    assert "reading.epoch holds numbers, although it is declared as dates" in told


def test_enumerations_and_what_their_signs_mean(made: Made) -> None:
    layer = made(rows_of_texts())
    ok, sex = layer.column("reading", "ok"), layer.column("reading", "sex")
    assert (ok.values, ok.enumeration) == (("N", "Y"), True)
    assert ok.value_names == {"Y": ("yes", "true"), "N": ("no", "false")}
    assert sex.value_names == {
        "M": ("male", "man", "men", "boy"),
        "F": ("female", "woman", "women", "girl"),
    }
    place = layer.column("reading", "place")
    assert not place.enumeration
    assert len(place.values) == 5


def test_signs_are_named_beside_other_values_and_in_long_lists(made: Made) -> None:
    rows = ", ".join(f"({at}, '{one}', '{one}x')" for at, one in enumerate(["F", "m", "n/a", "d"]))
    layer = made(f"CREATE TABLE t (id INTEGER, sex TEXT, major TEXT); INSERT INTO t VALUES {rows}")
    assert layer.column("t", "sex").value_names["F"][0] == "female"
    assert set(layer.column("t", "sex").value_names) == {"F", "m"}
    assert not layer.column("t", "major").value_names


def test_a_column_that_foreign_keys_point_to_tells_rows_apart(made: Made) -> None:
    script = """
    CREATE TABLE grape (id INTEGER PRIMARY KEY, kind TEXT, color TEXT);
    CREATE TABLE area (id INTEGER PRIMARY KEY, label TEXT);
    CREATE TABLE wine (name TEXT, kind TEXT REFERENCES grape (kind),
        area TEXT REFERENCES area (label));
    INSERT INTO grape VALUES (1, 'a', 'red'), (2, 'b', 'red');
    INSERT INTO area VALUES (1, 'x'), (2, 'x');
    INSERT INTO wine VALUES ('v', 'a', 'x'), ('w', 'b', 'x');
    """
    layer = made(script)
    assert layer.schema.table("grape").key == "kind"
    assert layer.schema.table("area").key == "id"  # a label repeats
    assert [one.target for one in layer.schema.links] == ["grape"]


def test_numbers_stored_as_texts_are_compared_as_numbers(made: Made, tmp_path: Path) -> None:
    layer = made(rows_of_texts())
    program = Listing(
        Rows("reading", Compare(Field((), "value"), ">", Value(9))), (Field((), "place"),)
    )
    source = connect(tmp_path / "made.db")
    rows = source.run(Compiler(layer.schema, texts=True).select(program)).rows
    source.close()
    assert rows == [(f"x{at}",) for at in (9, 10, 11, 12)]


SALES = """
CREATE TABLE buyer (id INTEGER PRIMARY KEY, name TEXT, born DATE);
CREATE TABLE sale (id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyer, sale_date DATE,
                   due_date DATE, total_amount REAL);
CREATE TABLE sale_line (sale_id INTEGER REFERENCES sale, item TEXT, quantity INTEGER,
                        unit_price REAL, discount REAL);
INSERT INTO buyer VALUES (1, 'Ada', '1990-01-01'), (2, 'Bo', '1991-01-01');
INSERT INTO sale VALUES (1, 1, '2024-01-02', '2024-02-02', 9.5), (2, 2, '2024-01-03', NULL, 4);
INSERT INTO sale_line VALUES (1, 'cup', 2, 5, 0.05), (2, 'hat', 1, 4, 0);
"""


def test_measures_dates_and_units(made: Made) -> None:
    layer = made(SALES)
    assert [one.date for one in layer.tables] == [None, "sale_date", None]
    assert [one.measure for one in layer.tables] == [None, "total_amount", "revenue"]
    price, discount = Field((), "unit_price"), Field((), "discount")
    line = Arithmetic("*", Field((), "quantity"), price)
    assert layer.measure("revenue").of == Arithmetic("*", line, Arithmetic("-", Value(1), discount))
    assert "turnover" in layer.measure("revenue").synonyms
    assert layer.column("sale_line", "unit_price").unit == "money"
    assert "revenue is a measure" in " ".join(layer.notes)


def test_synonyms_that_would_name_two_things_are_left_out() -> None:
    assert synonyms_for(["customer"], ["phone"])["columns"]["phone"][0] == "telephone"
    both = synonyms_for(["customer", "client"], ["phone", "telephone"])
    assert "client" not in both["tables"]["customer"]
    assert "telephone" not in both["columns"]["phone"]
    # What two labels list is the name of the one that lists it sooner.
    made = synonyms_for([], ["unit price", "total"])["columns"]
    owners = [label for label, others in made.items() if "price" in others]
    assert owners == ["unit price"]


def test_the_list_of_synonyms_is_well_formed() -> None:
    for some in map(usual_synonyms, ("tables", "columns")):
        assert len(some) > 100
        for label, others in some.items():
            assert label == label.lower().strip()
            assert label not in others
            assert all(others), label
            assert len(set(others)) == len(others), label


def test_a_table_of_many_rows_is_sampled(made: Made) -> None:
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
    layer = made(
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, kind TEXT, who TEXT);"
        f"INSERT INTO visit {rows} "
        "SELECT i, CASE WHEN i = 4500 THEN 'rare' ELSE 'usual' END, 'who ' || i FROM n;"
    )
    # All values of an enumeration are there, also those that no sample has.
    assert layer.column("visit", "kind").values == ("rare", "usual")
    assert not layer.column("visit", "who").enumeration


def test_what_cannot_be_read_is_left_out(made: Made) -> None:
    layer = made(
        "CREATE TABLE old (a INTEGER); CREATE VIEW broken AS SELECT a FROM old; DROP TABLE old;"
        "CREATE TABLE cup (id INTEGER PRIMARY KEY, photo BLOB, name TEXT);"
    )
    assert [one.name for one in layer.tables] == ["cup"]
    told = " ".join(layer.notes)
    assert "left out: cup.photo: it holds bytes" in told
    assert "left out: broken: it has no column that can be read" in told


def test_a_long_table_without_numbers_of_rows(made: Made) -> None:
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
    layer = made(
        "CREATE TABLE word (text TEXT PRIMARY KEY) WITHOUT ROWID;"
        f"INSERT INTO word {rows} SELECT 'word ' || i FROM n;"
    )
    assert layer.table("word").display == ("text",)


def test_a_text_beyond_the_sample_that_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "made.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE visit AS SELECT i AS id, CASE WHEN i = 70000 THEN 'n/a' ELSE i::VARCHAR "
            "END AS fee, i::VARCHAR AS paid FROM range(100000) AS r(i)"
        )
    source = connect(path)
    layer = import_database(source, "made")
    source.close()
    assert layer.column("visit", "fee").kind == "text"
    assert layer.column("visit", "paid").kind == "number"


def test_kinds_of_things_are_named_by_a_short_description_or_a_place(made: Made) -> None:
    layer = made(
        """CREATE TABLE tariff (code TEXT PRIMARY KEY, descr TEXT, fee REAL);
        CREATE TABLE office (id INTEGER PRIMARY KEY, city TEXT, floors INTEGER);
        CREATE TABLE damage (id INTEGER PRIMARY KEY, descr TEXT, seen_on DATE);
        CREATE TABLE depot (id INTEGER PRIMARY KEY, city TEXT);
        INSERT INTO tariff VALUES ('T1', 'Small', 9), ('T2', 'Large', 19), ('T3', 'Family', 29);
        INSERT INTO office VALUES (1, 'Ulm', 2), (2, 'Jena', 3);
        INSERT INTO damage VALUES (1, 'scratch', '2024-01-02'), (2, 'dent', '2024-02-03');
        INSERT INTO depot VALUES (1, 'Ulm'), (2, 'Ulm'), (3, 'Kiel');"""
    )
    named = {one.name: one.display for one in layer.tables}
    assert named == {
        **{"tariff": ("descr",), "office": ("city",)},
        **{"damage": ("id",), "depot": ("id",)},
    }


def test_short_names_of_tables_are_people_where_rows_have_names(made: Made) -> None:
    layer = made(
        """CREATE TABLE tblRep (rep_no INTEGER PRIMARY KEY, what TEXT, hours REAL);
        CREATE TABLE tblDoc (doc_no INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
        CREATE TABLE tblInc (inc_no INTEGER PRIMARY KEY, what TEXT);"""
    )
    named = {one.name: (one.label, one.synonyms) for one in layer.tables}
    assert named["tblRep"][0] == "repair"
    assert "representative" in named["tblRep"][1]
    assert named["tblDoc"][0] == "doctor"
    assert "document" in named["tblDoc"][1]
    assert "incident" in (named["tblInc"][0], *named["tblInc"][1])


def test_the_link_that_is_named_after_its_target_comes_first(made: Made) -> None:
    layer = made(
        """CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE request (id INTEGER PRIMARY KEY,
            decided_by INTEGER REFERENCES employee (employee_id),
            employee_id INTEGER REFERENCES employee (employee_id),
            checked_by INTEGER REFERENCES employee (employee_id));"""
    )
    links = [one.column for one in layer.schema.links]
    assert links == ["employee_id", "decided_by", "checked_by"]


def test_firms_among_people_are_named_too(made: Made) -> None:
    layer = made(
        """CREATE TABLE client (client_id INTEGER PRIMARY KEY, company_name TEXT, first_name TEXT,
            last_name TEXT, town TEXT);
        INSERT INTO client VALUES (1, NULL, 'Ida', 'Moss', 'Ulm');
        INSERT INTO client VALUES (2, 'Tarn Ltd', NULL, NULL, NULL);
        CREATE TABLE doctor (id INTEGER PRIMARY KEY, company_name TEXT, first_name TEXT,
            last_name TEXT);
        INSERT INTO doctor VALUES (1, 'Tarn Ltd', 'Ida', 'Moss'), (2, NULL, 'Bo', NULL);"""
    )
    assert layer.table("client").display == ("company_name", "first_name", "last_name")
    assert layer.table("doctor").display == ("first_name", "last_name")


def test_a_person_is_found_beside_firms(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
        connection.executescript(
            """CREATE TABLE client (id INTEGER PRIMARY KEY, company_name TEXT, first_name TEXT,
                last_name TEXT);
            INSERT INTO client VALUES (1, NULL, 'Ida', 'Moss'), (2, 'Tarn Ltd', NULL, NULL);"""
        )
    source = connect(tmp_path / "made.db")
    found = ValueIndex.build(source, import_database(source, "made")).find(["ida", "moss"])
    source.close()
    assert "Ida Moss" in {one.text for one in found}


def test_the_head_of_an_order_is_called_the_order(made: Made) -> None:
    layer = made(
        """CREATE TABLE OrderHdr (OrdNo INTEGER PRIMARY KEY, total REAL);
        CREATE TABLE PurchaseOrder (PoNo INTEGER PRIMARY KEY, total REAL);
        CREATE TABLE TrackRecord (id INTEGER PRIMARY KEY, what TEXT);
        CREATE TABLE Track (track_id INTEGER PRIMARY KEY, EMail TEXT);"""
    )
    named = {one.name: (one.label, one.synonyms) for one in layer.tables}
    assert "order" in named["OrderHdr"][1]
    assert "order" not in named["PurchaseOrder"][1]
    assert "track" not in named["TrackRecord"][1]
    assert layer.column("Track", "EMail").label == "email"


def test_a_unit_at_the_end_of_a_name_is_no_part_of_what_it_is_called(made: Made) -> None:
    layer = made(
        """CREATE TABLE shelf (id INTEGER PRIMARY KEY, HeightCm REAL, value_kwh REAL,
            watched_sec INTEGER, length_m REAL, lead_days INTEGER, price REAL, price_cents INTEGER,
            market_value_k REAL, ann_budget REAL, own_goal INTEGER, area_km2 REAL);
        INSERT INTO shelf VALUES (1, 1.5, 2.5, 3, 4.5, 5, 6.5, 7, 8.5, 9.5, 1, 2.5);"""
    )
    columns = {one.name: one for one in layer.table("shelf").columns}
    assert {"height", "tall"} <= {*columns["HeightCm"].synonyms}
    assert "area" in columns["area_km2"].synonyms
    kept = {"value_kwh": "value", "watched_sec": "watched", "length_m": "length"}
    kept |= {"lead_days": "lead", "price_cents": "price"}
    for name, short in kept.items():
        assert short not in columns[name].synonyms
    assert "market value" in columns["market_value_k"].synonyms
    assert (columns["market_value_k"].unit, columns["area_km2"].unit) == ("thousand", "km2")
    assert columns["ann_budget"].label == "annual budget"
    assert columns["own_goal"].label == "own goal"


def test_a_usual_word_is_no_misspelt_name(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
        connection.executescript(
            """CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO person VALUES (1, 'Signe'), (2, 'Rebate');"""
        )
    source = connect(tmp_path / "made.db")
    index = ValueIndex.build(source, import_database(source, "made"))
    source.close()
    assert not index.find(["who", "signed", "up"])
    assert index.find(["who", "is", "rebaet"])


def test_shortened_keys_are_called_what_they_lead_to(made: Made) -> None:
    layer = made(
        """CREATE TABLE supplier (sup_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE company_member (cm_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE article (art_id INTEGER PRIMARY KEY, title TEXT,
            sup_id INTEGER REFERENCES supplier, cm_id INTEGER REFERENCES company_member,
            editor_id INTEGER REFERENCES company_member);
        CREATE TABLE ord_ln (ord_no INTEGER, ln_no INTEGER, art_id INTEGER REFERENCES article);
        INSERT INTO supplier VALUES (1, 'North'); INSERT INTO company_member VALUES (1, 'Ada');
        INSERT INTO article VALUES (1, 'Rope', 1, 1, 1); INSERT INTO ord_ln VALUES (5, 1, 1);"""
    )
    columns = {one.name: (one.label, one.synonyms) for one in layer.table("article").columns}
    assert columns["sup_id"] == ("supplier id", ())
    assert columns["cm_id"][0] == "company member id"
    assert columns["editor_id"][0] == "editor id"
    # A role is a name of a link, what it leads to is none.
    assert {one.column: said for one, said in layer.links.items()} == {"editor_id": ("editor",)}
    assert layer.table("ord_ln").label == "order line"
    assert layer.column("ord_ln", "ln_no").label == "line number"
