"""Examples and data sets, whatever their meanings are."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

M = TypeVar("M")
"""What a question means: a program, a query graph, or a text."""

PARTS = ("train", "dev", "test")

Span = tuple[int, int, str]
"""A labelled span, ``(start, end, category)``, end excluded."""

JOIN_LABEL = "join"
"""How `Span` names composed spans."""


class RuleGraph(NamedTuple):
    """How a generated example came about, as a directed acyclic graph of rule applications.

    Attributes:
        rules: name of the rule at each node, without entity names.
        edges: (place of a rule, place of a rule that it was applied to the outcome of).
    """

    rules: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Example(Generic[M]):
    """A question with its meaning.

    Attributes:
        source: where it was read, as ``train.jsonl:17`` (lines count from 1).
        id: a name that is the same in every split, or None if the data has none.
        context: what the question is about where that differs from question to question (a
            scene), or what its placeholders stand for; `Domain.run` takes it.
        answer: what the data say the denotation is, as `Domain.denotation` gives it; None if they
            do not say.
        group: what kind of question it is, for metrics by kind; "" if the data do not say.
        spans: an annotated span tree, with "join" for composed spans; None without one.
        official: whether the meaning is as published; False for one that was recovered or made.
        rules: how it came about, where that is known.
    """

    question: str
    meaning: M
    source: str = ""
    id: str | None = None
    context: Hashable | None = None
    answer: Hashable | None = None
    group: str = ""
    spans: tuple[Span, ...] | None = None
    official: bool = True
    rules: RuleGraph | None = None


@dataclass
class Dataset(Generic[M]):
    """One split of a data set; `skipped` holds a message for each line that was left out."""

    name: str
    split: str
    train: list[Example[M]]
    dev: list[Example[M]]
    test: list[Example[M]]
    skipped: list[str] = field(default_factory=list)

    def parts(self) -> dict[str, list[Example[M]]]:
        """The three parts by name, in the order train, dev, test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}
