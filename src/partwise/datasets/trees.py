"""Annotated span trees for the examples of a data set: the published ones, or built by lexicon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from partwise.algebra.type import TypeAlgebra
from partwise.annotation.builder import annotate_all
from partwise.datasets import geoquery_trees, scan
from partwise.datasets.base import Dataset, Example
from partwise.datasets.geoquery import SPLITS as GEOQUERY_SPLITS
from partwise.datasets.registry import DATASETS, data_folder
from partwise.domain import Domain

Trees = Callable[[Path, str, Domain], list[Example]]

PUBLISHED: Mapping[str, tuple[Sequence[str], Trees]] = {
    "geoquery": (
        GEOQUERY_SPLITS,
        lambda folder, split, domain: geoquery_trees.read_trees(
            folder, split, "test", domain=domain
        ),
    ),
    "scan_sp": (scan.GIVEN, lambda folder, split, _: scan.read_trees(folder, split, "test")),
}
"""Data set -> the splits whose test questions have published trees, and their reader."""


def annotated_test(
    dataset: Dataset, types: TypeAlgebra, data_dir: str | Path | None = None
) -> list[Example]:
    """The test examples with span trees where there are any, in their order.

    Published trees are taken where the data set has them (paper section 4.4), else trees are built
    from programs; what has neither stays without.

    Args:
        data_dir: as for `registry.load`.

    Raises:
        DataError: if a published file is missing or damaged.
    """
    splits, read = PUBLISHED.get(dataset.name, ((), None))
    if read is not None and dataset.split in splits and dataset.name in DATASETS:
        folder = data_folder(dataset.name, data_dir)
        found = read(folder, dataset.split, types.domain)
    else:
        found = annotate_all(dataset.test, types)[0]
    spelt = types.domain.normalize
    trees = {(example.question, spelt(example.program)): example.spans for example in found}
    return [
        replace(example, spans=trees.get((example.question, spelt(example.program))))
        for example in dataset.test
    ]
