"""Composed decoding: fragment by fragment, the graphs of all fragments united at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor, nn

from partwise.errors import PartwiseError
from partwise.graph.alignment.corpus import AlignedCorpus, align_all, attributes_of
from partwise.graph.alignment.ibm1 import SAME
from partwise.graph.alignment.paradigms import complete
from partwise.graph.config import GraphParserConfig
from partwise.graph.grammar.chains import RuleChains
from partwise.graph.grammar.chart import Constituent
from partwise.graph.grammar.decomposition import ConstituencyParser, Decomposition, Fragment
from partwise.graph.grammar.tagging import Tokens
from partwise.graph.grounding.assemble import (
    AssembledGraph,
    Probabilities,
    assemble,
    connected_probabilities,
)
from partwise.graph.grounding.batch import NodeSequence
from partwise.graph.grounding.fragments import (
    FragmentLoss,
    Item,
    encode,
    fragment_item,
    node_item,
    repeats,
    tags_of,
    words_of,
)
from partwise.graph.grounding.implied import implied
from partwise.graph.grounding.labels import GraphLabels, NameIndex
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.induction.rules import learned_rules, supported
from partwise.graph.result import GraphParse
from partwise.graph.strategy import (
    Array,
    DecodingStrategy,
    PredictedGraph,
    Source,
    Unusable,
    decode,
    usable,
)
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph

BATCH = 512
"""Fragments decoded together."""
NO_RULES = "no phrase rules fit the question"
NO_ALIGNMENT = "no tree of its phrases explains its graph"
Tree = tuple[Constituent, Decomposition]
Decoded = dict[Fragment, tuple[Probabilities, Array | None]]
"""Probabilities, ``[N, N, labels]``, and attention, ``[N, N, L]``, of fragments."""


class ComposedStrategy(DecodingStrategy[Item]):
    """Questions decomposed by phrase rules.

    Args:
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
        self.sequences = [self._encode(one) for one in (aligned.fragments if aligned else ())]
        self.fragment_loss = FragmentLoss(self.sequences, vocabularies.labels)

    @staticmethod
    def learn(
        domain: GraphDomain, config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[ComposedStrategy, Unusable]:
        """Align the phrases of training questions with their graphs.

        Raises:
            DataError: if rules are to be learned, and the questions show none.
        """
        fit, unusable = usable(domain, config, examples)
        rules = domain.phrases
        if config.composition != "declared":
            questions = [tokens for _, tokens in fit]
            rules = learned_rules(questions, [e.meaning for e, _ in fit], domain.words)
        parser = ConstituencyParser(rules, config.trees)
        parsed = [(example, parser.trees(tokens)) for example, tokens in fit]
        unusable += [(example, NO_RULES) for example, trees in parsed if not trees]
        parsed = [(example, trees) for example, trees in parsed if trees]
        aligned = align_all(
            [([question for _, question in trees], one.meaning) for one, trees in parsed]
        )
        chosen = list(zip(parsed, aligned.chosen, strict=True))
        unusable += [(example, NO_ALIGNMENT) for (example, _), tree in chosen if tree is None]
        used = [trees[tree][0] for (_, trees), tree in chosen if tree is not None]
        if config.composition == "latent":
            rules, used = supported(rules, used)
        if config.paradigm_completion:
            aligned.fragments.update(complete(aligned.fragments))
        vocabulary = _vocabulary(aligned, [example for example, _ in parsed], rules, used)
        return ComposedStrategy(domain, config, vocabulary, aligned), unusable

    def _encode(self, fragment: Fragment) -> NodeSequence:
        return encode(fragment, self.vocabularies.tags, self.vocabularies.words)

    def items(self) -> list[Item]:
        """Fragments and nodes, the former so often that both are met alike."""
        if self.aligned is None:
            raise PartwiseError("a parser that is read from a folder keeps no training questions")
        labels, power = self.vocabularies.labels, self.config.tempering
        numbers = {fragment: number for number, fragment in enumerate(self.aligned.fragments)}
        fragments: list[Item] = [
            fragment_item(numbers[fragment], len(fragment.slots), counts, labels, power)
            for fragment, counts in self.aligned.fragments.items()
        ]
        often = repeats(self.aligned.contexts)
        nodes: list[Item] = [
            node_item(context, counts, numbers, labels, power)
            for context, counts in self.aligned.contexts.items()
            for _ in range(often[context])
        ]
        times = max(1, round(len(nodes) / max(1, len(fragments))))
        return fragments * times + nodes

    def length(self, item: Item) -> int:
        """Items of all sizes share batches."""
        return 0

    def loss(self, network: GroundedDecoder, batch: Sequence[Item]) -> Tensor:
        """What the joint likelihood sums, of fragments and of nodes."""
        return self.fragment_loss(network, batch)

    def parse(
        self,
        network: nn.Module,
        questions: Sequence[Tokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
    ) -> list[GraphParse]:
        """The united graph of each question's likeliest tree."""
        trees = [self.parser.trees(tokens) for tokens in questions]
        placed = (one for some in trees for _, question in some for one in question.fragments)
        needed = list(dict.fromkeys(one.fragment for one in placed))
        sequences = [self._encode(fragment) for fragment in needed]
        labels = self.vocabularies.labels
        decoded: Decoded = {
            fragment: (connected_probabilities(probabilities, labels), attention)
            for fragment, (probabilities, attention) in zip(
                needed, decode(network, sequences, BATCH), strict=True
            )
        }
        unsaid = implied(network)
        parses = []
        for tokens, some in zip(questions, trees, strict=True):
            if some:
                (tree, question), graph = self._best(some, decoded, unsaid)
                predicted = self._predicted(question, graph, decoded)
                parses.append(self.result(tokens, predicted, network if explain else None, tree))
            else:
                parses.append(GraphParse(tokens.question, tokens=tokens, reason=_no_tree(tokens)))
        return parses

    def _best(
        self, trees: Sequence[Tree], decoded: Decoded, unsaid: Probabilities
    ) -> tuple[Tree, AssembledGraph]:
        """The tree with the most plausible graph, and this graph."""
        known = self.vocabularies

        def read(tree: Constituent, question: Decomposition) -> tuple[float, AssembledGraph]:
            probabilities = [decoded[placed.fragment][0] for placed in question.fragments]
            graph = assemble(question, probabilities, known.labels, unsaid, known.shared)
            score = 0.0
            if known.preference is not None:
                score = known.preference.score(graph.edges, graph.attributes)
            return score + (known.chains.score(tree) if known.chains else 0.0), graph

        graphs = [(tree, *read(*tree)) for tree in trees]
        tree, _, graph = max(graphs, key=lambda one: one[1])
        return tree, graph

    def _predicted(
        self, question: Decomposition, graph: AssembledGraph, decoded: Decoded
    ) -> PredictedGraph:
        sources = {}
        for triple, (number, one, other, _) in graph.sources.items():
            placed = question.fragments[number]
            attention = decoded[placed.fragment][1]
            if attention is not None:
                sequence = self._encode(placed.fragment)
                sources[triple] = Source(sequence, (one, other), attention, placed.tokens)
        probability = math.exp(graph.log_probability)
        return PredictedGraph(graph.edges, graph.attributes, graph.answer, probability, sources)


def _vocabulary(
    aligned: AlignedCorpus,
    examples: Sequence[Example[QueryGraph]],
    rules: tuple[str, ...],
    trees: Sequence[Constituent],
) -> GraphVocabulary:
    fragments = aligned.fragments
    relations = {label[0] for count in fragments.values() for _, label in count.labels}
    attributes = attributes_of(example.meaning for example in examples)
    return GraphVocabulary(
        NameIndex.of(name for one in fragments for name in tags_of(one)),
        NameIndex.of(word for one in fragments for some in words_of(one) for word in some),
        GraphLabels(tuple(sorted({*relations, SAME})), attributes, answers=True),
        aligned.preference,
        aligned.shared,
        rules,
        RuleChains.learn(trees),
    )


def _no_tree(tokens: Tokens) -> str:
    unknown = [
        text
        for text, classes in zip(tokens.texts, tokens.classes, strict=True)
        if classes == {text} and text.isalpha() and len(text) > 3
    ]
    hint = f"; unknown to its word lists, perhaps: {', '.join(unknown[:5])}" if unknown else ""
    return NO_RULES + hint
