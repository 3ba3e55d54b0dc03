"""A hundred thousand entities against a hundred: load time, parse latency, names never seen.

A parser is trained once on the smaller catalogue, saved, and loaded over each; the questions name
books that both have, in turn over the one and the other, so that noise of the machine meets both.

Run: python benchmarks/entities.py [--out benchmarks/results/entities.json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import statistics
import tempfile
import time
import unicodedata
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from partwise import (
    Domain,
    Example,
    SpanParser,
    SpanParserConfig,
    TrainingConfig,
    entities,
    parse_program,
    predicate,
    root,
)
from partwise.interface.data import Dataset
from partwise.language.program import Term
from partwise.training.session import train
from partwise_papers.results.recorder import checkout_commit

T = TypeVar("T")


class Book:
    """A sort."""


class Author:
    """A sort."""


class Count:
    """A sort."""


class Many(Generic[T]):
    """A set of things of a sort."""


class One(Many[T]):
    """A single thing."""


FIRST = """
amber ancient autumn bitter blue brave bright broken burning cold copper crimson dark deep
distant drowned dusty early empty endless fallen first forgotten frozen gentle gilded golden
green grey hidden hollow honest iron ivory late little lonely long lost marble midnight mild
misty new northern old pale patient quiet rapid red restless rolling sacred scarlet secret
seventh silent silver sleeping slow southern stolen strange sudden summer tall third vanished
velvet wandering western white wild winter wooden yellow young
"""
SECOND = """
anchor apple arrow bell bird boat book bridge candle castle cathedral city clock cloud coast
compass crown daughter door dream feather field fire forest fountain garden gate ghost glass
guest hand harbour heart hill horse house island journey key king ladder lake lamp lantern
letter library lighthouse lion map market meadow mill mirror monk moon mountain night ocean
orchard palace path pearl piano pilgrim planet queen rain raven river road rose sailor sea
"""
THIRD = """
Ålesund Bergamo Coimbra Dubrovnik Évora Famagusta Ghent Hvar Ioannina Jičín Kraków Lübeck
Málaga Nîmes Odense Perugia Riga Segovia Trieste Uppsala Vilnius Wrocław Ystad Zürich
"""


def titles(size: int) -> list[str]:
    """Distinct titles, as "The Amber Anchor of Ålesund"; the first ones are in all sizes."""
    # Places first, so that a small catalogue has various words too.
    made = (
        f"The {first.title()} {second.title()} of {place}"
        for second, first, place in itertools.product(SECOND.split(), FIRST.split(), THIRD.split())
    )
    return list(itertools.islice(made, size))


def catalogue(size: int) -> type[Domain]:
    """A domain of `size` books."""
    books = titles(size)

    class Catalogue(Domain):
        """Books and who wrote them."""

        name = "catalogue"

        @root
        def answer(self, value: Many[object] | Count) -> Any:
            """Anything may be asked for."""
            return value

        @entities(names=books, typos=True)
        def book(self, name: str) -> One[Book]:
            """A book by title."""
            return [name]  # type: ignore[return-value]

        @entities(pattern=r"\d+", bare=True)
        def number(self, name: str) -> Count:
            """Any number."""
            return int(name)  # type: ignore[return-value]

        @predicate("author", "wrote", "written")
        def author(self, of: Many[Book]) -> Many[Author]:
            """Who wrote the books."""
            return [f"author of {title}" for title in of]  # type: ignore[return-value, attr-defined]

        @predicate("books", "other books")
        def books_by(self, who: Many[Author]) -> Many[Book]:
            """What the authors wrote."""
            return who  # type: ignore[return-value]

        @predicate("longer than", "more than")
        def longer(self, of: Many[Book], pages: Count) -> Many[Book]:
            """Those with more pages."""
            return of

        @predicate("how many", "number of")
        def count(self, of: Many[object]) -> Count:
            """How many."""
            return len(of)  # type: ignore[arg-type, return-value]

    return Catalogue


def pairs(books: list[str]) -> list[Example[Term]]:
    """Training questions about some of the books."""
    forms = (
        ("who wrote {} ?", "answer(author(book('{}')))"),
        ("the author of {}", "answer(author(book('{}')))"),
        ("list other books by the author of {}", "answer(books_by(author(book('{}'))))"),
        ("how many books did who wrote {} write ?", "answer(count(books_by(author(book('{}')))))"),
        (
            "books longer than 300 by the author of {}",
            "answer(longer(books_by(author(book('{}'))), 300))",
        ),
    )
    return [
        Example(question.format(title.lower()), parse_program(program.format(title)))
        for title, (question, program) in zip(books, itertools.cycle(forms), strict=False)
    ]


def main() -> None:
    """Train, load over both catalogues, and write down what was measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path)
    options.add_argument("--small", type=int, default=100)
    options.add_argument("--large", type=int, default=100_000)
    options.add_argument("--rounds", type=int, default=30)
    given = options.parse_args()
    torch.set_num_threads(1)
    small, large = catalogue(given.small), catalogue(given.large)
    with tempfile.TemporaryDirectory() as place:
        examples = pairs(titles(30))
        data = Dataset("catalogue", "all", train=examples, dev=examples[:5], test=[])
        config = SpanParserConfig(encoder="bilstm", entity_augmentation=0.5)
        settings = TrainingConfig(epochs=10, batch_size=4)
        model = train(
            "span", small(), data, config, settings, folder=Path(place), progress=False
        ).model
        begun = time.perf_counter()
        big = SpanParser.from_pretrained(model, large())
        big.parse(["who wrote the amber anchor of ålesund ?"])
        load = time.perf_counter() - begun
        little = SpanParser.from_pretrained(model, small())
        found = measured(little, big, given.rounds)
    found |= {"small": given.small, "large": given.large, "load_seconds": load}
    found |= {"new": unseen(big, titles(given.large)[given.small :: given.large // 50])}
    found |= {"encoder": config.encoder, "commit": checkout_commit(), "about": about()}
    print(json.dumps(found, indent=1))
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measured(little: SpanParser, big: SpanParser, rounds: int) -> dict[str, float]:
    """Milliseconds a question, medians over questions asked of both in turn."""
    asked = [example.question.replace("300", "250") for example in pairs(titles(100))][::5]
    times: dict[str, list[float]] = {"small": [], "large": []}
    for turn in range(rounds):
        for name, parser in (("small", little), ("large", big)):
            for question in asked:
                begun = time.perf_counter()
                # A blank more each time, so that nothing is taken from what is remembered.
                parser.parse([question + " " * (turn + 1)])
                times[name].append(1000 * (time.perf_counter() - begun))
    found = {f"{name}_ms": statistics.median(values) for name, values in times.items()}
    return {**found, "ratio": found["large_ms"] / found["small_ms"], "questions": len(asked)}


def unseen(parser: SpanParser, books: list[str]) -> dict[str, Any]:
    """Questions about books that the parser was not trained with, in three spellings."""
    spellings = {
        "lower case": str.lower,
        "without diacritics": lambda title: "".join(
            c for c in unicodedata.normalize("NFKD", title.replace("ł", "l"))
            if not unicodedata.combining(c)
        ),
        "a letter missing": misspelt,
    }  # fmt: skip
    found: dict[str, Any] = {"questions": len(books)}
    for name, spell in spellings.items():
        parses = parser.parse([f"who wrote {spell(title)} ?" for title in books])
        wanted = [parse_program(f"answer(author(book({title!r})))") for title in books]
        found[name] = sum(p.meaning == w for p, w in zip(parses, wanted, strict=True))
    return found


def about() -> str:
    """The machine."""
    return f"{platform.machine()}, one thread, Python {platform.python_version()}"


def misspelt(title: str) -> str:
    """The title without the third letter of its longest word."""
    longest = max(title.split(), key=len)
    return title.replace(longest, longest[:2] + longest[3:], 1)


if __name__ == "__main__":
    main()
