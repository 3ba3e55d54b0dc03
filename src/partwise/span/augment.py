"""Training items drawn again in each epoch: other names in the same places, other phrases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.data import JOIN_LABEL, Example, Span
from partwise.language.domain import Application, Constant, Domain
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.annotation.lexicon import in_words
from partwise.span.annotation.placement import Place, places
from partwise.span.config import SpanParserConfig
from partwise.span.objectives import TrainingItem
from partwise.span.recombine import Recombination
from partwise.span.typing import HurriedTyping

KEPT = 50_000
"""Examples whose places are remembered; recombination makes ever new ones."""


UNLISTED = 0.2
"""The share of swapped names of which a word is put together from two, where names are guessed."""


class Variation:
    """Draws another item from a training item, as the settings say how often.

    Args:
        examples: the training examples, whose phrases are recombined.
        make: makes items of examples, but of those that do not fit, as a question that has become
            too long.

    Attributes:
        own_trees: whether phrases come from the parser's own trees; see `Recombination.learn`.
    """

    def __init__(
        self,
        config: SpanParserConfig,
        types: TypeAlgebra,
        examples: Sequence[Example[Term]],
        make: Callable[[Sequence[Example[Term]]], tuple[list[TrainingItem], object]],
    ) -> None:
        self.config, self.make = config, make
        self.swap = EntitySwap(types.domain)
        self.recombination, self.own_trees = None, False
        if config.recombination:
            # The trees must not know phrases that the parser does not know.
            predicates = types.domain.vocabulary.predicates
            phrases = config.lexicon == "full" and any(one.phrases for one in predicates)
            self.own_trees = not phrases
            given = () if self.own_trees else examples
            self.recombination = Recombination(types, given, config.recombination_depth)
        self.typing = HurriedTyping(types.domain)

    def __call__(self, item: TrainingItem, draw: random.Random) -> TrainingItem:
        """Another item, or the item itself."""
        example = item.example
        if self.recombination is not None and draw.random() < self.config.recombination:
            example = self.recombination(example, draw)
        if draw.random() < self.config.entity_augmentation:
            example = self.swap(example, draw)
        if self.config.typing_augmentation and draw.random() < self.config.typing_augmentation:
            example = self.typing(example, draw)
        made = [] if example is item.example else self.make([example])[0]
        return made[0] if made else item


class EntitySwap:
    """Replaces entities in a question and its program by others of their type.

    Names come from the domain, never from data. An entity is replaced where it stands once in the
    program and one phrase of the question can only be found once as its name.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        known = domain.vocabulary
        self.pools: dict[str, Sequence[Constant]] = {
            one.head: known.listed(place)
            for place, one in enumerate(known.types)
            if not one.blank.bare
        }
        self.guessed = {one.head for one in known.types if one.guess}
        self.places = lru_cache(maxsize=KEPT)(self._places)

    def _places(self, question: str, program: Term) -> dict[tuple[Term, str], Place]:
        """The entities of an example that can be replaced, and their types, with their words."""
        try:
            parts = list(self.domain.interpret(program).walk())
        except PartwiseError:
            return {}
        counts = Counter(part.constant.category for part in parts)
        words = tokenize(question).words
        named: dict[tuple[Term, str], Place] = {}
        for part in parts:
            if counts[part.constant.category] == 1 and self._replaceable(part):
                spans = places(words, in_words(part.constant.phrases))
                longest = max((end - start for start, end in spans), default=0)
                longest_spans = [span for span in spans if span[1] - span[0] == longest]
                if len(longest_spans) == 1:
                    named[part.term(), part.constant.head] = longest_spans[0]
        taken = Counter(i for place in named.values() for i in range(*place))
        return {
            one: place for one, place in named.items() if all(taken[i] == 1 for i in range(*place))
        }

    def _replaceable(self, part: Application) -> bool:
        pool = self.pools.get(part.constant.head, ())
        return part.constant.is_entity and len(pool) > 1 and not any(part.args)

    def __call__(self, example: Example[Term], draw: random.Random) -> Example[Term]:
        """The example with every replaceable entity replaced by one drawn at random."""
        named = self.places(example.question, example.meaning)
        if not named:
            return example
        words: list[str] = list(tokenize(example.question).words)
        spans = example.spans
        new: dict[Term, Term] = {}
        # From the right, so that the places to the left stay where they are.
        for (term, head), (start, end) in sorted(named.items(), key=lambda item: -item[1][0]):
            chosen = self._other(head, draw)
            new[term] = chosen.term([None] * len(chosen.defaults))
            name = tokenize(chosen.phrases[0]).words
            words[start:end] = name
            if spans is not None:
                spans = _moved(spans, (start, end), len(name), chosen.category)
        program = self.domain.canonical(example.meaning).map(lambda part: new.get(part, part))
        return replace(example, question=" ".join(words), meaning=program, spans=spans)

    def _other(self, head: str, draw: random.Random) -> Constant:
        """Another entity of a type: a listed one, or where names are guessed one that is in no list
        at times, or the parser would only know the listed ones."""
        listed = self.pools[head]
        if head in self.guessed and draw.random() < UNLISTED:
            words = draw.choice(listed).phrases[0].split()
            place, other = draw.randrange(len(words)), draw.choice(listed).phrases[0].split()[-1]
            old = words[place]
            words[place] = old[: (len(old) + 1) // 2] + other[len(other) // 2 :]
            return self.domain.vocabulary.find(head, " ".join(words)) or draw.choice(listed)
        return draw.choice(listed)


def _moved(spans: tuple[Span, ...], place: Place, length: int, category: str) -> tuple[Span, ...]:
    """The spans of a tree after the words at `place` became `length` words of another category."""
    start, end = place
    by = length - (end - start)
    return tuple(
        (
            i + by if i >= end else i,
            k + by if k >= end else k,
            category if (i, k) == place and label != JOIN_LABEL else label,
        )
        for i, k, label in spans
    )
