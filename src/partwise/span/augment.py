"""More training questions from the given ones: other names in the same places."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from partwise.errors import PartwiseError
from partwise.interface.data import JOIN_LABEL, Example, Span
from partwise.language.domain import Application, Constant, Domain
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize

KEPT = 50_000
"""Examples whose places are remembered; recombination makes ever new ones."""


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
        self._places: dict[str, dict[Term, tuple[int, int]]] = {}

    def places(self, example: Example[Term]) -> Mapping[Term, tuple[int, int]]:
        """The entities of an example that can be replaced, with their words."""
        key = f"{example.question}\n{example.meaning}"
        if key not in self._places:
            if len(self._places) >= KEPT:
                self._places.clear()
            self._places[key] = self._find(example)
        return self._places[key]

    def _find(self, example: Example[Term]) -> dict[Term, tuple[int, int]]:
        try:
            parts = list(self.domain.interpret(example.meaning).walk())
        except PartwiseError:
            return {}
        counts = Counter(part.constant.category for part in parts)
        words = tokenize(example.question).words
        found: dict[Term, tuple[int, int]] = {}
        for part in parts:
            if counts[part.constant.category] == 1 and self._replaceable(part):
                spans = self._spans(part.constant, words)
                if len(spans) == 1:
                    found[part.term()] = spans[0]
        taken = Counter(i for start, end in found.values() for i in range(start, end))
        return {
            term: (start, end)
            for term, (start, end) in found.items()
            if all(taken[i] == 1 for i in range(start, end))
        }

    def _replaceable(self, part: Application) -> bool:
        pool = self.pools.get(part.constant.head, ())
        return part.constant.is_entity and len(pool) > 1 and all(arg is None for arg in part.args)

    def _spans(self, constant: Constant, words: tuple[str, ...]) -> list[tuple[int, int]]:
        phrases = {tokenize(phrase).words for phrase in constant.phrases}
        found = [
            (i, i + len(phrase))
            for phrase in phrases
            for i in range(len(words) - len(phrase) + 1)
            if words[i : i + len(phrase)] == phrase
        ]
        longest = max((end - start for start, end in found), default=0)
        return [span for span in found if span[1] - span[0] == longest]

    def __call__(self, example: Example[Term], draw: random.Random) -> Example[Term]:
        """The example with every replaceable entity replaced by one drawn at random."""
        places = self.places(example)
        if not places:
            return example
        words: list[str] = list(tokenize(example.question).words)
        spans = example.spans
        new: dict[Term, Term] = {}
        # From the right, so that the places to the left stay where they are.
        for term, (start, end) in sorted(places.items(), key=lambda item: -item[1][0]):
            chosen = draw.choice(self.pools[term.symbol])
            blank = [None] * len(chosen.defaults)
            new[term] = chosen.term(blank)
            name = tokenize(chosen.phrases[0]).words
            words[start:end] = name
            if spans is not None:
                spans = _moved(spans, (start, end), len(name), chosen.category)
        program = self.domain.canonical(example.meaning).map(lambda part: new.get(part, part))
        return replace(example, question=" ".join(words), meaning=program, spans=spans)


def _moved(
    spans: tuple[Span, ...], place: tuple[int, int], length: int, category: str
) -> tuple[Span, ...]:
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
