"""Partwise: questions to programs that run, by exact span-based semantic parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partwise.domain import Domain, default, entities, predicate, root
from partwise.errors import PartwiseError
from partwise.program import Term, parse_program

if TYPE_CHECKING:
    from partwise.datasets.base import Example
    from partwise.datasets.graphs import GraphExample
    from partwise.graph_domain import GraphDomain
    from partwise.parsers.config import SpanParserConfig
    from partwise.parsers.graph.config import GraphParserConfig
    from partwise.parsers.graph.parser import GraphParser
    from partwise.parsers.span import SpanParser
    from partwise.training.graph_session import train_graph_parser
    from partwise.training.session import train_span_parser
    from partwise.training.settings import TrainSettings

__version__ = "0.1.0"

__all__ = [
    "Domain",
    "Example",
    "GraphDomain",
    "GraphExample",
    "GraphParser",
    "GraphParserConfig",
    "PartwiseError",
    "SpanParser",
    "SpanParserConfig",
    "Term",
    "TrainSettings",
    "default",
    "entities",
    "parse_program",
    "predicate",
    "root",
    "train_graph_parser",
    "train_span_parser",
]

# Names whose modules import torch are loaded when first used, so that declaring a domain and
# asking for help are quick.
_LATER = {
    "Example": "partwise.datasets.base",
    "GraphDomain": "partwise.graph_domain",
    "GraphExample": "partwise.datasets.graphs",
    "GraphParser": "partwise.parsers.graph.parser",
    "GraphParserConfig": "partwise.parsers.graph.config",
    "SpanParser": "partwise.parsers.span",
    "SpanParserConfig": "partwise.parsers.config",
    "TrainSettings": "partwise.training.settings",
    "train_graph_parser": "partwise.training.graph_session",
    "train_span_parser": "partwise.training.session",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")
