"""Annotated span trees for the examples of a data set: the published ones, or built by lexicon."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from partwise.chart.algebra.type import TypeAlgebra
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import DATASETS, data_folder
from partwise.language.program import Term
from partwise.span.annotation.builder import annotate_all


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
