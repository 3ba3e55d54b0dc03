"""The parser for databases: questions to programs over tables that it has never seen.

Its algebra is the schema: names and values are the constants, and a chart over the phrases that
they make finds the best programs. Pairs of a user teach it which interpretations are right, and how
far its probabilities can be trusted on this database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import Tensor

from partwise.chart.k_best import Beam, Item, k_best
from partwise.database.confidence import (
    FEATURES,
    SUBJECT,
    beside,
    figures_of,
    log_odds,
    lost,
    passed_over,
    probability,
    shares,
    subject_figures,
)
from partwise.database.config import DatabaseSettings, SavedDatabaseParser, checked_weights
from partwise.database.constants import ConstantFinder
from partwise.database.domain import DatabaseDomain
from partwise.database.explanation import explain
from partwise.database.features import SchemaQuestion, derivation_of, question_of
from partwise.database.interpretation import Parse
from partwise.database.judging import JudgedBest, level_of, right_of
from partwise.database.layer.model import SemanticLayer
from partwise.database.learning import Candidates, loss_of, prepared, vocabulary_of
from partwise.database.meaning import PRICES as STEP_PRICES
from partwise.database.meaning import Meanings, shape
from partwise.database.phrases import SpanConstant
from partwise.database.restating import restate
from partwise.database.schema_algebra import PRICES, SchemaAlgebra
from partwise.database.scorer import ChartScores, Guide, HandScores, SchemaScorer, SchemaVocabulary
from partwise.database.spans.names import LayerNames, SchemaItem
from partwise.database.spans.text import words_of
from partwise.database.spans.types import types_of
from partwise.database.spans.vectors import ContextMeanings, names_of, word_vectors
from partwise.encoders import Encoder, load_encoder, make_encoder
from partwise.encoders.cross_encoder import CrossEncoder
from partwise.encoders.eight_bits import in_eight_bits
from partwise.errors import PartwiseError, TooCostlyError
from partwise.execution.relational.program import Program
from partwise.interface.budget import Work
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER, save_encoder
from partwise.training.trainer import LossReport

COMPARED, CLOSE, WEIGHT = 8, 3.0, 0.4
"""How many interpretations, the best of the chart, the cross-encoder compares, unless their scores
are this far apart; and how much its score counts beside the chart's."""
LOST = 0.5
"""How probable an interpretation is at most that loses a word: on databases that were left out of
training, about half of these are right."""
FIRST_PRICES: Mapping[str, float] = {**PRICES, **STEP_PRICES}
"""Of joins, unary steps, slots and implicit steps, before anything is learned."""


class SchemaNames(NamedTuple):
    """A database as the parser reads it.

    Attributes:
        types: what its items are.
        texts: the names of its items, and their `vectors`, ``[names, dim]``.
        items: which rows are of which item.
    """

    constants: ConstantFinder
    algebra: SchemaAlgebra
    meanings: Meanings
    types: Mapping[SchemaItem, str]
    texts: Sequence[str]
    vectors: Tensor
    items: Mapping[SchemaItem, Sequence[int]]


class Parses(NamedTuple):
    """A question as it was parsed.

    Attributes:
        vectors: ``[words, dim]``.
        asked: what its words may stand for.
        interpretations: the best first.
        odds: of the first ones, as the cross-encoder tells them (logarithms); none without it.
    """

    asked: SchemaQuestion
    vectors: Tensor
    scores: HandScores
    interpretations: list[Parse]
    odds: tuple[float, ...] = ()

    @property
    def whole(self) -> list[float]:
        """The score of each interpretation, with that of the cross-encoder; those that it did not
        compare are as unlikely as the least likely of the others."""
        least = min(self.odds, default=0.0)
        odds = (*self.odds, *([least] * (len(self.interpretations) - len(self.odds))))
        return [x.score + WEIGHT * odd for x, odd in zip(self.interpretations, odds, strict=True)]


class DatabaseParser(NeuralParser[Program]):
    """Parses questions about any database: its schema is the algebra of a chart.

    Attributes:
        scorer: None before training; then first weights score.
        cross_encoder: compares the best interpretations with the question; None without one.
        trust: weights of `FEATURES`; without them the share among all that were found is the
            probability.
        answerable: weights of `SUBJECT`, for the probability that the database can answer; without
            them it is that of the best interpretation.
        refused_below: the probability that the database can answer under which there is no answer.
        doubtful_below: the probability of the best one under which its answer is doubtful.
        plain: stems of words that add nothing to a question, counted in training. An answer that
            passes over another word is doubtful.
    """

    kind: ClassVar[str] = "database"
    Config = DatabaseSettings
    Saved = SavedDatabaseParser
    starts_from: ClassVar[str | None] = "database"

    def __init__(
        self, domain: DatabaseDomain, config: DatabaseSettings, encoder: Encoder | None = None
    ) -> None:
        super().__init__(domain, config)
        self.encoder = encoder if encoder is not None else make_encoder(config.encoder, [])
        self.encoder.requires_grad_(False)
        self._used_encoder: tuple[Encoder, ...] = ()
        self.scorer: SchemaScorer | None = None
        self.cross_encoder: CrossEncoder | None = None
        self._met: list[JudgedBest] = []
        self.trust: list[float] = []
        self.answerable: list[float] = []
        self.refused_below = self.doubtful_below = 0.0
        self.plain: frozenset[str] = frozenset()

    @classmethod
    def create(cls, domain: Any, config: Any) -> Self:
        """An untrained parser, which scores by first weights. Raises PartwiseError for a domain
        that is no database."""
        if not isinstance(domain, DatabaseDomain):
            raise PartwiseError(
                f"{domain.name} is no database: make a domain of one with "
                "`partwise new NAME --from DATABASE`"
            )
        return cls(domain, config).eval()

    # --- parsing -------------------------------------------------------------------------

    @property
    def quick_encoder(self) -> Encoder:
        """The encoder as it encodes questions and names; in a tuple, it is not among the
        weights."""
        if not self._used_encoder:
            self._used_encoder = (in_eight_bits(self.encoder),)
        return self._used_encoder[0]

    def train(self, mode: bool = True) -> Self:
        """See `torch.nn.Module.train`; what was made of the weights for parsing is made again."""
        self._used_encoder = ()
        self.__dict__.pop("names", None)
        return super().train(mode)

    @cached_property
    def names(self) -> SchemaNames:
        """The domain's database, as it is parsed."""
        return self.names_in(self.domain)  # type: ignore[arg-type]

    @torch.no_grad()
    def names_in(self, domain: DatabaseDomain) -> SchemaNames:
        """A database as it is parsed: its constants, its algebra, and its names, encoded."""
        layer, types = domain.layer, types_of(domain.layer)
        names = LayerNames(layer)
        vectors = names_of(names, self.quick_encoder)
        items: dict[SchemaItem, list[int]] = defaultdict(list)
        for row, item in enumerate(names.things):
            items[item].append(row)
        meanings = Meanings(layer, types)
        algebra = SchemaAlgebra(layer, types)
        constants = ConstantFinder(domain, names)
        return SchemaNames(constants, algebra, meanings, types, names.texts, vectors, dict(items))

    @torch.no_grad()
    def read(
        self,
        question: str,
        domain: DatabaseDomain | None = None,
        names: SchemaNames | None = None,
        work: Work | None = None,
    ) -> Parses:
        """The interpretations of a question, the best of which were compared once more. Raises
        TooCostlyError if they are more than `work` allows.

        Args:
            domain: of another database than the parser's, with its `names`.
        """
        parses = self.search(question, domain, names, work=work)
        return self.rerank(question, parses, (domain or self.domain).layer)  # type: ignore[union-attr]

    @torch.no_grad()
    def rerank(self, question: str, parses: Parses, layer: SemanticLayer) -> Parses:
        """The same interpretations, the best compared with the question by the cross-encoder."""
        if self.cross_encoder is None or not parses.interpretations:
            return parses
        found = parses.interpretations
        near = [x for x in found[:COMPARED] if x.score >= found[0].score - CLOSE]
        odds = self.cross_encoder([(question, restate(x.program, layer)) for x in near]).tolist()
        whole = parses._replace(odds=tuple(odds)).whole
        order = sorted(range(len(near)), key=lambda place: -whole[place])
        return parses._replace(
            interpretations=[*(near[place] for place in order), *found[len(near) :]],
            odds=tuple(odds[place] for place in order),
        )

    @torch.no_grad()
    def search(
        self,
        question: str,
        domain: DatabaseDomain | None = None,
        names: SchemaNames | None = None,
        guide: Guide | None = None,
        work: Work | None = None,
    ) -> Parses:
        """The interpretations of a question in the order of the chart. Raises TooCostlyError as
        `read`.

        Args:
            domain: of another database than the parser's, with its `names`.
            guide: what is added to the score of a constant.
        """
        domain = domain or self.domain  # type: ignore[assignment]
        names = names or self.names
        assert isinstance(domain, DatabaseDomain)
        words = words_of(question)
        vectors = torch.zeros(0, self.encoder.dim)
        constants: Sequence[SpanConstant] = ()
        if words:
            vectors = word_vectors(self.quick_encoder, [(question, words)])[0]
            meanings = ContextMeanings(vectors, names.vectors)
            constants = names.constants.find(words, meanings, domain.today)
        asked = question_of(words, constants, names.items, names.types, domain.layer.schema)
        scores = self._scores(asked, vectors, names, guide)
        beam = Beam(self.config.cell, self.config.inner, self.config.margin)
        frames = k_best(constants, scores, names.algebra, beam, work)
        found = self._interpretations(frames, scores, names.meanings)
        return Parses(asked, vectors, scores, found)

    def _scores(
        self, asked: SchemaQuestion, vectors: Tensor, names: SchemaNames, guide: Guide | None
    ) -> HandScores:
        if self.scorer is None or not asked.constants:
            return HandScores(asked, FIRST_PRICES, guide)
        return ChartScores(self.scorer, asked, vectors, names.vectors, names.items, guide)

    def _interpretations(
        self, frames: Iterable[Item], scores: HandScores, meanings: Meanings
    ) -> list[Parse]:
        """What frames mean, the best first, each program once."""
        best: dict[Program, Parse] = {}
        for item in frames:
            about = shape(item.meaning)
            for program, silent in meanings.programs(item.meaning):
                steps = (*silent, *about)
                score = item.score + sum(map(scores.step, steps))
                if program not in best or best[program].score < score:
                    best[program] = Parse(program, item, steps, score)
        return sorted(best.values(), key=lambda found: -found.score)[: self.config.listed]

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Program]]:
        """See `Parser.parse`."""
        with self.without_dropout():
            return [self._prediction(question, k, at_least) for question in questions]

    def _prediction(self, question: str, k: int, at_least: float | None) -> Prediction[Program]:
        try:
            parses = self.read(question, work=self.budget.start())
        except TooCostlyError as error:
            typed = tuple(word.text for word in words_of(question))
            return Prediction(question, typed, reason=str(error))
        words, found = parses.asked.words, parses.interpretations
        typed = tuple(word.text for word in words)
        if not found:
            reason = "nothing in the question could be found in the database"
            return Prediction(question, typed, reason=reason)
        probabilities, can_tell = self._probabilities(parses)
        some: list[Prediction[Program]] = [
            Prediction(
                question,
                typed,
                meaning=interpretation.program,
                probability=probability,
                score=interpretation.score,
                derivation=explain(interpretation, parses.asked, self._layer),
                unused=tuple(passed_over(interpretation, parses.asked)),
            )
            for interpretation, probability in zip(found[:k], probabilities, strict=False)
        ]
        first = replace(some[0], alternatives=tuple(some[1:]))
        lost = [repr(typed[number]) for number in self._lost(parses, self._layer)]
        doubtful = first.probability < self.doubtful_below or bool(lost)
        first = replace(first, doubtful=doubtful)
        why = f"nothing in the database is found for {', '.join(lost)}" if lost else ""
        if at_least is not None:
            return first.at_least(at_least, why)
        if can_tell < self.refused_below:
            return first.refused(why or "the database can probably not tell")
        return first

    def _probabilities(self, parses: Parses) -> tuple[list[float], float]:
        """Of each interpretation that it is right, and that the database can answer."""
        found = shares(parses.whole, self.temperature)
        figures = self.figures(parses, self._layer)
        told = {name: figures[name] for name in FEATURES}
        if self.trust:
            first = probability(self.trust, told)
            found = beside(min(first, LOST) if figures["share lost"] else first, found)
        answerable = probability(self.answerable, figures) if self.answerable else found[0]
        return found, answerable

    def figures(
        self, parses: Parses, layer: SemanticLayer, names: SchemaNames | None = None
    ) -> dict[str, float]:
        """The figures of `SUBJECT`: what tells whether the best interpretation is right, and
        whether the database can tell.

        Args:
            layer: of the database that was asked, with its `names`.
        """
        found, asked, vectors = parses.interpretations, parses.asked, parses.vectors
        lost = len(self._lost(parses, layer))
        figures = figures_of(
            found, asked, layer.schema, parses.whole, lost, parses.odds, self.temperature
        )
        return subject_figures(figures, found[0], asked, vectors, (names or self.names).vectors)

    def _lost(self, parses: Parses, layer: SemanticLayer) -> list[int]:
        best = parses.interpretations[0]
        return lost(best, parses.asked, restate(best.program, layer), self.plain)

    @property
    def _layer(self) -> SemanticLayer:
        return self.domain.layer  # type: ignore[attr-defined,no-any-return]

    # --- training ------------------------------------------------------------------------

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Slow learning: pairs are few, and what was known before is not to be forgotten."""
        return {"epochs": 10, "batch_size": 8, "head_rate": 1e-4, **of_data}

    def prepare(self, train: Sequence[Example[Program]]) -> None:
        """Nothing: the networks are built once interpretations are there."""

    def training_items(
        self, examples: Sequence[Example[Program]]
    ) -> tuple[list[Any], Unusable[Program]]:
        """The interpretations of each question; those of which none is right teach nothing."""
        lists, unusable, self._met = [], [], []
        for example in examples:
            right = right_of(self.domain, example)
            parses = self.search(example.question)
            best = self._judged_best(example.question, parses, right)
            self._met += [best] if best is not None else []
            some = self.candidates(example.question, parses, right)
            if some.teaches():
                lists.append(some)
            else:
                unusable.append((example, "no interpretation that was found gives the right rows"))
        if self.scorer is None:
            self.build(vocabulary_of(lists))
        assert self.scorer is not None
        return [prepared(some, self.scorer) for some in lists], unusable

    def candidates(
        self,
        question: str,
        parses: Parses,
        right: Callable[[Program], bool],
        names: SchemaNames | None = None,
    ) -> Candidates:
        """The interpretations of a question, judged, as training needs them."""
        names, asked = names or self.names, parses.asked
        found = parses.interpretations
        return Candidates(
            *(question, names.texts, parses.vectors, names.vectors, names.items, asked.context),
            [derivation_of(x.item, x.steps, asked) for x in found],
            [right(x.program) for x in found],
        )

    def _judged_best(
        self, question: str, parses: Parses, right: Callable[[Program], bool]
    ) -> JudgedBest | None:
        """The best interpretation of a question, judged; None if there is none."""
        if not parses.interpretations:
            return None
        parses = self.rerank(question, parses, self._layer)
        figures = self.figures(parses, self._layer)
        told = {name: figures[name] for name in FEATURES}
        odds = log_odds(self.trust, told) if self.trust else 0.0
        return JudgedBest(odds, right(parses.interpretations[0].program))

    def fit_confidence(
        self, train: Sequence[Example[Program]], unseen: Sequence[Example[Program]]
    ) -> str | None:
        """Move the probabilities to what they are on this database. The pairs that were trained on
        are judged as they were parsed before."""
        if not self.trust:
            return None
        later = (
            self._judged_best(x.question, self.search(x.question), right_of(self.domain, x))
            for x in unseen
        )
        cases = [*self._met, *(case for case in later if case is not None)]
        moved = level_of(cases)
        self.trust[0] += moved
        return (
            f"probabilities are moved by {moved:+.2f} (log odds), as {len(cases)} pairs were "
            "parsed before they were trained on"
        )

    def build(self, vocabulary: SchemaVocabulary) -> SchemaScorer:
        """The network of scores, untrained but for first weights."""
        members = self.config.members
        self.scorer = SchemaScorer(self.encoder.dim, vocabulary, FIRST_PRICES, members)
        self.__dict__.pop("names", None)
        return self.scorer

    def add_cross_encoder(self, rank: int) -> CrossEncoder:
        """A cross-encoder over the parser's encoder, untrained; see there."""
        self.cross_encoder = CrossEncoder(self.encoder, rank)
        return self.cross_encoder

    def loss(self, batch: Sequence[Any]) -> LossReport:
        """Minus the mean log-likelihood of the right interpretations."""
        assert self.scorer is not None
        losses = torch.stack([loss_of(some, self.scorer) for some in batch])
        return LossReport(losses.mean(), len(batch))

    # --- saving --------------------------------------------------------------------------

    def eight_bits(self) -> tuple[str, ...]:
        """See `NeuralParser.eight_bits`; what pairs changed a little would be lost in these."""
        unchanged = ("encoder.", "cross_encoder.")
        return unchanged if self._met else (*unchanged, "scorer.labels.", "scorer.context.")

    def described(self) -> dict[str, Any]:
        """The vocabulary, the encoder and what answers are trusted by."""
        encoder = self.encoder.config()
        vocabulary = {} if self.scorer is None else self.scorer.vocabulary._asdict()
        return {
            "about": f"Questions about any database. Encoder: {encoder.get('name', '')}.",
            "encoder": encoder,
            "vocabulary": {name: list(value) for name, value in vocabulary.items()},
            "trust": self.trust,
            "answerable": self.answerable,
            "refused_below": self.refused_below,
            "doubtful_below": self.doubtful_below,
            "plain": sorted(self.plain),
            "cross_encoder": 0 if self.cross_encoder is None else self.cross_encoder.rank,
        }

    def write_files(self, folder: Path) -> None:
        """Write what the encoder needs beside its weights."""
        save_encoder(self.encoder, folder)

    @classmethod
    def builder(
        cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser; its database need not be that of training."""
        if not isinstance(domain, DatabaseDomain):
            raise PartwiseError(
                "the parser for databases needs a database: name its folder with --domain"
            )
        trust = checked_weights("trust", saved["trust"], len(FEATURES))
        answerable = checked_weights("answerable", saved["answerable"], len(SUBJECT))
        parts = saved["vocabulary"]
        if parts and set(parts) != set(SchemaVocabulary._fields):
            raise PartwiseError(
                f"its vocabulary lacks one of {', '.join(SchemaVocabulary._fields)}"
            )

        def build():  # type: ignore[no-untyped-def]  # mypy: no Self in a nested function
            parser = cls(domain, config, load_encoder(saved["encoder"], folder / ENCODER))
            if parts:
                lists = (tuple(map(str, parts[name])) for name in SchemaVocabulary._fields)
                vocabulary = SchemaVocabulary(*lists)
                parser.build(vocabulary)
            if saved["cross_encoder"]:
                parser.add_cross_encoder(saved["cross_encoder"])
            parser.trust, parser.answerable = trust, answerable
            parser.refused_below = saved["refused_below"]
            parser.doubtful_below = saved["doubtful_below"]
            parser.plain = frozenset(saved["plain"])
            return parser

        return build
