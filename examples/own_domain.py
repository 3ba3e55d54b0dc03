"""Your own domain: declare it, train on a few examples, ask about new combinations.

Run with ``python examples/own_domain.py``. It takes less than a minute and needs no data.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import ClassVar

from partwise import (
    Example,
    SpanParserConfig,
    TrainingConfig,
    entities,
    parse_program,
    predicate,
    root,
    train,
)
from partwise.interface.data import Dataset
from partwise.language.values import Many, One, SetDomain, Some


class Book:
    """A type."""


class Author:
    """A type."""


class Year:
    """A type."""


BOOKS = {
    "emma": ("austen", 1815),
    "persuasion": ("austen", 1817),
    "dracula": ("stoker", 1897),
    "middlemarch": ("eliot", 1871),
    "romola": ("eliot", 1863),
}


class Library(SetDomain):
    """Books, who wrote them, and when."""

    name: ClassVar[str] = "library"

    @root
    def answer(self, value: Some[object]) -> Some[object]:
        """Any set may be asked for."""
        return value

    @entities(names=BOOKS)
    def book(self, name: str) -> One[Book]:
        """A book by title."""
        return One([name])

    @entities(names=("austen", "stoker", "eliot"))
    def writer(self, name: str) -> One[Author]:
        """A writer by name."""
        return One([name])

    @predicate("author", "authors", "wrote", "who")
    def author(self, of: Some[Book]) -> Many[Author]:
        """Who wrote the books."""
        return Many(BOOKS[title][0] for title in of)

    @predicate("books", "novels", "by")
    def books_by(self, who: Some[Author]) -> Many[Book]:
        """What the authors wrote."""
        return Many(title for title, (author, _) in BOOKS.items() if author in who)

    @predicate("when", "year")
    def year(self, of: Some[Book]) -> Many[Year]:
        """When the books came out."""
        return Many(BOOKS[title][1] for title in of)

    @predicate("first", "oldest", "earliest")
    def first(self, of: Many[Book]) -> One[Book]:
        """The one that came out first, of several."""
        return One(sorted(of, key=lambda title: BOOKS[title][1])[:1])


PAIRS = [
    ("who wrote emma ?", "answer(author(book('emma')))"),
    ("who is the author of dracula ?", "answer(author(book('dracula')))"),
    ("name the author of romola .", "answer(author(book('romola')))"),
    ("which books did austen write ?", "answer(books_by(writer('austen')))"),
    ("novels by eliot", "answer(books_by(writer('eliot')))"),
    ("list the books by stoker .", "answer(books_by(writer('stoker')))"),
    ("when did middlemarch come out ?", "answer(year(book('middlemarch')))"),
    ("what year is persuasion from ?", "answer(year(book('persuasion')))"),
    ("what was the first of the books by eliot ?", "answer(first(books_by(writer('eliot'))))"),
    ("the oldest of the novels by austen", "answer(first(books_by(writer('austen'))))"),
]
NEW: list[tuple[str, str, set[object]]] = [
    ("when did the first of the novels by austen come out ?", "emma came out in 1815", {1815}),
    ("which books did the author of emma write ?", "two", {"emma", "persuasion"}),
]


def main() -> None:
    """Train on the pairs, and answer questions with new combinations."""
    domain = Library()
    examples = [Example(question, parse_program(program)) for question, program in PAIRS]
    data = Dataset("library", "all", train=examples, dev=examples, test=[])
    with tempfile.TemporaryDirectory() as folder:
        parser = train(
            "span",
            domain,
            data,
            SpanParserConfig(objective="crf", entity_augmentation=0.5),
            TrainingConfig(epochs=12, batch_size=2),
            folder=Path(folder),
            progress=False,
        ).parser
    for question, _, wanted in NEW:
        (answer,) = parser.parse([question])
        print(question, "->", answer.meaning)
        assert answer.meaning is not None, answer.reason
        value = domain.run(answer.meaning)
        print("   ", ", ".join(domain.show(value)))
        assert value == Many(wanted)


if __name__ == "__main__":
    main()
