"""SpanParser: label every span, find the best well-typed tree (Herzig and Berant 2021)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.chart import compiled, warm_up
from partwise.chart.algebra import Algebra
from partwise.chart.scores import JOIN, SpanScores, SpanTree, no_answers
from partwise.chart.semantics import SpanPosteriors
from partwise.chart.type_algebra import TypeAlgebra
from partwise.encoders import Encoder, load_encoder, make_encoder
from partwise.encoders.storage import read_names, write_json
from partwise.errors import DataError, PartwiseError, TooCostlyError
from partwise.evaluation.confidence import pool_vectors
from partwise.interface.budget import NO_LIMIT, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.settings import former_names
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import Words, split, tokenize
from partwise.language.typed import TypedReader
from partwise.span.annotation import Annotator, spans_of, tree_of
from partwise.span.augmentation import Augmentation
from partwise.span.config import SpanParserConfig, presets_for_few, variant
from partwise.span.decoding import Decoder, Logits, SpanConfidence, SpanDerivation, nothing, parts
from partwise.span.induced import DECODE, Evidence, InducedLexicon, grams_to_count
from partwise.span.objectives import Objective, TrainingItem, TreeBatch, objective_of
from partwise.span.scorer import FIRST_CONSTANT, AnswerScorer, Labels, Prepared, SpanScorer
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER, SavedParser, save_encoder
from partwise.training.trainer import LossReport

GRAMS = "lexicon.json"
"""The n-grams of the induced lexicon."""

BATCH = 64
"""Questions that are scored together."""
UNKNOWN = "no word of the question names anything in the domain"


@dataclass(frozen=True, kw_only=True)
class SavedSpanParser(SavedParser):
    """What config.json says of a span parser.

    Attributes:
        labels: what spans may mean.
        encoder: the encoder's kind and settings.
    """

    labels: list[str]
    encoder: dict[str, Any]


class SpanParser(NeuralParser[Term]):
    """The span-based parser over a domain.

    Args:
        domain: the language; its types decide which trees there are.
        config: how it is built and trained.
        encoder: words to vectors; without one it is made of the training questions.
        types: the domain's types, if they are known already.
    """

    kind = "span"
    Config = SpanParserConfig
    Saved = SavedSpanParser

    domain: Domain
    config: SpanParserConfig
    encoder: Encoder
    scorer: SpanScorer
    answers: AnswerScorer | None
    _augmentation: Augmentation | None = None

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
            outputs = self.labels.size, self.labels.predicates, FIRST_CONSTANT
            self.lexicon = InducedLexicon(grams, *outputs)

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

    @classmethod
    def presets(
        cls, domain: Domain, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        former = former_names(SpanParserConfig)
        suggested = {former.get(name, name): value for name, value in of_data.items()}
        return suggested or presets_for_few(size, given.get("objective", cls.Config.objective))

    @classmethod
    def variant(cls, domain: Domain, config: SpanParserConfig) -> str:
        return variant(domain, config)

    @classmethod
    def create(cls, domain: Domain, config: SpanParserConfig) -> Self:
        """An untrained parser; its network is made when it is trained. Raises PartwiseError for a
        domain of other meanings than programs."""
        return cls(_of_programs(domain), config)

    def mistake(self, example: Example[Term], prediction: Prediction[Term]) -> dict[str, Any]:
        """The constants and trees of a gold program and of a predicted one, as JSON values. That is
        ``words``, ``program_parts`` and ``predicted_parts`` (see `partwise.span.decoding`; null for
        a program that the domain cannot read), ``tree`` and ``predicted_tree`` (``[start, end,
        category]`` over the words, end excluded; null where there is none)."""
        guess, tree = prediction.meaning, getattr(prediction.derivation, "tree", None)
        return {
            "words": self.reader(example.question).words,
            "program_parts": parts(self.domain, example.meaning),
            "predicted_parts": None if guess is None else parts(self.domain, guess),
            "tree": example.spans,
            "predicted_tree": None if tree is None else spans_of(tree, self.domain),
        }

    # --- scores --------------------------------------------------------------------------

    @torch.no_grad()
    def _encode(self, batch: Sequence[Prepared]) -> tuple[Tensor, Tensor]:
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
        """``[spans, outputs]`` of each question. `evidence`: of the induced lexicon in training,
        where a question's own counts are left out; without it, it is a prediction; `encoded`: the
        encoder's vectors, if they are known."""
        first, last = encoded or self.encoder([question.words for question in batch])
        bonuses = None
        if self.lexicon is not None:
            if evidence is None:
                bonuses = [self.lexicon.bonus(self.lexicon(question), DECODE) for question in batch]
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
            return [tensor.float().cpu().numpy() for tensor in logits]

    @torch.no_grad()
    def scored(
        self, batch: Sequence[Prepared], encoded: tuple[Tensor, Tensor] | None = None
    ) -> list[Logits]:
        """What prediction goes by: labels, and what each question asks for."""
        encoded = encoded or self._encode(batch)
        answers = [no_answers() for _ in batch]
        if self.answers is not None:
            with self.without_dropout():
                asked = self.config.answer_type * self.answers(*encoded, batch)
            answers = list(asked.double().cpu().numpy())
        return list(map(Logits, self.quiet_logits(batch, encoded=encoded), answers))

    def unfit(self, words: Words) -> str | None:
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

    def scores(self, question: str) -> SpanScores:
        """The chart scores of one question. Raises PartwiseError for a question without words or
        over the length limit."""
        prepared = self.labels.prepare(self._fit(question))
        return self.decoder.best(prepared, self.scored([prepared])[0])[0]

    def chart(self, question: str) -> SpanPosteriors:
        """How likely each label is on each span of a question, over all well-typed trees. At the
        parser's temperature. Raises PartwiseError for a question without words or over the length
        limit."""
        scores = self.scores(question).tempered(self.temperature)
        categories = self.domain.constants
        return SpanPosteriors(
            compiled.marginals(scores, self.algebra),
            [categories[int(number)].category for number in scores.columns],
            self.reader(question),
        )

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
        items: list[TrainingItem] = []
        unusable: Unusable[Term] = []
        for example in self._annotate(examples):
            try:
                items.append(self._item(example))
            except PartwiseError as error:
                unusable.append((example, str(error)))
        return items, unusable

    def _annotate(self, examples: Sequence[Example[Term]]) -> Sequence[Example[Term]]:
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
        """One example made ready. Raises PartwiseError if its question, its program or its tree
        cannot be used."""
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
        return objective_of(self.config.objective)(self.config.crf_weight)

    def loss(self, batch: Sequence[TrainingItem]) -> LossReport:
        questions, evidence = [item.question for item in batch], self._evidence(batch)
        with self.clock.part("network"):
            trees = self._trees(batch, evidence)
            encoded = self.encoder([question.words for question in questions])
            live = self.logits(questions, evidence, encoded)
        with self.clock.part("chart"):
            targets = [self.objective.target(trees, place) for place in range(len(batch))]
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
        return {} if self.lexicon is None else self.lexicon.own_counts()

    def restore_training_state(self, state: Mapping[str, Tensor]) -> None:
        if self.lexicon is not None:
            self.lexicon.restore(state)

    def length(self, item: TrainingItem) -> int:
        return item.question.n

    def variation(
        self, train: Sequence[Example[Term]]
    ) -> Callable[[TrainingItem, random.Random], TrainingItem] | None:
        """Names swapped and phrases recombined, as the settings say how often."""
        config = self.config
        if config.entity_augmentation or config.recombination or config.typing_augmentation:
            self._augmentation = Augmentation(config, self.types, train, self.training_items)
        return self._augmentation

    def begin_epoch(self, items: Sequence[TrainingItem], epoch: int) -> None:
        """Find the phrases to recombine in the best trees of now, where no lexicon says them."""
        varied = self._augmentation
        if varied is None or varied.recombination is None or not varied.own_trees or not epoch:
            return
        varied.recombination.learn(self._gold_trees(items))

    def _gold_trees(
        self, items: Sequence[TrainingItem]
    ) -> Iterator[tuple[Example[Term], SpanTree]]:
        """The best tree of each item's program, where there is one."""
        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            gold = self._trees(batch, self._evidence(batch)).gold
            for item, trees in zip(batch, gold, strict=True):
                if (best := trees.argmax) is not None:
                    yield item.example, best.tree

    def _trees(
        self, batch: Sequence[TrainingItem], evidence: Sequence[Evidence] | None
    ) -> TreeBatch:
        """The trees of training questions under the scores of now, without dropout."""
        questions = [item.question for item in batch]
        pairs = zip(questions, self.quiet_logits(questions, evidence), strict=True)
        scores = [question.span_scores(logits) for question, logits in pairs]
        device = str(next(self.parameters()).device)
        return TreeBatch(batch, scores, self.algebra, self.config.chart, device)

    def _evidence(self, batch: Sequence[TrainingItem]) -> list[Evidence] | None:
        """What the induced lexicon says of training questions, without what it has from them."""
        if self.lexicon is None:
            return None
        return [self.lexicon(item.question, item.example.source) for item in batch]

    def pretrained(self) -> list[nn.Parameter]:
        return list(self.encoder.parameters()) if hasattr(self.encoder, "model") else []

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Term]]:
        """The best well-typed program of each question, with its tree and its probability. `k`: how
        many programs to give, the best one and ``k - 1`` alternatives; `at_least`: the probability
        that a program must have; else there is none, and the programs found are its alternatives.
        None for the parser's own choice."""
        vectors: dict[int, Tensor] = {}
        found = self._parse(questions, k, self.budget, vectors)
        return [
            self.judge(prediction, vectors.get(n), at_least) for n, prediction in enumerate(found)
        ]

    def mark_words(self, prediction: Prediction[Term]) -> Prediction[Term]:
        """With the words that are neither in training questions nor in names. Words of a phrase of
        what the program has give something, whatever the tree rests on."""
        tree = prediction.derivation
        if self.confidence is None or not isinstance(tree, SpanDerivation):
            return prediction
        right = {part for typed, _ in prediction.corrections for part in split(typed)}
        unknown = self.confidence.unknown_words(tree.words.words, self._words_of_phrases, right)
        meant = self._words_of_meaning(tree) if prediction.unused else set()
        unused = tuple(place for place in prediction.unused if place not in meant)
        return replace(prediction, unused=unused, unknown=unknown)

    def _words_of_meaning(self, derivation: SpanDerivation) -> set[int]:
        """The words of all phrases of what the program has."""
        question = self.labels.prepare(derivation.words)
        leaves = (node.label for node in derivation.tree.walk() if not node.children)
        used = set(map(self.labels.output_of, leaves))
        rows = [row for row, output in question.matches.tolist() if output in used]
        return {
            place for start, end in question.spans[rows].tolist() for place in range(start, end)
        }

    @cached_property
    def _words_of_phrases(self) -> frozenset[str]:
        return frozenset(word for key in self.domain.matcher.exact for word in key)

    @torch.no_grad()
    def vectors(self, questions: Sequence[str]) -> list[Tensor]:
        words = [self.reader(question) for question in questions]
        with self.without_dropout():
            return [pool_vectors(self.encoder([word])[0], [len(word)])[0] for word in words]

    def parse_examples(self, examples: Sequence[Example[Term]]) -> list[Prediction[Term]]:
        """The best program of each question, without its probability and at any cost."""
        return self._parse([example.question for example in examples], 0, Budget(NO_LIMIT))

    def confidences(self, questions: Sequence[str]) -> list[SpanConfidence | None]:
        """The best program of each question with its confidence; None for no parse."""
        prepared = (self.labels.prepare(self.reader(question)) for question in questions)
        return [
            self.decoder.confidence(question, self.scored([question])[0])
            if question.known and self.unfit(question.words) is None
            else None
            for question in prepared
        ]

    def _parse(
        self,
        questions: Sequence[str],
        k: int,
        budget: Budget,
        vectors: dict[int, Tensor] | None = None,
    ) -> list[Prediction[Term]]:
        """As `parse`; with a `k` of 0 the best program alone, without its probability. `vectors`:
        gets those of the questions by number, if they are of use."""
        words = [self.reader(question) for question in questions]
        results = {
            number: nothing(given, reason)
            for number, given in enumerate(words)
            if (reason := self.unfit(given)) is not None
        }
        # Questions of like length share a batch, so that little is padded.
        order = sorted(set(range(len(words))) - set(results), key=lambda i: len(words[i]))
        for begin in range(0, len(order), BATCH):
            numbers = order[begin : begin + BATCH]
            prepared = [self.labels.prepare(words[number]) for number in numbers]
            with self.clock.part("network"):
                encoded = self._encode(prepared)
                logits = self.scored(prepared, encoded)
                if vectors is not None and self.confidence is not None:
                    lengths = [question.n for question in prepared]
                    vectors |= zip(numbers, pool_vectors(encoded[0], lengths), strict=True)
            with self.clock.part("chart"):
                for number, item, scored in zip(numbers, prepared, logits, strict=True):
                    results[number] = self._predict(item, scored, k, budget)
        return [results[number] for number in range(len(words))]

    def _predict(
        self, question: Prepared, logits: Logits, k: int, budget: Budget
    ) -> Prediction[Term]:
        if not question.known:
            return nothing(question.words, UNKNOWN)
        try:
            return self.decoder.predict(question, logits, k, self.temperature, budget.start())
        except TooCostlyError as error:
            return nothing(question.words, str(error))

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        encoder, labels = self.encoder.config(), list(self.labels.names)
        return {
            "about": f"Encoder: {encoder.get('name', encoder['kind'])}. {len(labels)} labels.",
            "labels": labels,
            "encoder": encoder,
        }

    def write_files(self, folder: Path) -> None:
        """Write what the encoder needs beside its weights, and the n-grams of the lexicon."""
        save_encoder(self.encoder, folder)
        if self.lexicon is not None:
            write_json(folder / GRAMS, [" ".join(gram) for gram in self.lexicon.grams])

    @classmethod
    def builder(
        cls, domain: Domain, config: SpanParserConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in. Raises PartwiseError if
        the labels are not what they were in training."""
        labels = Labels(_of_programs(domain), config).names
        # Entities may come and go; what else there is to say must be what it was.
        if saved["labels"] != list(labels):
            changed = sorted(set(saved["labels"]) ^ set(labels))[:5]
            raise PartwiseError(
                f"the parser was trained on another vocabulary of {domain.name} (differs in "
                f"{', '.join(changed) or 'order'})"
            )
        types = TypeAlgebra(domain)
        # Answers do not wait for the compiler.
        warm_up(wait=False)

        def build() -> Any:
            parser = cls(domain, config, types=types)
            grams = read_names(folder / GRAMS) if config.induced_lexicon else []
            encoder = load_encoder(saved["encoder"], folder / ENCODER)
            parser._network(encoder, [tuple(gram.split(" ")) for gram in grams])
            return parser

        return build


def _of_programs(domain: Any) -> Domain:
    if not isinstance(domain, Domain):
        name = getattr(domain, "name", domain)
        raise PartwiseError(f"{name!r:.60} is no domain of programs, as span parsers need")
    return domain
