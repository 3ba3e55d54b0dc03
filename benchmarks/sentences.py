"""Sentences to time a chart on: a model's scores of real questions, or scores made up."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from partwise.chart import compiled
from partwise.chart.algebra import Algebra
from partwise.chart.scores import JOIN, SpanScores
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.language.constants import Application
from partwise.language.program import parse_program
from partwise.language.text import tokenize

if TYPE_CHECKING:
    from partwise.span.parser import SpanParser

NAMES = 3
QUESTIONS = files("partwise.domains.geography") / "questions" / "questions.jsonl"


@dataclass(frozen=True, eq=False)
class Case:
    """One sentence to parse."""

    scores: SpanScores
    algebra: Algebra


class Sentences:
    """Scores of each regime, drawn with a fixed seed."""

    def __init__(self, types: TypeAlgebra, count: int) -> None:
        self.types, self.count = types, count
        self.rng = np.random.default_rng(0)
        constants = types.domain.constants
        self.predicates = [c for c, constant in enumerate(constants) if not constant.is_entity]
        self.names = [c for c, constant in enumerate(constants) if constant.is_entity]
        self.programs = list(self._programs())

    def _programs(self) -> Iterator[tuple[int, Application]]:
        for line in QUESTIONS.read_text().splitlines():
            example = json.loads(line)
            try:
                program = self.types.check(parse_program(example["program"]))
            except PartwiseError:
                continue
            yield len(tokenize(example["question"])), program

    def program(self, n: int) -> Application:
        """A gold program of a question of n words, or of one of the longest."""
        length = min(n, max(words for words, _ in self.programs) - 3)
        near = [program for words, program in self.programs if abs(words - length) <= 1]
        return near[self.rng.integers(len(near))]

    def noise(self, n: int, program: Application) -> SpanScores:
        """N(0, 1) for all predicates, the program's names, and names up to three."""
        categories = self.types.domain.categories
        named = {categories[p.constant.category] for p in program.walk()} - set(self.predicates)
        while len(named) < NAMES:
            named.add(int(self.rng.choice(self.names)))
        columns = np.array(self.predicates + sorted(named))
        shape = (n + 1, n + 1)
        constants = self.rng.normal(size=(*shape, len(columns)))
        return SpanScores.of(constants, self.rng.normal(size=shape), None, columns)

    def cases(self, n: int) -> dict[str, list[Case]]:
        """Sentences of n words for each regime."""
        golds = [self.gold(n) for _ in range(self.count)]
        return {
            "planted": [self.planted(n) for _ in range(self.count)],
            "random": [Case(gold.scores, self.types) for gold in golds],
            **dict.fromkeys(("gold best", "gold marginals"), golds),
        }

    def gold(self, n: int) -> Case:
        """Noise with the gold program given."""
        program = self.program(n)
        return Case(self.noise(n, program), TargetAlgebra(self.types, program))

    def planted(self, n: int) -> Case:
        """As confident as a trained model: a random tree of a gold program stands out."""
        gold = self.gold(n)
        drawn = compiled.best(gold.scores, gold.algebra)
        if drawn is None:  # The program has more constants than there are words.
            return self.planted(n)
        phi = self.rng.normal(8.0, 1.0, (n + 1, n + 1))
        constants = self.rng.normal(size=gold.scores.constants.shape) - phi[..., None]
        join = self.rng.normal(size=phi.shape) - phi
        column = {int(category): x for x, category in enumerate(gold.scores.columns)}
        for span, label in drawn.tree.labels().items():
            if label == JOIN:
                join[span] += 20.0
            else:
                constants[(*span, column[label])] += 20.0
        return Case(SpanScores.of(constants, join, None, gold.scores.columns), self.types)


@cache
def load(model: Path) -> SpanParser:
    """A trained parser; torch is imported for it alone."""
    from partwise.span.parser import SpanParser

    return SpanParser.from_pretrained(model)


def trained(model: Path, questions: Path, n: int, count: int) -> tuple[list[Case], str]:
    """A model's scores of real questions of about n words; pairs of questions if none is long."""
    parser = load(model)
    texts = [json.loads(line)["question"] for line in questions.read_text().splitlines()]
    near = [text for text in texts if abs(len(tokenize(text)) - n) <= 1]
    note = "" if near else "lengthened"
    if note:
        pairs = (f"{one} and {two}" for one in texts for two in texts if one < two)
        found = (text for text in pairs if abs(len(tokenize(text)) - n) <= 1)
        near = list(itertools.islice(found, 50 * count))
    chosen = near[:: max(1, len(near) // count)][:count]
    return [Case(parser.scores(text), parser.algebra) for text in chosen], note
