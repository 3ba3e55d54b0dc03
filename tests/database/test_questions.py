"""What the shipped parser answers to questions about small databases."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from copy import copy
from datetime import date, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from bakery import bakery_domain, database

from partwise.database.domain import DatabaseDomain
from partwise.database.inference import DatabaseInference
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex

HERE = Path(__file__).parent
TODAY = date(2025, 1, 1)
with (HERE / "questions.tsv").open(encoding="utf-8") as lines:
    CASES = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
"""A database, where the right interpretation of a question is (``first``, ``found`` among those
that are listed, or ``missed``), the question, and SQL for its rows, or the rows; values alone are
all that the first column has. ``unsure``: the data lack a word of it, so it is not answered without
doubt."""
RIGHT = ("first", "found")
Ask = Callable[[str, str], Iterator[list[list[Any]]]]


@cache
def _connection(name: str) -> sqlite3.Connection:
    if name == "bakery":
        return database(0)
    made = sqlite3.connect(Path(mkdtemp()) / f"{name}.db")
    made.executescript((HERE / "questions" / f"{name}.sql").read_text("utf-8"))
    return made


@cache
def _domain(name: str) -> DatabaseDomain:
    if name == "bakery":
        return bakery_domain()
    (_, _, file), *_ = _connection(name).execute("PRAGMA database_list")
    source = connect(file)
    layer = import_database(source, name)
    return DatabaseDomain(layer, source, ValueIndex.build(source, layer), TODAY)


@pytest.fixture(scope="module")
def parsers() -> Callable[[str], DatabaseInference]:
    """The shipped parser on a database."""
    shipped = DatabaseInference.from_pretrained("database", bakery_domain())

    @cache
    def moved(name: str) -> DatabaseInference:
        parser = copy(shipped)
        parser.domain = _domain(name)
        parser.names = parser.names_in(_domain(name))
        return parser

    return moved


@pytest.fixture(scope="module")
def ask(parsers: Callable[[str], DatabaseInference]) -> Ask:
    """Asks a database a question, and gives the rows."""

    def rows(name: str, question: str) -> Iterator[list[list[Any]]]:
        for interpretation in parsers(name).read(question).interpretations:
            yield [*map(list, _domain(name).run(interpretation.program).rows)]

    return rows


def _plain(cell: Any) -> Any:
    """A cell as it is compared."""
    if isinstance(cell, date | datetime):
        return cell.isoformat()[:10]
    number = isinstance(cell, int | float) or re.fullmatch(r"\d+", str(cell))
    return round(float(cell), 4) if number else cell


@pytest.mark.parametrize(
    ("name", "state", "question", "wanted"),
    [case for case in CASES if case[1] in RIGHT],
    ids=[f"{name}: {question}" for name, state, question, _ in CASES if state in RIGHT],
)
def test_a_question_has_an_interpretation_with_the_right_rows(
    ask: Ask, name: str, state: str, question: str, wanted: str
) -> None:
    found = ask(name, question)
    some = found if state == "found" else islice(found, 1)
    assert any(_is_right(rows, name, wanted) for rows in some)


@pytest.mark.parametrize(
    ("name", "question", "word"), [(n, q, word) for n, s, q, word in CASES if s == "unsure"]
)
def test_what_the_data_lack_is_not_passed_over(
    parsers: Callable[[str], DatabaseInference], name: str, question: str, word: str
) -> None:
    (made,) = parsers(name).parse([question])
    assert made.status in ("doubtful", "refused")
    told = {made.words[at] for at in made.unused} | {made.reason}
    assert word in told or f"nothing in the database is found for {word!r}" in told


def _is_right(rows: list[list[Any]], name: str, wanted: str) -> bool:
    found = [[*map(_plain, row)] for row in rows]
    if wanted.startswith("["):
        right = json.loads(wanted)
        in_order = False
    else:
        in_order = bool(re.search(r"ORDER BY [^()]*$", wanted))
        right = [*map(list, _connection(name).execute(wanted))]
    if not isinstance(right[0], list):
        return {row[0] for row in found} == {_plain(cell) for cell in right}
    right = [[*map(_plain, row)] for row in right]
    # Behind what was asked for, details of rows without names may be shown.
    found = [row[: len(right[0])] for row in found]
    return (found, in_order) == (right, True) or sorted(found, key=repr) == sorted(right, key=repr)
