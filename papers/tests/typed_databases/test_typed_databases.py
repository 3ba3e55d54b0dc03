"""The databases with typed questions: every query runs, and kinds and wordings are as promised."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from partwise_papers.typed_databases.check import (
    HOME,
    KINDS,
    TypedQuestion,
    database_folders,
    main,
    open_database,
    problems,
    read_typed_questions,
)

FOLDERS = database_folders()
MOST_SHARE = 0.16
"""No kind has more of a database's questions."""


def all_questions() -> list[TypedQuestion]:
    return [one for path in HOME.glob("*/**/*.jsonl") for one in read_typed_questions(path)]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_query_runs_and_answers(folder: Path) -> None:
    assert list(problems(folder)) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_database_is_small_but_not_trivial(folder: Path) -> None:
    connection = open_database(folder)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    rows = sum(connection.execute(f'SELECT count(*) FROM "{t}"').fetchone()[0] for (t,) in tables)
    assert 5 <= len(tables) <= 12
    assert 150 <= rows <= 1500


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_kind_has_its_share(folder: Path) -> None:
    questions = read_typed_questions(folder / "questions.jsonl")
    kinds = Counter(one.kind for one in questions)
    assert set(kinds) == set(KINDS)
    assert max(kinds.values()) <= MOST_SHARE * len(questions)


def test_ids_are_unique() -> None:
    repeated = [id for id, n in Counter(one.id for one in all_questions()).items() if n > 1]
    assert repeated == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_question_is_asked_twice(folder: Path) -> None:
    questions = [one.question.lower() for one in read_typed_questions(folder / "questions.jsonl")]
    assert len(set(questions)) == len(questions)


def test_most_are_typed_without_care() -> None:
    questions = [one.question for one in all_questions()]
    assert sum("?" in one for one in questions) < 0.4 * len(questions)
    assert sum(one[0].islower() for one in questions) > 0.5 * len(questions)


def test_other_subjects_are_for_no_database() -> None:
    others = read_typed_questions(HOME / "blind" / "other_subjects.jsonl")
    asked = [one.question for one in all_questions()]
    assert len(others) >= 60
    assert {one.sql for one in others} == {None}
    assert all(asked.count(one.question) == 1 for one in others)


def test_a_wrong_query_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1);")
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "x-1", "kind": "list", "question": "all a", "sql": "SELECT b FROM t"}\n'
        '{"id": "x-2", "kind": "list", "question": "none", "sql": "SELECT a FROM t WHERE a > 1"}\n'
        '{"id": "x-3", "kind": "list", "question": "a", "sql": "SELECT a FROM t"}\n'
    )
    assert main([str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "x-1: no such column: b" in printed
    assert "x-2: no answer from" in printed
    assert "x-3" not in printed
