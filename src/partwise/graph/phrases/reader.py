"""Phrase trees of questions, by the rules of a domain or by learned ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from partwise.graph.phrases.chart import Phrase, PhraseChart
from partwise.graph.phrases.grammar import Grammar, read_grammar
from partwise.graph.phrases.pieces import Cutter, Pieces
from partwise.graph.phrases.tagging import ENTITY, Tokens


class PhraseReader:
    """Phrase trees of questions, with their pieces.

    Args:
        rules: lines for `read_grammar`.
        classes: the word classes of the domain.
        limit: how many trees of a question are wanted.
    """

    def __init__(self, rules: Sequence[str], classes: Collection[str], limit: int) -> None:
        self.grammar: Grammar = read_grammar(rules, [*classes, ENTITY])
        self.cutter, self.limit = Cutter(self.grammar), limit

    def trees(self, tokens: Tokens) -> list[tuple[Phrase, Pieces]]:
        """The trees with the fewest phrases first."""
        chart = PhraseChart(self.grammar, tokens.classes)
        return [(tree, self.cutter.cut(tree, tokens.texts)) for tree in chart.trees(self.limit)]
