"""Splits of examples with query graphs: at random, by length, by template, by compounds (MCD)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from partwise.errors import DataError
from partwise.evaluation.splits import grouped_split, ordered_split, random_split
from partwise.interface.data import Example, RuleGraph
from partwise.language.query.canonical import canonical
from partwise.language.query.graph import QueryGraph
from partwise_papers.splits.mcd import McdSplit, mcd_split

GraphParts = tuple[list[Example[QueryGraph]], list[Example[QueryGraph]], list[Example[QueryGraph]]]
"""Train, dev and test."""
GraphKind = Literal["random", "length", "template", "mcd"]
KINDS: tuple[GraphKind, ...] = ("random", "length", "template", "mcd")
ANY_ENTITY = "M"


def query_template(graph: QueryGraph) -> QueryGraph:
    """A query with all its entities made one and its variables in canonical order.

    Raises:
        QueryError: for a query that `canonical` refuses.
    """
    return canonical(graph.renamed(dict.fromkeys(graph.entities, ANY_ENTITY)))


def question_length(example: Example[QueryGraph]) -> int:
    """The number of blank-separated words of the question."""
    return len(example.question.split())


def rule_graphs(examples: Sequence[Example[QueryGraph]]) -> list[RuleGraph]:
    """How each example came about.

    Raises:
        DataError: for an example of which that is not known.
    """
    found = []
    for example in examples:
        if example.rules is None:
            raise DataError(
                f"{example.source or 'an example'}: {example.question!r} has no rule graph, "
                "which an MCD split is made by; use examples that a grammar generated, or "
                "another kind of split"
            )
        found.append(example.rules)
    return found


def graph_split(
    examples: Sequence[Example[QueryGraph]], kind: GraphKind, *, dev: int, test: int, seed: int = 0
) -> GraphParts:
    """Parts of `dev` and `test` examples, as nearly as whole templates allow.

    ``random``; ``length``: the longest questions are the test set, dev is at random from the
    others; ``template``: no `query_template` of the test set is in train or dev; ``mcd``: dev and
    test are both far from train in their compounds, and half of the examples are left out, as
    `mcd_split` does; call that for its divergences and settings, and then `mcd_parts`.

    Raises:
        DataError: for an unknown kind, or if the demands cannot be met.
    """
    _known(kind)
    if kind == "random":
        return random_split(examples, dev=dev, test=test, seed=seed)
    if kind == "length":
        return ordered_split(examples, question_length, dev=dev, test=test, seed=seed)
    if kind == "template":
        return grouped_split(examples, _template, dev=dev, test=test, seed=seed, dev_seed=seed)
    if dev < 0 or test < 1:
        raise DataError(f"no {dev} examples for dev and {test} for test; choose sizes above 0")
    graphs, share = rule_graphs(examples), dev / (dev + test)
    split = mcd_split(graphs, test=dev + test, dev_share=share, seed=seed)
    return mcd_parts(examples, split)


def mcd_parts(examples: Sequence[Example[QueryGraph]], split: McdSplit) -> GraphParts:
    """The examples of each part of an MCD split; unused ones are in none.

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


def inner_split(
    train: Sequence[Example[QueryGraph]],
    kind: GraphKind,
    *,
    share: float = 0.25,
    seed: int = 0,
    **settings: Any,
) -> tuple[list[Example[QueryGraph]], list[Example[QueryGraph]]]:
    """Part a training set as the whole set was parted, to choose settings on.

    Args:
        share: the part of the examples to test on (as nearly as whole templates allow).
        settings: of `mcd_split`, for ``mcd``. Other than there nothing is left out unless
            `unused` says so, so that the inner parts are as large as can be; the inner compound
            divergence is then lower than that of a split that leaves half out.

    Returns:
        What to train on, and what to test on.

    Raises:
        DataError: for an unknown kind, or if a part would be empty.
    """
    _known(kind)
    if kind == "mcd":
        wanted = {"unused": 0.0, **settings, "test": float(share), "seed": seed}
        inner, _, held = mcd_parts(train, mcd_split(rule_graphs(train), **wanted))
        return inner, held
    if settings:
        raise DataError(f"a {kind} split takes no {', '.join(settings)}; leave them out")
    test = max(1, round(share * len(train)))
    inner, _, held = graph_split(train, kind, dev=0, test=test, seed=seed)
    return inner, held


def _template(example: Example[QueryGraph]) -> QueryGraph:
    return query_template(example.meaning)


def _known(kind: str) -> None:
    if kind not in KINDS:
        raise DataError(f"no kind of split {kind!r}; there are {', '.join(KINDS)}")
