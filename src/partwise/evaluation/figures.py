"""All figures of a parser on a test set, under the names that result files use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise.evaluation.metrics import Scores
from partwise.evaluation.result import EDGES_MATCH, GROUP
from partwise.interface.data import Example


def on_test(
    scores: Scores, examples: Sequence[Example[Any]], edges_only: bool = False
) -> dict[str, float]:
    """What a result takes of the metrics on test.

    Exact match, denotation accuracy, that of the kinds of question that the examples name, and of
    graphs their edges.

    Args:
        edges_only: under a protocol by which nothing else is predicted.
    """
    if edges_only:
        return {EDGES_MATCH: scores.to_json()[EDGES_MATCH]}
    named = {example.group for example in examples}
    groups = {GROUP + name: value for name, value in scores.groups().items() if name in named}
    return {**_of(scores.to_json(), ("exact_match", "denotation", EDGES_MATCH)), **groups}


def on_dev(metrics: Mapping[str, Any] | None, edges_only: bool = False) -> dict[str, float]:
    """The same of dev from what a run notes (`Scores.to_json`); nothing without any."""
    names = (EDGES_MATCH,) if edges_only else ("denotation", "exact_match", EDGES_MATCH)
    return {f"dev_{name}": value for name, value in _of(metrics or {}, names).items()}


def _of(metrics: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    return {name: metrics[name] for name in names if name in metrics}
