"""The knowledge graph of films, read from the tables that come with the package.

The tables are written by hand. ``films.ttl`` of the core holds the same graph as Turtle, for
SPARQL stores.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from partwise.domains.films.domain import GENDER, NAMESPACE, NATIONALITY, PREFIX, TYPE
from partwise.errors import DataError
from partwise_papers.films.lexicon import OBJECT_TYPES, SUBJECT_TYPES

Fact = tuple[str, str, str]
"""Subject, predicate, object, as queries write them: ``film:Jaws``, ``film:director``, ``a``."""

SYMMETRIC = frozenset({"film:spouse", "film:sibling"})
COMPANY_PREDICATES = frozenset({"film:distributor", "film:productionCompany"})
"""Whose objects are companies where a film is the subject."""
KINDS = ("film", "company", "person", "character")


@dataclass(frozen=True)
class Knowledge:
    """The graph.

    Attributes:
        facts: all its triples but labels.
        labels: name of each thing -> its English label.
        kinds: name of each thing with a type -> one of `KINDS`.
    """

    facts: frozenset[Fact]
    labels: dict[str, str]
    kinds: dict[str, str]


def iri(name: str) -> str:
    """The whole IRI of ``film:Jaws``."""
    return NAMESPACE + name.removeprefix(f"{PREFIX}:")


@cache
def knowledge() -> Knowledge:
    """The graph of the tables."""
    return _Builder().build()


class _Builder:
    """Names the things of the tables and gathers what is said of them."""

    def __init__(self) -> None:
        self.facts: set[Fact] = set()
        self.labels: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def build(self) -> Knowledge:
        films = dict(_blocks("films.txt"))
        for title in films:
            self.thing(title, "film")
        for title, lines in films.items():
            for line in lines:
                self.film(title, *_split(line))
        for file, kind in (("companies.txt", "company"), ("ties.txt", "")):
            for head, lines in _blocks(file):
                for line in lines:
                    key, values = _split(line)
                    subject, predicate = (head, key) if kind else (key, head)
                    for value in values:
                        self.tie(subject, f"film:{predicate}", value)
                if kind:
                    self.thing(head, kind)
        for file, kind in (("people.txt", "person"), ("characters.txt", "character")):
            for head, lines in _blocks(file):
                for label in " ".join(lines).split("; "):
                    self.values(self.thing(label, kind), head)
        self.types()
        return Knowledge(frozenset(self.facts), self.labels, self.kinds)

    def thing(self, label: str, kind: str) -> str:
        """The name of a thing, which gets its kind on first mention."""
        if label not in self.names:
            plain = unicodedata.normalize("NFKD", label.replace("½", " and a Half"))
            ascii_only = plain.encode("ascii", "ignore").decode()
            self.names[label] = f"film:{re.sub(r'[^0-9A-Za-z]+', '_', ascii_only).strip('_')}"
        name = self.names[label]
        if kind == "character" and self.kinds.get(name) == "film":
            name += "_character"
        if self.kinds.setdefault(name, kind) != kind or self.labels.setdefault(name, label) != (
            label
        ):
            raise DataError(f"films tables: {label!r} is a {kind} and a {self.kinds[name]}")
        return name

    def film(self, title: str, key: str, values: list[str]) -> None:
        name, predicate = self.thing(title, "film"), f"film:{key}"
        kind = "company" if predicate in COMPANY_PREDICATES else "person"
        for value in values:
            label, _, character = value.partition(" as ")
            other = self.thing(label, "film" if key == "sequel" else kind)
            self.facts.add((name, predicate, other))
            if character:
                played = self.thing(character, "character")
                self.facts |= {(other, "film:plays", played), (name, "film:character", played)}

    def tie(self, subject: str, predicate: str, value: str) -> None:
        one, other = (self.tied(label, predicate, i) for i, label in enumerate((subject, value)))
        self.facts.add((one, predicate, other))
        if predicate in SYMMETRIC:
            self.facts.add((other, predicate, one))

    def tied(self, label: str, predicate: str, place: int) -> str:
        """A side of a tie: people and companies may be new there, characters are known."""
        known = self.characters.get(label)
        if known is not None:
            return known
        companies = {
            "film:acquiredBy": (0, 1),
            "film:subsidiary": (0, 1),
            "film:employer": (1,),
            "film:founder": (0,),
        }
        return self.thing(label, "company" if place in companies.get(predicate, ()) else "person")

    @property
    def characters(self) -> dict[str, str]:
        return {self.labels[name]: name for name, kind in self.kinds.items() if kind == "character"}

    def values(self, name: str, head: str) -> None:
        gender, *nationalities = head.split()
        self.facts.add((name, GENDER, f"film:{gender}"))
        self.facts |= {(name, NATIONALITY, f"film:{value}") for value in nationalities}

    def types(self) -> None:
        """Types of things by their kind and by what they did."""
        found = {(name, f"film:{kind.capitalize()}") for name, kind in self.kinds.items()}
        for subject, predicate, value in self.facts:
            if predicate in OBJECT_TYPES:
                found.add((value, OBJECT_TYPES[predicate]))
            if predicate in SUBJECT_TYPES:
                found.add((subject, SUBJECT_TYPES[predicate]))
            if predicate in (GENDER, NATIONALITY):
                self.labels[value] = value.removeprefix("film:")
        self.facts |= {(name, TYPE, type_) for name, type_ in found}


def _blocks(file: str) -> Iterator[tuple[str, list[str]]]:
    """Lines at the margin, each with the indented lines below it; ``#`` begins a comment."""
    place = files("partwise_papers.films").joinpath("tables", file)
    head: str | None = None
    lines: list[str] = []
    for line in place.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            lines.append(line.strip())
            continue
        if head is not None:
            yield head, lines
        head, lines = line.strip(), []
    if head is not None:
        yield head, lines


def _split(line: str) -> tuple[str, list[str]]:
    key, _, values = line.partition(": ")
    return key, values.split("; ")
