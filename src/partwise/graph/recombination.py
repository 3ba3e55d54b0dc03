"""More training questions from the given ones: a noun phrase in the place of an entity.

"Did M0 direct M1" and "was M2 edited by a child of M3" give "did a child of M2 direct M1": the
words of the phrase are put in the entity's place, and its graph is grafted where the entity was.
The constituency trees and their alignment with the gold graphs tell which words are a noun phrase,
and which part of the graph is its own; the phrase rules are learned (`partwise.graph.induction`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from partwise.graph.alignment.aligner import Alignment
from partwise.graph.alignment.corpus import align_all
from partwise.graph.alignment.links import Images
from partwise.graph.exchange import NounPhrase, exchanged, graphs_of, spelled
from partwise.graph.flat import FlatItem, FlatStrategy
from partwise.graph.grammar.chart import Constituent
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.rules import AND, COMMA
from partwise.graph.grammar.tagging import ENTITY, TaggedTokens, Tagger
from partwise.graph.induction.patterns import THING
from partwise.graph.induction.rules import induce_rules
from partwise.graph.swaps import Swaps
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import ANSWER, QueryGraph

TREES = 4
"""So many trees of a question are aligned."""
TRIES = 4
"""How often a place and a phrase are drawn before a question is left as it was."""
Vary = Callable[[Any, random.Random], Any]


def item_recombination(strategy: FlatStrategy) -> Vary:
    """What draws another training item of a flat parser in an item's place, again in each epoch."""
    share = strategy.config.recombination
    learned = strategy.vocabularies.classes is not None
    recombiner = Recombiner(strategy.examples, strategy.domain, strategy.tagger, not learned)

    def vary(item: FlatItem, draw: random.Random) -> FlatItem:
        example = recombiner(item.example, share, draw)
        return item if example is item.example else strategy.item(example)

    return vary


class Recombiner:
    """Puts noun phrases of training questions in the places of entities of others.

    No made question is longer, or has more variables, than the longest or largest one given.

    Args:
        examples: where phrases come from, and whose entities may be replaced.
        by_rules: whether noun phrases are found by learned phrase rules; else they are what stands
            in the place of entities in other questions, in any language.
    """

    def __init__(
        self,
        examples: Sequence[Example[QueryGraph]],
        domain: GraphDomain,
        tagger: Tagger | None = None,
        by_rules: bool = True,
    ) -> None:
        tagger = tagger or Tagger(domain)
        tokens = [tagger(example.question) for example in examples]
        graphs = [example.meaning for example in examples]
        self.phrases: list[NounPhrase] = []
        self.swaps: Swaps | None = None
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.words = {e.question: spelled(t) for e, t in zip(examples, tokens, strict=True)}
        self.longest = max((len(some.question) for some in tokens), default=0)
        self.most = max((len(graph.variables) for graph in graphs), default=0)
        if not by_rules:
            graph_of = graphs_of(tokens, graphs)
            self.phrases, self.swaps = exchanged(graph_of), Swaps(graph_of)
            self.places = {some.question.text: mentions(some, (AND, COMMA)) for some in tokens}
            return
        rules = induce_rules(tokens, graphs, domain.words)
        if not rules:
            return
        parser = ConstituencyParser(rules, TREES)
        trees = [parser.trees(some) for some in tokens]

        def learn(number: int, chosen: int, alignment: Alignment) -> None:
            tree, some = trees[number][chosen][0], tokens[number]
            self.places[examples[number].question] = places(tree, some)
            self.phrases += noun_phrases(tree, some, graphs[number], alignment.images)

        pairs = zip(trees, graphs, strict=True)
        align_all([([question for _, question in some], graph) for some, graph in pairs], learn)

    def __call__(
        self, example: Example[QueryGraph], share: float, draw: random.Random
    ) -> Example[QueryGraph]:
        """The example with entities replaced by noun phrases that are drawn at random.

        Args:
            share: probability for each entity that stands alone.
        """
        words, made = self.words.get(example.question, ()), example
        if self.swaps is not None:
            made, words = self.swaps(made, words, share, draw)
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
        inner = {node for t in phrase.edges for node in (t.subject, t.object)} | {phrase.head}
        variables = sorted(name for name in inner if name.startswith("?"))
        longer = len(words) + len(phrase.words) - 1 > self.longest
        if longer or len(graph.variables) + len(variables) > self.most:
            return None
        names = _fresh("M", {*graph.entities, entity}, phrase.entities)
        names |= _fresh("?x", {*graph.variables, ANSWER}, variables)
        whole = graph.renamed({entity: names[phrase.head]})
        part = QueryGraph("ask", phrase.edges, phrase.attributes).renamed(names)
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


def places(tree: Constituent, tokens: TaggedTokens) -> list[tuple[int, int]]:
    """Words of entities that stand alone, each mentioned once: start and end, the end excluded."""
    alone = {
        tokens.spans[one.start]
        for one in tree.constituents()
        if one.category == THING and one.end == one.start + 1
    }
    return [span for span in mentions(tokens) if span in alone]


def mentions(tokens: TaggedTokens, beside: Collection[str] = ()) -> list[tuple[int, int]]:
    """Words of entities that are mentioned once: start and end, the end excluded.

    Args:
        beside: tokens that the entity does not stand beside.
    """
    named = [t for t, kinds in zip(tokens.texts, tokens.classes, strict=True) if ENTITY in kinds]
    around = zip(("", *tokens.texts), (*tokens.texts[1:], ""), strict=False)
    places = zip(tokens.texts, tokens.spans, around, strict=True)
    return [s for t, s, near in places if named.count(t) == 1 and not {*near} & {*beside}]


def noun_phrases(
    tree: Constituent, tokens: TaggedTokens, graph: QueryGraph, images: Images
) -> list[NounPhrase]:
    """The noun phrases of a question whose heads alone connect their graphs to the rest."""
    numbers = {id(one): number for number, one in enumerate(tree.constituents())}
    things = [one for one in tree.constituents() if one.category == THING]
    phrases: list[NounPhrase] = []
    for one in things:
        within = {numbers[id(inner)] for inner in one.constituents()}
        within |= {-1 - at for at in range(one.start, one.end)}
        beside = {numbers[id(other)] for other in things} - within
        head = images.get(numbers[id(one)], ())
        # A phrase beside it that is the same node, or one that it stands in, may say what the
        # node is: then this phrase's part of the graph cannot be told.
        alone = not any(set(head) & set(images.get(node, ())) for node in beside)
        if len(head) == 1 and head[0].startswith("?") and alone:
            words = spelled(tokens)[tokens.spans[one.start][0] : tokens.spans[one.end - 1][1]]
            mine = {name for node, names in images.items() if node in within for name in names}
            rest = {name for node, names in images.items() if node not in within for name in names}
            phrases += _noun_phrases(words, head[0], graph, mine, rest)
    return phrases


def _noun_phrases(
    words: tuple[str, ...], head: str, graph: QueryGraph, mine: set[str], rest: set[str]
) -> Iterator[NounPhrase]:
    """The noun phrase of some nodes; none if more than its head connects them to the rest."""
    asked = {ANSWER} if graph.head == "select" else set()
    crossing = (t for t in graph.edges if (t.subject in mine) != (t.object in mine))
    if not mine & (asked | rest - {head}) and all(head in edge for edge in crossing):
        edges = frozenset(t for t in graph.edges if {t.subject, t.object} <= mine)
        attributes = frozenset(t for t in graph.attributes if t.subject in mine)
        entities = tuple(dict.fromkeys(word for word in words if word in graph.entities))
        yield NounPhrase(words, head, entities, edges, attributes)
