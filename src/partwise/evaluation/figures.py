"""All figures of a parser on a test set, under the names that result files use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.tree import SpanTree
from partwise.evaluation.metrics import Scores
from partwise.evaluation.result import EDGES_MATCH, GROUP
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.span.tree_metrics import equivalent_tree_f1, tree_f1


def on_test(scores: Scores) -> dict[str, float]:
    """Exact match, denotation accuracy, and the latter by kind of question."""
    groups = {GROUP + name: value for name, value in scores.groups().items()}
    runs = {} if scores.denotation is None else {"denotation": scores.denotation}
    return {"exact_match": scores.exact_match, **runs, **groups}


def on_dev(metrics: Mapping[str, Any] | None) -> dict[str, float]:
    """Figures on dev from those that a run notes (`Scores.to_json`); none without any."""
    found = metrics or {}
    names = ("denotation", "exact_match", EDGES_MATCH)
    return {f"dev_{name}": found[name] for name in names if name in found}


def on_graphs(metrics: Mapping[str, Any] | None, protocol: str) -> dict[str, float]:
    """Figures of query graphs from `GraphMetrics.to_json`; none without any.

    Args:
        protocol: ``full``, or ``paper``, under which edges alone are predicted and can match.
    """
    found = metrics or {}
    names = (EDGES_MATCH,) if protocol == "paper" else (EDGES_MATCH, "exact_match", "denotation")
    return {name: found[name] for name in names if name in found}


def of_trees(
    trees: Sequence[SpanTree | None], examples: Sequence[Example[Term]], types: TypeAlgebra
) -> dict[str, float]:
    """F1 of predicted trees over the examples with an annotated one; nothing if none has one.

    Raises:
        ValueError: if the lengths differ.
    """
    gold = [example.spans for example in examples]
    if not any(gold):
        return {}
    return {
        "tree_f1": tree_f1(trees, gold, types.domain).f1,
        "tree_f1_equivalent": equivalent_tree_f1(trees, examples, types).f1,
    }
