"""Cut-vertex test: whether some words of a question stand for a node of its gold graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from partwise.graph.components import components
from partwise.graph.grammar.tagging import ENTITY, TaggedTokens
from partwise.graph.induction.patterns import Patterns
from partwise.graph.induction.substitution import Use
from partwise.language.query_graph import ANSWER, QueryGraph

LOOKED_AT = 3
"""So many questions of a pattern are looked at."""


class CutVertexTest:
    """Asks the graphs of the questions of a use."""

    def __init__(
        self, patterns: Patterns, questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph]
    ) -> None:
        self.patterns, self.questions, self.graphs = patterns, questions, graphs
        self.variables = {
            pattern: {len(graphs[number].variables) for number, _ in some}
            for pattern, some in patterns.occurrences.items()
        }

    def __call__(self, use: Use) -> bool | None:
        """Whether in most of them a variable cuts the string's entities off from the rest.

        As many variables must be left as the attested question that is left has. None if the
        graphs cannot tell.
        """
        votes: Counter[bool] = Counter()
        attested = self.variables[use.left]
        for number, spans in self.patterns.occurrences[use.pattern][:LOOKED_AT]:
            begin, end = spans[use.start][0], spans[use.end - 1][1]
            tokens = self.questions[number]
            inside = _entities(tokens, begin, end)
            outside = _entities(tokens, 0, begin) | _entities(tokens, end, len(tokens))
            if not inside & outside:
                votes[bool(variables_left(self.graphs[number], inside, outside) & attested)] += 1
        return votes[True] >= votes[False] if votes else None


def _entities(tokens: TaggedTokens, begin: int, end: int) -> frozenset[str]:
    return frozenset(tokens.texts[at] for at in range(begin, end) if ENTITY in tokens.classes[at])


def variables_left(
    graph: QueryGraph, inside: frozenset[str], outside: frozenset[str]
) -> frozenset[int]:
    """How many variables may be left when a noun phrase becomes an entity.

    For every variable that cuts the entities `inside` off from those `outside` and from what is
    asked for: the variables that are neither it nor connected by it alone.
    """
    edges = [(edge.subject, edge.object) for edge in graph.edges]
    asked = {ANSWER} if graph.head == "select" else set()
    left: set[int] = set()
    for head in set(graph.variables) - asked:
        beside = {end for edge in edges if head in edge for end in edge}
        parts = [p for p in components(set(graph.nodes) - {head}, edges) if p & beside]
        mine = [part for part in parts if part & inside]
        if any(part & (outside | asked) for part in mine):
            continue
        least = 1 + sum(map(_variables, mine))
        # A part without entities may belong to the phrase or to the rest.
        sums = {len(graph.variables) - least}
        for part in parts:
            if not part & (inside | outside | asked):
                sums |= {total - _variables(part) for total in sums}
        left |= sums
    return frozenset(left)


def _variables(part: set[str]) -> int:
    return sum(name.startswith("?") for name in part)
