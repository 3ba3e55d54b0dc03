"""The former entry point of training; see `partwise.training.session.train`."""

from __future__ import annotations

from typing import Any

from partwise.interface.data import Dataset
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.config import TrainingConfig
from partwise.training.session import Session, train


def train_span_parser(
    dataset: Dataset[Term],
    domain: Domain,
    config: SpanParserConfig,
    settings: TrainingConfig,
    **more: Any,
) -> Session[Term]:
    """Train a span parser; `more` goes to `partwise.training.session.train`."""
    return train(SpanParser, domain, dataset, config, settings, **more)
