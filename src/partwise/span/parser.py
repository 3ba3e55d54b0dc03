"""SpanParser: label every span, find the best well-typed tree (Herzig and Berant 2021)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from partwise.chart import warm_up
from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.encoders.base import Encoder, load_encoder, make_encoder
from partwise.encoders.functions import Array, Function
from partwise.encoders.storage import write_json
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example
from partwise.interface.settings import former_names
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.annotation import Annotator, tree_of
from partwise.span.augmentation import Augmentation
from partwise.span.config import SpanParserConfig, presets_for_few
from partwise.span.counting import InducedLexicon
from partwise.span.induced import Evidence, Gram, grams_to_count
from partwise.span.inference import (
    BATCH,
    GRAMS,
    SpanInference,
    checked,
    features,
    of_programs,
    read_grams,
)
from partwise.span.labels import FIRST_CONSTANT, Prepared, WordRows
from partwise.span.objectives import Objective, TrainingItem, TreeBatch, objective_of
from partwise.span.scorer import AnswerScorer, SpanScorer
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER
from partwise.training.trainer import LossReport
from partwise.training.weights import save_encoder


class SpanParser(SpanInference, NeuralParser[Term]):
    """The span-based parser over a domain.

    Args:
        domain: the language; its types decide which trees there are.
        config: how it is built and trained.
        encoder: words to vectors; without one it is made of the training questions.
        types: the domain's types, if they are known already.
    """

    encoder: Encoder
    scorer: SpanScorer
    answers: AnswerScorer | None
    lexicon: InducedLexicon | None
    _augmentation: Augmentation | None = None

    def __init__(
        self,
        domain: Domain,
        config: SpanParserConfig,
        encoder: Encoder | None = None,
        types: TypeAlgebra | None = None,
    ) -> None:
        super().__init__(domain, config, types)
        if encoder is not None:
            self._network(encoder)

    def _network(self, encoder: Encoder, grams: Sequence[Gram] = ()) -> None:
        self.encoder, self.pieces = encoder, encoder.reader
        self.reader = self._reader(self.pieces)
        self.scorer = SpanScorer(encoder.dim, self.labels.size, self.config)
        self.answers = None
        if self.config.answer_type and len(self.types.answers) > 1:
            kinds = self.types.answers
            self.answers = AnswerScorer(encoder.dim, kinds, self.config.dropout)
        self.lexicon = None
        if self.config.induced_lexicon:
            outputs = self.labels.size, self.labels.predicates, FIRST_CONSTANT
            self.lexicon = InducedLexicon(grams, *outputs)

    @classmethod
    def presets(
        cls, domain: Domain, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        former = former_names(SpanParserConfig)
        suggested = {former.get(name, name): value for name, value in of_data.items()}
        return suggested or presets_for_few(size, given.get("objective", cls.Config.objective))

    @classmethod
    def create(cls, domain: Domain, config: SpanParserConfig) -> Self:
        """An untrained parser; its network is made when it is trained. Raises PartwiseError for a
        domain of other meanings than programs."""
        return cls(of_programs(domain), config)

    # --- scores --------------------------------------------------------------------------

    def network_functions(self) -> Mapping[str, Function]:
        """See `NeuralParser.network_functions`."""
        words, spans = torch.zeros(3, self.encoder.dim), torch.zeros(4, self.labels.size)
        rows = {"starts": [0, 0, 1, 2], "ends": [0, 1, 1, 2], "heads": [0, 2], "tails": [1, 2]}
        given = {"first": words, "last": words}
        given |= {name: torch.tensor(some) for name, some in rows.items()}
        given |= dict.fromkeys(("named", "conflicts", "blocked"), spans.bool())
        if self.lexicon is not None:
            given |= {"own": spans, "rivals": spans, "more": torch.zeros(1)}
        names = {2: "questions", 3: "words", 4: "spans"}
        axes = {name: (names.get(len(one), ""), "")[: one.dim()] for name, one in given.items()}
        return {"encoder": self.encoder.function(), "scorer": Function(self._score, given, axes)}

    def _score(
        self,
        first: Tensor,
        last: Tensor,
        starts: Tensor,
        ends: Tensor,
        heads: Tensor,
        tails: Tensor,
        **phrases: Tensor,
    ) -> tuple[Tensor, ...]:
        """The function ``scorer``: ``[spans, outputs]``, and ``[questions, answers]`` if answers
        are scored. The arguments are `WordRows`, and `features`."""
        logits = self._with_phrases(self.scorer(first, last, starts, ends), **phrases)
        return (
            (logits,) if self.answers is None else (logits, self.answers(first, last, heads, tails))
        )

    def _with_phrases(self, logits: Tensor, **given: Tensor) -> Tensor:
        own, rivals, more = (given.pop(name, None) for name in ("own", "rivals", "more"))
        bonus = None if self.lexicon is None else self.lexicon(own, rivals, more)
        return self.scorer.with_features(logits, bonus=bonus, **given)

    def _tensors(self, arrays: Mapping[str, Array]) -> dict[str, Tensor]:
        device = self.encoder.device
        return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}

    def logits(
        self,
        batch: Sequence[Prepared],
        evidence: Sequence[Evidence] | None,
        encoded: tuple[Tensor, Tensor],
    ) -> list[Tensor]:
        """``[spans, outputs]`` of each question in training. `evidence`: of the induced lexicon, if
        there is one, where a question's own counts are left out; `encoded`: the encoder's
        vectors."""
        first, last = (vectors.flatten(0, 1) for vectors in encoded)
        rows = self._tensors(WordRows.of(batch, encoded[0].shape[1])._asdict())
        logits = self.scorer(first, last, rows["starts"], rows["ends"])
        parts = torch.split(logits, [len(question.spans) for question in batch])
        # One by one, so that the gradients of their weights are summed in this order.
        return [
            self._with_phrases(
                part,
                **self._tensors(
                    features([question], None if evidence is None else [evidence[place]], 0.0)
                ),
            )
            for place, (part, question) in enumerate(zip(parts, batch, strict=True))
        ]

    @torch.no_grad()
    def quiet_logits(
        self, batch: Sequence[Prepared], evidence: Sequence[Evidence] | None = None
    ) -> list[Array]:
        """Logits without dropout, whatever mode the parser is in."""
        with self.without_dropout():
            encoded = self.encoder([question.words for question in batch])
            return [one.float().cpu().numpy() for one in self.logits(batch, evidence, encoded)]

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[Term]]) -> None:
        """Make the network, with the words of the training questions where the encoder learns
        them."""
        # Charts on arrays would take far longer than compiling them does.
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
            first, last = (vectors.flatten(0, 1) for vectors in encoded)
            rows = self._tensors(WordRows.of(questions, encoded[0].shape[1])._asdict())
            asked = self.answers(first, last, rows["heads"], rows["tails"])
            loss = loss + self._answer_loss(asked, batch)
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
        return [self.lexicon.evidence(item.question, item.example.source) for item in batch]

    def pretrained(self) -> list[nn.Parameter]:
        return list(self.encoder.parameters()) if hasattr(self.encoder, "model") else []

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
        known = checked(domain, config, saved["labels"])
        types = TypeAlgebra(known)

        def build() -> Any:
            parser = cls(known, config, types=types)
            grams = read_grams(folder) if config.induced_lexicon else []
            parser._network(load_encoder(saved["encoder"], folder / ENCODER), grams)
            return parser

        return build
