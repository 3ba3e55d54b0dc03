"""More training questions from the given ones: a noun phrase in the place of an entity.

"Did M0 direct M1" and "was M2 edited by a child of M3" give "did a child of M2 direct M1": the
words of the phrase are put in the entity's place, and its graph is grafted where the entity was.
Which words are a noun phrase, and which part of the graph is its own, the phrase trees and their
alignment with the gold graphs say; the phrase rules are learned (`partwise.graph.induction`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from partwise.graph.induction.patterns import THING
from partwise.graph.induction.rules import induce_rules
from partwise.graph.phrases.align import Alignment, Images
from partwise.graph.phrases.chart import Phrase
from partwise.graph.phrases.examples import align_all
from partwise.graph.phrases.reader import PhraseReader
from partwise.graph.phrases.tagging import ENTITY, Tagger, Tokens
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import ANSWER, QueryGraph, Triple

TREES = 4
"""So many trees of a question are aligned."""
TRIES = 4
"""How often a place and a phrase are drawn before a question is left as it was."""


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


class Grafting:
    """Puts noun phrases of training questions in the places of entities of others.

    No made question is longer, or has more variables, than the longest or largest one given.

    Args:
        examples: where phrases come from, and whose entities may be replaced.
    """

    def __init__(self, examples: Sequence[Example[QueryGraph]], domain: GraphDomain) -> None:
        tagger = Tagger(domain)
        tokens = [tagger(example.question) for example in examples]
        graphs = [example.meaning for example in examples]
        self.phrases: list[NounPhrase] = []
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.words = {e.question: _words(t) for e, t in zip(examples, tokens, strict=True)}
        self.longest = max((len(some.question) for some in tokens), default=0)
        self.most = max((len(graph.variables) for graph in graphs), default=0)
        rules = induce_rules(tokens, graphs, domain.words)
        if not rules:
            return
        reader = PhraseReader(rules, domain.words, TREES)
        trees = [reader.trees(some) for some in tokens]

        def learn(number: int, tree: int, alignment: Alignment) -> None:
            phrase = trees[number][tree][0]
            self.places[examples[number].question] = places(phrase, tokens[number])
            self.phrases += noun_phrases(phrase, tokens[number], graphs[number], alignment.images)

        pairs = zip(trees, graphs, strict=True)
        align_all([([pieces for _, pieces in some], graph) for some, graph in pairs], learn)

    def __call__(
        self, example: Example[QueryGraph], share: float, draw: random.Random
    ) -> Example[QueryGraph]:
        """The example with entities replaced by noun phrases that are drawn at random.

        Args:
            share: probability for each entity that stands alone.
        """
        words, made = self.words.get(example.question, ()), example
        # From the right, so that places further left stay where they are.
        for place in sorted(self.places.get(example.question, []), reverse=True):
            if self.phrases and draw.random() < share:
                for _ in range(TRIES):
                    found = self._graft(made, words, place, draw.choice(self.phrases))
                    if found is not None:
                        made, words = found
                        break
        return made

    def _graft(
        self,
        example: Example[QueryGraph],
        words: tuple[str, ...],
        place: tuple[int, int],
        phrase: NounPhrase,
    ) -> tuple[Example[QueryGraph], tuple[str, ...]] | None:
        graph = example.meaning
        entity = words[place[0]]
        inner = {t.subject for t in phrase.edges} | {t.object for t in phrase.edges}
        variables = [name for name in sorted(inner | {phrase.head}) if name.startswith("?")]
        if (
            len(words) + len(phrase.words) - 1 > self.longest
            or len(graph.variables) + len(variables) > self.most
        ):
            return None
        names = _fresh("M", set(graph.entities) | {entity}, phrase.entities)
        names |= _fresh("?x", {*graph.variables, ANSWER}, variables)
        grafted = [names.get(word, word) for word in phrase.words]
        whole = graph.renamed({entity: names[phrase.head]})
        part = QueryGraph("ask", phrase.edges, phrase.attributes).renamed(names)
        spelled = (*words[: place[0]], *grafted, *words[place[1] :])
        made = replace(
            example,
            question=" ".join(spelled),
            meaning=QueryGraph(
                whole.head, whole.edges | part.edges, whole.attributes | part.attributes
            ),
            context=None,
            rules=None,
        )
        return made, spelled


def _fresh(prefix: str, taken: set[str], names: Sequence[str]) -> dict[str, str]:
    """New names for some, none of them taken."""
    free = (f"{prefix}{number}" for number in range(len(taken) + len(names) + 1))
    unused = [name for name in free if name not in taken]
    return dict(zip(names, unused, strict=False))


def places(tree: Phrase, tokens: Tokens) -> list[tuple[int, int]]:
    """Words of entities that stand alone, each mentioned once: start and end, the end excluded."""
    mentions = [
        text for text, kinds in zip(tokens.texts, tokens.classes, strict=True) if ENTITY in kinds
    ]
    found = []
    for phrase in tree.phrases():
        at = phrase.start
        alone = phrase.category == THING and phrase.end == at + 1 and ENTITY in tokens.classes[at]
        if alone and mentions.count(tokens.texts[at]) == 1:
            found.append(tokens.spans[at])
    return found


def noun_phrases(
    tree: Phrase, tokens: Tokens, graph: QueryGraph, images: Images
) -> list[NounPhrase]:
    """The noun phrases of a question whose graphs hang on the rest by their heads alone."""
    numbers = {id(phrase): number for number, phrase in enumerate(tree.phrases())}
    things = {numbers[id(one)] for one in tree.phrases() if one.category == THING}
    asked = {ANSWER} if graph.head == "select" else set()
    words, found = _words(tokens), []
    for phrase in tree.phrases():
        number = numbers[id(phrase)]
        head = images.get(number, ())
        if number not in things or len(head) != 1 or not head[0].startswith("?"):
            continue
        within = {numbers[id(one)] for one in phrase.phrases()}
        within |= {-1 - at for at in range(phrase.start, phrase.end)}
        mine = {name for node in within for name in images.get(node, ())}
        # A phrase beside it that is the same node, or one that it stands in, may say what the
        # node is: then this phrase's part of the graph cannot be told.
        beside = {n for n, image in images.items() if n not in within and head[0] in image}
        rest = {name for n, image in images.items() if n not in within for name in image}
        if beside & things or mine & (asked | rest - {head[0]}):
            continue
        edges = frozenset(t for t in graph.edges if {t.subject, t.object} <= mine)
        if any((t.subject in mine) != (t.object in mine) and head[0] not in t for t in graph.edges):
            continue
        some = words[tokens.spans[phrase.start][0] : tokens.spans[phrase.end - 1][1]]
        found.append(
            NounPhrase(
                some,
                head[0],
                tuple(dict.fromkeys(word for word in some if word in graph.entities)),
                edges,
                frozenset(t for t in graph.attributes if t.subject in mine),
            )
        )
    return found


def _words(tokens: Tokens) -> tuple[str, ...]:
    """The words as they stand in the question."""
    return tuple(tokens.question.text[start:end] for start, end in tokens.question.offsets)
