"""A small domain and a parser of it that is trained in seconds, for tests that need a real one; and
whether spans are a tree of a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Generic, TypeVar

from partwise import Domain, entities, parse_program, predicate, root
from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import ExecutionError, PartwiseError
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.annotation import tree_of
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig

T = TypeVar("T")
BOOKS = {
    "emma": ("austen", 1815),
    "persuasion": ("austen", 1817),
    "dracula": ("stoker", 1897),
    "romola": ("eliot", 1863),
}


class Book:
    """A sort."""


class Author:
    """A sort."""


class Year:
    """A sort."""


class Many(Generic[T]):
    """A set of things of a sort."""


class Library(Domain):
    """Books, who wrote them, and when."""

    name = "library"
    examples = ("who wrote emma ?", "which books did austen write ?", "when did romola come out ?")

    @root
    def answer(self, value: Many[object]) -> Any:
        return value

    @entities(names=tuple(BOOKS))
    def book(self, name: str) -> Many[Book]:
        return [name]  # type: ignore[return-value]

    @entities(names=("austen", "stoker", "eliot"))
    def writer(self, name: str) -> Many[Author]:
        return [name]  # type: ignore[return-value]

    @predicate("author", "wrote")
    def author(self, of: Many[Book]) -> Many[Author]:
        return sorted({BOOKS[title][0] for title in self._items(of)})  # type: ignore[return-value]

    @predicate("books", "novels")
    def books_by(self, who: Many[Author]) -> Many[Book]:
        names = self._items(who)
        return [t for t, (author, _) in BOOKS.items() if author in names]  # type: ignore[return-value]

    @predicate("when", "year")
    def year(self, of: Many[Book]) -> Many[Year]:
        """When the books came out; the stock-taking has lost Dracula's."""
        if "dracula" in self._items(of):
            raise ExecutionError("the year of dracula is lost")
        return sorted(BOOKS[title][1] for title in self._items(of))  # type: ignore[return-value]

    @staticmethod
    def _items(value: Any) -> list[str]:
        return list(value)

    def denotation(self, value: Any) -> Any:
        return frozenset(value)

    def show(self, value: Any) -> list[str]:
        return [str(item) for item in value]


PAIRS = [
    ("who wrote emma ?", "answer(author(book('emma')))"),
    ("who is the author of dracula ?", "answer(author(book('dracula')))"),
    ("name the author of romola .", "answer(author(book('romola')))"),
    ("which books did austen write ?", "answer(books_by(writer('austen')))"),
    ("novels by eliot", "answer(books_by(writer('eliot')))"),
    ("list the books by stoker .", "answer(books_by(writer('stoker')))"),
    ("when did romola come out ?", "answer(year(book('romola')))"),
    ("what year is persuasion from ?", "answer(year(book('persuasion')))"),
]


def train_library(folder: Path) -> SpanParser:
    """A parser that has learned the pairs; it reads and answers them all."""
    examples = [Example(question, parse_program(program)) for question, program in PAIRS]
    data = Dataset("library", "all", train=examples, dev=examples, test=[])
    config = SpanParserConfig(encoder="bilstm", hidden=32, objective="crf", entity_augmentation=0.5)
    settings = TrainingConfig(epochs=25, batch_size=4, head_rate=1e-2)
    session = train(SpanParser, Library(), data, config, settings, folder=folder, progress=False)
    assert isinstance(session.parser, SpanParser)
    return session.parser


def without_manifest(folder: Path) -> Path:
    """Make a saved parser's folder one of before there was a manifest."""
    (folder / "manifest.json").unlink()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "format": 1}), encoding="utf-8")
    return folder


def mismatch(example: Example[Term], types: TypeAlgebra) -> str | None:
    """Why an example's spans are no tree of its program; None if they are one.

    Raises:
        ValueError: if the example has no spans.
    """
    if example.spans is None:
        raise ValueError(f"{example.source or example.question}: no spans")
    domain = types.domain
    try:
        tree = tree_of(example.spans, domain, tokenize(example.question).words)
        meant = program(tree, types)
    except PartwiseError as error:
        return str(error)
    wanted = domain.canonical(example.meaning)
    return None if domain.canonical(meant) == wanted else f"the tree means {meant}, not {wanted}"
