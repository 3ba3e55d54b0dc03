"""Examples of questions with query graphs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from partwise.language.query.graph import QueryGraph


class RuleGraph(NamedTuple):
    """How an example came about, as a directed acyclic graph of rule applications.

    Attributes:
        rules: name of the rule at each node; entity names are normalised away.
        edges: (place of a rule, place of a rule that it was applied to the outcome of).
    """

    rules: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class GraphExample:
    """A question with its query graph.

    Attributes:
        question: words with a blank between, entities as M0, M1, ...
        source: where it was read, as ``mcd1.train.tsv.gz:17`` (lines count from 1).
        official: whether the query is as published; False for one that was recovered or made.
        bindings: the entities' IRIs or names by placeholder, where the data give them.
        rules: how it came about, where that is known.
    """

    question: str
    graph: QueryGraph
    source: str = ""
    official: bool = True
    bindings: tuple[tuple[str, str], ...] = ()
    rules: RuleGraph | None = None


@dataclass
class GraphDataset:
    """One split of a data set; `skipped` holds a message for each line that was left out."""

    name: str
    split: str
    train: list[GraphExample]
    dev: list[GraphExample]
    test: list[GraphExample]
    skipped: list[str] = field(default_factory=list)

    def parts(self) -> dict[str, list[GraphExample]]:
        """The three parts by name, in the order train, dev, test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}
