"""Databases on the command line: made, asked, checked, refreshed; and how answers are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import refused, run_cli, shown

from partwise.training import store

pytest.importorskip("sqlalchemy")
from shop_helpers import KnowingParser, write_shop


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a shop, in the current one, and a parser that knows some of its questions."""
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    assert run_cli("new", "shop", "--from", "sqlite:///data.db").exit_code == 0
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"kind": "knowing", "domain": "other", "training": {}}')
    monkeypatch.setattr(store, "find_shipped", lambda: {"database": model})
    monkeypatch.setattr(store, "load_parser", lambda _, domain, **__: KnowingParser(domain))
    return tmp_path / "shop"


def ask(*questions: str, code: int = 0) -> Any:
    result = run_cli("ask", "--domain", "shop", *questions)
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("question", ["which customers are from Brazil?", "x" * 5000, "a\0b"])
def test_a_domain_may_stand_before_questions(shop: Path, question: str) -> None:
    told = run_cli("ask", "shop", question, "--json")
    assert told.stdout == run_cli("ask", "--domain", "shop", question, "--json").stdout
    assert len(told.stdout.splitlines()) == 1
    # Two questions, as neither is a domain.
    assert (
        len(run_cli("ask", "--domain", "shop", question, "shop", "--json").stdout.splitlines()) == 2
    )


def test_new_says_what_it_read_and_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    told = shown("new", "tea", "--from", "data.db", "--into", "here")
    for text in ("2 tables with 9 columns: customer, sale", "partwise serve tea", "cd here"):
        assert text in told
    assert {one.name for one in Path("here/tea").iterdir()} >= {"tea.yaml", "README.md", "values"}


SEMANTICS = """\
semantic_models:
  - name: deals
    model: ref('sale')
    entities: [{name: sale, type: primary, expr: id}]
    measures: [{name: turnover, agg: sum, expr: price * quantity}, {name: odd, agg: percentile}]
metrics:
  - {name: turnover, label: Turnover, type: simple, type_params: {measure: turnover}}
"""


def test_measures_of_another_tool_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    Path("dbt.yml").write_text(SEMANTICS, "utf-8")
    shown("new", "shop", "--from", "data.db", "--semantics", "dbt.yml")
    assert "turnover" in Path("shop/shop.yaml").read_text("utf-8")
    assert "--from" in refused("new", "other", "--semantics", "dbt.yml")


def test_a_secret_is_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_cli("new", "shop", "--from", "postgresql://me:hunter2@localhost/shop")
    assert result.exit_code == 2
    assert "environment variable" in result.stderr
    assert "hunter2" not in result.output
    assert list(tmp_path.iterdir()) == []


def test_an_answer_is_a_table_then_words_then_sql(shop: Path) -> None:
    result = ask("revenue by customer please")
    lines = result.stdout.splitlines()
    assert lines[0].strip().startswith("customer name")
    # Behind the figures are bars.
    assert sorted(line.split()[:2] for line in lines[2:5]) == [
        *(["=1+1", "-3.00"], ["Ana", "6.00"], ["O'Neil", "6.00"])
    ]
    assert lines[5].startswith("understood as: ")
    assert lines[5].endswith("(90.0 %)")
    assert lines[6].startswith("SELECT")
    assert "first word of revenue by customer" in result.stdout
    assert "not used for the answer: please" in result.stderr


def test_doubt_is_said_first_and_readings_are_offered_in_words(shop: Path) -> None:
    result = ask("the customer with the most revenue")
    assert "doubtful" in result.stderr
    assert "tied with the last row: " in result.stdout
    assert len([line for line in result.stdout.splitlines() if line.startswith("or ")]) == 2


def test_a_refusal_says_what_can_be_asked(shop: Path) -> None:
    result = ask("what is the weather", code=1)
    assert result.stdout.startswith("refused: the shop cannot tell this")
    assert result.stdout.count("you can ask: ") == 3


def test_json_is_one_object_a_question(shop: Path) -> None:
    result = ask("--json", "how many customers", "what is the weather", code=1)
    known, unknown = map(json.loads, result.stdout.splitlines())
    assert (known["version"], known["outcome"], known["answer"]) == (2, "answered", [[4]])
    assert (unknown["outcome"], unknown["answer"]) == ("refused", None)


def test_parse_shows_no_rows(shop: Path) -> None:
    told = shown("parse", "--domain", "shop", "customers in chile")
    assert "O'Neil" not in told
    assert "understood as: " in told


def test_check_names_the_line_of_what_is_wrong(shop: Path) -> None:
    assert run_cli("check", "shop").exit_code == 0
    file = shop / "shop.yaml"
    file.write_text(file.read_text("utf-8").replace("  sale:\n", "  sales:\n"), "utf-8")
    result = run_cli("check", "shop")
    assert result.exit_code == 1
    assert "shop.yaml:" in result.stdout
    assert "sales" in result.stdout


def test_refresh_tells_what_changed(shop: Path) -> None:
    assert "no changes" in run_cli("refresh", "shop").stdout
    assert run_cli("refresh", "films").exit_code == 2


def test_two_names_of_a_domain_are_refused(shop: Path) -> None:
    for command in ("serve", "mcp"):
        assert "name one domain" in refused(command, "shop", "--domain", "films")


def test_settings_of_a_parser_that_is_trained_on_are_its_own(shop: Path) -> None:
    pairs = shop / "pairs.jsonl"
    pairs.write_text(
        '{"question": "how many", "program": "(Figure (Rows sale) (Aggregate count))"}'
    )
    given = ("train", "--domain", "shop", "--train", str(pairs), "--cell", "4")
    result = run_cli(*given)
    assert result.exit_code != 0
    assert "--cell is a setting of database, which is trained on as it is" in result.output


def test_a_chat_goes_on_until_an_empty_line(shop: Path) -> None:
    typed = "customers in chile\nhow many is that\nundo\nhow many is that\n\ncustomers\n"
    result = run_cli("chat", "shop", input=typed)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("understood as: The number of customers") == 2
    assert "behind: customers in chile" in result.stdout
    assert "Brazil" not in result.stdout


def test_undo_before_any_question_says_so(shop: Path) -> None:
    assert "nothing was asked before" in run_cli("chat", "shop", input="undo\n").stdout
