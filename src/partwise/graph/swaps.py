"""Words for words: two questions that differ in one word, and their graphs in what it says.

"Who painted M0" and "who mended M0" show that "painted" and "mended" may stand for each other, and
what each of them says. So a word of any other question can be put in the place of such a one.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from partwise.graph.classes.pairs import atoms
from partwise.graph.exchange import Line
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph, Triple, canonical

Saying = tuple[str, str]
"""A word, and what it says: a predicate of edges, or an attribute's predicate with its object."""


class Swaps:
    """The words that may stand for each other.

    Args:
        graph_of: lines of words with their graphs, entities alike.

    Attributes:
        others: for a word and what it says, those that were seen in its place.
        says: for a word all that it may say.
    """

    def __init__(self, graph_of: Mapping[Line, QueryGraph]) -> None:
        self.others: dict[Saying, set[Saying]] = defaultdict(set)
        self.says: dict[str, set[str]] = defaultdict(set)
        around: dict[tuple[Line, Line], list[tuple[str, QueryGraph]]] = defaultdict(list)
        for line, graph in graph_of.items():
            for at, word in enumerate(line):
                around[line[:at], line[at + 1 :]].append((word, graph))
        for some in around.values():
            for (one, graph), (two, other) in pairwise(some):
                if (said := _differ(graph, other)) is not None:
                    first, second = (one, said[0]), (two, said[1])
                    self.others[first].add(second)
                    self.others[second].add(first)
        for word, label in self.others:
            self.says[word].add(label)

    def __call__(
        self,
        example: Example[QueryGraph],
        words: Line,
        share: float,
        draw: random.Random,
    ) -> tuple[Example[QueryGraph], Line]:
        """The example and its words with some of them swapped.

        Args:
            share: probability for each word of which it is sure what it says.
        """
        graph, line = example.meaning, list(words)
        for at in range(len(line)):
            saying = self._saying(graph, line, at)
            if saying is not None and draw.random() < share:
                word, label = draw.choice(sorted(self.others[saying]))
                if label not in atoms(graph):
                    graph, line[at] = _said(graph, saying[1], label), word
        if graph is example.meaning:
            return example, words
        made = replace(example, question=" ".join(line), meaning=graph, context=None, rules=None)
        return made, tuple(line)

    def _saying(self, graph: QueryGraph, line: list[str], at: int) -> Saying | None:
        """What a word says in a graph; None if this, or that no other word says it, is unsure."""
        labels = atoms(graph)
        mine = self.says.get(line[at].lower(), set()) & labels
        if len(mine) != 1:
            return None
        label = next(iter(mine))
        rest = (*line[:at], *line[at + 1 :])
        if any(label in self.says.get(word.lower(), ()) for word in rest):
            return None
        return line[at].lower(), label


def _differ(graph: QueryGraph, other: QueryGraph) -> tuple[str, str] | None:
    """The label of each graph that the other does not have, if they differ in nothing else."""
    mine, yours = atoms(graph) - atoms(other), atoms(other) - atoms(graph)
    if len(mine) != 1 or len(yours) != 1 or len(graph.edges) != len(other.edges):
        return None
    (one,), (two,) = mine, yours
    same = canonical(_said(graph, one, two)) == canonical(other)
    return (one, two) if same else None


def _said(graph: QueryGraph, old: str, new: str) -> QueryGraph:
    """The graph with another label in the place of one of its own."""
    edges = {t._replace(predicate=new) if t.predicate == old else t for t in graph.edges}
    predicate, _, target = new.partition(" ")
    attributes = {
        Triple(t.subject, predicate, target) if f"{t.predicate} {t.object}" == old else t
        for t in graph.attributes
    }
    return QueryGraph(graph.head, frozenset(edges), frozenset(attributes))
