"""More training questions from the given ones: phrases in the place of others.

"Did M0 direct M1" and "was M2 edited by a child of M3" give "did a child of M2 direct M1": the
words of a noun phrase are put in the place of an entity, and its graph is grafted where the entity
was. Words are a noun phrase, in any language, if they stand where an entity does in another
question, whose graph is the same but for the phrase's part. And two questions that differ in one
word show what it says, so that it may be swapped for the other.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from partwise.graph.alignment import components
from partwise.graph.classes.learn import atoms
from partwise.graph.flat import FlatItem, FlatStrategy
from partwise.graph.grammar.phrases import AND, COMMA
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens, Tagger
from partwise.graph.induction.patterns import put, stretches
from partwise.interface.data import Example
from partwise.language.query_graph import ANSWER, QueryGraph, Triple, canonical
from partwise.language.query_graph import ENTITY as PLACEHOLDER

LONGEST = 12
"""Words of the longest phrase."""
SEEN = 2
"""So often a phrase must be seen that is not made of others."""
PLACE = "M"
"""What entities are read as."""
TRIES = 4
"""How often a place and a phrase are drawn before a question is left as it was."""
Line = tuple[str, ...]
Saying = tuple[str, str]
"""A word, and what it says: a predicate of edges, or an attribute's predicate with its object."""


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase: its words, its variable, its entities in order, its part of the graph."""

    words: Line
    head: str
    entities: tuple[str, ...]
    part: QueryGraph


def spell(tokens: TaggedTokens) -> Line:
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
            # Filters follow from the predicates.
            plain = QueryGraph(graph.head, graph.edges, graph.attributes)
            graph_of.setdefault(line, plain.rename(names))
    return graph_of


def exchange_phrases(graph_of: Mapping[Line, QueryGraph]) -> list[NounPhrase]:
    """The noun phrases that stand in the place of an entity."""
    whole = {line: canonical(graph) for line, graph in graph_of.items()}
    times: Counter[Line] = Counter()
    made: dict[tuple[Line, QueryGraph], NounPhrase] = {}
    for line, graph in graph_of.items():
        before = list(accumulate((word == PLACE for word in line), initial=0))
        for start, end in _stretches(line) if graph.variables else ():
            words, other = line[start:end], whole.get(put(line, start, end, PLACE))
            if other is not None and other.head == graph.head:
                phrase = _phrase(words, graph, other, before[start], before[end])
                if phrase is not None:
                    times[words] += 1
                    names = {name: f"M{number}" for number, name in enumerate(phrase.entities)}
                    part = phrase.part.rename({**names, phrase.head: PLACE})
                    made.setdefault((words, canonical(part)), phrase)
    sure = _sure(times)
    return [phrase for (line, _), phrase in made.items() if line in sure]


def _sure(times: Mapping[Line, int]) -> set[Line]:
    """The phrases that were seen more than once, and those that are made of such ones."""
    sure = {line for line, n in times.items() if n >= SEEN}
    for line in sorted(times.keys() - sure, key=len):
        if any(put(line, *place, PLACE) in sure for place in _stretches(line, sure)):
            sure.add(line)
    return sure


def _line(tokens: TaggedTokens) -> tuple[Line, list[str]]:
    """The words, entities as `PLACE`, and the entities in order."""
    names = [word.upper() for word in tokens.question.words]
    places = [PLACEHOLDER.fullmatch(name) is not None for name in names]
    words = zip(tokens.question.words, places, strict=True)
    entities = [name for name, place in zip(names, places, strict=True) if place]
    return tuple(PLACE if place else word for word, place in words), entities


def _stretches(line: Line, known: Collection[Line] | None = None) -> Iterator[tuple[int, int]]:
    """Starts and ends of what may be a phrase, or of those of these that are known."""
    for start, end in stretches(line, LONGEST):
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
        part = QueryGraph("ask", edges, attributes)
        if mine and len(graph.triples) - len(part.triples) == len(other.triples):
            kept = QueryGraph(
                graph.head, graph.edges - part.edges, graph.attributes - part.attributes
            )
            if canonical(kept.rename({**names, head: f"M{first}"})) == other:
                entities = tuple(f"M{number}" for number in range(first, end))
                numbers = iter(entities)
                spoken = tuple(next(numbers) if word == PLACE else word for word in words)
                return NounPhrase(spoken, head, entities, part)
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
        self, example: Example[QueryGraph], words: Line, share: float, draw: random.Random
    ) -> tuple[Example[QueryGraph], Line]:
        """The example and its words, those of sure meaning swapped with probability `share`."""
        graph, line = example.meaning, list(words)
        for at in range(len(line)):
            saying = self._saying(graph, line, at)
            if saying is not None and draw.random() < share:
                word, label = draw.choice(sorted(self.others[saying]))
                if label not in atoms(graph):
                    graph, line[at] = _relabel(graph, saying[1], label), word
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
    same = canonical(_relabel(graph, one, two)) == canonical(other)
    return (one, two) if same else None


def _relabel(graph: QueryGraph, old: str, new: str) -> QueryGraph:
    """The graph with another label in the place of one of its own."""
    edges = {t._replace(predicate=new) if t.predicate == old else t for t in graph.edges}
    predicate, _, target = new.partition(" ")
    attributes = {
        Triple(t.subject, predicate, target) if f"{t.predicate} {t.object}" == old else t
        for t in graph.attributes
    }
    return QueryGraph(graph.head, frozenset(edges), frozenset(attributes))


def item_recombination(strategy: FlatStrategy) -> Callable[[Any, random.Random], Any]:
    """What draws another training item of a flat parser in an item's place, again in each epoch."""
    share = strategy.config.recombination
    recombiner = Recombiner(strategy.examples, strategy.tagger)

    def vary(item: FlatItem, draw: random.Random) -> FlatItem:
        example = recombiner(item.example, share, draw)
        return item if example is item.example else strategy.item(example)

    return vary


class Recombiner:
    """Puts noun phrases of training questions in the places of entities of others. No made question
    is longer, or has more variables, than the longest or largest one given."""

    def __init__(self, examples: Sequence[Example[QueryGraph]], tagger: Tagger) -> None:
        tokens = [tagger(example.question) for example in examples]
        graphs = [example.meaning for example in examples]
        self.words = {e.question: spell(t) for e, t in zip(examples, tokens, strict=True)}
        self.longest = max((len(some.question) for some in tokens), default=0)
        self.most = max((len(graph.variables) for graph in graphs), default=0)
        graph_of = graphs_of(tokens, graphs)
        self.phrases, self.swaps = exchange_phrases(graph_of), Swaps(graph_of)
        self.places = {some.question.text: mentions(some) for some in tokens}

    def __call__(
        self, example: Example[QueryGraph], share: float, draw: random.Random
    ) -> Example[QueryGraph]:
        """The example, each entity that stands alone replaced by a phrase with this probability."""
        words = self.words.get(example.question, ())
        made, words = self.swaps(example, words, share, draw)
        # From the right, so that places further left stay where they are.
        for place in sorted(self.places.get(example.question, []), reverse=True):
            if self.phrases and draw.random() < share:
                for _ in range(TRIES):
                    grafted = self._graft(made, words, place, draw.choice(self.phrases))
                    if grafted is not None:
                        made, words = grafted
                        break
        return made

    def _graft(
        self,
        example: Example[QueryGraph],
        words: tuple[str, ...],
        place: tuple[int, int],
        phrase: NounPhrase,
    ) -> tuple[Example[QueryGraph], tuple[str, ...]] | None:
        graph, (start, end), entity = example.meaning, place, words[place[0]]
        variables = sorted({*phrase.part.variables, phrase.head})
        longer = len(words) + len(phrase.words) - 1 > self.longest
        if longer or len(graph.variables) + len(variables) > self.most:
            return None
        names = _fresh("M", {*graph.entities, entity}, phrase.entities)
        names |= _fresh("?x", {*graph.variables, ANSWER}, variables)
        whole = graph.rename({entity: names[phrase.head]})
        part = phrase.part.rename(names)
        edges, attributes = whole.edges | part.edges, whole.attributes | part.attributes
        grafted = (names.get(word, word) for word in phrase.words)
        line = (*words[:start], *grafted, *words[end:])
        meaning = QueryGraph(whole.head, edges, attributes)
        question = " ".join(line)
        made = replace(example, question=question, meaning=meaning, context=None, rules=None)
        return made, line


def _fresh(prefix: str, taken: Collection[str], names: Sequence[str]) -> dict[str, str]:
    """New names for some, none of them taken."""
    free = (f"{prefix}{number}" for number in range(len(taken) + len(names) + 1))
    return dict(zip(names, (name for name in free if name not in taken), strict=False))


def mentions(tokens: TaggedTokens) -> list[tuple[int, int]]:
    """Words of entities that are mentioned once, and in no list: start and end."""
    named = [t for t, kinds in zip(tokens.texts, tokens.classes, strict=True) if ENTITY in kinds]
    around = zip(("", *tokens.texts), (*tokens.texts[1:], ""), strict=False)
    places = zip(tokens.texts, tokens.spans, around, strict=True)
    return [s for t, s, near in places if named.count(t) == 1 and not {*near} & {AND, COMMA}]
