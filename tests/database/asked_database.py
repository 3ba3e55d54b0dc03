"""A small database that a script writes, and what the first readings of questions to it give."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.features import FIRST_WEIGHTS, Weighted
from partwise.database.reading.label import Label
from partwise.database.reading.labels import Labeller
from partwise.database.reading.search import Search
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.database.spans.text import words_of
from partwise.execution.relational.sql import Compiler

TODAY = date(2025, 1, 1)
FIRST = 20
"""How many readings are looked at, unless a test says so."""
Answer = list[tuple[Any, ...]]


class AskedDatabase:
    """A database that reads questions by hand-set weights."""

    def __init__(self, source: Source, layer: SemanticLayer) -> None:
        self.source, self.layer = source, layer
        self.labeller = Labeller(layer, ValueIndex.build(source, layer))
        self.compiler = Compiler(layer.schema, texts=True)

    def labels(self, question: str) -> list[Label]:
        """All that the words of a question may be taken for."""
        return [one for some in self.labeller.labels(words_of(question), TODAY) for one in some]

    def answers(self, question: str, first: int = FIRST) -> list[Answer]:
        """The rows of the first readings, the best reading first."""
        words = words_of(question)
        labels = self.labeller.labels(words, TODAY)
        found = Search(self.layer, words, labels, Weighted(words, FIRST_WEIGHTS)).readings()
        made = [self.compiler.select(one.program) for one in found[:first]]
        return [list(map(tuple, self.source.run(one).rows)) for one in made]

    def first_columns(self, question: str, first: int = FIRST) -> list[set[Any]]:
        """The values of the first column in each of these answers that has one."""
        answers = self.answers(question, first)
        return [{row[0] for row in some} for some in answers if all(map(len, some))]


@contextmanager
def asked_database(script: str, file: Path) -> Iterator[AskedDatabase]:
    """Writes a database into a file, and opens it."""
    with closing(sqlite3.connect(file)) as made:
        made.executescript(script)
    with closing(connect(file)) as source:
        yield AskedDatabase(source, import_database(source, file.stem))


QUESTIONS = Path(__file__).parent / "reading" / "questions"
"""A script of each example, ``NAME.sql``, and its questions with what is asked for."""


def asked_example(name: str, folder: Path) -> AbstractContextManager[AskedDatabase]:
    """The database of an example, written into a folder."""
    return asked_database((QUESTIONS / f"{name}.sql").read_text(), folder / f"{name}.db")


def example(name: str) -> Any:
    """A fixture of a module: the database of an example."""

    @pytest.fixture(scope="module")
    def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
        with asked_example(name, tmp_path_factory.mktemp(name)) as made:
            yield made

    return opened
