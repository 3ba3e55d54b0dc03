"""Partwise: questions to programs that run, by exact span-based semantic parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partwise.errors import PartwiseError
from partwise.language.domain import Domain, default, entities, predicate, root
from partwise.language.program import Term, parse_program

if TYPE_CHECKING:
    from partwise.evaluation.metrics import Scores
    from partwise.graph.config import GraphParserConfig
    from partwise.graph.parser import GraphParser
    from partwise.interface.answering import answer
    from partwise.interface.data import Dataset, Example
    from partwise.interface.prediction import Answer, Prediction
    from partwise.language.graph_domain import GraphDomain
    from partwise.span.config import SpanParserConfig
    from partwise.span.parser import SpanParser
    from partwise.training.session import train
    from partwise.training.store import load_parser
    from partwise.training.trainer import TrainingConfig

__version__ = "0.3.0"

__all__ = [
    "Answer",
    "Dataset",
    "Domain",
    "Example",
    "GraphDomain",
    "GraphParser",
    "GraphParserConfig",
    "PartwiseError",
    "Prediction",
    "Scores",
    "SpanParser",
    "SpanParserConfig",
    "Term",
    "TrainingConfig",
    "answer",
    "default",
    "entities",
    "load_parser",
    "parse_program",
    "predicate",
    "root",
    "train",
]

# Names whose modules import torch are loaded when first used, so that declaring a domain and
# asking for help are quick.
_LATER = {
    "Answer": "partwise.interface.prediction",
    "Dataset": "partwise.interface.data",
    "Example": "partwise.interface.data",
    "GraphDomain": "partwise.language.graph_domain",
    "GraphParser": "partwise.graph.parser",
    "GraphParserConfig": "partwise.graph.config",
    "Prediction": "partwise.interface.prediction",
    "Scores": "partwise.evaluation.metrics",
    "SpanParser": "partwise.span.parser",
    "SpanParserConfig": "partwise.span.config",
    "TrainingConfig": "partwise.training.trainer",
    "answer": "partwise.interface.answering",
    "load_parser": "partwise.training.store",
    "train": "partwise.training.session",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'partwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
