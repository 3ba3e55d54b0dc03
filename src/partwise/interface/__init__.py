"""What all parsers, domains and data sets have in common.

Plain Python, without torch; imports nothing of Partwise but its errors. Start reading in `parser`.
"""

from partwise.interface.answering import answer
from partwise.interface.data import Dataset, DatasetInfo, Example, RuleGraph, Span
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import (
    Checkpoints,
    Parser,
    TrainingError,
    TrainingReport,
    TrainingStopped,
)
from partwise.interface.prediction import (
    Answer,
    Derivation,
    ExplainingDomain,
    Explanation,
    PhraseDifference,
    Prediction,
    ResultTable,
)
from partwise.interface.registry import Registry
from partwise.interface.settings import setting

__all__ = [
    "Answer",
    "AnyDomain",
    "Checkpoints",
    "Dataset",
    "DatasetInfo",
    "Derivation",
    "Example",
    "ExplainingDomain",
    "Explanation",
    "Parser",
    "PhraseDifference",
    "Prediction",
    "Registry",
    "ResultTable",
    "RuleGraph",
    "Span",
    "TrainingError",
    "TrainingReport",
    "TrainingStopped",
    "answer",
    "setting",
]
