"""GraphInference: the half of a graph parser that answers, which needs no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from partwise.encoders.storage import read_made
from partwise.errors import PartwiseError
from partwise.graph.classes.words import read_word_classes
from partwise.graph.composed import ComposedStrategy
from partwise.graph.config import DECLARED, GraphParserConfig
from partwise.graph.derivation import GraphDerivation
from partwise.graph.flat import FlatStrategy, count_given_variables
from partwise.graph.linking import QuestionLinker
from partwise.graph.strategy import DecodingStrategy, unfit
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import TOO_COSTLY, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph
from partwise.language.text import FUNCTION_WORDS, only_punctuation
from partwise.training.inference import InferenceParser

STRATEGIES: dict[str, type[DecodingStrategy[Any]]] = {
    "flat": FlatStrategy,
    "latent": ComposedStrategy,
}
VOCABULARY, WORD_CLASSES = "vocabulary.json", "word_classes.json"
RESTS = 0.05
"""The least weight of a word that a triple rests on."""


def read_strategy(
    domain: Any, config: GraphParserConfig, saved: Mapping[str, Any], folder: Path
) -> DecodingStrategy[Any]:
    """The strategy of a saved parser; a `PartwiseError` for a domain of other meanings."""
    if not isinstance(domain, GraphDomain):
        raise PartwiseError(f"{saved['domain']!r} is no domain of query graphs")
    known = read_made(folder / VOCABULARY, GraphVocabulary.from_dict)
    if config.word_classes != DECLARED:
        known = replace(known, classes=read_word_classes(folder / WORD_CLASSES))
    return STRATEGIES[config.composition](domain, config, known)


class GraphInference(InferenceParser[QueryGraph]):
    """A graph parser that answers; it has a strategy once it has learned."""

    kind: ClassVar[str] = "graph"
    Config = GraphParserConfig
    domain: GraphDomain
    config: GraphParserConfig
    strategy: DecodingStrategy[Any]

    def __init__(self, domain: GraphDomain, config: GraphParserConfig) -> None:
        super().__init__(domain, config)
        self.linker = QuestionLinker(domain)

    @classmethod
    def saved(
        cls, domain: Any, config: GraphParserConfig, saved: Mapping[str, Any], folder: Path
    ) -> Self:
        strategy = read_strategy(domain, config, saved, folder)
        parser = cls(domain, config)
        parser.use(strategy)
        return parser

    def use(self, strategy: DecodingStrategy[Any]) -> None:
        """Take a strategy that has learned."""
        self.strategy = strategy
        self.linker.tagger = strategy.tagger

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
        usable = [tokens[number] for number in fit]
        parses = iter(self.strategy.parse(self.functions, usable, given, explain, budget))
        return [
            next(parses)
            if reason is None
            else Prediction(one.question.text, one.question.words, reason=reason)
            for one, reason in zip(tokens, reasons, strict=True)
        ]
