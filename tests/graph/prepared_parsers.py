"""Graph parsers that have learned their vocabularies, and no more."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph
from partwise.training.neural import Unusable


def prepared(
    domain: GraphDomain, config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
) -> tuple[GraphParser, Unusable[QueryGraph]]:
    """A parser whose weights are at random, and the examples that it cannot use."""
    parser = GraphParser.create(domain, config)
    parser.prepare(examples)
    return parser, parser.training_items(examples)[1]
