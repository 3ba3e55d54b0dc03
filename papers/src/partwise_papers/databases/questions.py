"""Databases with questions whose answers are known: typed ones, Spider's, and others by path."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from partwise.database.domain import DatabaseDomain
from partwise.database.layer.model import SemanticLayer
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.errors import DataError, ExecutionError
from partwise.execution.relational.program import Program
from partwise_papers.databases.answers import Answering, RightRows, SqlRows, TypedRows
from partwise_papers.databases.running import SqliteRows
from partwise_papers.spider.answers import Record
from partwise_papers.spider.converting.checking import Fills
from partwise_papers.spider.data import SpiderQuestion
from partwise_papers.typed_databases.check import TypedQuestion, typed_questions

TODAY = date(2025, 6, 1)
"""The day that "last month" counts from where a question names none."""
OTHER_SUBJECT = "other subject"
"""The kind of a question that no database here can answer."""


@dataclass(frozen=True)
class AskedQuestion:
    """A question to a database.

    Attributes:
        kind: what is asked for, as `partwise_papers.typed_databases.check.KINDS` says; ``spider``
            for Spider's.
        sql: the query with the answer; None if the database cannot tell.
        right: what the rows must be, one for each file of the database; empty if it cannot tell.
        synonyms: the question with other words in place of the schema's.
        today: the day of asking.
    """

    id: str
    kind: str
    text: str
    sql: str | None = None
    right: tuple[RightRows, ...] = ()
    synonyms: str | None = None
    today: date = TODAY

    def with_synonyms(self) -> AskedQuestion:
        """The question in its form with synonyms, if it has one."""
        return self if self.synonyms is None else replace(self, text=self.synonyms)


class AskedDatabase:
    """A database, and questions to it.

    Args:
        file: the SQLite file that is asked.
        files: those that answers are compared on, `file` or others with the same tables, whose rows
            are made up.
        layer: what the parser is told of it; None for what an import says, with no edit.
    """

    def __init__(
        self,
        name: str,
        file: Path,
        files: Sequence[Path] = (),
        layer: SemanticLayer | None = None,
    ) -> None:
        self.name, self.made_up = name, bool(files)
        self._source = connect(file)
        if layer is None:
            layer, index = _imported(file.absolute(), file.stat().st_mtime, name)
        else:
            index = ValueIndex.build(self._source, layer)
        self.domain = DatabaseDomain(layer, self._source, index, TODAY)
        self.rows = SqliteRows(layer.schema, files or (file,))
        self.questions: list[AskedQuestion] = []

    def on(self, today: date) -> DatabaseDomain:
        """The database as it is asked on a day."""
        before = self.domain
        return DatabaseDomain(before.layer, self._source, before.index, today)

    def judge(self, question: AskedQuestion, program: Program) -> bool:
        """Whether a program answers a question; not one that cannot be run."""
        rows = self.rows.of_program(program) if question.right else None
        return rows is not None and all(
            right.lenient(some) for right, some in zip(question.right, rows, strict=True)
        )

    def exactly(self, question: AskedQuestion, program: Program) -> bool:
        """Whether a program gives just the rows of a question's query, no column more."""
        rows = self.rows.of_program(program) if question.right else None
        return rows is not None and all(
            right.exact(some) for right, some in zip(question.right, rows, strict=True)
        )

    def close(self) -> None:
        """Close the files."""
        self.rows.close()
        self._source.close()


@lru_cache(maxsize=200)
def _imported(file: Path, changed: float, name: str) -> tuple[SemanticLayer, ValueIndex]:
    """What a user gets of a file, with no edit; kept, as it takes a second or more."""
    with closing(connect(file)) as source:
        layer = import_database(source, name)
        return layer, ValueIndex.build(source, layer)


def typed_database(folder: Path, work: Path) -> AskedDatabase:
    """A database with typed questions.

    Args:
        folder: with ``schema.sql`` and ``questions.jsonl``.
        work: where the SQLite file is written, which must stay there.

    Raises:
        DataError: if the SQL of a question fails.
    """
    file = work / f"{folder.name}.sqlite"
    work.mkdir(parents=True, exist_ok=True)
    script = folder / "schema.sql"
    if not file.is_file() or file.stat().st_mtime < script.stat().st_mtime:
        _write(script, file)
    made = AskedDatabase(folder.name, file)
    asked = typed_questions(folder / "questions.jsonl")
    made.questions = [_typed(one, made.rows) for one in asked]
    return made


def _write(script: Path, file: Path) -> None:
    part = file.with_suffix(".part")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part)) as connection:
        connection.executescript(script.read_text(encoding="utf-8"))
    part.replace(file)


def spider_database(
    name: str, questions: Iterable[SpiderQuestion], fills: Path, seeds: Sequence[int] = (0, 1)
) -> AskedDatabase:
    """One of Spider's databases; questions whose query fails are left out.

    Args:
        fills: folder of the made-up rows, with a folder for each seed.
        seeds: sets of rows that answers are compared on; the first is the one that is asked.
    """
    files = [fills / str(seed) / f"{name}.sqlite" for seed in seeds]
    made = AskedDatabase(name, files[0], files)
    with closing(Fills(made.domain.layer.schema, files)) as filled:
        for one in questions:
            try:
                right = tuple(map(SqlRows, filled.gold(one.sql)))
            except ExecutionError:
                continue
            asked = AskedQuestion(one.id, "spider", one.question, one.sql, right, one.synonyms)
            made.questions.append(asked)
    return made


def listed_database(folder: Path, layer: SemanticLayer | None = None) -> AskedDatabase:
    """The database of a folder that was made elsewhere, and questions with the rows of the answers.

    Args:
        folder: with one SQLite file and ``questions.jsonl``: on each line `id`, `kind`, `question`
            and `answer` (rows; null if the database cannot tell); `also_answers`, `ordered`,
            `order_groups`, `person`, `half_cent`, `sql` and `today` may be there.
        layer: what the parser is told of it; None for what an import says, with no edit.

    Raises:
        DataError: if a file is missing.
    """
    files = [one for one in sorted(folder.glob("*")) if one.suffix in (".sqlite", ".db")]
    questions = folder / "questions.jsonl"
    if len(files) != 1 or not questions.is_file():
        raise DataError(f"{folder}: it must hold one SQLite file and questions.jsonl")
    file = files[0]
    made = AskedDatabase(file.stem, file, layer=layer)
    with questions.open(encoding="utf-8") as lines:
        made.questions = [_listed(json.loads(line)) for line in lines if line.strip()]
    return made


def other_subjects(texts: Iterable[str]) -> list[AskedQuestion]:
    """Questions that no database here can answer."""
    return [
        AskedQuestion(f"other-{number:03}", OTHER_SUBJECT, text)
        for number, text in enumerate(texts, 1)
    ]


def _typed(question: TypedQuestion, rows: SqliteRows) -> AskedQuestion:
    today = date.fromisoformat(question.today) if question.today else TODAY
    right: tuple[RightRows, ...] = ()
    if question.sql is not None:
        accepted = [
            Answering.of(_rows_of(question, sql, rows), question.ordered)
            for sql in (question.sql, *question.also)
        ]
        right = (TypedRows(accepted, question.kind == "yes-no"),)
    return AskedQuestion(
        question.id, question.kind, question.question, question.sql, right, today=today
    )


def _rows_of(question: TypedQuestion, sql: str, rows: SqliteRows) -> Any:
    found = rows.of_sql(sql)
    if found is None:
        raise DataError(f"{question.id}: its SQL fails; run partwise_papers.typed_databases.check")
    return found[0]


def _listed(line: Mapping[str, Any]) -> AskedQuestion:
    right: tuple[RightRows, ...] = ()
    if line["answer"] is not None:
        answers = [line["answer"], *line.get("also_answers", ())]
        groups = [line.get("order_groups"), *line.get("also_order_groups", ())]
        groups += [None] * (len(answers) - len(groups))
        accepted = [
            Answering.of(_named(rows, form), bool(line.get("ordered")), some)
            for rows, some in zip(answers, groups, strict=True)
            for form in (None, line.get("person"))
        ]
        right = (TypedRows(accepted, line["kind"] == "yes-no", bool(line.get("half_cent"))),)
    today = date.fromisoformat(line["today"]) if line.get("today") else TODAY
    return AskedQuestion(
        line["id"], line["kind"], line["question"], line.get("sql"), right, today=today
    )


def _named(rows: Sequence[Sequence[Any]], person: Mapping[str, Any] | None) -> list[Record]:
    """Rows; of a person whom the last name tells, without the first name."""
    first = person["cols"][0] if person is not None and person.get("last_only") else None
    return [tuple(cell for n, cell in enumerate(row) if n != first) for row in rows]


def in_both_forms(questions: Iterable[AskedQuestion]) -> list[AskedQuestion]:
    """Questions, and with synonyms those that have any."""
    return [
        form
        for one in questions
        for form in ([one] if one.synonyms is None else [one, one.with_synonyms()])
    ]
