"""What flat and composed decoding have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np

from partwise.encoders.functions import Functions
from partwise.errors import QueryError, TooCostlyError
from partwise.graph.classes.learn import learn_word_classes
from partwise.graph.classes.words import WordClasses, read_word_classes
from partwise.graph.config import DECLARED, LEARNED, GraphParserConfig
from partwise.graph.derivation import GraphDerivation
from partwise.graph.grammar.tokens import TaggedTokens, Tagger
from partwise.graph.grounding.sequences import (
    DECODER,
    Array,
    DecodedSequence,
    NodeSequence,
    Place,
    PredictedGraph,
    canonical_graph,
    relevance,
    word_weights,
)
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import Budget, Work
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import ENTITY, Head, QueryGraph, Triple, expected_head

TRIPLE, EXPLAINED, POSITION, PAIR = 30_000, 5_000_000, 10_000, 500
"""How many joins of a chart of spans take as long as a triple's words, and as explaining a
sequence: of any, by the square of its length, and by that of its nodes too."""
Item = TypeVar("Item")
Part = tuple[DecodedSequence, Sequence[Sequence[int]]]
"""A decoded part of a question, and for each of its positions its tokens."""


class DecodingStrategy(ABC, Generic[Item]):
    """How questions become sequences, and how what is decoded becomes a graph.

    Attributes:
        networks: the names of the functions that it asks.
        unusable: training examples that cannot be used, with the reason.
    """

    networks: ClassVar[tuple[str, ...]] = (DECODER,)

    def __init__(
        self, domain: GraphDomain, config: GraphParserConfig, vocabularies: GraphVocabulary
    ) -> None:
        classes = vocabularies.classes
        self.domain = domain if classes is None else classes.apply(domain)
        self.config, self.vocabularies = config, vocabularies
        self.tagger = _tagger(domain, classes)
        self.unusable: list[tuple[Example[QueryGraph], str]] = []

    @classmethod
    def learn(
        cls, domain: GraphDomain, config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
    ) -> Self:
        """The strategy with what training examples teach. Raises DataError if rules are to be
        learned, and the questions show none."""
        classes = _word_classes(config, examples)
        tagger = _tagger(domain, classes)
        fit, rejected = [], []
        for example in examples:
            tokens = tagger(example.question)
            reason = unfit(tokens, example.meaning, config)
            if reason is None:
                fit.append((example, tokens))
            else:
                rejected.append((example, reason))
        strategy = cls.learned(domain, config, fit, classes)
        strategy.unusable = rejected + strategy.unusable
        return strategy

    @classmethod
    @abstractmethod
    def learned(
        cls,
        domain: GraphDomain,
        config: GraphParserConfig,
        examples: Sequence[tuple[Example[QueryGraph], TaggedTokens]],
        classes: WordClasses | None = None,
    ) -> Self:
        """The same of fit examples, with classes in the place of what the domain declares."""

    @abstractmethod
    def items(self) -> Sequence[Item]:
        """What to train on; see `partwise.graph.grounding.losses`."""

    def length(self, item: Item) -> int:
        """Size of an item; items of like size share a batch."""
        return 0

    @abstractmethod
    def parse(
        self,
        functions: Functions,
        questions: Sequence[TaggedTokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
        budget: Budget | None = None,
    ) -> list[Prediction[QueryGraph]]:
        """Graphs of questions; see `GraphParser.parse_linked`."""

    def head(self, question: str) -> Head:
        """What the query of a question gives."""
        classes = self.vocabularies.classes
        if classes is not None:
            return classes.head(question)
        return expected_head(question, self.domain.asking)

    def numbered(self, sequence: NodeSequence[str]) -> NodeSequence[int]:
        return sequence.numbered(self.vocabularies.tags, self.vocabularies.words)

    def prediction(
        self,
        tokens: TaggedTokens,
        graph: PredictedGraph,
        parts: Sequence[Part],
        explained: Functions | None,
        work: Work,
    ) -> Prediction[QueryGraph]:
        """A graph with canonical names and the words of its triples, or the reason for none.
        `parts`: those that `PredictedGraph.sources` numbers; `explained`: the network, to weigh
        words by what they add to its labels; None for attention alone."""
        text, words = tokens.question.text, tokens.question.words
        try:
            head = self.head(text) if self.config.protocol == "full" else None
            final, names = canonical_graph(self.domain, graph, head)
            grounding = self._grounding(tokens, graph, parts, explained, work)
        except (QueryError, TooCostlyError) as error:
            return Prediction(text, words, reason=str(error))
        renamed = {
            Triple(*(names.get(end, end) for end in triple)): weights
            for triple, weights in grounding.items()
        }
        score = math.log(graph.probability) if graph.probability > 0 else -math.inf
        derivation = GraphDerivation(final, {}, words, renamed)
        return Prediction(text, words, final, graph.probability, score, derivation)

    def _grounding(
        self,
        tokens: TaggedTokens,
        graph: PredictedGraph,
        parts: Sequence[Part],
        explained: Functions | None,
        work: Work,
    ) -> dict[Triple, tuple[float, ...]]:
        places: defaultdict[NodeSequence[int], dict[Place, None]] = defaultdict(dict)
        shown: dict[NodeSequence[int], Array] = {}
        said = []
        for triple, (number, pair) in work.each(graph.sources.items(), TRIPLE):
            (sequence, _, attention), positions = parts[number]
            if attention is None:
                continue
            place = (*pair, self.vocabularies.labels.number(triple.predicate, triple.object))
            # Coordinated names give many triples for one label of one pair.
            places[sequence][place] = None
            shown[sequence] = attention
            said.append((triple, sequence, place, positions))
        shares: dict[tuple[NodeSequence[int], Place], Array] = {}
        for sequence, wanted in places.items():
            if explained is not None:
                work.spend(_cost(sequence))
                found = relevance(explained, sequence, list(wanted))
            else:
                found = np.array([shown[sequence][place[:2]] for place in wanted])
            shares |= {(sequence, place): one for place, one in zip(wanted, found, strict=True)}
        return {
            triple: word_weights(shares[sequence, place], positions, tokens)
            for triple, sequence, place, positions in said
        }


def _cost(sequence: NodeSequence[int]) -> int:
    """How many joins of a chart of spans take as long as explaining a sequence."""
    length = len(sequence.tags)
    return EXPLAINED + length * length * (POSITION + PAIR * len(sequence.nodes) ** 2)


def _tagger(domain: GraphDomain, classes: WordClasses | None) -> Tagger:
    return Tagger(domain) if classes is None else Tagger(classes.apply(domain), classes.read)


def _word_classes(
    config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
) -> WordClasses | None:
    """The classes that are learned, or read from a file; None for those of the domain."""
    if config.word_classes == DECLARED:
        return None
    if config.word_classes != LEARNED:
        return read_word_classes(Path(config.word_classes))
    graphs = [example.meaning for example in examples]
    by_atoms = config.composition == "flat"
    return learn_word_classes([e.question for e in examples], graphs, by_atoms)


def unfit(tokens: TaggedTokens, graph: QueryGraph | None, config: GraphParserConfig) -> str | None:
    """Why a question cannot be parsed, or its graph not be learned."""
    if len(tokens) == 0:
        return "the question has no words"
    if len(tokens.question) > config.max_words:
        return f"the question has {len(tokens.question)} words; at most {config.max_words} are read"
    if graph is None:
        return None
    missing = sorted({e for e in graph.entities if ENTITY.fullmatch(e)} - set(tokens.texts))
    if missing:
        return f"the question does not mention {', '.join(missing)}"
    if config.composition == "flat" and len(graph.variables) > config.variables:
        return f"the graph has {len(graph.variables)} variables; {config.variables} are predicted"
    return None
