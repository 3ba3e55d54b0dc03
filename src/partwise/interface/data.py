"""Examples and data sets, whatever their meanings are, and what is known of a data set before it is
read."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

M = TypeVar("M")
"""What a question means: a program, a query graph, or a text."""

PARTS = ("train", "dev", "test")

Span = tuple[int, int, str]
"""A labelled span, ``(start, end, category)``, end excluded."""

JOIN_LABEL = "join"
"""How `Span` names composed spans."""


class RuleGraph(NamedTuple):
    """How a generated example came about, as a directed acyclic graph of rule applications: the
    name of the rule at each node, without entity names, and edges ``(place of a rule, place of a
    rule that it was applied to the outcome of)``."""

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


Reader = Callable[..., Dataset[Any]]
"""Reads a split from the folder of a data set: ``reader(folder, split, skip_bad=False)``.

With `skip_bad` bad lines are left out and listed; else they raise DataError, as do missing files. A
reader may have a further argument, ``texts``, a dict that takes the meanings as they stand in the
files by the source of their examples.
"""
Maker = Callable[..., Dataset[Any]]
"""Makes a split of a data set that comes with a package: ``maker(split, skip_bad=False)``."""


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is read; `read` or `make` must be given.

    Attributes:
        domain: name of its domain, a plug-in.
        description: what it is; a data set that was made again and not published says so here.
        read: reads a split from the data set's folder.
        make: makes a split of a data set that comes with a package, without a folder.
        note: what every table of metrics on a folder must say, as that its files are not the
            published ones; "" for nothing.
        settings: what `Parser.presets` is given as suggestions of the data, as a smaller encoder
            where the words are few.
    """

    name: str
    domain: str
    splits: tuple[str, ...]
    description: str
    read: Reader | None = None
    make: Maker | None = None
    note: Callable[[Path], str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shipped(self) -> bool:
        return self.make is not None
