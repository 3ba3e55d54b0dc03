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
        # Without a single prediction no parts are told apart, and none is right.
        return {EDGES_MATCH: scores.to_json().get(EDGES_MATCH, 0.0)}
    named = {example.group for example in examples}
    groups = {GROUP + name: value for name, value in scores.groups().items() if name in named}
    return {**_of(scores.to_json(), ("exact_match", "denotation", EDGES_MATCH)), **groups}


def on_dev(metrics: Mapping[str, Any] | None, edges_only: bool = False) -> dict[str, float]:
    """The same of dev from what a run notes (`Scores.to_json`); nothing without any."""
    if metrics is None:
        return {}
    if edges_only:
        return {f"dev_{EDGES_MATCH}": metrics.get(EDGES_MATCH, 0.0)}
    noted = _of(metrics, ("denotation", "exact_match", EDGES_MATCH))
    return {f"dev_{name}": value for name, value in noted.items()}


def _of(metrics: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    return {name: metrics[name] for name in names if name in metrics}
