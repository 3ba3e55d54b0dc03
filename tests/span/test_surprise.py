"""Programs that would surprise stand behind others, and are less probable."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest

from partwise.chart.scores import no_answers
from partwise.chart.type_algebra import TypeAlgebra
from partwise.interface.budget import NO_LIMIT, Budget
from partwise.language.domain import Domain, predicate
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.decoding import SURPRISE, Decoder, Logits
from partwise.span.scorer import Labels


class Thing:
    """The only type."""


class Things(Domain):
    """A language in which everything goes with everything."""

    name: ClassVar[str] = "things"
    answers: ClassVar[object] = Thing

    @predicate("a")
    def a(self) -> Thing:
        """A thing."""
        return Thing()

    @predicate("f")
    def f(self, x: Thing) -> Thing:
        """One thing's."""
        return x

    @predicate("g")
    def g(self, x: Thing) -> Thing:
        """Another one's."""
        return x


class Surprising(Things):
    """The same, but that nobody says ``f(g(...))``."""

    def surprise(self, program: Term) -> float:
        """One for each f of g."""
        return float(str(program).count("f(g("))


@pytest.mark.parametrize("seed", range(5))
def test_surprising_programs_come_later_and_are_less_probable(seed: int) -> None:
    config = SpanParserConfig(lexicon="names")
    question = tokenize("a f g")
    ranked = {}
    for kind in (Things, Surprising):
        domain = kind()
        types = TypeAlgebra(domain)
        labels, decoder = Labels(domain, config), Decoder(types, types, config)
        prepared = labels.prepare(question)
        logits = np.random.default_rng(seed).normal(size=(len(prepared.spans), labels.size))
        drawn = Logits(logits, no_answers())
        work = Budget(NO_LIMIT).start()
        best = decoder.predict(prepared, drawn, 50, 1.0, work)
        assert decoder.predict(prepared, drawn, 0, 1.0, work).meaning == best.meaning
        confidence = decoder.confidence(prepared, drawn)
        assert confidence is not None
        assert confidence.at(1.0) == pytest.approx(best.probability)
        ranked[kind] = [best, *best.alternatives]
    plain = {one.meaning: one.probability for one in ranked[Things]}
    lessened = {
        one: share * math.exp(-SURPRISE * Surprising().surprise(one))
        for one, share in plain.items()
        if one is not None
    }
    assert plain.keys() == lessened.keys()
    kept = 1 - sum(share - lessened[one] for one, share in plain.items() if one is not None)
    for one in ranked[Surprising]:
        assert one.meaning is not None
        assert one.probability == pytest.approx(lessened[one.meaning] / kept, rel=0.02)
