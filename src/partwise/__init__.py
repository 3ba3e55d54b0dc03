"""Partwise: questions to programs that run, by exact span-based semantic parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partwise.domain import Domain, default, entities, predicate, root
from partwise.errors import PartwiseError
from partwise.program import Term, parse_program

if TYPE_CHECKING:
    from partwise.datasets.base import Example
    from partwise.parsers.config import SpanParserConfig
    from partwise.parsers.span import SpanParser
    from partwise.training.session import train_span_parser
    from partwise.training.settings import TrainSettings

__version__ = "0.1.0"

__all__ = [
    "Domain",
    "Example",
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
    "train_span_parser",
]

# Names whose modules import torch are loaded when first used, so that declaring a domain and
# asking for help are quick.
_LATER = {
    "Example": "partwise.datasets.base",
    "SpanParser": "partwise.parsers.span",
    "SpanParserConfig": "partwise.parsers.config",
    "TrainSettings": "partwise.training.settings",
    "train_span_parser": "partwise.training.session",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")
