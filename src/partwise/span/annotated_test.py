"""Annotated span trees for the examples of a data set: the published ones, or built by lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.tree import SpanTree
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import DATASETS, data_folder
from partwise.language.program import Term
from partwise.span.annotation.builder import annotate_all
from partwise.span.derivation import SpanDerivation
from partwise.span.tree_metrics import equivalent_tree_f1, tree_f1

if TYPE_CHECKING:
    from partwise.span.parser import SpanParser


def annotated_test(
    dataset: Dataset[Term], types: TypeAlgebra, data_dir: str | Path | None = None
) -> list[Example[Term]]:
    """The test examples with span trees where there are any, in their order.

    Published trees are taken where the data set has them (paper section 4.4), else trees are built
    from programs; what has neither stays without.

    Args:
        data_dir: as for `registry.load`.

    Raises:
        DataError: if a published file is missing or damaged.
    """
    info = DATASETS.get(dataset.name)
    if info is not None and info.trees is not None and dataset.split in info.tree_splits:
        found = info.trees(data_folder(dataset.name, data_dir), dataset.split, types.domain)
    else:
        found = annotate_all(dataset.test, types)[0]
    spelt = types.domain.canonical
    trees = {(example.question, spelt(example.meaning)): example.spans for example in found}
    return [
        replace(example, spans=trees.get((example.question, spelt(example.meaning))))
        for example in dataset.test
    ]


def derivation_metrics(
    parser: SpanParser, dataset: Dataset[Term], data_dir: str | Path | None = None
) -> dict[str, float]:
    """F1 of the trees of test questions, where there are annotated ones to compare with.

    Args:
        data_dir: as for `registry.load`.

    Raises:
        DataError: if a published file is missing or damaged.
    """
    examples = annotated_test(dataset, parser.types, data_dir)
    annotated = [example for example in examples if example.spans is not None]
    said = (one.derivation for one in parser.parse_examples(annotated))
    trees = [one.tree if isinstance(one, SpanDerivation) else None for one in said]
    return of_trees(trees, annotated, parser.types)


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
