"""Noun phrases without phrase rules: what stands where an entity does in another question.

Of "was M0 married to M1 's heir" and "was M0 married to M1", one is made of the other by putting
words in the place of an entity. If the one graph is the other with something in the place of the
entity, too, then "M1 's heir" is a noun phrase, and this something is its own part of the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from partwise.graph.components import components
from partwise.graph.grammar.tagging import TaggedTokens
from partwise.language.query_graph import ANSWER, QueryGraph, Triple, canonical
from partwise.language.query_graph import ENTITY as PLACEHOLDER

LONGEST = 12
"""Words of the longest phrase."""
SEEN = 2
"""So often a phrase must be seen that is not made of others."""
PLACE = "M"
"""What entities are read as."""
Line = tuple[str, ...]


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase with the part of a graph that is its own.

    Attributes:
        words: of the question.
        head: the variable that it stands for.
        entities: that it mentions, in order.
    """

    words: tuple[str, ...]
    head: str
    entities: tuple[str, ...]
    edges: frozenset[Triple]
    attributes: frozenset[Triple]


def spelled(tokens: TaggedTokens) -> Line:
    """The words as they stand in the question."""
    return tuple(tokens.question.text[start:end] for start, end in tokens.question.offsets)


def graphs_of(
    questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph]
) -> dict[Line, QueryGraph]:
    """The graphs of questions with all entities as `PLACE`, which are numbered from the left."""
    graph_of: dict[Line, QueryGraph] = {}
    for tokens, graph in zip(questions, graphs, strict=True):
        line, entities = _line(tokens)
        if len(set(entities)) == len(entities) and set(graph.entities) <= set(entities):
            names = {name: f"M{number}" for number, name in enumerate(entities)}
            graph_of.setdefault(line, _plain(graph).renamed(names))
    return graph_of


def exchanged(graph_of: Mapping[Line, QueryGraph]) -> list[NounPhrase]:
    """The noun phrases that stand in the place of an entity."""
    whole = {line: canonical(graph) for line, graph in graph_of.items()}
    times: Counter[Line] = Counter()
    made: dict[tuple[Line, QueryGraph], NounPhrase] = {}
    for line, graph in graph_of.items():
        before = list(accumulate((word == PLACE for word in line), initial=0))
        for start, end in _stretches(line) if graph.variables else ():
            other = whole.get((*line[:start], PLACE, *line[end:]))
            if other is not None and other.head == graph.head:
                phrase = _phrase(line[start:end], graph, other, before[start], before[end])
                if phrase is not None:
                    times[line[start:end]] += 1
                    made.setdefault((line[start:end], _part(phrase)), phrase)
    sure = _sure(times)
    return [phrase for (line, _), phrase in made.items() if line in sure]


def _sure(times: Mapping[Line, int]) -> set[Line]:
    """The phrases that were seen more than once, and those that are made of such ones."""
    sure = {line for line, n in times.items() if n >= SEEN}
    for line in sorted(times.keys() - sure, key=len):
        made = ((*line[:start], PLACE, *line[end:]) for start, end in _stretches(line, sure))
        if any(one in sure for one in made):
            sure.add(line)
    return sure


def _plain(graph: QueryGraph) -> QueryGraph:
    """The graph without filters, which follow from its predicates."""
    return QueryGraph(graph.head, graph.edges, graph.attributes)


def _part(phrase: NounPhrase) -> QueryGraph:
    """The part of a graph, with the same names wherever it stands."""
    part = QueryGraph("ask", phrase.edges, phrase.attributes)
    names = {name: f"M{number}" for number, name in enumerate(phrase.entities)}
    return canonical(part.renamed({**names, phrase.head: PLACE}))


def _line(tokens: TaggedTokens) -> tuple[Line, list[str]]:
    """The words, entities as `PLACE`, and the entities in order."""
    names = [word.upper() for word in tokens.question.words]
    places = [PLACEHOLDER.fullmatch(name) is not None for name in names]
    words = zip(tokens.question.words, places, strict=True)
    entities = [name for name, place in zip(names, places, strict=True) if place]
    return tuple(PLACE if place else word for word, place in words), entities


def _stretches(line: Line, known: Collection[Line] | None = None) -> Iterator[tuple[int, int]]:
    """Starts and ends of what may be a phrase, or of those of these that are known."""
    for start in range(len(line)):
        for end in range(start + 1, min(len(line), start + LONGEST) + 1):
            some = line[start:end]
            if len(some) < len(line) and some != (PLACE,) and (known is None or some in known):
                yield start, end


def _phrase(
    words: Line, graph: QueryGraph, other: QueryGraph, first: int, end: int
) -> NounPhrase | None:
    """The noun phrase with entities of these numbers, if the other graph says that it is one."""
    later = end - first - 1
    names = {name: f"M{int(name[1:]) - later}" for name in graph.entities if int(name[1:]) >= end}
    inside = {f"M{number}" for number in range(first, end)}
    for head in graph.variables:
        mine = _behind(graph, head, inside)
        edges = frozenset(t for t in graph.edges if {t.subject, t.object} <= mine)
        attributes = frozenset(t for t in graph.attributes if t.subject in mine)
        left = len(graph.triples) - len(edges) - len(attributes)
        if mine and left == len(other.triples):
            kept = QueryGraph("ask", graph.edges - edges, graph.attributes - attributes)
            kept = kept.renamed({**names, head: f"M{first}"})
            if canonical(QueryGraph(graph.head, kept.edges, kept.attributes)) == other:
                entities = tuple(f"M{number}" for number in range(first, end))
                numbers = iter(entities)
                said = tuple(next(numbers) if word == PLACE else word for word in words)
                return NounPhrase(said, head, entities, edges, attributes)
    return None


def _behind(graph: QueryGraph, head: str, inside: set[str]) -> set[str]:
    """A variable and the nodes that it alone connects to the rest; none if it is asked for."""
    asked = {ANSWER} if graph.head == "select" else set()
    outside = ({*graph.entities} - inside) | asked
    if head in asked:
        return set()
    parts = components({*graph.nodes} - {head}, ((s, o) for s, _, o in graph.edges))
    mine = {head}.union(*(part for part in parts if not part & outside))
    return mine if inside & graph.nodes <= mine else set()
