"""Annotated span trees for the examples of a data set: the published ones, or built by lexicon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import data_folder
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.annotation import Annotator, Phrases, tree_of
from partwise_papers.datasets import geoquery, geoquery_trees, scan


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
    annotated = _published(dataset, types.domain, data_dir)
    if annotated is None:
        annotated = annotate_all(dataset.test, types)[0]
    spelt = types.domain.canonical
    trees = {(example.question, spelt(example.meaning)): example.spans for example in annotated}
    return [
        replace(example, spans=trees.get((example.question, spelt(example.meaning))))
        for example in dataset.test
    ]


def _published(
    dataset: Dataset[Term], domain: Domain, data_dir: str | Path | None
) -> list[Example[Term]] | None:
    name, split = dataset.name, dataset.split
    if name == "geoquery" and split in geoquery.SPLITS:
        folder = data_folder(name, data_dir)
        return geoquery_trees.read_trees(folder, split, "test", domain=domain)
    if name == "scan_sp" and split in scan.GIVEN:
        return scan.read_trees(data_folder(name, data_dir), split, "test")
    return None


def annotate_all(
    examples: Iterable[Example[Term]], types: TypeAlgebra, phrases: Phrases | None = None
) -> tuple[list[Example[Term]], list[tuple[Example[Term], str]]]:
    """The examples that can be annotated, with their spans, and the others with the reason."""
    annotator = Annotator(types, phrases)
    done: list[Example[Term]] = []
    left: list[tuple[Example[Term], str]] = []
    for example in examples:
        try:
            done.append(annotator.with_spans(example))
        except PartwiseError as error:
            left.append((example, str(error)))
    return done, left


def mismatch(example: Example[Term], types: TypeAlgebra) -> str | None:
    """Why an example's spans are no tree of its program; None if they are one.

    Raises:
        ValueError: if the example has no spans.
    """
    if example.spans is None:
        raise ValueError(f"{example.source or example.question}: no spans")
    domain = types.domain
    try:
        tree = tree_of(example.spans, domain, tokenize(example.question).words)
        meant = program(tree, types)
    except PartwiseError as error:
        return str(error)
    wanted = domain.canonical(example.meaning)
    return None if domain.canonical(meant) == wanted else f"the tree means {meant}, not {wanted}"
