"""MCD splits of examples, also as the kind of split ``mcd`` of ``partwise train --inner``.

Where examples do not say by which rules they came about, their constituency trees do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from partwise.domains.films.domain import PHRASES
from partwise.errors import DataError
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.phrases import Constituent
from partwise.graph.grammar.tokens import ENTITY, Tagger
from partwise.interface.data import Example, RuleGraph
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph
from partwise_papers.splits.mcd import McdSettings, McdSplit, mcd_split


def with_rule_graphs(
    examples: Iterable[Example[QueryGraph]], domain: GraphDomain
) -> list[Example[QueryGraph]]:
    """The examples with the rules of their best constituency trees, where they give none; raises
    DataError for a question that no phrase rules fit.

    The phrase rules are the domain's, or those of the English of CFQ.
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
    """The rules of a tree and the words that they were applied to; entities are all one (`texts`:
    the tokens)."""
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


M = TypeVar("M")


def rule_graphs(examples: Sequence[Example[Any]]) -> list[RuleGraph]:
    """How each example came about; raises DataError for an example of which that is not known."""
    graphs = []
    for example in examples:
        if example.rules is None:
            raise DataError(
                f"{example.source or 'an example'}: {example.question!r} has no rule graph, "
                "which an MCD split is made by; use examples that a grammar generated, or "
                "another kind of split"
            )
        graphs.append(example.rules)
    return graphs


def mcd_parts(
    examples: Sequence[Example[M]], split: McdSplit
) -> tuple[list[Example[M]], list[Example[M]], list[Example[M]]]:
    """The examples of train, dev and test of an MCD split; unused ones are in none; raises
    DataError if the split is of another number of examples."""
    size = sum(map(len, (split.train, split.dev, split.test, split.unused)))
    if size != len(examples):
        raise DataError(
            f"the split is of {size} examples, not of {len(examples)}; use the list of examples "
            "that it was made of"
        )
    train, dev, test = (
        [examples[place] for place in part] for part in (split.train, split.dev, split.test)
    )
    return train, dev, test


def mcd(
    train: Sequence[Example[Any]],
    domain: Any = None,
    *,
    share: float = 0.25,
    seed: int = 0,
    **settings: Any,
) -> tuple[list[Example[Any]], list[Example[Any]]]:
    """Part a training set by its compounds, to choose hyper-parameters on; raises DataError if rule
    graphs are missing or the demands cannot be met.

    Nothing is left out unless `settings` say so, so that the parts are as large as can be; the
    compound divergence is then lower than that of a split that leaves half out.

    Args:
        domain: of query graphs: examples of which nothing is known get their rule graphs from
            their likeliest phrase trees.
        share: the part of the examples to test on.
        settings: fields of `McdSettings`.

    Returns:
        What to train on, and what to test on.
    """
    if isinstance(domain, GraphDomain):
        train = with_rule_graphs(train, domain)
    wanted: dict[str, Any] = {"unused": 0.0, **settings, "test": float(share), "seed": seed}
    split = mcd_split(rule_graphs(train), McdSettings(**wanted))
    inner, _, held_out = mcd_parts(train, split)
    return inner, held_out
