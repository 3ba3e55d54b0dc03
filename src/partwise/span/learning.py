"""What a span parser is made of, and how it learns; `partwise.span.parser` has the rest."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.chart import warm_up
from partwise.chart.algebra.base import Algebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import no_answers
from partwise.chart.tree import JOIN, SpanTree
from partwise.encoders import Encoder, make_encoder
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import Words, tokenize
from partwise.language.typed import TypedReader
from partwise.span.annotation.builder import Annotator
from partwise.span.annotation.spans import tree_of
from partwise.span.augment import Variation
from partwise.span.config import SpanParserConfig
from partwise.span.decoding import Decoder, Logits
from partwise.span.induced import DECODE, Evidence, InducedLexicon, grams_to_count
from partwise.span.labels import Labels, Prepared
from partwise.span.objectives import Objective, TrainingItem, TreeBatch, objective_of
from partwise.span.scorer import AnswerScorer, SpanScorer
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.trainer import LossReport

BATCH = 64
"""Questions that are scored together."""


class LearningSpanParser(NeuralParser[Term]):
    """The networks of a span parser, the scores that they give, and what is learned by.

    Args:
        domain: the language; its types decide which trees there are.
        config: how it is built and trained.
        encoder: words to vectors; without one it is made of the training questions.
        types: the domain's types, if they are known already.
    """

    domain: Domain
    config: SpanParserConfig
    encoder: Encoder
    scorer: SpanScorer
    answers: AnswerScorer | None
    _variation: Variation | None = None

    def __init__(
        self,
        domain: Domain,
        config: SpanParserConfig,
        encoder: Encoder | None = None,
        types: TypeAlgebra | None = None,
    ) -> None:
        super().__init__(domain, config)
        self.types = TypeAlgebra(domain) if types is None else types
        self.labels = Labels(domain, config)
        self.algebra: Algebra = self.types if config.ternary else self.types.without_ternary()
        self.decoder = Decoder(self.types, self.algebra, config)
        self.reader = self._reader(None)
        if encoder is not None:
            self._network(encoder)

    def _network(self, encoder: Encoder, grams: Sequence[tuple[str, ...]] = ()) -> None:
        self.encoder = encoder
        self.reader = self._reader(encoder)
        self.scorer = SpanScorer(encoder.dim, self.labels.size, self.config)
        self.answers = None
        if self.config.answer_type and len(self.types.answers) > 1:
            kinds = self.types.answers
            self.answers = AnswerScorer(encoder.dim, kinds, self.config.dropout)
        self.lexicon = None
        if self.config.induced_lexicon:
            self.lexicon = InducedLexicon(grams, self.labels.size, self.labels.predicates)

    def _reader(self, encoder: Encoder | None) -> Callable[[str], Words]:
        """Questions to words; without an encoder no errors of spelling are looked for."""
        if not self.config.typed:
            return tokenize
        known = None if encoder is None else encoder.known
        domain, matcher, most = self.domain, self.labels.matcher, self.config.max_words
        typed = TypedReader(domain.vocabulary, matcher, domain.typing, known)

        def read(question: str) -> Words:
            # Words that are put between others must not make a question too long.
            words = typed(question)
            return words if len(words) <= most else tokenize(question)

        return read

    # --- scores --------------------------------------------------------------------------

    @torch.no_grad()
    def _encoded(self, batch: Sequence[Prepared]) -> tuple[Tensor, Tensor]:
        """The encoder's vectors of the words, without dropout."""
        with self.without_dropout():
            vectors: tuple[Tensor, Tensor] = self.encoder([question.words for question in batch])
            return vectors

    def logits(
        self,
        batch: Sequence[Prepared],
        evidence: Sequence[Evidence] | None = None,
        encoded: tuple[Tensor, Tensor] | None = None,
    ) -> list[Tensor]:
        """``[spans, outputs]`` of each question.

        Args:
            evidence: of the induced lexicon in training, where a question's own counts are left
                out; without it, it is a prediction.
            encoded: the encoder's vectors, if they are known.
        """
        first, last = encoded or self.encoder([question.words for question in batch])
        bonuses = None
        if self.lexicon is not None:
            if evidence is None:
                bonuses = [self.lexicon.bonus(self.lexicon(one), DECODE) for one in batch]
            else:
                bonuses = [self.lexicon.bonus(one) for one in evidence]
        scored: list[Tensor] = self.scorer(first, last, batch, bonuses)
        return scored

    @torch.no_grad()
    def quiet_logits(
        self,
        batch: Sequence[Prepared],
        evidence: Sequence[Evidence] | None = None,
        encoded: tuple[Tensor, Tensor] | None = None,
    ) -> list[NDArray[np.floating]]:
        """Logits without dropout, whatever mode the parser is in."""
        with self.without_dropout():
            logits = self.logits(batch, evidence, encoded)
            return [one.float().cpu().numpy() for one in logits]

    @torch.no_grad()
    def scored(
        self, batch: Sequence[Prepared], encoded: tuple[Tensor, Tensor] | None = None
    ) -> list[Logits]:
        """What prediction goes by: labels, and what each question asks for."""
        encoded = encoded or self._encoded(batch)
        answers = [no_answers() for _ in batch]
        if self.answers is not None:
            with self.without_dropout():
                asked = self.config.answer_type * self.answers(*encoded, batch)
            answers = list(asked.double().cpu().numpy())
        return list(map(Logits, self.quiet_logits(batch, encoded=encoded), answers))

    def unfit(self, words: Words) -> str | None:
        """Why a question cannot be read, if so."""
        if len(words) == 0:
            return "the question has no words"
        if len(words) > self.config.max_words:
            return f"the question has {len(words)} words; at most {self.config.max_words} are read"
        if not self.encoder.fits(words):
            return "the question is too long for the encoder"
        return None

    def _fit(self, question: str) -> Words:
        words = self.reader(question)
        reason = self.unfit(words)
        if reason is not None:
            raise PartwiseError(reason)
        return words

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[Term]]) -> None:
        """Make the network, with the words of the training questions where the encoder learns
        them."""
        # Interpreted charts would take far longer than compiling them does.
        warm_up()
        read = self._reader(None)
        questions = [read(example.question) for example in train]
        encoder = make_encoder(self.config.encoder, questions, self.config.frozen_layers)
        self._network(encoder, grams_to_count(question.words for question in questions))
        if self.lexicon is not None:
            self.lexicon.begin(
                {
                    example.source: (question.words, self._constants(example.meaning))
                    for example, question in zip(train, questions, strict=True)
                }
            )

    def _constants(self, meaning: Term) -> list[int]:
        """The numbers of a program's constants; none for one that cannot be used."""
        with suppress(PartwiseError):
            return [part.constant.number for part in self.domain.interpret(meaning).walk()]
        return []

    def training_items(
        self, examples: Sequence[Example[Term]]
    ) -> tuple[list[TrainingItem], Unusable[Term]]:
        """Examples made ready, and those that cannot be used, with the reason."""
        items: list[TrainingItem] = []
        unusable: Unusable[Term] = []
        for example in self._annotated(examples):
            try:
                items.append(self._item(example))
            except PartwiseError as error:
                unusable.append((example, str(error)))
        return items, unusable

    def _annotated(self, examples: Sequence[Example[Term]]) -> Sequence[Example[Term]]:
        """The examples with span trees by lexicon, if trees are needed and none are given; what
        cannot be annotated stays as it is."""
        given = any(example.spans is not None for example in examples)
        if given or not self.objective.given_trees:
            return examples
        annotator, annotated = Annotator(self.types), []
        for example in examples:
            with suppress(PartwiseError):
                example = annotator.with_spans(example)
            annotated.append(example)
        return annotated

    def _item(self, example: Example[Term]) -> TrainingItem:
        """One example made ready.

        Raises:
            PartwiseError: if its question, its program or its tree cannot be used.
        """
        words = self._fit(example.question)
        target = self.decoder.gold(example.meaning)
        if not self.objective.given_trees:
            return TrainingItem(self.labels.prepare(words), target, example)
        if example.spans is None:
            raise DataError("no span tree is given, and none can be made by lexicon")
        tree = tree_of(example.spans, self.domain, words.words)
        question = self.labels.prepare(words)
        for (start, end), label in tree.labels().items():
            if label != JOIN and not question.allows(label, start, end):
                raise DataError(
                    f"its span tree calls {' '.join(words.words[start:end])!r} "
                    f"{self.domain.vocabulary[label].category}, but no name of it reads so; "
                    "give the domain this name as an alias, or free the entities"
                )
        return TrainingItem(question, target, example, tree)

    @cached_property
    def objective(self) -> Objective:
        """What is learned by."""
        return objective_of(self.config.objective)(self.config.crf_weight)

    def loss(self, batch: Sequence[TrainingItem]) -> LossReport:
        """What training makes small; see `partwise.span.objectives`."""
        questions, evidence = [item.question for item in batch], self._evidence(batch)
        with self.clock.part("network"):
            quiet = self.quiet_logits(questions, evidence)
        device = str(next(self.parameters()).device)
        trees = TreeBatch(batch, quiet, self.algebra, self.config.chart, device)
        with self.clock.part("chart"):
            targets = [self.objective.target(trees, place) for place in range(len(batch))]
        with self.clock.part("network"):
            encoded = self.encoder([question.words for question in questions])
            live = self.logits(questions, evidence, encoded)
        terms = list(self.objective.terms(trees, targets, live))
        for item, target in zip(batch, targets, strict=True):
            if self.lexicon is not None and target is not None:
                self.lexicon.count(item.example.source, item.question, target)
        missed = [i.example.source for i, t in zip(batch, targets, strict=True) if t is None]
        reached = len(batch) - len(missed)
        loss = torch.stack(terms).sum() / max(1, reached) if terms else None
        if loss is not None and self.answers is not None:
            loss = loss + self._answer_loss(self.answers(*encoded, questions), batch)
        return LossReport(loss, reached, missed)

    def _answer_loss(self, asked: Tensor, batch: Sequence[TrainingItem]) -> Tensor:
        """The mean over questions of ``- log p(what the gold program gives | question)``."""
        gold = torch.zeros_like(asked, dtype=torch.bool)
        for row, item in zip(gold, batch, strict=True):
            assert item.target.answer is not None
            row[item.target.answer[item.target.final].tolist()] = True
        some = gold.any(1)
        likely = asked.masked_fill(~gold, -torch.inf)[some].logsumexp(1)
        return -likely.sum() / max(1, int(some.sum()))

    def training_state(self) -> dict[str, Tensor]:
        """What each question gave to the induced lexicon."""
        return {} if self.lexicon is None else self.lexicon.own_counts()

    def restore_training_state(self, state: Mapping[str, Tensor]) -> None:
        """Take what `training_state` gave."""
        if self.lexicon is not None:
            self.lexicon.restore(state)

    def length(self, item: TrainingItem) -> int:
        """The number of words."""
        return item.question.n

    def variation(
        self, train: Sequence[Example[Term]]
    ) -> Callable[[TrainingItem, random.Random], TrainingItem] | None:
        """Names swapped and phrases recombined, as the settings say how often."""
        config = self.config
        changes = config.entity_augmentation, config.recombination, config.typing_augmentation
        if not any(changes):
            return None
        self._variation = Variation(self.config, self.types, train, self.training_items)
        return self._variation

    def begin_epoch(self, items: Sequence[TrainingItem], epoch: int) -> None:
        """Find the phrases to recombine in the best trees of now, where no lexicon says them."""
        varied = self._variation
        if varied is None or varied.recombination is None or not varied.own_trees or not epoch:
            return
        varied.recombination.learn(
            (item.example, tree) for item, tree in self._gold_trees(items) if tree is not None
        )

    def _gold_trees(
        self, items: Sequence[TrainingItem]
    ) -> Iterator[tuple[TrainingItem, SpanTree | None]]:
        """The best tree of each item's program; None if there is none."""
        device = str(next(self.parameters()).device)
        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            quiet = self.quiet_logits([item.question for item in batch], self._evidence(batch))
            trees = TreeBatch(batch, quiet, self.algebra, self.config.chart, device)
            for item, gold in zip(batch, trees.gold, strict=True):
                best = gold.argmax
                yield item, None if best is None else best.tree

    def _evidence(self, batch: Sequence[TrainingItem]) -> list[Evidence] | None:
        """What the induced lexicon says of training questions, without what it has from them."""
        lexicon = self.lexicon
        if lexicon is None:
            return None
        return [lexicon(item.question, item.example.source) for item in batch]

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters of a pretrained encoder, which learn slowly."""
        return list(self.encoder.parameters()) if hasattr(self.encoder, "model") else []
