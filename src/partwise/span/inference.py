"""SpanInference: the half of a span parser that answers (Herzig and Berant 2021), without torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from partwise.chart import charts
from partwise.chart.algebra import Algebra
from partwise.chart.scores import SpanScores, no_answers
from partwise.chart.semantics import SpanPosteriors
from partwise.chart.type_algebra import TypeAlgebra
from partwise.encoders.functions import Array
from partwise.encoders.readers import Reader, encode, load_reader
from partwise.encoders.storage import read_names
from partwise.errors import PartwiseError, TooCostlyError
from partwise.evaluation.confidence import Vectors, pool_vectors
from partwise.interface.budget import NO_LIMIT, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import Words, split, tokenize
from partwise.language.typed import TypedReader
from partwise.span.annotation import spans_of
from partwise.span.config import SpanParserConfig, variant
from partwise.span.decoding import Decoder, Logits, SpanConfidence, SpanDerivation, nothing, parts
from partwise.span.induced import DECODE, Evidence, InducedCounts
from partwise.span.labels import FIRST_CONSTANT, Labels, Prepared, WordRows
from partwise.training.inference import InferenceParser, one_ahead
from partwise.training.store import ENCODER, WEIGHTS, SavedParser

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


class SpanInference(InferenceParser[Term]):
    """A saved span parser over a domain, that answers questions.

    Args:
        domain: the language; its types decide which trees there are.
        config: how it was built and trained.
        types: the domain's types, if they are known already.

    Attributes:
        pieces: what the encoder reads of questions.
        lexicon: the induced one, if there is one.
    """

    kind = "span"
    Config = SpanParserConfig
    Saved = SavedSpanParser

    domain: Domain
    config: SpanParserConfig
    pieces: Reader
    lexicon: InducedCounts | None

    def __init__(
        self, domain: Domain, config: SpanParserConfig, types: TypeAlgebra | None = None
    ) -> None:
        super().__init__(domain, config)
        self.types = TypeAlgebra(domain) if types is None else types
        self.labels = Labels(domain, config)
        self.algebra: Algebra = self.types if config.ternary else self.types.without_ternary()
        self.decoder = Decoder(self.types, self.algebra, config)
        self.reader = self._reader(None)
        self.lexicon = None

    @classmethod
    def saved(
        cls, domain: Any, config: SpanParserConfig, saved: Mapping[str, Any], folder: Path
    ) -> Self:
        parser = cls(checked(domain, config, saved["labels"]), config)
        parser.pieces = load_reader(saved["encoder"], folder / ENCODER)
        parser.reader = parser._reader(parser.pieces)
        if config.induced_lexicon:
            grams, labels = read_grams(folder), parser.labels
            parser.lexicon = InducedCounts(grams, labels.size, labels.predicates, FIRST_CONSTANT)
            parser.lexicon.read(folder / WEIGHTS, "lexicon.")
        return parser

    def _reader(self, pieces: Reader | None) -> Callable[[str], Words]:
        """Questions to words; no errors of spelling are looked for without `pieces`."""
        if not self.config.typed:
            return tokenize
        known = None if pieces is None else pieces.known
        domain, matcher, most = self.domain, self.labels.matcher, self.config.max_words
        typed = TypedReader(domain.vocabulary, matcher, domain.typing, known)

        def read(question: str) -> Words:
            # Words that are put between others must not make a question too long.
            words = typed(question)
            return words if len(words) <= most else tokenize(question)

        return read

    @classmethod
    def variant(cls, domain: Domain, config: SpanParserConfig) -> str:
        return variant(domain, config)

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

    def scored(
        self, batch: Sequence[Prepared], encoded: tuple[Array, Array] | None = None
    ) -> list[Logits]:
        """What prediction goes by: labels, and what each question asks for. `encoded`: the
        encoder's vectors, if they are known."""
        if not batch:
            return []
        evidence = None
        if self.lexicon is not None:
            evidence = [self.lexicon.evidence(question) for question in batch]
        first, last = encoded or self._encode(batch)
        labels, *asked = self.functions(
            "scorer",
            first=first.reshape(-1, first.shape[-1]),
            last=last.reshape(-1, last.shape[-1]),
            **WordRows.of(batch, first.shape[1])._asdict(),
            **features(batch, evidence, DECODE),
        )
        cuts = np.cumsum([len(question.spans) for question in batch])[:-1]
        answers = [no_answers() for _ in batch]
        if asked:
            answers = list((self.config.answer_type * asked[0]).astype(np.float64))
        return list(map(Logits, np.split(labels, cuts), answers))

    def _encode(self, batch: Sequence[Prepared]) -> tuple[Array, Array]:
        return encode(self.functions, self.pieces, [question.words for question in batch])

    def unfit(self, words: Words) -> str | None:
        if len(words) == 0:
            return "the question has no words"
        if len(words) > self.config.max_words:
            return f"the question has {len(words)} words; at most {self.config.max_words} are read"
        if not self.pieces.fits(words):
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
            charts().marginals(scores, self.algebra),
            [categories[int(number)].category for number in scores.columns],
            self.reader(question),
        )

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Term]]:
        """The best well-typed program of each question, with its tree and its probability. `k`: how
        many programs to give, the best one and ``k - 1`` alternatives; `at_least`: the probability
        that a program must have; else there is none, and the programs found are its alternatives.
        None for the parser's own choice."""
        vectors: dict[int, Vectors] = {}
        found = self._parse(questions, k, self.budget, vectors)
        return [
            self.judge(prediction, vectors.get(n), at_least) for n, prediction in enumerate(found)
        ]

    def mark_words(self, prediction: Prediction[Term]) -> Prediction[Term]:
        """With the words that are neither in training questions nor in names, and with those that
        gave nothing. Words of a phrase of what the program has give something, whatever the tree
        rests on; words that are the name of a predicate which the program lacks give nothing."""
        tree = prediction.derivation
        if self.confidence is None or not isinstance(tree, SpanDerivation):
            return prediction
        right = {part for typed, _ in prediction.corrections for part in split(typed)}
        unknown = self.confidence.unknown_words(tree.words.words, self._words_of_phrases, right)
        meant, lacking = self._words_of_constants(tree)
        unused = {place for place in prediction.unused if place not in meant} | (lacking - meant)
        return replace(prediction, unused=tuple(sorted(unused)), unknown=unknown)

    def _words_of_constants(self, derivation: SpanDerivation) -> tuple[set[int], set[int]]:
        """The words of all phrases of what the program has, and those that are the name of another
        predicate."""
        question = self.labels.prepare(derivation.words)
        leaves = (node.label for node in derivation.tree.walk() if not node.children)
        used, words = set(map(self.labels.output_of, leaves)), derivation.words.words
        meant, lacking = set[int](), set[int]()
        for row, output in question.matches.tolist():
            places = range(*question.spans[row].tolist())
            if output in used:
                meant.update(places)
            elif len(places) == 1 and words[places[0]].startswith(self._name_of(output)):
                lacking.update(places)
        return meant, lacking

    def _name_of(self, output: int) -> str:
        number, names = output - FIRST_CONSTANT, self.labels.predicates
        return names[number] if 0 <= number < len(names) else "\0"

    @cached_property
    def _words_of_phrases(self) -> frozenset[str]:
        return frozenset(word for key in self.domain.matcher.exact for word in key)

    def vectors(self, questions: Sequence[str]) -> list[Vectors]:
        words = [self.reader(question) for question in questions]
        first, _ = encode(self.functions, self.pieces, words)
        return pool_vectors(first, list(map(len, words)))

    def parse_examples(self, examples: Sequence[Example[Term]]) -> list[Prediction[Term]]:
        """The best program of each question, without its probability and at any cost."""
        return self._parse([example.question for example in examples], 0, Budget(NO_LIMIT))

    def confidences(self, questions: Sequence[str]) -> list[SpanConfidence | None]:
        """The best program of each question with its confidence; None for no parse."""
        prepared = (self.labels.prepare(self.reader(question)) for question in questions)
        decoder = replace(self.decoder, charts=charts(len(questions)))
        return [
            decoder.confidence(question, self.scored([question])[0])
            if question.known and self.unfit(question.words) is None
            else None
            for question in prepared
        ]

    def _parse(
        self,
        questions: Sequence[str],
        k: int,
        budget: Budget,
        vectors: dict[int, Vectors] | None = None,
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
        decoder = replace(self.decoder, charts=charts(len(order)))
        parts = (order[begin : begin + BATCH] for begin in range(0, len(order), BATCH))
        batches = ((part, self._computed([words[number] for number in part])) for part in parts)
        steps = one_ahead(batches) if len(order) > BATCH else batches
        for numbers, (prepared, logits, found) in steps:
            with self.clock.part("chart"):
                for number, item, scored in zip(numbers, prepared, logits, strict=True):
                    results[number] = self._predict(decoder, item, scored, k, budget)
            if vectors is not None:
                vectors |= zip(numbers, found, strict=False)
        return [results[number] for number in range(len(words))]

    def _computed(
        self, words: Sequence[Words]
    ) -> tuple[list[Prepared], list[Logits], list[Vectors]]:
        """Questions as they are read, what the networks say of them, and their vectors, if they are
        of use."""
        prepared = list(map(self.labels.prepare, words))
        with self.clock.part("network"):
            encoded = self._encode(prepared)
            vectors = []
            if self.confidence is not None:
                vectors = pool_vectors(encoded[0], list(map(len, words)))
            return prepared, self.scored(prepared, encoded), vectors

    def _predict(
        self, decoder: Decoder, question: Prepared, logits: Logits, k: int, budget: Budget
    ) -> Prediction[Term]:
        if not question.known:
            return nothing(question.words, UNKNOWN)
        try:
            return decoder.predict(question, logits, k, self.temperature, budget.start())
        except TooCostlyError as error:
            return nothing(question.words, str(error))


def features(
    batch: Sequence[Prepared], evidence: Sequence[Evidence] | None, more: float
) -> dict[str, Array]:
    """What phrases say of the spans of questions, one question after the other, for the function
    ``scorer``. `evidence`: of the induced lexicon; `more`: see `InducedLexicon`."""
    given: dict[str, Array] = {
        name: np.concatenate([getattr(question, name) for question in batch])
        for name in ("named", "conflicts", "blocked")
    }
    if evidence is None:
        return given
    own, rivals = (np.concatenate(one) for one in zip(*evidence, strict=True))
    return {**given, "own": own, "rivals": rivals, "more": np.array([more], np.float32)}


def read_grams(folder: Path) -> list[tuple[str, ...]]:
    """The n-grams of a saved parser's induced lexicon."""
    return [tuple(gram.split(" ")) for gram in read_names(folder / GRAMS)]


def checked(domain: Any, config: SpanParserConfig, known: Sequence[str]) -> Domain:
    """The domain of a saved parser. `known`: its labels in training. Raises PartwiseError if it has
    others, or is none of programs."""
    labels = Labels(of_programs(domain), config).names
    # Entities may come and go; what else there is to say must be what it was.
    if list(known) != list(labels):
        changed = sorted(set(known) ^ set(labels))[:5]
        raise PartwiseError(
            f"the parser was trained on another vocabulary of {domain.name} (differs in "
            f"{', '.join(changed) or 'order'})"
        )
    return domain  # type: ignore[no-any-return]


def of_programs(domain: Any) -> Domain:
    if not isinstance(domain, Domain):
        name = getattr(domain, "name", domain)
        raise PartwiseError(f"{name!r:.60} is no domain of programs, as span parsers need")
    return domain
