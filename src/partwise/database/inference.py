"""The half of the parser for databases that answers: questions to programs over tables that it has
never seen.

Its algebra is the schema: names and values are the constants, and a chart over the phrases that
they make finds the best programs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from partwise.chart.k_best import Beam, Item, k_best
from partwise.database.cache import Cache
from partwise.database.confidence import (
    FEATURES,
    SUBJECT,
    beside,
    figures_of,
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
from partwise.database.features import SchemaQuestion, question_of
from partwise.database.follow_up import ALONE, Asked, FollowUpModel
from partwise.database.interpretation import Parse
from partwise.database.layer.model import SemanticLayer
from partwise.database.meaning import PRICES as STEP_PRICES
from partwise.database.meaning import Meanings, shape
from partwise.database.phrases import SpanConstant
from partwise.database.restating import restate
from partwise.database.rivals import rivals_of
from partwise.database.schema_algebra import PRICES, SchemaAlgebra
from partwise.database.scorer import (
    Array,
    ChartScores,
    Guide,
    HandScores,
    SchemaModel,
    SchemaVocabulary,
)
from partwise.database.spans.names import LayerNames, SchemaItem
from partwise.database.spans.text import words_of
from partwise.database.spans.types import types_of
from partwise.database.spans.vectors import ContextMeanings, names_of, word_vectors
from partwise.encoders.readers import encode, load_reader, read_pairs
from partwise.errors import DataError, PartwiseError, TooCostlyError
from partwise.execution.relational.program import Program
from partwise.interface.budget import Work
from partwise.interface.clarification import MISTAKEN
from partwise.interface.prediction import Prediction, Turn
from partwise.language.text import Words
from partwise.language.wishes import split_wish
from partwise.training.inference import InferenceParser
from partwise.training.store import ENCODER

COMPARED, CLOSE, WEIGHT = 8, 3.0, 0.4
"""How many interpretations, the best of the chart, the cross-encoder compares, unless their scores
are this far apart; and how much its score counts beside the chart's."""
AT_ONCE = 2
"""How many it reads at once: more take more memory, and no less time."""
OTHERS_WEIGHT = 1.0
"""How much its score counts where it compares more of them, for a question back."""
LOST = 0.5
"""How probable an interpretation is at most that loses a word: on databases that were left out of
training, about half of these are right."""
ASKED_FROM = 0.4
"""How probable it must be that the database can answer for it to be asked back in place of a
refusal; nine in ten of the questions that are refused above it can be answered."""
NEARLY, OPEN = 1.0, 0.25
"""How far below the best one another meaning of the same words may score for it to be open which of
them is meant, and how probable it then is, by that of the best, at least."""
FIRST_PRICES: Mapping[str, float] = {**PRICES, **STEP_PRICES}
"""Of joins, unary steps, slots and implicit steps, before anything is learned."""


class SchemaNames(NamedTuple):
    """A database as the parser reads it.

    Attributes:
        layer: that it was made of.
        types: what its items are.
        texts: the names of its items, and their `vectors`, ``[names, dim]``.
        items: which rows are of which item.
    """

    layer: SemanticLayer
    constants: ConstantFinder
    algebra: SchemaAlgebra
    meanings: Meanings
    types: Mapping[SchemaItem, str]
    texts: Sequence[str]
    vectors: Array
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
    vectors: Array
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


class DatabaseInference(InferenceParser[Program]):
    """Parses questions about any database: its schema is the algebra of a chart.

    Attributes:
        reader: what the encoder reads; of a pretrained transformer, if answers are compared.
        vocabulary: what has learned scores; None before training, when first weights score.
        compares: whether a cross-encoder compares the best interpretations with the question.
        trust: weights of `FEATURES`; without them the share among all that were found is the
            probability.
        answerable: weights of `SUBJECT`, for the probability that the database can answer; without
            them it is that of the best interpretation.
        refused_below: the probability that the database can answer under which there is no answer.
        doubtful_below: the probability of the best one under which its answer is doubtful.
        asks_above: by how much a question back must make it likelier that the answer is right for
            it to be asked; None to ask none.
        plain: stems of words that add nothing to a question, counted in training. An answer that
            passes over another word is doubtful.
        encoded: names that were encoded, by their texts; None to keep none.
        conversation: what tells how a question goes on from the last one; None before training.
    """

    kind: ClassVar[str] = "database"
    Config = DatabaseSettings
    Saved = SavedDatabaseParser
    reader: Any
    vocabulary: SchemaVocabulary | None
    compares: bool

    def __init__(self, domain: DatabaseDomain, config: DatabaseSettings) -> None:
        super().__init__(domain, config)
        self.trust: list[float] = []
        self.answerable: list[float] = []
        self.refused_below = self.doubtful_below = 0.0
        self.asks_above: float | None = None
        self.plain: frozenset[str] = frozenset()
        self.encoded: dict[str, Array] | None = None
        self.conversation: FollowUpModel | None = None

    @classmethod
    def saved(cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path) -> Self:
        """See `InferenceParser.saved`; its database need not be that of training."""
        parser = cls(checked_database(domain), config)
        parser.reader = load_reader(saved["encoder"], folder / ENCODER)
        parser.vocabulary = vocabulary_of_saved(saved)
        parser.compares = bool(saved["cross_encoder"])
        parser.take(saved)
        return parser

    def take(self, saved: Mapping[str, Any]) -> None:
        """Take what config.json says of how far answers are trusted. Raises PartwiseError for
        other numbers of weights."""
        self.trust = checked_weights("trust", saved["trust"], len(FEATURES))
        self.answerable = checked_weights("answerable", saved["answerable"], len(SUBJECT))
        self.refused_below = saved["refused_below"]
        self.doubtful_below = saved["doubtful_below"]
        self.asks_above = saved["asks_above"]
        self.plain = frozenset(saved["plain"])
        self.conversation = (
            FollowUpModel.of_saved(saved["follow_up"]) if saved.get("follow_up") else None
        )

    def encode(self, batch: Sequence[Words]) -> tuple[Array, Array]:
        """``[questions, longest, dim]`` twice: vectors of words as starts and as ends."""
        return encode(self._unchanged if self.compares else self.functions, self.reader, batch)

    def _unchanged(self, name: str, **arrays: Array) -> tuple[Array, ...]:
        """The encoder in the network that compares, too."""
        ids = arrays["ids"]
        more = {"mask": np.ones_like(ids), "types": np.zeros_like(ids)}
        return self.functions(name, ids=ids, **more, change=np.zeros(1, np.float32))

    @cached_property
    def names(self) -> SchemaNames:
        """The domain's database, as it is parsed."""
        return self.names_in(self.domain)  # type: ignore[arg-type]

    def names_in(self, domain: DatabaseDomain) -> SchemaNames:
        """A database as it is parsed: its constants, its algebra, and its names, encoded."""
        layer, types = domain.layer, types_of(domain.layer)
        names = LayerNames(layer)
        encoded = f"{self.digest}\n{names.texts!r}" if self.digest else ""
        cache = domain.cache if encoded else Cache()
        known = {} if self.encoded is None else self.encoded
        vectors = cache.array("names", encoded, lambda: names_of(names, self.encode, known))
        items: dict[SchemaItem, list[int]] = defaultdict(list)
        for row, item in enumerate(names.things):
            items[item].append(row)
        meanings = Meanings(layer, types)
        algebra = SchemaAlgebra(layer, types)
        constants = ConstantFinder(domain, names)
        return SchemaNames(
            layer, constants, algebra, meanings, types, names.texts, vectors, dict(items)
        )

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

    def rerank(self, question: str, parses: Parses, layer: SemanticLayer) -> Parses:
        """The same interpretations, the best compared with the question by the cross-encoder."""
        if not self.compares or not parses.interpretations:
            return parses
        found = parses.interpretations
        near = [x for x in found[:COMPARED] if x.score >= found[0].score - CLOSE]
        odds = self._odds(question, near, layer)
        whole = parses._replace(odds=tuple(odds)).whole
        order = sorted(range(len(near)), key=lambda place: -whole[place])
        return parses._replace(
            interpretations=[*(near[place] for place in order), *found[len(near) :]],
            odds=tuple(odds[place] for place in order),
        )

    def _odds(self, question: str, some: Sequence[Parse], layer: SemanticLayer) -> list[float]:
        """What the cross-encoder says of interpretations."""
        said = [restate(x.program, layer) for x in some]
        odds = np.zeros(len(some))
        # Those of like lengths together: what is padded takes as long as words do.
        order = sorted(range(len(some)), key=lambda place: len(said[place]))
        for begin in range(0, len(some), AT_ONCE):
            part = order[begin : begin + AT_ONCE]
            read = read_pairs(self.reader.tokenizer, [(question, said[place]) for place in part])
            odds[part] = self.functions("encoder", **read, change=np.ones(1, np.float32))[1]
        return odds.tolist()

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
        vectors = names.vectors[:0]
        constants: Sequence[SpanConstant] = ()
        if words:
            vectors = word_vectors(self.encode, [(question, words)])[0]
            meanings = ContextMeanings(vectors, names.vectors)
            constants = names.constants.find(words, meanings, domain.today)
        asked = question_of(words, constants, names.items, names.types, domain.layer.schema)
        scores = self._scores(asked, vectors, names, guide)
        beam = Beam(self.config.cell, self.config.inner, self.config.margin)
        frames = k_best(constants, scores, names.algebra, beam, work)
        found = self._interpretations(frames, scores, names.meanings)
        return Parses(asked, vectors, scores, found)

    def _scores(
        self,
        asked: SchemaQuestion,
        vectors: Array,
        names: SchemaNames,
        guide: Guide | None,
    ) -> HandScores:
        if self.vocabulary is None or not asked.constants:
            return HandScores(asked, FIRST_PRICES, guide)
        model = SchemaModel(self.functions, self.vocabulary, FIRST_PRICES)
        return ChartScores(model, asked, vectors, names.vectors, names.items, guide)

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
        made = self.__dict__.get("names")
        # The layer's file may say other names by now.
        if made is not None and made.layer is not self._layer and made.layer != self._layer:
            self.__dict__.pop("names", None)
            self.__dict__.pop("_drawn_names", None)
        return [self._without_wish(question, k, at_least) for question in questions]

    def _without_wish(self, question: str, k: int, at_least: float | None) -> Prediction[Program]:
        """What a question means, and how it says that its answer is to be drawn."""
        wish = split_wish(question, self._drawn_names)
        return wished(self._prediction(wish.question, k, at_least), question, wish.kind)

    @cached_property
    def _drawn_names(self) -> frozenset[str]:
        """All names of tables and columns of one word: a plot may be of land."""
        tables = self._layer.tables
        names = {name for table in tables for name in table.names}
        return frozenset(names | {n for t in tables for column in t.columns for n in column.names})

    def _prediction(self, question: str, k: int, at_least: float | None) -> Prediction[Program]:
        parses = self._read_within_budget(question)
        if isinstance(parses, Prediction):
            return parses
        if not parses.interpretations:
            return _nothing(question, parses)
        probabilities, can_tell = self._probabilities(parses)
        found = parses.interpretations
        if k > 1 and self.asks_above is not None:
            found, probabilities = self._compared(question, parses, probabilities, k)
        some = [
            self._predicted(question, parses, interpretation, probability)
            for interpretation, probability in zip(found[:k], probabilities, strict=False)
        ]
        first = replace(some[0], alternatives=tuple(some[1:]))
        lost = [repr(first.words[number]) for number in self.lost(parses, self._layer)]
        doubtful = first.probability < self.doubtful_below or bool(lost)
        first = replace(first, doubtful=doubtful)
        why = f"nothing in the database is found for {', '.join(lost)}" if lost else ""
        if at_least is not None:
            return first.at_least(at_least, why)
        if can_tell < self.refused_below:
            refused = first.refused(why or "the database can probably not tell")
            return replace(refused, open=can_tell >= ASKED_FROM)
        return first

    def _compared(
        self, question: str, parses: Parses, probabilities: Sequence[float], k: int
    ) -> tuple[list[Parse], list[float]]:
        """The best interpretation and others, as many as `k`, compared, with what the question
        leaves open among them; and the probability of each."""
        best, *others = parses.interpretations[: max(COMPARED, k)]
        rivals = list(rivals_of(best, parses.asked, parses.scores, self.names.meanings))
        known = {other.program: other.score for other in others}
        open_ = {
            parse.program
            for parse, belongs in rivals
            if (parse.score if belongs else known.get(parse.program, parse.score))
            >= best.score - NEARLY
        }
        new = {rival.parse.program: rival.parse for rival in rivals}
        others += [parse for program, parse in new.items() if program not in known]
        # A question back could not make it much likelier.
        if probabilities[0] >= 1 - MISTAKEN - (self.asks_above or 0.0) and not open_:
            return parses.interpretations, list(probabilities)
        rest = others[max(0, len(parses.odds) - 1) :]
        odds = [*parses.odds, *(self._odds(question, rest, self._layer) if self.compares else ())]
        odds += [0.0] * (1 + len(others) - len(odds))
        scores = [x.score + OTHERS_WEIGHT * o for x, o in zip((best, *others), odds, strict=True)]
        found = beside(probabilities[0], shares(scores, self.temperature))
        for place, other in enumerate(others, start=1):
            if other.program in open_:
                found[place] = max(found[place], OPEN * probabilities[0])
        order = sorted(range(1, len(found)), key=lambda place: -found[place])
        whole = max(1.0, sum(found))
        return (
            [best, *(others[place - 1] for place in order)],
            [found[place] / whole for place in (0, *order)],
        )

    def _read_within_budget(self, question: str) -> Parses | Prediction[Program]:
        """A question as it was parsed; a refusal if that costs too much."""
        try:
            return self.read(question, work=self.budget.start())
        except TooCostlyError as error:
            typed = tuple(word.text for word in words_of(question))
            return Prediction(question, typed, reason=str(error))

    def _predicted(
        self, question: str, parses: Parses, interpretation: Parse, probability: float
    ) -> Prediction[Program]:
        return Prediction(
            question,
            tuple(word.text for word in parses.asked.words),
            meaning=interpretation.program,
            probability=probability,
            score=interpretation.score,
            derivation=explain(interpretation, parses.asked, self._layer),
            unused=tuple(passed_over(interpretation, parses.asked)),
        )

    def follow_up(
        self, question: str, last: Turn, k: int = 1, at_least: float | None = None
    ) -> Prediction[Program]:
        """What a question means behind another one, `last`; it need not go on from it. The
        derivation tells what its own words gave.

        Args:
            k: see `Parser.parse`, as `at_least`.

        Raises:
            DataError: if the parser was not trained for that.
        """
        if self.conversation is None:
            raise DataError("this parser was not trained to go on from a question: ask in full")
        typed, (question, kind) = question, split_wish(question, self._drawn_names)
        if not question:
            # "As a line": the same, drawn otherwise.
            same = Prediction(typed, meaning=last.meaning, probability=1.0, goes_on=True)
            return replace(same, wish=kind)
        return wished(self._behind(question, last, k, at_least), typed, kind)

    def _behind(
        self, question: str, last: Turn, k: int, at_least: float | None
    ) -> Prediction[Program]:
        assert self.conversation is not None
        parses = self._read_within_budget(question)
        if isinstance(parses, Prediction):
            return parses
        asked = self.ask_alone(question, parses)
        ranked = self.conversation.rank(asked, last, self._layer)
        if not ranked:
            return _nothing(question, parses)
        probability = self.conversation.probability(ranked, asked)
        each = beside(probability, shares([number for _, number in ranked], 1.0))
        some = []
        for (found, number), share in zip(ranked[:k], each, strict=False):
            edit = found.edit
            said = _nothing(question, parses)
            if edit.takes and parses.interpretations:
                interpretation = parses.interpretations[edit.rank]
                said = self._predicted(question, parses, interpretation, share)
            said = replace(said, meaning=edit.program, probability=share, score=number)
            some.append(replace(said, reason=None, goes_on=edit.kind != "alone"))
        best = ranked[0][0].edit
        doubtful = probability < self.conversation.doubtful_below
        if best.takes and asked.found:
            # By itself it would be doubtful, or refused.
            cannot_tell = self._probabilities(parses)[1] < self.refused_below
            doubtful |= asked.lost[best.rank] > 0 or (best.kind == "alone" and cannot_tell)
        first = replace(some[0], alternatives=tuple(some[1:]), doubtful=doubtful)
        return first.at_least(at_least)

    def ask_alone(self, question: str, parses: Parses) -> Asked:
        """What a question means by itself, as follow-ups take it."""
        found = parses.interpretations[:ALONE]
        size = max(1, len(parses.asked.words))
        lost_words = [
            lost(each, parses.asked, restate(each.program, self._layer), self.plain)
            for each in found
        ]
        return Asked(
            question,
            [each.program for each in found],
            parses.whole[:ALONE],
            [len(words) / size for words in lost_words],
            sum(skip != "skip function" for skip in parses.asked.skips),
            [int(each.meaning) for each in parses.asked.constants if each.kind == "PLACE"],
            self.figures(parses, self._layer) if found else {},
        )

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
        lost = len(self.lost(parses, layer))
        figures = figures_of(
            found, asked, layer.schema, parses.whole, lost, parses.odds, self.temperature
        )
        return subject_figures(figures, found[0], asked, vectors, (names or self.names).vectors)

    def lost(
        self, parses: Parses, layer: SemanticLayer, plain: Container[str] | None = None
    ) -> list[int]:
        """Numbers of the words that the best interpretation loses. `plain`: stems that add nothing;
        the parser's own if not given."""
        best = parses.interpretations[0]
        known = self.plain if plain is None else plain
        return lost(best, parses.asked, restate(best.program, layer), known)

    @property
    def _layer(self) -> SemanticLayer:
        return self.domain.layer  # type: ignore[attr-defined,no-any-return]


def wished(prediction: Prediction[Program], question: str, kind: str) -> Prediction[Program]:
    """The same of the question as it was typed, with a wish how to draw its answer."""
    if not kind:
        return prediction
    others = tuple(replace(x, question=question, wish=kind) for x in prediction.alternatives)
    return replace(prediction, question=question, wish=kind, alternatives=others)


def _nothing(question: str, parses: Parses) -> Prediction[Program]:
    reason = "nothing in the question could be found in the database"
    return Prediction(question, tuple(word.text for word in parses.asked.words), reason=reason)


def checked_database(domain: Any) -> DatabaseDomain:
    """A domain that is a database. Raises PartwiseError for another one."""
    if not isinstance(domain, DatabaseDomain):
        raise PartwiseError(
            "the parser for databases needs a database: name its folder with --domain"
        )
    return domain


def vocabulary_of_saved(saved: Mapping[str, Any]) -> SchemaVocabulary | None:
    """What config.json says has learned scores; None for a parser without. Raises PartwiseError if
    a part is missing."""
    parts = saved["vocabulary"]
    if not parts:
        return None
    if set(parts) != set(SchemaVocabulary._fields):
        raise PartwiseError(f"its vocabulary lacks one of {', '.join(SchemaVocabulary._fields)}")
    return SchemaVocabulary(*(tuple(map(str, parts[name])) for name in SchemaVocabulary._fields))
