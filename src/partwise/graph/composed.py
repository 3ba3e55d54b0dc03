"""Composed decoding: fragment by fragment, the graphs of all fragments united at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Self

from torch import Tensor, nn

from partwise.errors import DataError, PartwiseError, TooCostlyError
from partwise.graph.alignment.corpus import AlignedCorpus, align_all, attributes_of
from partwise.graph.alignment.ibm1 import SAME
from partwise.graph.alignment.paradigms import complete
from partwise.graph.classes.word_classes import WordClasses
from partwise.graph.config import GraphParserConfig
from partwise.graph.grammar.chart import Constituent
from partwise.graph.grammar.decomposition import ConstituencyParser, Decomposition, Fragment
from partwise.graph.grammar.tagging import TaggedTokens
from partwise.graph.grounding.assemble import Assembler, connected_probabilities
from partwise.graph.grounding.batch import indexes
from partwise.graph.grounding.fragments import (
    FragmentLoss,
    Item,
    fragment_sequence,
    training_items,
)
from partwise.graph.grounding.implied import implied
from partwise.graph.grounding.labels import GraphLabels
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.predicted import Array, DecodedSequence, PredictedGraph, decode
from partwise.graph.induction.rules import induce_rules, supported
from partwise.graph.preference import RuleChains
from partwise.graph.strategy import DecodingStrategy
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import TOO_COSTLY, Budget, Work
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph

BATCH = 512
"""Fragments decoded together."""
FRAGMENT = 400_000
"""How many joins of a chart of spans take as long as decoding a fragment."""
Trees = list[tuple[Constituent, Decomposition]]
NO_RULES = "no phrase rules fit the question"
NO_LEARNED_RULES = (
    "no phrase rules can be learned from {} questions: too few are alike; "
    "use composition=flat, or declare the domain's phrase rules"
)
NO_ALIGNMENT = "no tree of its phrases explains its graph"


class ComposedStrategy(DecodingStrategy[Item]):
    """Questions decomposed by phrase rules.

    Attributes:
        aligned: what training questions taught; None for a parser that is read from a folder.
    """

    def __init__(
        self,
        domain: GraphDomain,
        config: GraphParserConfig,
        vocabularies: GraphVocabulary,
        aligned: AlignedCorpus | None = None,
    ) -> None:
        super().__init__(domain, config, vocabularies)
        self.parser = ConstituencyParser(vocabularies.rules, config.trees)
        self.aligned = aligned
        fragments = aligned.fragments if aligned else ()
        sequences = [self.numbered(fragment_sequence(one)) for one in fragments]
        self.fragment_loss = FragmentLoss(sequences, vocabularies.labels)

    @classmethod
    def learned(
        cls,
        domain: GraphDomain,
        config: GraphParserConfig,
        examples: Sequence[tuple[Example[QueryGraph], TaggedTokens]],
        classes: WordClasses | None = None,
    ) -> Self:
        """Align the phrases of training questions with their graphs.

        Raises:
            DataError: if rules are to be learned, and the questions show none.
        """
        given = () if classes is not None else domain.phrases
        rules = given or _induced(domain, examples, classes)
        parser = ConstituencyParser(rules, config.trees)
        every = [(example, _of_budget(parser, tokens)) for example, tokens in examples]
        parsed = [(example, trees) for example, trees in every if trees]
        aligned = align_all(
            [([question for _, question in trees], one.meaning) for one, trees in parsed]
        )
        chosen = list(zip(parsed, aligned.chosen, strict=True))
        used = [trees[tree][0] for (_, trees), tree in chosen if tree is not None]
        if not given:
            rules, used = supported(rules, used)
        if config.paradigm_completion:
            aligned.fragments.update(complete(aligned.fragments))
        predicates = (name for c in aligned.fragments.values() for _, (name, _) in c.labels)
        attributes = attributes_of(example.meaning for example, _ in parsed)
        vocabularies = GraphVocabulary(
            *indexes([fragment_sequence(one) for one in aligned.fragments]),
            GraphLabels(tuple(sorted({*predicates, SAME})), attributes, answers=True),
            aligned.preference,
            aligned.shared,
            rules,
            RuleChains.learn(used),
            classes,
        )
        strategy = cls(domain, config, vocabularies, aligned)
        strategy.unusable += _without_trees(every)
        strategy.unusable += [(e, NO_ALIGNMENT) for (e, _), tree in chosen if tree is None]
        return strategy

    def items(self) -> list[Item]:
        """Fragments and nodes."""
        if self.aligned is None:
            raise PartwiseError("a parser that is read from a folder keeps no training questions")
        return training_items(self.aligned, self.vocabularies.labels, self.config.tempering)

    def loss(self, network: GroundedDecoder, batch: Sequence[Item]) -> Tensor:
        """What the joint likelihood sums, of fragments and of nodes."""
        return self.fragment_loss(network, batch)

    def parse(
        self,
        network: nn.Module,
        questions: Sequence[TaggedTokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
        budget: Budget | None = None,
    ) -> list[Prediction[QueryGraph]]:
        """The united graph of each question's likeliest tree."""
        works = [Work() if budget is None else budget.start() for _ in questions]
        asked = list(zip(questions, works, strict=True))
        trees = [self._trees(tokens, work) for tokens, work in asked]
        decoded = self._decoded(network, [question for some in trees for _, question in some or ()])
        unsaid, explained = implied(network), network if explain else None
        parses: list[Prediction[QueryGraph]] = []
        for (tokens, work), some in zip(asked, trees, strict=True):
            reason = _no_tree(tokens) if some == [] else TOO_COSTLY
            with suppress(TooCostlyError):
                if some:
                    question, graph = self._best(some, decoded, unsaid, work)
                    parts = [(decoded[one.fragment], one.tokens) for one in question.fragments]
                    parses.append(self.prediction(tokens, graph, parts, explained, work))
                    continue
            parses.append(Prediction(tokens.question.text, tokens.question.words, reason=reason))
        return parses

    def _decoded(
        self, network: nn.Module, questions: Sequence[Decomposition]
    ) -> dict[Fragment, DecodedSequence]:
        """The fragments of questions, each decoded once."""
        placed = (one for question in questions for one in question.fragments)
        needed = list(dict.fromkeys(one.fragment for one in placed))
        sequences = [self.numbered(fragment_sequence(fragment)) for fragment in needed]
        labels = self.vocabularies.labels
        return {
            fragment: one._replace(probabilities=connected_probabilities(one.probabilities, labels))
            for fragment, one in zip(needed, decode(network, sequences, BATCH), strict=True)
        }

    def _trees(self, tokens: TaggedTokens, work: Work) -> Trees | None:
        """The trees of a question; None if they or their fragments cost too much."""
        with suppress(TooCostlyError):
            trees = self.parser.trees(tokens, work)
            fragments = {one.fragment for _, question in trees for one in question.fragments}
            work.spend(FRAGMENT * len(fragments))
            return trees
        return None

    def _best(
        self, trees: Trees, decoded: Mapping[Fragment, DecodedSequence], unsaid: Array, work: Work
    ) -> tuple[Decomposition, PredictedGraph]:
        """The tree with the most plausible graph, and this graph."""
        known, graphs = self.vocabularies, []
        for tree, question in trees:
            probabilities = [decoded[one.fragment].probabilities for one in question.fragments]
            assembler = Assembler(question, probabilities, known.labels, unsaid, work)
            graph = assembler.graph(known.shared)
            score = 0.0
            if known.preference is not None:
                score += known.preference.score(graph.edges, graph.attributes)
            if known.chains is not None:
                score += known.chains.score(tree)
            graphs.append((score, question, graph))
        _, question, graph = max(graphs, key=itemgetter(0))
        return question, graph


def _without_trees(
    every: Sequence[tuple[Example[QueryGraph], Trees | None]],
) -> list[tuple[Example[QueryGraph], str]]:
    """Training questions that no rules fit, and those that cost too much."""
    made = [(example, NO_RULES) for example, trees in every if trees == []]
    return made + [(example, TOO_COSTLY) for example, trees in every if trees is None]


def _induced(
    domain: GraphDomain,
    examples: Sequence[tuple[Example[QueryGraph], TaggedTokens]],
    classes: WordClasses | None,
) -> tuple[str, ...]:
    """Phrase rules that training questions show.

    Raises:
        DataError: if they show none.
    """
    words = domain.words if classes is None else classes.words
    questions = [tokens for _, tokens in examples]
    rules = induce_rules(questions, [example.meaning for example, _ in examples], words)
    if not rules:
        raise DataError(NO_LEARNED_RULES.format(len(questions)))
    return rules


def _of_budget(parser: ConstituencyParser, tokens: TaggedTokens) -> Trees | None:
    """The trees of a training question; None if they cost more than a question may."""
    with suppress(TooCostlyError):
        return parser.trees(tokens, Budget().start())
    return None


def _no_tree(tokens: TaggedTokens) -> str:
    unknown = [
        text
        for text, classes in zip(tokens.texts, tokens.classes, strict=True)
        if classes == {text} and text.isalpha() and len(text) > 3
    ]
    hint = f"; unknown to its word lists, perhaps: {', '.join(unknown[:5])}" if unknown else ""
    return NO_RULES + hint
