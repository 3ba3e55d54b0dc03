"""Composed reading: phrase by phrase, the graphs of all phrases united at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.errors import PartwiseError, QueryError
from partwise.graph.config import GraphParserConfig
from partwise.graph.flat import unfit
from partwise.graph.grounding.assemble import Assembled, assemble, held_together
from partwise.graph.grounding.batch import Grounded, collate
from partwise.graph.grounding.composed import (
    Item,
    PieceLoss,
    encode,
    node_item,
    piece_item,
    repeats,
    tags_of,
    words_of,
)
from partwise.graph.grounding.implied import implied
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.relevance import relevance
from partwise.graph.grounding.vocabulary import SAME, Labels, Vocabulary
from partwise.graph.learned import learned_rules, supported
from partwise.graph.phrases.analogy import complete
from partwise.graph.phrases.chart import Phrase
from partwise.graph.phrases.examples import Aligned, align_all, attributes_of
from partwise.graph.phrases.habits import Habits
from partwise.graph.phrases.pieces import Piece, Pieces
from partwise.graph.phrases.reader import PhraseReader
from partwise.graph.phrases.tagging import Tagger, Tokens
from partwise.graph.reading import Unusable, finished, word_weights
from partwise.graph.result import GraphParse
from partwise.graph.vocabularies import Vocabularies
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph, Triple

BATCH = 512
"""Pieces decoded together."""
Tree = tuple[Phrase, Pieces]
Decoded = tuple[NDArray[np.floating], NDArray[np.floating] | None]
"""Chances, ``[N, N, labels]``, and attention, ``[N, N, L]``, of a piece."""


class ComposedReading:
    """Reads questions by the phrase rules of a domain.

    Args:
        aligned: what training questions taught; None for a parser that is read from a folder.
    """

    def __init__(
        self,
        domain: GraphDomain,
        config: GraphParserConfig,
        vocabularies: Vocabularies,
        aligned: Aligned | None = None,
    ) -> None:
        self.domain, self.config, self.vocabularies = domain, config, vocabularies
        self.phrases = PhraseReader(vocabularies.rules, domain.words, config.trees)
        self.aligned = aligned
        pieces = list(aligned.pieces) if aligned is not None else []
        self.sequences = [self._encode(piece) for piece in pieces]
        self.piece_loss = PieceLoss(self.sequences, vocabularies.labels)

    @staticmethod
    def learn(
        domain: GraphDomain, config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[ComposedReading, Unusable]:
        """Align the phrases of training questions with their graphs.

        Raises:
            DataError: if rules are to be learned, and the questions show none.
        """
        tagger = Tagger(domain)
        unusable: Unusable = []
        fit: list[tuple[Example[QueryGraph], Tokens]] = []
        for example in examples:
            tokens = tagger(example.question)
            reason = unfit(tokens, example.meaning, config)
            if reason is not None:
                unusable.append((example, reason))
            else:
                fit.append((example, tokens))
        rules = domain.phrases if config.composition == "declared" else learned_rules(fit, domain)
        reader = PhraseReader(rules, domain.words, config.trees)
        pairs: list[tuple[Example[QueryGraph], list[Tree]]] = []
        for example, tokens in fit:
            trees = reader.trees(tokens)
            if trees:
                pairs.append((example, trees))
            else:
                unusable.append((example, NO_RULES))
        aligned = align_all(
            [([pieces for _, pieces in trees], example.meaning) for example, trees in pairs]
        )
        used = [
            trees[chosen][0]
            for (_, trees), chosen in zip(pairs, aligned.chosen, strict=True)
            if chosen is not None
        ]
        if config.composition == "latent":
            rules, used = supported(rules, used)
        if config.analogies:
            aligned.pieces.update(complete(aligned.pieces))
        unusable += [
            (example, "no tree of its phrases explains its graph")
            for (example, _), chosen in zip(pairs, aligned.chosen, strict=True)
            if chosen is None
        ]
        labels = _labels(aligned, [example for example, _ in pairs])
        known = Vocabularies(
            Vocabulary.of(name for piece in aligned.pieces for name in tags_of(piece)),
            Vocabulary.of(
                word for piece in aligned.pieces for some in words_of(piece) for word in some
            ),
            labels,
            aligned.plausibility,
            aligned.shared,
            rules,
            Habits.learn(used),
        )
        return ComposedReading(domain, config, known, aligned), unusable

    def _encode(self, piece: Piece) -> Grounded:
        return encode(piece, self.vocabularies.tags, self.vocabularies.words)

    def items(self) -> list[Item]:
        """Pieces and nodes, the former so often that both are met alike."""
        if self.aligned is None:
            raise PartwiseError("a parser that is read from a folder keeps no training questions")
        labels, power = self.vocabularies.labels, self.config.tempering
        often = repeats(self.aligned.contexts)
        numbers = {piece: number for number, piece in enumerate(self.aligned.pieces)}
        pieces: list[Item] = [
            piece_item(numbers[piece], len(self.sequences[numbers[piece]].nodes), c, labels, power)
            for piece, c in self.aligned.pieces.items()
        ]
        nodes: list[Item] = [
            node_item(context, spoken, numbers, labels, power)
            for context, spoken in self.aligned.contexts.items()
            for _ in range(often[context])
        ]
        times = max(1, round(len(nodes) / max(1, len(pieces))))
        return pieces * times + nodes

    def length(self, item: Item) -> int:
        """Items of all sizes share batches."""
        return 0

    def loss(self, network: GroundedDecoder, batch: Sequence[Item]) -> Tensor:
        """What the joint likelihood sums, of pieces and of nodes."""
        return self.piece_loss(network, batch)

    def parse(
        self,
        network: nn.Module,
        questions: Sequence[Tokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
    ) -> list[GraphParse]:
        """The united graph of each question's likeliest tree."""
        trees = [self.phrases.trees(tokens) for tokens in questions]
        needed = dict.fromkeys(
            placed.piece for some in trees for _, pieces in some for placed in pieces.pieces
        )
        decoded = self._decode(network, list(needed))
        unsaid = implied(network)
        return [
            self._one(tokens, some, decoded, unsaid, network if explain else None)
            for tokens, some in zip(questions, trees, strict=True)
        ]

    def _decode(self, network: nn.Module, pieces: list[Piece]) -> dict[Piece, Decoded]:
        found: dict[Piece, Decoded] = {}
        for begin in range(0, len(pieces), BATCH):
            some = pieces[begin : begin + BATCH]
            said = network(collate([self._encode(piece) for piece in some]))
            chances = torch.sigmoid(said.logits).cpu().numpy()
            attention = None if said.attention is None else said.attention.cpu().numpy()
            for row, piece in enumerate(some):
                size = len(piece.slots)
                mine = held_together(chances[row, :size, :size], self.vocabularies.labels)
                found[piece] = mine, None if attention is None else attention[row]
        return found

    def _one(
        self,
        tokens: Tokens,
        trees: Sequence[tuple[Phrase, Pieces]],
        decoded: dict[Piece, Decoded],
        unsaid: NDArray[np.floating],
        explained: nn.Module | None,
    ) -> GraphParse:
        words = tokens.question
        if not trees:
            return GraphParse(words, tokens=tokens, reason=_no_tree(tokens))
        labels, plausibility = self.vocabularies.labels, self.vocabularies.plausibility
        habits = self.vocabularies.habits
        read = []
        for tree, pieces in trees:
            said = [decoded[placed.piece][0] for placed in pieces.pieces]
            graph = assemble(pieces, said, labels, unsaid, self.vocabularies.shared)
            worth = plausibility.score(graph.edges, graph.attributes) if plausibility else 0.0
            worth += habits.score(tree) if habits else 0.0
            read.append((worth, tree, pieces, graph))
        _, tree, pieces, graph = max(read, key=lambda one: one[0])
        try:
            best, names = finished(
                words.text, self.domain, graph.edges, graph.attributes, graph.answer
            )
        except QueryError as error:
            return GraphParse(words, tree=tree, tokens=tokens, reason=str(error))
        grounding = self._grounding(tokens, pieces, graph, decoded, names, explained)
        return GraphParse(words, best, math.exp(graph.log_probability), grounding, tree, tokens)

    def _grounding(
        self,
        tokens: Tokens,
        pieces: Pieces,
        graph: Assembled,
        decoded: dict[Piece, Decoded],
        names: dict[str, str],
        explained: nn.Module | None,
    ) -> dict[Triple, tuple[float, ...]]:
        """Which words each triple rests on: those of the piece that says it most."""
        found: dict[Triple, tuple[float, ...]] = {}
        for triple, (number, one, other, _) in graph.sources.items():
            placed = pieces.pieces[number]
            attention = decoded[placed.piece][1]
            if attention is None:
                continue
            shares = attention[one, other]
            if explained is not None:
                label = self.vocabularies.labels.number(triple.predicate, triple.object)
                shares = relevance(explained, self._encode(placed.piece), (one, other), label)
            final = triple._replace(
                subject=names.get(triple.subject, triple.subject),
                object=names.get(triple.object, triple.object),
            )
            found[final] = word_weights(shares, placed.tokens, tokens)
        return found


NO_RULES = "no phrase rules fit the question"


def _no_tree(tokens: Tokens) -> str:
    strange = [
        text
        for text, classes in zip(tokens.texts, tokens.classes, strict=True)
        if classes == {text} and text.isalpha() and len(text) > 3
    ]
    hint = f"; unknown to its word lists, perhaps: {', '.join(strange[:5])}" if strange else ""
    return NO_RULES + hint


def _labels(aligned: Aligned, examples: Sequence[Example[QueryGraph]]) -> Labels:
    relations = {label[0] for count in aligned.pieces.values() for _, label in count.labels}
    graphs = [example.meaning for example in examples]
    return Labels(tuple(sorted({*relations, SAME})), tuple(attributes_of(graphs)), answers=True)
