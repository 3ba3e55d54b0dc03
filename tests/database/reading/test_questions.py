"""What the first readings of questions to small databases give."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest
from asked_database import FIRST, QUESTIONS, AskedDatabase, asked_example

CASES = [
    (file.stem, json.loads(line))
    for file in sorted(QUESTIONS.glob("*.jsonl"))
    for line in file.read_text().splitlines()
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], AskedDatabase]]:
    with ExitStack() as stack:
        yield cache(
            lambda name: stack.enter_context(asked_example(name, tmp_path_factory.mktemp(name)))
        )


@pytest.mark.parametrize(
    ("name", "case"), CASES, ids=[f"{name}: {case['question']}" for name, case in CASES]
)
def test_the_answer_is_among_those_of_the_first_readings(
    asked: Callable[[str], AskedDatabase], name: str, case: dict[str, Any]
) -> None:
    """`rows` as they are ordered, `in_any_order`, or the values of the first `column`."""
    made, question, first = asked(name), case["question"], case.get("first", FIRST)
    if "column" in case:
        assert set(case["column"]) in made.first_columns(question, first)
        return
    answers = [[list(row) for row in rows] for rows in made.answers(question, first)]
    if "rows" in case:
        assert case["rows"] in answers
    else:
        assert case["in_any_order"] in [sorted(rows, key=repr) for rows in answers]
