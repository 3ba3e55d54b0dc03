"""MCD splits of examples, also as the kind of split ``mcd`` of ``partwise train --inner``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from partwise.errors import DataError
from partwise.interface.data import Example, RuleGraph
from partwise.language.graph_domain import GraphDomain
from partwise_papers.splits.mcd import McdSettings, McdSplit, mcd_split
from partwise_papers.splits.rule_graphs import with_rule_graphs

M = TypeVar("M")


def rule_graphs(examples: Sequence[Example[Any]]) -> list[RuleGraph]:
    """How each example came about.

    Raises:
        DataError: for an example of which that is not known.
    """
    graphs = []
    for example in examples:
        if example.rules is None:
            raise DataError(
                f"{example.source or 'an example'}: {example.question!r} has no rule graph, "
                "which an MCD split is made by; use examples that a grammar generated, or "
                "another kind of split"
            )
        graphs.append(example.rules)
    return graphs


def mcd_parts(
    examples: Sequence[Example[M]], split: McdSplit
) -> tuple[list[Example[M]], list[Example[M]], list[Example[M]]]:
    """The examples of train, dev and test of an MCD split; unused ones are in none.

    Raises:
        DataError: if the split is of another number of examples.
    """
    size = sum(map(len, (split.train, split.dev, split.test, split.unused)))
    if size != len(examples):
        raise DataError(
            f"the split is of {size} examples, not of {len(examples)}; use the list of examples "
            "that it was made of"
        )
    train, dev, test = (
        [examples[place] for place in part] for part in (split.train, split.dev, split.test)
    )
    return train, dev, test


def mcd(
    train: Sequence[Example[Any]],
    domain: Any = None,
    *,
    share: float = 0.25,
    seed: int = 0,
    **settings: Any,
) -> tuple[list[Example[Any]], list[Example[Any]]]:
    """Part a training set by its compounds, to choose hyper-parameters on.

    Nothing is left out unless `settings` say so, so that the parts are as large as can be; the
    compound divergence is then lower than that of a split that leaves half out.

    Args:
        domain: of query graphs: examples of which nothing is known get their rule graphs from
            their likeliest phrase trees.
        share: the part of the examples to test on.
        settings: fields of `McdSettings`.

    Returns:
        What to train on, and what to test on.

    Raises:
        DataError: if rule graphs are missing or the demands cannot be met.
    """
    if isinstance(domain, GraphDomain):
        train = with_rule_graphs(train, domain)
    wanted: dict[str, Any] = {"unused": 0.0, **settings, "test": float(share), "seed": seed}
    split = mcd_split(rule_graphs(train), McdSettings(**wanted))
    inner, _, held_out = mcd_parts(train, split)
    return inner, held_out
