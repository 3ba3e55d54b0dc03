"""What answers a question over a database, metrics of answers, and the command that measures."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cli_helpers import run_cli
from hypothesis import given
from hypothesis import strategies as st

from partwise.errors import DataError
from partwise_papers.databases import measuring
from partwise_papers.databases.confidence import threshold
from partwise_papers.databases.measuring import _sets
from partwise_papers.databases.metrics import AnsweredQuestion, auc, metrics, text
from partwise_papers.databases.options import DatabaseRecipe, MeasuredOn
from partwise_papers.databases.questions import (
    Answering,
    SqlRows,
    TypedRows,
    read_listed_database,
    read_typed_database,
    spider_database,
)
from partwise_papers.spider.checking import Expected, Gold, Record
from partwise_papers.spider.data import SpiderQuestion

# Whether rows answer a question.


Rows = list[Record]
CELLS = st.one_of(
    st.none(), st.integers(-5, 5), st.sampled_from(["ab", "AB", "c", "2024-01-02"]), st.floats(0, 9)
)


def typed(*answers: list[tuple[Any, ...]], ordered: bool = False, **more: bool) -> TypedRows:
    return TypedRows([Answering.of(rows, ordered) for rows in answers], **more)


@pytest.mark.parametrize("line", (Path(__file__).parent / "rows.jsonl").read_text().splitlines())
def test_rows_that_answer_and_that_do_not(line: str) -> None:
    case = json.loads(line)
    rows, gold = ([tuple(row) for row in case[name]] for name in ("rows", "gold"))
    assert typed(gold).lenient(rows) == case["answers"]


def test_order_counts_where_it_is_asked_for() -> None:
    gold = [("a",), ("b",), ("c",)]
    assert not typed(gold, ordered=True).lenient([("a",), ("c",), ("b",)])
    tied = TypedRows([Answering.of(gold, True, [0, 1, 1])])
    assert tied.lenient([("a",), ("c",), ("b",)])
    assert not tied.lenient([("b",), ("a",), ("c",)])


def test_yes_and_no_have_many_forms() -> None:
    for gold in ("yes", 1, True):
        yes = typed([(gold,)], yes_no=True)
        assert yes.lenient([(True,)])
        assert yes.lenient([(1,)])
        assert yes.exact([("Yes",)])
        assert not yes.lenient([(False,)])
        assert not yes.lenient([(5,)])
        assert not yes.lenient([("yes",), ("no",)])


def test_other_answers_and_exact_ones() -> None:
    right = typed([("a", 1)], [("b", 2)])
    assert right.lenient([(2, "b")])
    assert right.exact([(2, "b")])
    assert right.lenient([("b", 2, "key")])
    assert not right.exact([("b", 2, "key")])
    assert not typed([(5.5,)]).lenient([(5.51,)])
    assert typed([(5.5,)], half_cent=True).lenient([(5.51,)])


def spider_rows(plain: Rows, usual: Rows) -> SqlRows:
    return SqlRows(Expected(*(Gold(one, [], one, False) for one in (plain, usual))))


def test_rows_of_spider_may_be_listed_again() -> None:
    right = spider_rows([("a",), ("b",)], [("a",), ("b",)])
    assert right.lenient([("b",), ("a",), ("a",)])
    assert not right.exact([("b",), ("a",), ("a",)])
    assert right.exact([("b",), ("a",)])
    assert not right.lenient([("a",)])


def test_rows_of_spider_may_follow_the_conventions_of_programs() -> None:
    right = spider_rows([(None, 1), ("a", 2)], [("a", 2)])
    assert right.lenient([("a", 2)])
    assert not right.exact([("a", 2)])
    assert right.exact([(None, 1), ("a", 2)])
    assert not right.lenient([("a", 1)])


@given(st.data())
def test_order_of_rows_and_columns_is_free(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=5))
    columns, moved = data.draw(st.permutations(range(width))), list(rows)
    random.Random(0).shuffle(moved)
    said = [tuple(row[one] for one in columns) for row in moved]
    assert typed(rows).lenient(said)
    assert typed(rows).exact(said)
    assert not typed(rows).lenient(said[1:])
    assert not typed(rows).lenient([*said, said[0]])


# Figures of answered questions, and the thresholds under which a parser refuses.


SHARES = st.sampled_from([0.0, 0.1, 0.5, 0.52, 0.9, 1.0])


def one(
    verdict: Any,
    best: bool = False,
    probability: float | None = 0.5,
    answerable: bool = True,
    database: str = "bakery",
) -> AnsweredQuestion:
    kind = "count" if answerable else "unanswerable"
    exact = verdict == "right" and best
    return AnsweredQuestion(
        "x", database, kind, answerable, verdict, exact, best, probability, 0.25
    )


def test_figures_count() -> None:
    answered = [
        *[one("right", True, 0.9)] * 5,
        one("wrong", False, 0.8),
        one("refused", True, 0.3),
        one("refused", False, None),
        one("right", False, 0.1, answerable=False),
        one("wrong", False, 0.6, answerable=False),
    ]
    said = metrics(answered)
    assert (said["questions"], said["right"], said["wrong"], said["refused"]) == (10, 6, 2, 2)
    assert said["accuracy"] == 0.6
    assert said["answerable"] == {
        "questions": 8,
        "right": 0.625,
        "exact": 0.625,
        "right before refusing": 0.75,
        "right but refused": 0.125,
    }
    assert said["unanswerable"] == {"questions": 2, "refused": 0.5}
    assert said["right when answered"] == pytest.approx(5 / 7, abs=1e-4)
    assert said["calibration error"] == pytest.approx((5 * 0.1 + 0.8 + 0.6) / 7, abs=1e-4)
    assert said["risk at coverage"]["0.5"] == 0
    assert said["seconds"] == {"p50": 0.25, "p99": 0.25}
    assert list(said["kinds"]) == ["count", "unanswerable"]
    assert "10 questions, 6 right, 2 wrong, 2 refused" in text("bakery", said)


def test_nothing_answered_has_no_figures() -> None:
    said = metrics([one("refused", False, None)])
    assert said["auc"] is said["calibration error"] is said["right when answered"] is None
    assert "AUC None" not in text("bakery", said)


def test_intervals_draw_questions_where_databases_are_few() -> None:
    answered = [*[one("right", True, 0.9)] * 30, *[one("wrong", False, 0.4)] * 10]
    said = metrics(answered)["interval"]
    assert said["drawn"] == "questions"
    low, high = said["right"]
    # The normal approximation of 30 out of 40: 0.75 and 1.96 of its standard errors around it.
    assert low == pytest.approx(0.75 - 0.134, abs=0.03)
    assert high == pytest.approx(0.75 + 0.134, abs=0.03)
    assert said["right before refusing"] == said["right"]
    assert said["auc"] == [1.0, 1.0]
    assert "(95 % interval 100.0 % to 100.0 %)" in text("bakery", metrics(answered))


def test_intervals_draw_whole_databases_where_there_are_many() -> None:
    good = [one("right", True, 0.9, database=f"good {n}") for n in range(6) for _ in range(20)]
    bad = [one("wrong", False, 0.4, database=f"bad {n}") for n in range(6) for _ in range(20)]
    said = metrics([*good, *bad])["interval"]
    assert said["drawn"] == "databases"
    low, high = said["right"]
    # Twelve draws of two kinds vary much more than 240 draws of questions, where it would be 0.06.
    assert low == pytest.approx(0.5 - 0.28, abs=0.06)
    assert high == pytest.approx(0.5 + 0.28, abs=0.06)


def test_nothing_that_a_database_can_tell_has_no_share() -> None:
    said = metrics([one("right", False, 0.1, answerable=False)])["interval"]
    assert said == {"drawn": "questions"}


@given(st.lists(st.tuples(SHARES, st.booleans()), max_size=12))
def test_auc_compares_all_pairs(pairs: list[tuple[float, bool]]) -> None:
    right = [share for share, good in pairs if good]
    wrong = [share for share, good in pairs if not good]
    found = auc(
        np.array([share for share, _ in pairs]), np.array([good for _, good in pairs], bool)
    )
    if not right or not wrong:
        assert found is None
        return
    won = sum((a > b) + (a == b) / 2 for a, b in product(right, wrong))
    assert found == pytest.approx(won / len(right) / len(wrong))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60),
    st.sampled_from([0.0, 0.04, 0.4]),
)
def test_few_right_answers_are_below_a_threshold(
    pairs: list[tuple[float, bool]], share: float
) -> None:
    probable = np.array([probability for probability, _ in pairs])
    right = np.array([good for _, good in pairs], dtype=bool)
    least = threshold(probable, right, share)
    assert 0 <= least <= 1
    assert (probable[right] < least).sum() <= share * right.sum()


# ``partwise database-parser`` on a folder from elsewhere, and on a database in Spider's form.


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


@pytest.mark.usefixtures("parser")
def test_a_folder_from_elsewhere_is_measured(
    recipe: DatabaseRecipe, elsewhere: Path, tmp_path: Path
) -> None:
    parser = str(recipe.out / "parser")
    out, answers = tmp_path / "results.json", tmp_path / "answers.jsonl"
    given = ["--folder", str(elsewhere), "--out", str(out), "--answers", str(answers)]
    result = run_cli("database-parser", "measure", parser, *given, "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(out.read_text())
    assert json.loads(result.stdout) == said
    assert said["sets"]["sweets"]["questions"] == 3
    assert said["seeds"]["training"] == 0
    assert said["encoder"]["kind"] == "bilstm"
    assert said["command"].startswith("partwise database-parser measure parser --folder sweets")
    for place in (tmp_path, recipe.out):
        assert str(place) not in said["command"]
    kept = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [one["id"] for one in kept] == ["1", "2", "3"]
    assert [one["answerable"] for one in kept] == [True, True, False]
    nothing = run_cli("database-parser", "measure", parser)
    assert nothing.exit_code == 2
    assert "nothing to measure on" in nothing.stderr


def test_a_parser_is_chosen_by_databases_that_it_is_not_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        *(measuring, "read_typed_database"),
        lambda folder, work: SimpleNamespace(name=folder.name, questions=[]),
    )
    on = MeasuredOn(choosing=True)
    sets = [(name, database.name) for name, database, _ in _sets(on, tmp_path)]
    assert sets == [("typed", one) for one in DatabaseRecipe.held_out]


def test_a_last_name_may_be_enough(elsewhere: Path) -> None:
    with closing(read_listed_database(elsewhere)) as database:
        (right,) = database.questions[1].right
    for rows in ([("Ada",)], [("Dr Ada",)], [("Dr", "Ada")]):
        assert right.lenient(rows)
    assert not right.lenient([("Bo",)])
    with pytest.raises(DataError, match="must hold one SQLite file"):
        read_listed_database(elsewhere.parent)


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


def test_real_contents_are_asked_or_compared_as_well(elsewhere: Path, tmp_path: Path) -> None:
    for folder in ("0", "1", "real"):
        (tmp_path / folder).mkdir()
        shutil.copy(elsewhere / "bakery.sqlite", tmp_path / folder / "bakery.sqlite")
    with closing(sqlite3.connect(tmp_path / "real" / "bakery.sqlite")) as connection, connection:
        connection.execute("DELETE FROM cakes WHERE id = 4")
    asked = [SpiderQuestion("a", "bakery", "how many cakes?", "SELECT count(*) FROM cakes")]
    four = [SpiderQuestion("b", "bakery", "four?", "SELECT 4")]
    for with_contents in (True, False):
        place = tmp_path / "real", with_contents
        with closing(spider_database("bakery", [*asked, *four], tmp_path, (0, 1), *place)) as made:
            program = made.domain.read("(Figure (Rows cakes) (Aggregate count))")
            verdicts = [made.judge(one, program) for one in made.questions]
            rows = made.domain.denotation(made.domain.run(program))
        assert verdicts == [True, False]
        assert made.made_up != with_contents
        assert str(3 if with_contents else 4) in str(rows)
    with closing(spider_database("bakery", four, tmp_path, (0, 1), tmp_path / "none")) as made:
        assert made.made_up
        assert made.judge(made.questions[0], program)


def test_the_day_of_asking_counts(home: Path, tmp_path: Path) -> None:
    with closing(read_typed_database(home / "garden", tmp_path)) as database:
        day = database.questions[0].today.replace(year=2020)
        assert database.on(day).today == day
        assert database.on(day).layer is database.domain.layer
