"""The parser for databases: questions to programs over tables that it has never seen.

Pairs of a user teach it which readings are right, and how far its probabilities can be trusted on
this database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from partwise.database.config import DatabaseSettings, SavedDatabaseParser, checked_weights
from partwise.database.context import Context, context_of
from partwise.database.domain import DatabaseDomain
from partwise.database.explanation import derivation
from partwise.database.judging import JudgedBest, level_of, right_of
from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.features import FIRST_WEIGHTS, Weighted
from partwise.database.reading.label import Label, mentions_of
from partwise.database.reading.labels import Labeller, marked
from partwise.database.reading.learning import Readings, judged, loss_of, prepared, vocabulary_of
from partwise.database.reading.ranking import ranked
from partwise.database.reading.read import NameTable, Read
from partwise.database.reading.readings import ReadingScores
from partwise.database.reading.scorer import (
    ComparedNames,
    LearnedScores,
    ReadingScorer,
    ScoredNames,
)
from partwise.database.reading.search import Search
from partwise.database.reading.trust import (
    FEATURES,
    SUBJECT,
    beside,
    figures_of,
    left_over,
    log_odds,
    probability,
    shares,
    subject_figures,
)
from partwise.database.restating import restate
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import Word, words_of
from partwise.database.spans.vectors import ContextMeanings, names_of, word_vectors
from partwise.encoders import Encoder, load_encoder, make_encoder
from partwise.encoders.cross_encoder import CrossEncoder, can_cross_encode
from partwise.encoders.eight_bits import in_eight_bits
from partwise.errors import PartwiseError
from partwise.execution.relational.program import Program
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER, save_encoder
from partwise.training.trainer import LossReport

COMPARED, CLOSE, WEIGHT = 2, 1.5, 0.25
"""How many readings, the best of the chart, the cross-encoder compares, unless their scores are
this far apart; and how much its score counts beside the chart's."""


class DatabaseParser(NeuralParser[Program]):
    """Reads questions about any database: its names and values are the labels.

    Attributes:
        scorer: None before training; then hand-set weights score.
        cross_encoder: compares the best readings with the question; None without one.
        trust: weights of `FEATURES`; without them the share among all readings is the probability.
        answerable: weights of `SUBJECT`, for the probability that the database can answer; without
            them it is that of the best reading.
        refused_below: the probability that the database can answer under which there is no answer.
        doubtful_below: the probability of the best reading under which its answer is doubtful.
    """

    kind: ClassVar[str] = "database"
    Config = DatabaseSettings
    Saved = SavedDatabaseParser
    starts_from: ClassVar[str | None] = "database"

    def __init__(
        self, domain: DatabaseDomain, config: DatabaseSettings, encoder: Encoder | None = None
    ) -> None:
        super().__init__(domain, config)
        kind = config.encoder
        self.encoder = encoder if encoder is not None else make_encoder(kind, [])
        self.encoder.requires_grad_(False)
        self._readers: tuple[Encoder, ...] = ()
        self.scorer: ReadingScorer | None = None
        self.cross_encoder: CrossEncoder | None = None
        self._met: list[JudgedBest] = []
        self.trust: list[float] = []
        self.answerable: list[float] = []
        self.refused_below = self.doubtful_below = 0.0

    @classmethod
    def create(cls, domain: Any, config: Any) -> Self:
        """An untrained parser, which scores by hand-set weights. Raises PartwiseError for a domain
        that is no database."""
        if not isinstance(domain, DatabaseDomain):
            raise PartwiseError(
                f"{domain.name} is no database: make a domain of one with "
                "`partwise new NAME --from DATABASE`"
            )
        return cls(domain, config).eval()

    # --- reading -------------------------------------------------------------------------

    @property
    def _reader(self) -> Encoder:
        """The encoder as it reads questions and names; in a tuple, it is not among the weights."""
        if not self._readers:
            self._readers = (in_eight_bits(self.encoder),)
        return self._readers[0]

    def train(self, mode: bool = True) -> Self:
        """See `torch.nn.Module.train`; what was made of the weights for reading is made again."""
        self._readers = ()
        self.__dict__.pop("names", None)
        return super().train(mode)

    @cached_property
    def names(self) -> NameTable:
        """The names of the domain's database."""
        return self.names_in(self.domain)  # type: ignore[arg-type]

    def names_in(self, domain: DatabaseDomain) -> NameTable:
        """The names of a database, encoded."""
        labeller = Labeller(domain.layer, domain.index)
        vectors = names_of(labeller.names, self._reader)
        things: dict[SchemaItem, list[int]] = defaultdict(list)
        for row, thing in enumerate(labeller.names.things):
            things[thing].append(row)
        with torch.no_grad():
            compared = None if self.scorer is None else self.scorer.names(vectors)
        return NameTable(labeller, vectors, compared, dict(things))

    @torch.no_grad()
    def read(
        self,
        question: str,
        domain: DatabaseDomain | None = None,
        names: NameTable | None = None,
    ) -> Read:
        """The readings of a question, the best of which were compared once more.

        Args:
            domain: of another database than the parser's, with its `names`.
        """
        found = self.search(question, domain, names)
        return self.compared(question, found, (domain or self.domain).layer)  # type: ignore[union-attr]

    @torch.no_grad()
    def compared(self, question: str, found: Read, layer: SemanticLayer) -> Read:
        """What was found, its best readings compared once more by the cross-encoder."""
        if self.cross_encoder is None or not found.readings:
            return found
        least = found.readings[0].score - CLOSE
        some = [one for one in found.readings[:COMPARED] if one.score >= least]
        pairs = [(question, restate(one.program, layer)) for one in some]
        odds = self.cross_encoder(pairs).tolist()
        whole = [one.score + WEIGHT * odd for one, odd in zip(some, odds, strict=True)]
        order = ranked(some, whole, found.words)
        return found._replace(
            readings=[*(some[at] for at in order), *found.readings[len(some) :]],
            odds=tuple(odds[at] for at in order),
        )

    @torch.no_grad()
    def search(
        self,
        question: str,
        domain: DatabaseDomain | None = None,
        names: NameTable | None = None,
        allowed: Callable[..., bool] | None = None,
    ) -> Read:
        """The readings of a question in the order of the chart.

        Args:
            domain: of another database than the parser's, with its `names`.
            allowed: which labels may be used; None for all.
        """
        domain = domain or self.domain  # type: ignore[assignment]
        names = names or self.names
        assert isinstance(domain, DatabaseDomain)
        words = words_of(question)
        if not words:
            nothing = torch.zeros(0, self.encoder.dim)
            return Read(words, nothing, Context((), (), (), ()), Weighted(words, {}), [])
        vectors = word_vectors(self._reader, [(question, words)])[0]
        meanings = ContextMeanings(vectors, names.vectors)
        labels = names.labeller.labels(words, domain.today, meanings)
        words = marked(words, labels)
        types = names.labeller.types
        context = context_of(mentions_of(labels), names.things, types, domain.layer.schema)
        scores = self._scores(words, vectors, labels, names, context)
        search = Search(domain.layer, words, labels, scores, self.config.beam, allowed)
        return Read(words, vectors, context, scores, search.readings())

    def _scores(
        self,
        words: Sequence[Word],
        vectors: Tensor,
        labels: Sequence[Sequence[Label]],
        names: NameTable,
        context: Context,
    ) -> ReadingScores:
        if self.scorer is None or names.compared is None:
            return Weighted(words, FIRST_WEIGHTS)
        spans = {(one.start, one.end) for some in labels for one in some}
        named = ComparedNames(names.vectors, names.compared, names.things)
        scored = self.scorer.scored(vectors, named, context, sorted(spans))
        return LearnedScores(self.scorer, scored, words, names.things)

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Program]]:
        """See `Parser.parse`."""
        with self.without_dropout():
            return [self._prediction(one, k, at_least) for one in questions]

    def _prediction(self, question: str, k: int, at_least: float | None) -> Prediction[Program]:
        read = self.read(question)
        words, readings = read.words, read.readings
        typed = tuple(word.text for word in words)
        if not readings:
            reason = "nothing in the question could be found in the database"
            return Prediction(question, typed, reason=reason)
        found = shares(readings, self.temperature)
        features = self._features(read)
        if self.trust:
            found = beside(probability(self.trust, features), found)
        can_tell = found[0]
        if self.answerable:
            subject = subject_figures(
                features, readings[0], words, read.vectors, self.names.vectors
            )
            can_tell = probability(self.answerable, subject)
        some: list[Prediction[Program]] = [
            Prediction(
                question,
                typed,
                meaning=reading.program,
                probability=probable,
                score=reading.score,
                derivation=derivation(reading, words, self._layer),
                unused=tuple(left_over(reading, words)),
            )
            for reading, probable in zip(readings[:k], found, strict=False)
        ]
        first = replace(some[0], alternatives=tuple(some[1:]))
        first = replace(first, doubtful=first.probability < self.doubtful_below)
        if at_least is not None:
            return first.at_least(at_least, self._why(first))
        if can_tell < self.refused_below:
            return first.refused(self._why(first) or "the database can probably not tell")
        return first

    @property
    def _layer(self) -> SemanticLayer:
        return self.domain.layer  # type: ignore[attr-defined,no-any-return]

    def _features(self, read: Read) -> Any:
        """What tells whether the best reading is right."""
        return figures_of(
            *(read.readings, read.scores, read.words, self.temperature),
            *(self._layer.schema, read.odds),
        )

    def _why(self, prediction: Prediction[Program]) -> str:
        left = [repr(prediction.words[number]) for number in prediction.unused]
        return f"nothing in the database is found for {', '.join(left)}" if left else ""

    # --- training ------------------------------------------------------------------------

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Slow learning: pairs are few, and what was known before is not to be forgotten."""
        return {"epochs": 10, "batch_size": 8, "head_rate": 1e-4, **of_data}

    def prepare(self, train: Sequence[Example[Program]]) -> None:
        """Nothing: the networks are built once readings are there."""

    def training_items(
        self, examples: Sequence[Example[Program]]
    ) -> tuple[list[Any], Unusable[Program]]:
        """The readings of each question; those of which none is right teach nothing."""
        lists, unusable, self._met = [], [], []
        for example in examples:
            question, right = example.question, right_of(self.domain, example)
            found = self.search(question)
            some = self._judged(question, found, right)
            best = self._judged_best(question, found, right)
            # Once it is trained on, it tells nothing of how far others can be trusted.
            self._met += [] if best is None else [best]
            if 0 < sum(one.right for one in some.readings) < len(some.readings):
                lists.append(some)
            else:
                unusable.append((example, "no reading that was found gives the right rows"))
        if self.scorer is None:
            self.build(vocabulary_of(lists), FIRST_WEIGHTS)
        return [prepared(one, self.scorer) for one in lists], unusable  # type: ignore[arg-type]

    def _judged(self, question: str, found: Read, right: Callable[[Program], bool]) -> Readings:
        """The readings of a question, judged."""
        names, some = self.names, found.readings[: self.config.listed]
        return Readings(
            *(question, names.labeller.names.texts, found.vectors, names.vectors),
            *(names.things, found.context),
            [judged(one, found.words, right(one.program)) for one in some],
        )

    def _judged_best(
        self, question: str, found: Read, right: Callable[[Program], bool]
    ) -> JudgedBest | None:
        """The best reading of a question, judged; None if there is none."""
        if not found.readings:
            return None
        read = self.compared(question, found, self._layer)
        odds = log_odds(self.trust, self._features(read)) if self.trust else 0.0
        return JudgedBest(odds, right(read.readings[0].program))

    def fit_confidence(
        self, train: Sequence[Example[Program]], unseen: Sequence[Example[Program]]
    ) -> str | None:
        """Move the probabilities to what they are on this database. The pairs that were trained on
        are judged as they were read before."""
        if not self.trust:
            return None
        later = (
            self._judged_best(one.question, self.search(one.question), right_of(self.domain, one))
            for one in unseen
        )
        cases = [*self._met, *(one for one in later if one is not None)]
        moved = level_of(cases)
        self.trust[0] += moved
        return (
            f"probabilities are moved by {moved:+.2f} (log odds), as {len(cases)} pairs were read "
            "before they were trained on"
        )

    def build(self, vocabulary: ScoredNames, weights: Mapping[str, float]) -> ReadingScorer:
        """The network of scores, untrained but for the weights of features."""
        members = self.config.members
        self.scorer = ReadingScorer(self.encoder.dim, vocabulary, weights, members)
        self.__dict__.pop("names", None)
        return self.scorer

    def add_cross_encoder(self, rank: int) -> CrossEncoder:
        """A cross-encoder over the parser's encoder, untrained. Raises PartwiseError for an encoder
        that is no pretrained transformer."""
        if not can_cross_encode(self.encoder):
            raise PartwiseError(
                f"an encoder of the kind {self.encoder.kind!r} cannot compare readings with "
                "questions; choose a pretrained transformer"
            )
        self.cross_encoder = CrossEncoder(self.encoder, rank)  # type: ignore[arg-type]
        return self.cross_encoder

    def loss(self, batch: Sequence[Any]) -> LossReport:
        """Minus the mean log-likelihood of the right readings."""
        assert self.scorer is not None
        losses = torch.stack([loss_of(one, self.scorer) for one in batch])
        return LossReport(losses.mean(), len(batch))

    # --- saving --------------------------------------------------------------------------

    def eight_bits(self) -> tuple[str, ...]:
        """See `NeuralParser.eight_bits`; what pairs changed a little would be lost in these."""
        unchanged = ("encoder.", "cross_encoder.")
        return unchanged if self._met else (*unchanged, "scorer.span.", "scorer.context.")

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
        if parts and set(parts) != set(ScoredNames._fields):
            raise PartwiseError(f"its vocabulary lacks one of {', '.join(ScoredNames._fields)}")

        def build():  # type: ignore[no-untyped-def]  # mypy: no Self in a nested function
            parser = cls(domain, config, load_encoder(saved["encoder"], folder / ENCODER))
            if parts:
                lists = (tuple(map(str, parts[name])) for name in ScoredNames._fields)
                vocabulary = ScoredNames(*lists)
                parser.scorer = ReadingScorer(parser.encoder.dim, vocabulary, None, config.members)
            if saved["cross_encoder"]:
                parser.add_cross_encoder(saved["cross_encoder"])
            parser.trust, parser.answerable = trust, answerable
            parser.refused_below = saved["refused_below"]
            parser.doubtful_below = saved["doubtful_below"]
            return parser

        return build
