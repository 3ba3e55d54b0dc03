"""SpanParser: label every span, find the best well-typed tree (Herzig and Berant 2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from partwise.chart import compiled, warm_up
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.derivation import SpanPosteriors
from partwise.chart.scores import SpanScores
from partwise.encoders import load_encoder
from partwise.encoders.storage import read_names, write_json
from partwise.errors import PartwiseError, TooCostlyError
from partwise.evaluation.confidence import pooled
from partwise.interface.budget import NO_LIMIT, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.settings import former_names
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import split
from partwise.span.annotation.spans import spans_of
from partwise.span.config import SpanParserConfig, presets_for_few, variant
from partwise.span.decoding import Logits, SpanConfidence, nothing
from partwise.span.derivation import SpanDerivation
from partwise.span.labels import Labels, Prepared
from partwise.span.learning import BATCH, LearningSpanParser
from partwise.span.mistakes import parts
from partwise.training.store import ENCODER, SavedParser, save_encoder

GRAMS = "lexicon.json"
"""The n-grams of the induced lexicon."""

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


class SpanParser(LearningSpanParser):
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

    @classmethod
    def presets(
        cls, domain: Domain, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Settings to use where the user gives none; see `Parser.presets`."""
        former = former_names(SpanParserConfig)
        suggested = {former.get(name, name): value for name, value in of_data.items()}
        return suggested or presets_for_few(size, given.get("objective", cls.Config.objective))

    @classmethod
    def variant(cls, domain: Domain, config: SpanParserConfig) -> str:
        """A name for these settings, as ``crf-sharp``; see `partwise.span.config.variant`."""
        return variant(domain, config)

    @classmethod
    def create(cls, domain: Domain, config: SpanParserConfig) -> Self:
        """An untrained parser; its network is made when it is trained.

        Raises:
            PartwiseError: for a domain of other meanings than programs.
        """
        return cls(_of_programs(domain), config)

    def mistake(self, example: Example[Term], prediction: Prediction[Term]) -> dict[str, Any]:
        """The constants and trees of a gold program and of a predicted one, as JSON values.

        That is ``words``, ``program_parts`` and ``predicted_parts`` (see `partwise.span.mistakes`;
        null for a program that the domain cannot read), ``tree`` and ``predicted_tree`` (``[start,
        end, category]`` over the words, end excluded; null where there is none).
        """
        guess, tree = prediction.meaning, getattr(prediction.derivation, "tree", None)
        return {
            "words": self.reader(example.question).words,
            "program_parts": parts(self.domain, example.meaning),
            "predicted_parts": None if guess is None else parts(self.domain, guess),
            "tree": example.spans,
            "predicted_tree": None if tree is None else spans_of(tree, self.domain),
        }

    # --- scores --------------------------------------------------------------------------

    def scores(self, question: str) -> SpanScores:
        """The chart scores of one question.

        Raises:
            PartwiseError: for a question without words or over the length limit.
        """
        prepared = self.labels.prepare(self._fit(question))
        return self.decoder.best(prepared, self.scored([prepared])[0])[0]

    def chart(self, question: str) -> SpanPosteriors:
        """How likely each label is on each span of a question, over all well-typed trees.

        At the parser's temperature.

        Raises:
            PartwiseError: for a question without words or over the length limit.
        """
        scores = self.scores(question).tempered(self.temperature)
        categories = self.domain.constants
        return SpanPosteriors(
            compiled.marginals(scores, self.algebra),
            [categories[int(number)].category for number in scores.columns],
            self.reader(question),
        )

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Term]]:
        """The best well-typed program of each question, with its tree and its probability.

        Args:
            k: how many programs to give, the best one and ``k - 1`` alternatives.
            at_least: the probability that a program must have; else there is none, and the
                programs found are its alternatives. None for the parser's own choice.
        """
        vectors: dict[int, Tensor] = {}
        found = self._parse(questions, k, self.budget, vectors)
        return [self.judge(one, vectors.get(n), at_least) for n, one in enumerate(found)]

    def mark_words(self, prediction: Prediction[Term]) -> Prediction[Term]:
        """With the words that are neither in training questions nor in names.

        Words of a phrase of what the program has give something, whatever the tree rests on.
        """
        tree = prediction.derivation
        if self.confidence is None or not isinstance(tree, SpanDerivation):
            return prediction
        right = {part for typed, _ in prediction.corrections for part in split(typed)}
        unknown = self.confidence.unknown_words(tree.words.words, self._named, right)
        meant = self._meant(tree) if prediction.unused else set()
        unused = tuple(place for place in prediction.unused if place not in meant)
        return replace(prediction, unused=unused, unknown=unknown)

    def _meant(self, derivation: SpanDerivation) -> set[int]:
        """The words of all phrases of what the program has."""
        one = self.labels.prepare(derivation.words)
        leaves = (node.label for node in derivation.tree.walk() if not node.children)
        used = set(map(self.labels.output_of, leaves))
        rows = [row for row, output in one.matches.tolist() if output in used]
        return {place for start, end in one.spans[rows].tolist() for place in range(start, end)}

    @cached_property
    def _named(self) -> frozenset[str]:
        """The words of all phrases of the domain."""
        return frozenset(word for key in self.domain.matcher.exact for word in key)

    @torch.no_grad()
    def vectors(self, questions: Sequence[str]) -> list[Tensor]:
        """A vector for each question; see `NeuralParser.vectors`."""
        words = [self.reader(question) for question in questions]
        with self.without_dropout():
            return [pooled(self.encoder([one])[0], [len(one)])[0] for one in words]

    def parse_examples(self, examples: Sequence[Example[Term]]) -> list[Prediction[Term]]:
        """The best program of each question, without its probability and at any cost."""
        return self._parse([example.question for example in examples], 0, Budget(NO_LIMIT))

    def confidences(self, questions: Sequence[str]) -> list[SpanConfidence | None]:
        """The best program of each question with its confidence; None for no parse."""
        prepared = (self.labels.prepare(self.reader(question)) for question in questions)
        return [
            self.decoder.confidence(one, self.scored([one])[0])
            if one.known and self.unfit(one.words) is None
            else None
            for one in prepared
        ]

    def _parse(
        self,
        questions: Sequence[str],
        k: int,
        budget: Budget,
        vectors: dict[int, Tensor] | None = None,
    ) -> list[Prediction[Term]]:
        """As `parse`; with a `k` of 0 the best program alone, without its probability.

        Args:
            vectors: gets those of the questions by number, if they are of use.
        """
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
                encoded = self._encoded(prepared)
                logits = self.scored(prepared, encoded)
                if vectors is not None and self.confidence is not None:
                    lengths = [one.n for one in prepared]
                    vectors |= zip(numbers, pooled(encoded[0], lengths), strict=True)
            with self.clock.part("chart"):
                for number, one, scored in zip(numbers, prepared, logits, strict=True):
                    results[number] = self._predict(one, scored, k, budget)
        return [results[number] for number in range(len(words))]

    def _predict(self, one: Prepared, logits: Logits, k: int, budget: Budget) -> Prediction[Term]:
        if not one.known:
            return nothing(one.words, UNKNOWN)
        try:
            return self.decoder.predict(one, logits, k, self.temperature, budget.start())
        except TooCostlyError as error:
            return nothing(one.words, str(error))

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The labels and the encoder."""
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
        """What builds a saved parser, its weights still to be filled in.

        Raises:
            PartwiseError: if the labels are not what they were in training.
        """
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
