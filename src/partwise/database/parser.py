"""The half of the parser for databases that learns.

Pairs of a user teach it which interpretations are right, and how far its probabilities can be
trusted on this database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import torch

from partwise.database.confidence import FEATURES, log_odds
from partwise.database.config import DatabaseSettings
from partwise.database.domain import DatabaseDomain
from partwise.database.features import derivation_of
from partwise.database.inference import (
    FIRST_PRICES,
    DatabaseInference,
    Parses,
    SchemaNames,
    checked_database,
    vocabulary_of_saved,
)
from partwise.database.judging import JudgedBest, level_of, right_of
from partwise.database.learning import Candidates, loss_of, prepared, vocabulary_of
from partwise.database.network import SchemaScorer
from partwise.database.scorer import SchemaVocabulary
from partwise.encoders.base import Encoder, load_encoder, make_encoder
from partwise.encoders.cross_encoder import CrossEncoder
from partwise.encoders.functions import Function
from partwise.encoders.readers import Reader
from partwise.errors import PartwiseError
from partwise.execution.relational.program import Program
from partwise.interface.data import Example
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER
from partwise.training.trainer import LossReport
from partwise.training.weights import save_encoder


class DatabaseParser(DatabaseInference, NeuralParser[Program]):
    """The parser for databases, which learns.

    Attributes:
        scorer: None before training; then first weights score.
        cross_encoder: compares the best interpretations with the question; None without one.
    """

    starts_from: ClassVar[str | None] = "database"

    def __init__(
        self, domain: DatabaseDomain, config: DatabaseSettings, encoder: Encoder | None = None
    ) -> None:
        super().__init__(domain, config)
        self.encoder = encoder if encoder is not None else make_encoder(config.encoder, [])
        self.encoder.requires_grad_(False)
        self.scorer: SchemaScorer | None = None
        self.cross_encoder: CrossEncoder | None = None
        self._met: list[JudgedBest] = []

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

    @property
    def reader(self) -> Reader:
        return self.encoder.reader

    @property
    def vocabulary(self) -> SchemaVocabulary | None:  # type: ignore[override]
        return None if self.scorer is None else self.scorer.vocabulary

    @property
    def compares(self) -> bool:  # type: ignore[override]
        return self.cross_encoder is not None

    def network_functions(self) -> Mapping[str, Function]:
        """See `NeuralParser.network_functions`."""
        read: Encoder | CrossEncoder = self.cross_encoder or self.encoder
        scorer = {} if self.scorer is None else {"scorer": self.scorer.function()}
        return {"encoder": read.function(), **scorer}

    def train(self, mode: bool = True) -> Self:
        """See `torch.nn.Module.train`; what was made of the weights for parsing is made again."""
        self.__dict__.pop("names", None)
        return super().train(mode)

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
            question,
            names.texts,
            torch.from_numpy(parses.vectors),
            torch.from_numpy(names.vectors),
            names.items,
            asked.context,
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
            "asks_above": self.asks_above,
            "plain": sorted(self.plain),
            "cross_encoder": 0 if self.cross_encoder is None else self.cross_encoder.rank,
            "follow_up": {} if self.conversation is None else self.conversation._asdict(),
        }

    def write_files(self, folder: Path) -> None:
        """Write what the encoder needs beside its weights."""
        save_encoder(self.encoder, folder)

    @classmethod
    def builder(
        cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser; its database need not be that of training."""
        checked_database(domain)
        vocabulary = vocabulary_of_saved(saved)

        def build():  # type: ignore[no-untyped-def]  # mypy: no Self in a nested function
            parser = cls(domain, config, load_encoder(saved["encoder"], folder / ENCODER))
            if vocabulary is not None:
                parser.build(vocabulary)
            if saved["cross_encoder"]:
                parser.add_cross_encoder(saved["cross_encoder"])
            parser.take(saved)
            return parser

        return build
