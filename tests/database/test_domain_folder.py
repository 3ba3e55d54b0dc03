"""A folder made of a database: written, opened from elsewhere, changed, refreshed; no secrets."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from shop_helpers import COUNTRY, NAME, write_shop

from partwise.database.domain import hide
from partwise.database.editing import convert_domain, new_domain, refresh_domain
from partwise.database.folder import CACHE, layer_file, open_domain
from partwise.database.inference import DatabaseInference
from partwise.database.layer.files import read_layer, write_layer
from partwise.errors import DataError, DomainError, UnknownConstantError
from partwise.execution.relational.program import Aggregate, Field, Figure, Listing, Rows

ALL = Listing(Rows("customer"), (NAME, COUNTRY))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a shop's domain, made in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    return tmp_path / new_domain("shop", "sqlite:///data.db").folder


def values(folder: Path) -> bytes:
    """All that is written in the folder but the layer's file."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".yaml")
    return b"".join(file.read_bytes() for file in files)


def test_a_new_domain_can_be_opened_and_asked(shop: Path) -> None:
    domain = open_domain("shop")
    assert domain.name == "shop"
    assert len(domain.run(ALL).rows) == 4
    assert [one.text for one in domain.index.find(["from", "brazil"])] == ["Brazil"]
    assert "partwise ask --domain shop" in (shop / "README.md").read_text("utf-8")


def test_it_can_be_opened_from_any_folder(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert len(open_domain(shop).run(ALL).rows) == 4
    assert len(open_domain("../shop").run(ALL).rows) == 4


def test_a_path_is_kept_as_seen_from_the_folder_of_the_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    made = new_domain("shop", "data.db", Path("deep/er"))
    assert "source: ../../data.db" in layer_file(made.folder).read_text("utf-8")
    assert len(open_domain("deep/er/shop").run(ALL).rows) == 4


def test_what_becomes_private_leaves_the_index(shop: Path) -> None:
    assert b"Brazil" in values(shop)
    file = layer_file(shop)
    text = file.read_text("utf-8")
    assert "      country:\n" in text
    file.write_text(text.replace("country:\n", "country:\n        private: true\n"), "utf-8")
    domain = open_domain(shop)
    assert domain.layer.column("customer", "country").private
    assert domain.index.find(["brazil"]) == []
    assert b"Brazil" not in values(shop)
    with pytest.raises(UnknownConstantError, match="private"):
        domain.run(ALL)


PRIVATE_SCRIPT = """
CREATE TABLE patient (code TEXT PRIMARY KEY, name TEXT, town TEXT, pin TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, patient TEXT REFERENCES patient, day TEXT, cost REAL);
CREATE TABLE bill (id INTEGER PRIMARY KEY, payer TEXT, town TEXT, door TEXT);
INSERT INTO patient VALUES
    ('S3', 'Ada Abel', 'Ulm', 'zulu'), ('S1', 'Bob Beck', 'Ulm', 'zoom'), ('S2', 'Cy', 'Bonn', '');
INSERT INTO visit VALUES (1, 'S1', '2024-01-01', 5), (2, 'S3', '2024-01-02', 6);
INSERT INTO bill VALUES
    (1, 'Ada Abel', 'Ulm', 'zulu'), (2, 'Cy', 'Bonn', 'zoom'), (3, 'Dan', 'Ulm', 'zulu');
"""


def make_private(folder: Path, table: str, column: str) -> None:
    file = layer_file(folder)
    read = read_layer(file)
    write_layer(hide(read.layer, {(table, column)}), file, read.source)


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("data.db") as connection:
        connection.executescript(PRIVATE_SCRIPT)
    return tmp_path / new_domain("clinic", "sqlite:///data.db").folder


@pytest.mark.parametrize("running", [False, True])
def test_what_links_to_a_private_key_is_private(clinic: Path, running: bool) -> None:
    domain = open_domain(clinic)
    make_private(clinic, "patient", "code")
    if running:
        # What a service that runs does before each question.
        domain.notice()
    else:
        domain = open_domain(clinic)
    for table, column in (("patient", "code"), ("visit", "patient")):
        shown = Listing(Rows(table), (Field((), column),))
        with pytest.raises(UnknownConstantError, match="private"):
            domain.run(shown)
    assert domain.index.find(["S1"]) == []
    names = [row[0] for row in domain.run(Listing(Rows("patient"), (Field((), "name"),))).rows]
    # Not in the order of their private keys.
    assert names == ["Ada Abel", "Bob Beck", "Cy"]
    (told,) = (one for one in domain.describe().tables if one.name == "visit")
    assert [one.name for one in told.columns] == ["id", "day", "cost"]


def test_what_holds_private_texts_is_private(clinic: Path) -> None:
    make_private(clinic, "patient", "name")
    for _ in range(2):
        # Once indexed, and once as it was kept.
        domain = open_domain(clinic)
        assert domain.layer.column("bill", "payer").private
        assert not domain.layer.column("bill", "town").private
        assert domain.index.find(["ada", "abel"]) == domain.index.find(["dan"]) == []
        assert [one.text for one in domain.index.find(["ulm"])] == ["Ulm"]


def test_values_of_what_is_named_like_a_secret_are_written_nowhere(clinic: Path) -> None:
    for _ in range(2):
        assert b"Ulm" in values(clinic)
        assert b"zulu" not in values(clinic) + layer_file(clinic).read_bytes()
        refresh_domain(clinic)


def test_a_file_in_the_place_of_another_is_read(shop: Path) -> None:
    domain = open_domain(shop)
    assert len(domain.run(ALL).rows) == 4
    write_shop(Path("new.db"))
    with sqlite3.connect("new.db") as connection:
        connection.execute("DELETE FROM sale")
        connection.execute("DELETE FROM customer WHERE name <> 'Ada'")
    os.replace("new.db", "data.db")
    assert len(domain.run(ALL).rows) < 4


def test_what_values_are_called_counts_at_once(shop: Path) -> None:
    assert open_domain(shop).index.find(["samba"]) == []
    file = layer_file(shop)
    said = "country:\n        value_names: {Brazil: samba}\n"
    file.write_text(file.read_text("utf-8").replace("country:\n", said), "utf-8")
    (found,) = open_domain(shop).index.find(["samba"])
    assert found.text == "Brazil"


def test_refreshing_finds_new_names_and_keeps_what_was_written(shop: Path) -> None:
    file = layer_file(shop)
    file.write_text(file.read_text("utf-8").replace("  sale:\n", "  sale:\n    label: deal\n"))
    with sqlite3.connect("data.db") as connection:
        connection.execute("INSERT INTO customer VALUES (9, 'Zoe', 'Norway', NULL)")
        connection.execute("CREATE TABLE supplier (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO supplier VALUES (1, 'Leaf and Co')")
    assert open_domain(shop).index.find(["zoe"]) == []
    changes = refresh_domain(shop)
    assert [one for one in changes if "supplier" in one]
    domain = open_domain(shop)
    assert domain.layer.table("sale").label == "deal"
    assert domain.layer.table("supplier").label == "supplier"
    assert [one.text for one in domain.index.find(["zoe"])] == ["Zoe"]


def test_the_file_can_be_a_python_module_and_yaml_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    # Another test may have imported a module called shop.
    shop = tmp_path / new_domain("corner_shop", "sqlite:///data.db").folder
    before = open_domain(shop).layer
    assert convert_domain(shop) == shop / "layer.py"
    assert not (shop / "corner_shop.yaml").exists()
    domain = open_domain(shop)
    assert domain.layer == before
    assert len(domain.run(ALL).rows) == 4
    with pytest.raises(DataError, match="partwise convert"):
        refresh_domain(shop)
    assert convert_domain(shop) == shop / "corner_shop.yaml"
    assert open_domain(shop).layer.tables == before.tables
    assert {one.name for one in shop.glob("*.old")} == {"layer.py.old", "corner_shop.yaml.old"}


def test_a_secret_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DomainError, match="environment variable"):
        new_domain("shop", "postgresql://me:hunter2@localhost/shop")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_never_written_over(shop: Path) -> None:
    with pytest.raises(DataError, match="is there already"):
        new_domain("shop", "sqlite:///data.db")
    with pytest.raises(DataError, match="no name for a domain"):
        new_domain("../shop", "sqlite:///data.db")


def test_a_database_without_tables_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sqlite3.connect("empty.db").close()
    with pytest.raises(DomainError, match="no table"):
        new_domain("shop", "empty.db")
    assert not Path("shop").exists()


def test_a_copy_of_files_is_kept_until_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").mkdir()
    pots = tmp_path / "files" / "pots.csv"
    pots.write_text("pot_id,name\n1,tea bowl\n2,jug\n", "utf-8")
    folder = new_domain("pottery", "files").folder
    every = Figure(Rows("pots"), Aggregate("count"))

    def copies() -> list[tuple[str, int]]:
        found = (folder / "copy").rglob("*.duckdb")
        return [(one.parent.name, one.stat().st_mtime_ns) for one in found]

    assert open_domain("pottery").run(every).rows == ((2,),)
    first = copies()
    assert len(first) == 1
    assert open_domain("pottery").run(every).rows == ((2,),)
    assert copies() == first
    pots.write_text("pot_id,name\n1,tea bowl\n2,jug\n3,vase\n", "utf-8")
    assert open_domain("pottery").run(every).rows == ((3,),)
    assert len(copies()) == 1
    assert copies() != first


def test_files_are_read_where_no_copy_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pots.csv").write_text("pot_id,name\n1,tea bowl\n", "utf-8")
    folder = new_domain("pottery", "pots.csv").folder
    (folder / "copy").write_text("in the way", "utf-8")
    assert len(open_domain("pottery").run(Figure(Rows("pots"), Aggregate("count"))).rows) == 1


def test_what_is_kept_of_a_folder_says_what_its_file_says(shop: Path) -> None:
    first = open_domain(shop)
    kept = sorted((shop / CACHE).iterdir())
    assert [file.name.partition("-")[2] for file in kept] == ["objects.json"]
    assert open_domain(shop).layer == first.layer == read_layer(layer_file(shop)).layer
    kept[0].write_text('{"name": 3}', "utf-8")
    assert open_domain(shop).layer == first.layer
    layer_file(shop).write_text(layer_file(shop).read_text("utf-8") + "\n", "utf-8")
    assert open_domain(shop).layer == first.layer
    assert len(list((shop / CACHE).iterdir())) == 1
    assert not kept[0].exists()


def test_vectors_of_names_are_made_once(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def vectors() -> list[list[float]]:
        parser = DatabaseInference.from_pretrained("database", open_domain(shop))
        vectors: list[list[float]] = parser.names.vectors.tolist()
        return vectors

    made = vectors()
    monkeypatch.setattr("partwise.database.inference.names_of", None)
    assert vectors() == made
    next((shop / CACHE).glob("*-names.safetensors")).write_bytes(b"damaged")
    with pytest.raises(TypeError, match="NoneType"):
        vectors()


def test_beginnings_of_names_and_values_are_completed_but_of_nothing_private(shop: Path) -> None:
    def offered(text: str) -> list[tuple[str, str, str, int]]:
        return [(x.text, x.kind, x.of, x.start) for x in domain.complete(text, 8)]

    domain = open_domain(shop)
    assert "ana@example.org" in str(domain.describe())
    # With as many words as can be, the labels of names first.
    assert [one[0] for one in offered("which CUST")] == ["customer", "customers"]
    assert offered("which customer")[0] == ("customers", "table", "", 6)
    assert offered("sales of o'n") == [("O'Neil", "value", "customer name", 9)]
    assert ("country", "column", "customer", 0) in offered("cou")
    assert offered("ana@") == [("ana@example.org", "value", "customer email", 0)]
    # What is there already is no news, and one letter is the beginning of too much.
    assert offered("Brazil") == offered("n of nothing") == []
    assert all(kind != "value" for _, kind, _, _ in offered("b"))
    assert len(domain.complete("c", 1)) == 1
    make_private(shop, "customer", "email")
    assert offered("ana@") == offered("em") == []
    assert "ana@" not in str(domain.describe())
