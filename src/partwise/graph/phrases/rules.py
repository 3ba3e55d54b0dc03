"""Phrase trees as rule graphs, so that compositional splits can be made of any questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from partwise.errors import DataError
from partwise.graph.phrases.chart import Phrase
from partwise.graph.phrases.reader import PhraseReader
from partwise.graph.phrases.tagging import ENTITY, Tagger
from partwise.interface.data import Example, RuleGraph
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph


def with_rules(
    examples: Iterable[Example[QueryGraph]], domain: GraphDomain
) -> list[Example[QueryGraph]]:
    """The examples with the rules of their likeliest phrase trees, where they say none.

    Raises:
        DataError: for a question that no phrase rules fit.
    """
    tagger, reader = Tagger(domain), PhraseReader(domain.phrases, domain.words, 1)
    found = []
    for example in examples:
        if example.rules is None:
            tokens = tagger(example.question)
            trees = reader.trees(tokens)
            if not trees:
                raise DataError(
                    f"{example.source}: no phrase rules of {domain.name} fit {example.question!r}, "
                    "so that no compounds can be told; use another kind of split"
                )
            example = replace(example, rules=rule_graph(trees[0][0], tokens.texts))
        found.append(example)
    return found


def rule_graph(tree: Phrase, texts: Sequence[str]) -> RuleGraph:
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
