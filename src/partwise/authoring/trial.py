"""One point of a learning curve: train a parser on some examples, test it on others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from partwise.evaluation.metrics import Outcome, evaluate
from partwise.interface.data import Dataset, Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.span.presets import loop_for_few, parser_for_few
from partwise.training.config import TrainingConfig
from partwise.training.session import train as train_parser

M = TypeVar("M")
Trial = Callable[[Sequence[Example[M]], Sequence[Example[M]]], Sequence[Outcome]]
"""Trains on the first examples, and gives the outcome of each of the second."""


def span_trial(
    domain: Domain, config: SpanParserConfig, seed: int = 0, epochs: int | None = None
) -> Trial[Term]:
    """Trials of a span parser, with the settings that suit the number of examples.

    Args:
        epochs: passes, for all sizes; by default more passes over fewer examples.
    """

    def trial(train: Sequence[Example[Term]], test: Sequence[Example[Term]]) -> Sequence[Outcome]:
        loop: dict[str, Any] = {**loop_for_few(len(train)), "seed": seed}
        if epochs is not None:
            loop["epochs"] = epochs
        training, parser = TrainingConfig(**loop), config
        if not config.recombination:
            parser = replace(config, **parser_for_few(len(train), config.objective))
        data = Dataset("curve", "own", train=list(train), dev=list(train), test=[])
        with tempfile.TemporaryDirectory() as folder:
            session = train_parser(
                SpanParser, domain, data, parser, training, folder=folder, progress=False
            )
        return evaluate(session.parser, test).outcomes

    return trial
