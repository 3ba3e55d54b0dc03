"""More training questions from the given ones: a phrase of one in the place of a phrase of another.

"How many cubes are left of the sphere" and "is there a thing of the same size as the cylinder" give
"how many cubes are the same size as the cylinder". Which words are a phrase, and of which
category, span trees say: those that examples come with, else those made from their programs by
lexicon (`partwise.span.annotation`). Without a lexicon they are the best trees of the parser
itself, chosen again before each epoch. Compare Jia and Liang 2016, "Data Recombination for Neural
Semantic Parsing", whose grammar was written from the programs; here it is the domain's types.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.semantics import Node, read_tree
from partwise.chart.tree import SpanTree
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.open_types import closed_type
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.annotation.builder import Annotator
from partwise.span.annotation.spans import tree_of

WORDS = 3
"""Words of a phrase that makes a program deeper by one level."""
TRIES = 8
"""How often a place and a phrase are drawn before an example is left as it was."""


@dataclass(frozen=True)
class Phrase:
    """A phrase of a question: its words ``start..end`` (end excluded), its program and type."""

    start: int
    end: int
    words: tuple[str, ...]
    term: Term
    kind: str


class Recombination:
    """Puts phrases of training questions in the places of others of exactly their type.

    No made question is longer, and no made program deeper, than the longest and deepest given.

    Args:
        examples: where phrases come from at first, by given trees or by lexicon; those without a
            span tree give none.
        deeper: levels that a program may be deeper all the same, its question `WORDS` words longer
            for each.
    """

    def __init__(
        self, types: TypeAlgebra, examples: Iterable[Example[Term]] = (), deeper: int = 0
    ) -> None:
        self.types, self.domain, self.deeper = types, types.domain, deeper
        self.learn(self._annotated(examples))

    def _annotated(
        self, examples: Iterable[Example[Term]]
    ) -> Iterator[tuple[Example[Term], SpanTree]]:
        """The examples that have a tree, given or by lexicon, with it."""
        annotator = Annotator(self.types)
        for example in examples:
            with suppress(PartwiseError):
                given = example if example.spans is not None else annotator.with_spans(example)
                words = tokenize(example.question).words
                yield example, tree_of(given.spans or (), self.domain, words)

    def learn(self, trees: Iterable[tuple[Example[Term], SpanTree]]) -> None:
        """Take the phrases of these trees, in place of those of before."""
        self.places: dict[tuple[str, Term], list[Phrase]] = {}
        self.phrases: defaultdict[str, list[Phrase]] = defaultdict(list)
        self.longest = self.deepest = 0
        for example, tree in trees:
            with suppress(PartwiseError):
                self._learn(example, read_tree(tree, self.types))
        self.longest += WORDS * self.deeper
        self.deepest += self.deeper

    def _learn(self, example: Example[Term], root: Node) -> None:
        words = tokenize(example.question).words
        self.longest = max(self.longest, len(words))
        self.deepest = max(self.deepest, example.meaning.depth)
        whole = self.domain.canonical(example.meaning)
        places = self.places[example.question, example.meaning] = []
        for phrase in self._phrases(root, words):
            # A phrase whose program stands twice would leave the question and change the program
            # both times.
            if sum(part == phrase.term for part in whole.walk()) == 1:
                places.append(phrase)
                self.phrases[phrase.kind].append(phrase)

    def _phrases(self, root: Node, words: tuple[str, ...]) -> Iterator[Phrase]:
        """The composed phrases of a tree that are complete programs, but for the whole question's.

        A phrase ends with the last word that has a meaning: a node's later words are gaps.
        """
        for node in root.walk():
            leaves = [part for part in node.walk() if not part.children]
            kind = closed_type(self.types.open_types[node.state])
            if node.term is None or node.term == root.term or len(leaves) < 2 or kind is None:
                continue
            start, end = leaves[0].start, max(leaf.end for leaf in leaves)
            term = self.domain.canonical(node.term)
            yield Phrase(start, end, words[start:end], term, str(kind))

    def __call__(self, example: Example[Term], draw: random.Random) -> Example[Term]:
        """The example with one phrase replaced by a phrase drawn at random, if any fits."""
        places = self.places.get((example.question, example.meaning), [])
        if not places:
            return example
        whole = replace(example, meaning=self.domain.canonical(example.meaning))
        words = tokenize(example.question).words
        for _ in range(TRIES):
            place = draw.choice(places)
            made = self._graft(whole, words, place, draw.choice(self.phrases[place.kind]))
            if made is not None:
                return made
        return example

    def _graft(
        self, example: Example[Term], words: tuple[str, ...], place: Phrase, phrase: Phrase
    ) -> Example[Term] | None:
        words = words[: place.start] + phrase.words + words[place.end :]
        new = self.domain.canonical(
            example.meaning.map(lambda part: phrase.term if part == place.term else part)
        )
        if new == example.meaning or len(words) > self.longest or new.depth > self.deepest:
            return None
        try:
            self.types.check(new)
        except PartwiseError:
            return None
        return replace(example, question=" ".join(words), meaning=new, answer=None, spans=None)
