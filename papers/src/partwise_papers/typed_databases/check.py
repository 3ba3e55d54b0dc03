"""Run the SQL of all questions over their database, and say which is wrong.

``python -m partwise_papers.typed_databases.check FOLDER...`` prints one line for each problem. A
folder holds ``schema.sql`` (an SQLite script with rows) and ``questions.jsonl``.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent
"""Where the databases are: folders for training and development, and ``blind`` with the test's."""
KINDS = (
    "lookup",
    "list",
    "join",
    "count",
    "aggregate",
    "superlative",
    "top-n",
    "group-by",
    "comparison",
    "dates",
    "and-or-not",
    "yes-no",
    "unanswerable",
)
"""What a question asks for, in the order of reports."""


@dataclass(frozen=True)
class TypedQuestion:
    """A question as somebody typed it.

    Attributes:
        id: unique over all databases.
        kind: one of `KINDS`.
        question: the words as typed.
        sql: an SQLite query with the answer; None if the database cannot tell.
        also: other queries whose answers are as good.
        ordered: whether the order of the rows belongs to the answer.
        note: what is unusual, or which reading was taken.
        today: the day, as ``2024-05-31``, that words like "last month" count from; empty if none.
    """

    id: str
    kind: str
    question: str
    sql: str | None
    also: tuple[str, ...] = ()
    ordered: bool = False
    note: str = ""
    today: str = ""


def database_folders(home: Path = HOME) -> list[Path]:
    """All folders below `home` that hold a database, by path."""
    return sorted(path.parent for path in home.rglob("schema.sql"))


def read_typed_questions(path: Path) -> list[TypedQuestion]:
    """The questions of a file with a JSON object on each line."""
    with path.open(encoding="utf-8") as lines:
        return [_question(json.loads(line)) for line in lines]


def open_database(folder: Path) -> sqlite3.Connection:
    """The database of a folder, in memory."""
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript((folder / "schema.sql").read_text(encoding="utf-8"))
    return connection


def problems(folder: Path) -> Iterator[str]:
    """A line for each question whose SQL fails or answers nothing, or whose kind is unknown."""
    connection = open_database(folder)
    for question in read_typed_questions(folder / "questions.jsonl"):
        for problem in _problems(connection, question):
            yield f"{question.id}: {problem}"
    connection.close()


def main(folders: Sequence[str]) -> int:
    """Print the number of questions of each kind and all problems; 1 if there is one."""
    found = 0
    for folder in [Path(place) for place in folders] or database_folders():
        kinds = Counter(
            question.kind for question in read_typed_questions(folder / "questions.jsonl")
        )
        print(folder.name, kinds.total(), *(f"{kind} {kinds[kind]}" for kind in KINDS), sep=" · ")
        for problem in problems(folder):
            found += 1
            print(" ", problem)
    return int(found > 0)


def _question(line: dict[str, Any]) -> TypedQuestion:
    return TypedQuestion(**{**line, "also": tuple(line.get("also", ()))})


def _problems(connection: sqlite3.Connection, question: TypedQuestion) -> Iterator[str]:
    if question.kind not in KINDS:
        yield f"the kind {question.kind} is unknown"
    if (question.sql is None) != (question.kind == "unanswerable"):
        yield "only unanswerable questions have no SQL"
    for sql in () if question.sql is None else (question.sql, *question.also):
        try:
            rows = connection.execute(sql).fetchall()
        except sqlite3.Error as error:
            yield f"{error} in {sql}"
            continue
        if all(value is None for row in rows for value in row):
            yield f"no answer from {sql}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
