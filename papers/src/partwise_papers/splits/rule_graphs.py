"""Constituency trees as rule graphs, so that compositional splits can be made of any questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from partwise.domains.questions import PHRASES
from partwise.errors import DataError
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.phrases import Constituent
from partwise.graph.grammar.tokens import ENTITY, Tagger
from partwise.interface.data import Example, RuleGraph
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph


def with_rule_graphs(
    examples: Iterable[Example[QueryGraph]], domain: GraphDomain
) -> list[Example[QueryGraph]]:
    """The examples with the rules of their best constituency trees, where they give none.

    The phrase rules are the domain's, or those of the English of CFQ.

    Raises:
        DataError: for a question that no phrase rules fit.
    """
    tagger, parser = Tagger(domain), ConstituencyParser(domain.phrases or PHRASES, 1)

    def with_rules(example: Example[QueryGraph]) -> Example[QueryGraph]:
        if example.rules is not None:
            return example
        tokens = tagger(example.question)
        trees = parser.trees(tokens)
        if not trees:
            raise DataError(
                f"{example.source}: no phrase rules of {domain.name} fit {example.question!r}, "
                "so that no compounds can be told; use another kind of split"
            )
        return replace(example, rules=rule_graph(trees[0][0], tokens.texts))

    return [with_rules(example) for example in examples]


def rule_graph(tree: Constituent, texts: Sequence[str]) -> RuleGraph:
    """The rules of a tree and the words that they were applied to; entities are all one.

    Args:
        texts: the tokens.
    """
    rules: list[str] = []
    edges: list[tuple[int, int]] = []

    def add(constituent: Constituent) -> int:
        here = len(rules)
        rules.append(f"{constituent.category}/{constituent.rule}")
        for symbol, part in constituent.parts:
            if isinstance(part, Constituent):
                edges.append((here, add(part)))
            elif symbol.place >= 0 and symbol.name != texts[part]:
                edges.append((here, len(rules)))
                rules.append(ENTITY if symbol.name == ENTITY else f"{symbol.name}:{texts[part]}")
        return here

    add(tree)
    return RuleGraph(tuple(rules), tuple(edges))
