"""GraphParser: predict a query graph, its edges grounded in the question (Gai et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

import torch
from torch import nn

from partwise.encoders.storage import read_made, write_json
from partwise.errors import DataError, PartwiseError
from partwise.graph.classes.words import read_word_classes
from partwise.graph.composed import ComposedStrategy
from partwise.graph.config import DECLARED, GraphParserConfig, presets, variant
from partwise.graph.derivation import GraphDerivation
from partwise.graph.flat import FlatStrategy, count_given_variables
from partwise.graph.grounding.network import Ensemble, GroundedDecoder
from partwise.graph.linking import QuestionLinker
from partwise.graph.recombination import item_recombination
from partwise.graph.strategy import DecodingStrategy, unfit
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import TOO_COSTLY, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph
from partwise.language.text import FUNCTION_WORDS, only_punctuation
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.trainer import LossReport

STRATEGIES: dict[str, type[DecodingStrategy[Any]]] = {
    "flat": FlatStrategy,
    "latent": ComposedStrategy,
}
VOCABULARY, WORD_CLASSES = "vocabulary.json", "word_classes.json"
RESTS = 0.05
"""The least weight of a word that a triple rests on."""


class GraphParser(NeuralParser[QueryGraph]):
    """The graph-based parser over a domain; it has a strategy and a network once it has learned."""

    kind: ClassVar[str] = "graph"
    Config = GraphParserConfig
    held_out: ClassVar[int] = 500
    runs_to_choose: ClassVar[bool] = False
    near_best: ClassVar[bool] = True
    domain: GraphDomain
    config: GraphParserConfig
    strategy: DecodingStrategy[Any]
    network: nn.Module

    def __init__(self, domain: GraphDomain, config: GraphParserConfig) -> None:
        super().__init__(domain, config)
        self.linker = QuestionLinker(domain)

    @classmethod
    def presets(
        cls, domain: GraphDomain, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        return presets(domain, given, of_data)

    @classmethod
    def variant(cls, domain: GraphDomain, config: GraphParserConfig) -> str:
        return variant(config)

    @classmethod
    def create(cls, domain: GraphDomain, config: GraphParserConfig) -> Self:
        """An untrained parser; a `PartwiseError` for a domain of other meanings."""
        if not isinstance(domain, GraphDomain):
            raise PartwiseError(f"{domain!r:.60} is no domain of query graphs")
        return cls(domain, config)

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[QueryGraph]]) -> None:
        """Learn vocabularies and draw the first weights; a `DataError` if nothing is usable."""
        strategy = STRATEGIES[self.config.composition].learn(self.domain, self.config, train)
        if len(strategy.unusable) == len(train):
            first = f"; the first: {strategy.unusable[0][1]}" if train else ""
            raise DataError(f"none of the {len(train)} training questions is usable{first}")
        self.build(strategy)

    def build(self, strategy: DecodingStrategy[Any]) -> None:
        known = strategy.vocabularies
        sizes = len(known.tags), len(known.words)
        members = [
            GroundedDecoder(*sizes, known.labels, self.config) for _ in range(self.config.members)
        ]
        self.strategy = strategy
        self.linker.tagger = strategy.tagger
        self.network = members[0] if len(members) == 1 else Ensemble(members)

    def training_items(
        self, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[list[Any], Unusable[QueryGraph]]:
        return list(self.strategy.items()), self.strategy.unusable

    def length(self, item: Any) -> int:
        return self.strategy.length(item)

    def variation(
        self, train: Sequence[Example[QueryGraph]]
    ) -> Callable[[Any, Random], Any] | None:
        """Recombination of noun phrases, for the flat strategy."""
        if self.config.recombination and isinstance(self.strategy, FlatStrategy):
            return item_recombination(self.strategy)
        return None

    def loss(self, batch: Sequence[Any]) -> LossReport:
        """Minus the joint log-likelihood of a batch of items (paper, equation 2)."""
        with self.clock.part("network"):
            losses = [self.strategy.loss(decoder, batch) for decoder in self.decoders]
            return LossReport(torch.stack(losses).sum(), len(batch))

    @property
    def decoders(self) -> list[GroundedDecoder]:
        """The decoders that learn apart."""
        return [module for module in self.network.modules() if isinstance(module, GroundedDecoder)]

    def selection_metrics(self, scores: Any) -> dict[str, float]:
        """Exact match, then edges; by the paper's protocol edges, as no more is predicted."""
        edges = {"edges_match": scores.partial.get("edges", 0.0)}
        whole = {"exact_match": scores.exact_match}
        return edges if self.config.protocol == "paper" else whole | edges

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[QueryGraph]]:
        """What questions in plain English mean; names are linked to the domain's entities. Entities
        may also be written as placeholders, M0, M1, ... There are no alternatives."""
        linked = [self.linker.link(question) for question in questions]
        parses = self.parse_linked([one.question for one in linked], None, True, self.budget)
        known = self.strategy.vocabularies
        read = [
            self.linker.prediction(*one, known)
            for one in zip(questions, linked, parses, strict=True)
        ]
        return [self.judge(self._again(prediction), None, at_least) for prediction in read]

    def _again(self, prediction: Prediction[QueryGraph]) -> Prediction[QueryGraph]:
        """The prediction, or if it can mean nothing, that of the question in other words."""
        graph = prediction.meaning
        unread = graph is None or not self.domain.is_possible(graph)
        if not unread or prediction.reason == TOO_COSTLY:
            return prediction
        known, question = self.strategy.vocabularies, prediction.question
        for linked in self.linker.rewrite(question):
            (parse,) = self.parse_linked([linked.question], None, True, self.budget)
            other = self.linker.prediction(question, linked, parse, known)
            if other.meaning is not None:
                return other
        return prediction

    def mark_words(self, prediction: Prediction[QueryGraph]) -> Prediction[QueryGraph]:
        graph = prediction.derivation
        if not isinstance(graph, GraphDerivation):
            return prediction
        named = set(graph.names.values())
        most = [0.0] * len(prediction.words)
        for triple in graph.grounding:
            most = list(map(max, most, graph.weights(triple)))
        idle = (
            number
            for number, word in enumerate(prediction.words)
            if most[number] < RESTS
            and not (word in named or word.lower() in FUNCTION_WORDS or only_punctuation(word))
        )
        return replace(prediction, unused=tuple(idle))

    def parse_examples(
        self, examples: Sequence[Example[QueryGraph]]
    ) -> list[Prediction[QueryGraph]]:
        """What examples mean; the paper's protocol is given their numbers of variables."""
        paper = self.config.protocol == "paper"
        variables = (
            [count_given_variables(example.meaning) for example in examples] if paper else None
        )
        return self.parse_linked([example.question for example in examples], variables)

    @torch.no_grad()
    def parse_linked(
        self,
        questions: Sequence[str],
        variables: Sequence[int] | None = None,
        explain: bool = False,
        budget: Budget | None = None,
    ) -> list[Prediction[QueryGraph]]:
        """What questions mean whose entities are placeholders.

        Args:
            variables: their numbers of variables, where a protocol gives them.
            explain: whether the words that ground a triple are weighed by what they add to it,
                and not by attention alone; slower.
            budget: of each question; what costs more is refused. None for no limit.
        """
        tokens = [self.strategy.tagger(question) for question in questions]
        reasons = [unfit(one, None, self.config) for one in tokens]
        fit = [number for number, reason in enumerate(reasons) if reason is None]
        given = None if variables is None else [variables[number] for number in fit]
        with self.without_dropout():
            usable = [tokens[number] for number in fit]
            parses = iter(self.strategy.parse(self.network, usable, given, explain, budget))
        return [
            next(parses)
            if reason is None
            else Prediction(one.question.text, one.question.words, reason=reason)
            for one, reason in zip(tokens, reasons, strict=True)
        ]

    def mistake(
        self, example: Example[QueryGraph], prediction: Prediction[QueryGraph]
    ) -> dict[str, Any]:
        """The triples that a wrong query lacks, and those that it should not have, as texts."""
        guess = prediction.meaning
        gold, predicted = example.meaning.triples, frozenset() if guess is None else guess.triples
        return {
            "missing": sorted(map(str, gold - predicted)),
            "extra": sorted(map(str, predicted - gold)),
        }

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        labels, settings = self.strategy.vocabularies.labels, self.config
        return {
            "about": f"Composition: {settings.composition}. Encoder: {settings.encoder}. "
            f"{self.parameter_count:,} parameters, {len(labels.relations)} relations, "
            f"{len(labels.attributes)} attributes."
        }

    def write_files(self, folder: Path) -> None:
        known = self.strategy.vocabularies
        write_json(folder / VOCABULARY, known.to_dict())
        if known.classes is not None:
            write_json(folder / WORD_CLASSES, known.classes.to_dict())

    @classmethod
    def builder(
        cls, domain: Any, config: GraphParserConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        if not isinstance(domain, GraphDomain):
            raise PartwiseError(f"{saved['domain']!r} is no domain of query graphs")
        known = read_made(folder / VOCABULARY, GraphVocabulary.from_dict)
        if config.word_classes != DECLARED:
            known = replace(known, classes=read_word_classes(folder / WORD_CLASSES))

        def build() -> Any:
            parser = cls(domain, config)
            parser.build(STRATEGIES[config.composition](domain, config, known))
            return parser

        return build
