"""A question back in all front ends, and what is chosen of it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import run_cli
from serve_helpers import Served, served

from partwise.errors import DataError
from partwise.interface.answering import answer, choose
from partwise.interface.clarification import clarify
from partwise.interface.prediction import Answer, Explanation, Prediction
from partwise.serve.guard import Access, Limits
from partwise.serve.service import Service

pytest.importorskip("sqlalchemy")
from shop_helpers import KnowingParser, shop_domain

from partwise.database.correcting import undo_synonyms
from partwise.database.editing import new_domain
from partwise.database.folder import layer_file, open_domain
from partwise.database.inference import DatabaseInference
from partwise.database.layer.files import dump, load

QUESTION = "the customer with the most revenue"


class UnsureParser(KnowingParser):
    """Asks back wherever there is another answer."""

    asks_above = 0.0


@pytest.fixture
def parser(tmp_path: Path) -> Any:
    return UnsureParser(shop_domain(tmp_path))


@pytest.fixture
def api(parser: Any) -> Served:
    return served(Service(parser), Limits(rate=0))


def test_it_asks_which_answer_is_wanted(parser: Any) -> None:
    (told,) = answer(parser, [QUESTION])
    back = told.clarification
    assert back is not None
    assert len(back.options) == 3
    assert len({option.preview for option in back.options}) == 3
    assert back.options[0].program == told.text
    assert told.to_json()["outcome"] == "clarify"
    assert told.to_json()["clarification"]["options"][1]["id"] == back.options[1].id
    old = told.to_json(version=1)
    assert (old["outcome"], "clarification" in old) == ("doubtful", False)


def test_it_names_the_words_that_differ(parser: Any) -> None:
    (told,) = answer(parser, [QUESTION])
    assert told.clarification is not None
    assert told.clarification.question.startswith("By “the”: first word of the customer")
    assert told.clarification.options[1].text == "first word of revenue by customer"


@pytest.mark.parametrize(
    ("restated", "question", "texts"),
    [
        (
            ["The average buy price of goods", "The average sell price of goods"],
            "“The average …”: buy price of goods, or sell price of goods?",
            ["buy price of goods", "sell price of goods"],
        ),
        (
            [
                "The date of sales, latest first, the first one",
                "The date of goods, latest first, the first one",
            ],
            "“The date of … latest first, the first one”: sales, or goods?",
            ["sales", "goods"],
        ),
        (
            ["Sales of a day", "The sales of a day"],
            "Which of these do you mean?",
            ["Sales of a day", "The sales of a day"],
        ),
        (
            ["The sum of sales", "The sum of sales in Rome"],
            "Which of these do you mean?",
            ["The sum of sales", "The sum of sales in Rome"],
        ),
    ],
)
def test_only_what_differs_is_asked(restated: list[str], question: str, texts: list[str]) -> None:
    options: list[Answer[str]] = [
        Answer(Prediction("q"), text, lines=("1",), explanation=Explanation(text, ""))
        for text in restated
    ]
    back = clarify(options, 0.5)
    assert back.question == question
    assert [option.text for option in back.options] == texts


def test_no_question_where_all_have_one_answer_or_the_caller_says_how_sure(parser: Any) -> None:
    (sure,) = answer(parser, ["how many customers"])
    (given,) = answer(parser, [QUESTION], at_least=0.1)
    (alone,) = answer(KnowingParser(parser.domain), [QUESTION])
    assert [x.clarification for x in (sure, given, alone)] == [None] * 3


def test_what_is_chosen_is_answered_and_none_ends_it(parser: Any) -> None:
    (told,) = answer(parser, [QUESTION])
    assert told.clarification is not None
    for option in told.clarification.options:
        chosen = choose(parser, QUESTION, option.id)
        assert (chosen.text, chosen.status) == (option.program, "answered")
    assert choose(parser, QUESTION, told.clarification.none).status == "refused"
    with pytest.raises(DataError, match="no option of this question"):
        choose(parser, QUESTION, "0123456789ab")


def test_the_api_asks_back_and_takes_the_id(api: Served) -> None:
    back = api.client.post("/ask", json={"question": QUESTION}).json()
    assert back["outcome"] == "clarify"
    option = back["clarification"]["options"][1]
    sent = {"question": QUESTION, "option": option["id"]}
    reply = api.client.post("/clarify", json=sent).json()
    assert (reply["program"], reply["outcome"]) == (option["program"], "answered")
    assert reply["answer"][0][0] == "O'Neil" or len(reply["answer"]) > 1
    wrong = api.client.post("/clarify", json={**sent, "option": "nothing"})
    assert wrong.status_code == 422


def test_confirming_needs_a_server_that_was_started_to(parser: Any, tmp_path: Path) -> None:
    from partwise.database.confirmed import FILE, ConfirmedQuestions

    parser.domain.confirmed = ConfirmedQuestions(tmp_path)
    sent = {"question": "customers in chile", "who": "ana"}
    closed = served(Service(parser), Limits(rate=0))
    assert closed.client.post("/confirm", json=sent).status_code == 403
    assert not (tmp_path / FILE).exists()
    open_ = served(Service(parser), Limits(rate=0), access=Access(confirms=True))
    reply = open_.client.post("/confirm", json=sent).json()
    assert reply["verified"].startswith("confirmed by ana")
    assert json.loads((tmp_path / FILE).read_text("utf-8"))["who"] == "ana"
    private = {**sent, "program": "(Listing (Rows customer) [(Field [] email)])"}
    assert open_.client.post("/confirm", json=private).status_code == 422


def test_what_a_word_means_is_kept_and_taken_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("data.db") as connection:
        connection.executescript(
            "CREATE TABLE pot (id INTEGER PRIMARY KEY, glaze TEXT, price REAL);"
            "CREATE TABLE owner (id INTEGER PRIMARY KEY, iban TEXT);"
            "INSERT INTO pot VALUES (1, 'ash', 20), (2, 'celadon', 35)"
        )
    folder = new_domain("pots", "sqlite:///data.db").folder
    tree = load(layer_file(folder))
    tree["tables"]["owner"] = {**tree["tables"]["owner"], "private": True}
    layer_file(folder).write_text(dump(tree), "utf-8")
    parser = DatabaseInference.from_pretrained("database", open_domain(folder))
    api = served(Service(parser), Limits(rate=0), access=Access(confirms=True))
    asked = {"question": "how many grumbles are there?"}
    assert api.client.post("/ask", json=asked).json()["outcome"] != "answered"
    named = {"word": "grumble", "place": "pot"}
    for place in ("owner", "owner.iban", "pot.colour"):
        wrong = api.client.post("/synonym", json={**named, "place": place})
        assert (wrong.status_code, place in wrong.text) == (422, True)
    assert served(Service(parser), Limits()).client.post("/synonym", json=named).status_code == 403
    assert api.client.post("/synonym", json=named).json() == named
    assert api.client.post("/ask", json=asked).json()["answer"] == [[2]]
    undo_synonyms(folder)
    assert api.client.post("/ask", json=asked).json()["outcome"] != "answered"


def test_the_terminal_shows_the_options(
    parser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from partwise.cli import ask
    from partwise.cli.sources import Load

    monkeypatch.setattr(Load, "__call__", lambda _: Service(parser))
    printed = run_cli("ask", QUESTION).stdout
    assert "  2  first word of revenue by customer" in printed
    assert "  0  none of these" in printed
    typed = iter(["2"])
    monkeypatch.setattr(ask, "is_typing", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    answered = run_cli("ask", QUESTION).stdout.split("none of these")[1]
    assert "O'Neil" in answered
