"""``partwise database-parser`` on a folder from elsewhere, and on a database in Spider's form."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_helpers import run_cli

from partwise.errors import DataError
from partwise_papers.databases.measuring import _sets
from partwise_papers.databases.options import MeasuredOn
from partwise_papers.databases.questions import (
    listed_database,
    spider_database,
    typed_database,
)
from partwise_papers.databases.recipe import DatabaseRecipe, train_database_parser
from partwise_papers.spider.data import SpiderQuestion

LINES = (
    {"id": "1", "kind": "count", "question": "how many cakes are there", "answer": [[4]]},
    {
        **{"id": "2", "kind": "lookup", "question": "who made the Opera"},
        **{"answer": [["Dr", "Ada"]], "person": {"cols": [0, 1], "last_only": True}},
    },
    {"id": "3", "kind": "unanswerable", "question": "who won the cup", "answer": None},
)


@pytest.fixture(scope="module")
def elsewhere(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a SQLite file and questions."""
    folder = tmp_path_factory.mktemp("work") / "sweets"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "bakery.sqlite")) as connection:
        connection.executescript((home / "bakery" / "schema.sql").read_text())
    lines = "".join(json.dumps(line) + "\n" for line in LINES)
    (folder / "questions.jsonl").write_text(lines)
    return folder


def test_a_folder_from_elsewhere_is_measured(home: Path, elsewhere: Path, tmp_path: Path) -> None:
    recipe = DatabaseRecipe(out=tmp_path, encoder="bilstm", typed=home, rounds=1, epochs=1)
    train_database_parser(recipe, print)
    out, answers = tmp_path / "results.json", tmp_path / "answers.jsonl"
    given = ["--folder", str(elsewhere), "--out", str(out), "--answers", str(answers)]
    result = run_cli("database-parser", "measure", str(tmp_path / "parser"), *given, "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(out.read_text())
    assert json.loads(result.stdout) == said
    assert said["sets"]["sweets"]["questions"] == 3
    assert said["seeds"]["training"] == 0
    assert said["encoder"]["kind"] == "bilstm"
    assert said["command"].startswith("partwise database-parser measure parser --folder sweets")
    assert str(tmp_path) not in said["command"]
    kept = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [one["id"] for one in kept] == ["1", "2", "3"]
    assert [one["answerable"] for one in kept] == [True, True, False]
    nothing = run_cli("database-parser", "measure", str(tmp_path / "parser"))
    assert nothing.exit_code == 2
    assert "nothing to measure on" in nothing.stderr


def test_a_parser_is_chosen_by_databases_that_it_is_not_trained_on(tmp_path: Path) -> None:
    sets = []
    for name, database, _ in _sets(MeasuredOn(choosing=True), tmp_path):
        sets.append((name, database.name))
        database.close()
    assert sets == [("typed", one) for one in DatabaseRecipe.held_out]


def test_a_last_name_may_be_enough(elsewhere: Path) -> None:
    with closing(listed_database(elsewhere)) as database:
        (right,) = database.questions[1].right
    for rows in ([("Ada",)], [("Dr Ada",)], [("Dr", "Ada")]):
        assert right.lenient(rows)
    assert not right.lenient([("Bo",)])
    with pytest.raises(DataError, match="must hold one SQLite file"):
        listed_database(elsewhere.parent)


def test_answers_to_spider_are_compared_on_several_fills(elsewhere: Path, tmp_path: Path) -> None:
    for seed in ("0", "1"):
        (tmp_path / seed).mkdir()
        shutil.copy(elsewhere / "bakery.sqlite", tmp_path / seed / "bakery.sqlite")
    with closing(sqlite3.connect(tmp_path / "1" / "bakery.sqlite")) as connection, connection:
        connection.execute("DELETE FROM cakes WHERE id = 4")
    asked = [
        SpiderQuestion("a", "bakery", "how many cakes?", "SELECT count(*) FROM cakes", "sweets?"),
        SpiderQuestion("b", "bakery", "four?", "SELECT 4"),
        SpiderQuestion("c", "bakery", "pies?", "SELECT count(*) FROM pies"),
    ]
    with closing(spider_database("bakery", asked, tmp_path)) as database:
        count, four = database.questions
        program = database.domain.read("(Figure (Rows cakes) (Aggregate count))")
        assert database.judge(count, program)
        assert database.judge(count, program, exactly=True)
        assert not database.judge(four, program)
        assert count.with_synonyms().text == "sweets?"
        assert four.with_synonyms() == four


def test_the_day_of_asking_counts(home: Path, tmp_path: Path) -> None:
    with closing(typed_database(home / "garden", tmp_path)) as database:
        day = database.questions[0].today.replace(year=2020)
        assert database.on(day).today == day
        assert database.on(day).layer is database.domain.layer
