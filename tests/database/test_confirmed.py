"""Confirmed questions: what is answered by them, what is never used, and what is asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import refused, run_cli, shown
from shop_helpers import PROGRAMS, KnowingParser, write_shop

from partwise.database.confirmed import FILE, Confirmed, ConfirmedQuestions
from partwise.database.correcting import (
    Synonym,
    ask_again,
    confirm,
    propose_synonyms,
    undo_synonyms,
    write_synonyms,
)
from partwise.database.editing import check_domain, new_domain
from partwise.database.folder import open_domain
from partwise.database.inference import DatabaseInference
from partwise.database.layer.files import dump, load
from partwise.errors import DataError, PartwiseError
from partwise.execution.relational.writing import write
from partwise.interface.answering import answer
from partwise.training import store

CHILE = write(PROGRAMS["customers in chile"])
EMAILS = write(PROGRAMS["emails"])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a shop whose e-mail addresses are private."""
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    folder = new_domain("shop", "sqlite:///data.db").folder
    hide(folder, "email")
    return folder


def hide(folder: Path, column: str) -> None:
    """Make a column of customers private."""
    file = folder / "shop.yaml"
    tree = load(file)
    tree["tables"]["customer"]["columns"][column] = {"kind": "text", "private": True}
    file.write_text(dump(tree), "utf-8")


def parser_of(folder: Path) -> Any:
    return KnowingParser(open_domain(folder))


def write_lines(folder: Path, *lines: Any) -> None:
    text = "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
    (folder / FILE).write_text(text, "utf-8")


def entry(question: str, program: str, **more: Any) -> dict[str, Any]:
    return {"question": question, "program": program, "who": "ana", "when": "2026-01-31", **more}


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("Which of our CUSTOMERS are in Chile?!", True),
        ("which of our customer are in chile", True),
        ("which are of our customers in Chile", True),
        ("which of our customers are in Brazil", False),
        ("which of our customers are not in Chile", False),
        ("Chile customers which of our are in", False),
    ],
)
def test_nearly_the_same_question_is_answered_by_it(shop: Path, typed: str, known: bool) -> None:
    confirm(parser_of(shop), "which of our customers are in Chile", "ana", CHILE)
    (told,) = answer(parser_of(shop), [typed])
    assert (told.reason is None) == known
    assert told.to_json()["verified"] == (
        str(next(x for _, x in ConfirmedQuestions(shop).lines())) if known else None
    )


def test_what_is_confirmed_again_takes_the_place(shop: Path) -> None:
    parser = parser_of(shop)
    confirm(parser, "the customer with the most revenue", "ana", option=2)
    confirm(parser, "The customer with the most revenue", "bo")
    (line,) = (shop / FILE).read_text("utf-8").splitlines()
    assert json.loads(line)["who"] == "bo"
    (told,) = answer(parser, ["the customer with the most revenue"])
    assert told.prediction.meaning == PROGRAMS["the customer with the most revenue"]


def test_what_cannot_be_used_is_named_and_never_used(shop: Path) -> None:
    day = (
        "(Listing (Rows sale where=(Compare (Field [] day) = (Value 2024-03-01))) [(Field [] id)])"
    )
    write_lines(
        shop,
        entry("all emails", EMAILS),
        "{no json",
        entry("what is gone", "(Listing (Rows gone) [(Field [] name)])"),
        {"question": "half an entry"},
        entry("sales of yesterday", day),
        entry("customers of chile", CHILE),
    )
    found = {x.where: x.why for x in check_domain(shop) if x.kind == "confirmed"}
    assert [*found] == [f"{FILE}:{number}" for number in range(1, 6)]
    assert "customer.email is private" in found[f"{FILE}:1"]
    parser = parser_of(shop)
    asked = ["all emails", "what is gone", "sales of yesterday", "customers of chile"]
    assert [told.reason is None for told in answer(parser, asked)] == [False] * 3 + [True]
    with pytest.raises(PartwiseError, match="private"):
        confirm(parser, "mails", "ana", EMAILS)
    with pytest.raises(DataError, match="mend it first"):
        confirm(parser, "how many customers", "ana")


def test_the_file_is_read_again_when_it_changes(shop: Path) -> None:
    parser = parser_of(shop)
    assert answer(parser, ["southern people"])[0].reason is not None
    write_lines(shop, entry("southern people", CHILE))
    assert answer(parser, ["southern people"])[0].lines == ("O'Neil", "=1+1")


def test_asking_again_finds_what_was_lost(shop: Path) -> None:
    parser = parser_of(shop)
    confirm(parser, "how many customers", "ana")
    confirm(parser, "customers in chile", "ana")
    confirm(parser, "southern people", "ana", CHILE)
    assert [x.status for x in ask_again(parser)] == ["same", "same", "kept"]
    parser.programs = {**PROGRAMS, "how many customers": PROGRAMS["customers"]}
    assert [x.status for x in ask_again(parser)] == ["changed", "same", "kept"]
    hide(shop, "country")
    assert [x.status for x in ask_again(parser_of(shop))] == ["same", "lost", "lost"]


def test_a_synonym_is_written_shown_and_undone(shop: Path) -> None:
    before = (shop / "shop.yaml").read_text("utf-8")
    shown_change = write_synonyms(
        shop, [Synonym("folks", "customer"), Synonym("land", "customer.country")]
    )
    added = [line for line in shown_change.splitlines() if line.startswith("+ ")]
    assert [word in line for word, line in zip(("folks", "land"), added, strict=True)] == [True] * 2
    layer = open_domain(shop).layer
    assert "folks" in layer.table("customer").synonyms
    assert "land" in layer.column("customer", "country").synonyms
    undo_synonyms(shop)
    assert (shop / "shop.yaml").read_text("utf-8") == before
    with pytest.raises(DataError, match="there is no ware"):
        write_synonyms(shop, [Synonym("goods", "ware")])


class NamingParser(KnowingParser):
    """Knows a table by its names."""

    def parse(self, questions: Any, k: int = 1, at_least: float | None = None) -> Any:
        names = self.domain.layer.table("customer").names
        known = ["customers" if x in names else x for x in questions]
        return super().parse(known, k, at_least)


def test_words_that_would_help_are_proposed(shop: Path) -> None:
    parser = NamingParser(open_domain(shop))
    confirm(parser, "how many customers", "ana")
    assert propose_synonyms(parser) == []
    confirm(parser, "punters", "ana", write(PROGRAMS["customers"]))
    assert propose_synonyms(parser) == [Synonym("punters", "customer")]


def test_what_is_tried_is_not_kept(shop: Path) -> None:
    parser = DatabaseInference.from_pretrained("database", open_domain(shop))
    names, kept = parser.names.vectors, sorted((shop / "cache").iterdir())
    confirm(parser, "xyzzy in chile", "ana", CHILE)
    assert Synonym("xyzzy", "customer") in propose_synonyms(parser)
    assert sorted((shop / "cache").iterdir()) == kept
    assert parser.names.vectors is names


def test_the_commands(shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"kind": "knowing", "domain": "other", "training": {}}')
    monkeypatch.setattr(store, "find_shipped", lambda: {"database": model})
    monkeypatch.setattr(store, "load_parser", lambda _, domain, **__: KnowingParser(domain))
    assert "Customers whose country" in shown(
        "confirm", "shop", "southern people", "--means", CHILE
    )
    shown("confirm", "shop", "the customer with the most revenue", "-n", "2", "--who", "bo")
    assert "confirmed by bo" in shown(
        "ask", "--domain", "shop", "The customer with most the revenue"
    )
    assert "2 confirmed questions" in shown("test", "shop")
    write_lines(shop, entry("how many customers", write(PROGRAMS["customers"]), alone=True))
    again = run_cli("test", "shop", "--json")
    assert again.exit_code == 1
    assert json.loads(again.stdout)["counts"] == {"changed": 1}
    assert "no interpretation 7" in refused("confirm", "shop", "customers", "-n", "7")


def test_lines_are_kept_as_they_are(tmp_path: Path) -> None:
    known = ConfirmedQuestions(tmp_path)
    made = [
        Confirmed("ä question", CHILE, "ana", "2026-01-31", True),
        Confirmed("b", "p", "c", "d"),
    ]
    for one in made:
        known.add(one)
    assert [x for _, x in known.lines()] == made
    assert "ä question" in (tmp_path / FILE).read_text("utf-8")
