"""Partwise: questions to programs that run, by exact span-based semantic parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partwise.errors import PartwiseError
from partwise.language.domain import Domain, default, entities, predicate, root
from partwise.language.program import Term, parse_program

if TYPE_CHECKING:
    from partwise.graph.config import GraphParserConfig
    from partwise.graph.parser import GraphParser
    from partwise.graph.session import train_graph_parser
    from partwise.interface.data import Example
    from partwise.language.graph_domain import GraphDomain
    from partwise.span.config import SpanParserConfig
    from partwise.span.parser import SpanParser
    from partwise.span.session import train_span_parser
    from partwise.training.settings import TrainSettings

__version__ = "0.2.0"

__all__ = [
    "Domain",
    "Example",
    "GraphDomain",
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
    "Example": "partwise.interface.data",
    "GraphDomain": "partwise.language.graph_domain",
    "GraphParser": "partwise.graph.parser",
    "GraphParserConfig": "partwise.graph.config",
    "SpanParser": "partwise.span.parser",
    "SpanParserConfig": "partwise.span.config",
    "TrainSettings": "partwise.training.settings",
    "train_graph_parser": "partwise.graph.session",
    "train_span_parser": "partwise.span.session",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")
