"""Phrase trees as rule graphs, so that compositional splits can be made of any questions."""

from __future__ import annotations

from partwise.datasets.graphs import RuleGraph
from partwise.phrases.chart import Phrase
from partwise.phrases.tagging import ENTITY


def rule_graph(tree: Phrase, texts: tuple[str, ...]) -> RuleGraph:
    """The rules of a phrase tree and the words that they were applied to; entities are all one."""
    rules: list[str] = []
    edges: list[tuple[int, int]] = []

    def add(phrase: Phrase) -> int:
        here = len(rules)
        rules.append(f"{phrase.category}/{phrase.rule}")
        for symbol, part in phrase.parts:
            if isinstance(part, Phrase):
                edges.append((here, add(part)))
            elif symbol.place >= 0 and symbol.name != texts[part]:
                edges.append((here, len(rules)))
                rules.append(ENTITY if symbol.name == ENTITY else f"{symbol.name}:{texts[part]}")
        return here

    add(tree)
    return RuleGraph(tuple(rules), tuple(edges))
