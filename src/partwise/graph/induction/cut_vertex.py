"""Whether a gold graph agrees that some words of its question stand for a node of their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from partwise.graph.grammar.tagging import ENTITY, Tokens
from partwise.graph.induction.patterns import Pattern, Patterns
from partwise.graph.induction.substitution import Use
from partwise.language.query.graph import ANSWER, QueryGraph

LOOKED_AT = 3
"""So many questions of a pattern are looked at."""


class CutVertexTest:
    """Asks the graphs of the questions of a use."""

    def __init__(
        self, patterns: Patterns, questions: Sequence[Tokens], graphs: Sequence[QueryGraph]
    ) -> None:
        self.patterns, self.questions, self.graphs = patterns, questions, graphs
        self.counts: dict[Pattern, frozenset[int]] = {}

    def __call__(self, use: Use) -> bool | None:
        """Whether most of them part at a variable, and as many are left as the attested question
        that is left has."""
        said: Counter[bool] = Counter()
        for occurrence in self.patterns.occurrences[use.pattern][:LOOKED_AT]:
            begin, end = occurrence.spans[use.start][0], occurrence.spans[use.end - 1][1]
            tokens, graph = self.questions[occurrence.number], self.graphs[occurrence.number]
            inside = _entities(tokens, begin, end)
            outside = _entities(tokens, 0, begin) | _entities(tokens, end, len(tokens))
            if not inside & outside:
                said[bool(variables_left(graph, inside, outside) & self._variables(use.left))] += 1
        return said[True] >= said[False] if said else None

    def _variables(self, pattern: Pattern) -> frozenset[int]:
        """How many variables questions of a pattern have."""
        if pattern not in self.counts:
            some = self.patterns.occurrences[pattern]
            self.counts[pattern] = frozenset(
                len(self.graphs[occurrence.number].variables) for occurrence in some
            )
        return self.counts[pattern]


def _entities(tokens: Tokens, begin: int, end: int) -> frozenset[str]:
    return frozenset(tokens.texts[at] for at in range(begin, end) if ENTITY in tokens.classes[at])


def variables_left(
    graph: QueryGraph, inside: frozenset[str], outside: frozenset[str]
) -> frozenset[int]:
    """How many variables may be left when a noun phrase becomes an entity.

    For every variable that parts the entities `inside` from those `outside` and from what is asked
    for: the variables that are neither it nor hang on it alone.
    """
    near: dict[str, set[str]] = defaultdict(set)
    for edge in graph.edges:
        near[edge.subject].add(edge.object)
        near[edge.object].add(edge.subject)
    asked = {ANSWER} if graph.head == "select" else set()
    found: set[int] = set()
    for head in set(graph.variables) - asked:
        parts = _parts(near, head)
        mine = [part for part in parts if part & inside]
        if any(part & (outside | asked) for part in mine):
            continue
        base = len(graph.variables) - 1 - sum(map(_variables_of, mine))
        # A part without entities may belong to the phrase or to the rest.
        sums = {0}
        for part in parts:
            if not part & (inside | outside | asked):
                sums |= {total + _variables_of(part) for total in sums}
        found |= {base - total for total in sums}
    return frozenset(found)


def _variables_of(part: set[str]) -> int:
    return sum(name.startswith("?") for name in part)


def _parts(near: dict[str, set[str]], head: str) -> list[set[str]]:
    """What hangs together without the head."""
    parts: list[set[str]] = []
    for start in sorted(near[head] - {head}):
        if any(start in part for part in parts):
            continue
        part, waiting = {start}, [start]
        while waiting:
            for node in near[waiting.pop()] - part - {head}:
                part.add(node)
                waiting.append(node)
        parts.append(part)
    return parts
