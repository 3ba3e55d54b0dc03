"""Phrase trees of questions, by the rules of a domain."""

from __future__ import annotations

from partwise.graph_domain import GraphDomain
from partwise.phrases.chart import Phrase, PhraseChart
from partwise.phrases.grammar import Grammar, read_grammar
from partwise.phrases.pieces import Cutter, Pieces
from partwise.phrases.tagging import ENTITY, Tokens


class PhraseReader:
    """Phrase trees of questions, with their pieces."""

    def __init__(self, domain: GraphDomain, limit: int) -> None:
        self.grammar: Grammar = read_grammar(domain.phrases, [*domain.words, ENTITY])
        self.cutter, self.limit = Cutter(self.grammar), limit

    def trees(self, tokens: Tokens) -> list[tuple[Phrase, Pieces]]:
        """The trees with the fewest phrases first."""
        chart = PhraseChart(self.grammar, tokens.classes)
        return [(tree, self.cutter.cut(tree, tokens.texts)) for tree in chart.trees(self.limit)]
