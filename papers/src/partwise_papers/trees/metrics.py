"""How near predicted span trees are to annotated ones (paper, section 4.4, table 3).

Annotated trees are the published ones, or built by lexicon. A tree counts as the set of its
labelled spans, ``(start, end, category)`` with "join" for composed spans; spans without meaning
(φ) are in no set. Precision, recall and F1 are taken over all trees together (micro), a question
without a parse has no spans, and questions without an annotation are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from partwise.chart.scores import SpanTree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.data import JOIN_LABEL, Dataset, Example, Span
from partwise.interface.registry import data_folder
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.annotation import (
    Annotator,
    Leaf,
    Phrases,
    best_over,
    leaves_of,
    spans_of,
    tree_of,
)
from partwise.span.decoding import SpanDerivation
from partwise.span.inference import SpanInference
from partwise_papers.datasets import geoquery, scan


def annotate_test(
    dataset: Dataset[Term], types: TypeAlgebra, data_dir: str | Path | None = None
) -> list[Example[Term]]:
    """The test examples with span trees where there are any, in their order; raises DataError if a
    published file is missing or damaged.

    Published trees are taken where the data set has them (paper section 4.4), else trees are built
    from programs; what has neither stays without.

    Args:
        data_dir: as for `registry.load`.
    """
    annotated = _read_published(dataset, types.domain, data_dir)
    if annotated is None:
        annotated = annotate_all(dataset.test, types)[0]
    spelt = types.domain.canonical
    trees = {(example.question, spelt(example.meaning)): example.spans for example in annotated}
    return [
        replace(example, spans=trees.get((example.question, spelt(example.meaning))))
        for example in dataset.test
    ]


def _read_published(
    dataset: Dataset[Term], domain: Domain, data_dir: str | Path | None
) -> list[Example[Term]] | None:
    name, split = dataset.name, dataset.split
    if name == "geoquery" and split in geoquery.SPLITS:
        folder = data_folder(name, data_dir)
        return geoquery.read_trees(folder, split, "test", domain=domain)
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


Spans = frozenset[Span]


def tree_metrics(
    parser: Any, dataset: Dataset[Any], data_dir: str | Path | None = None
) -> dict[str, float]:
    """F1 of the trees of test questions, where there are annotated ones; for span parsers alone;
    raises DataError if a published file is missing or damaged.

    Args:
        data_dir: as for `registry.load`.
    """
    if not isinstance(parser, SpanInference):
        return {}
    examples = annotate_test(dataset, parser.types, data_dir)
    annotated = [example for example in examples if example.spans is not None]
    derivations = (prediction.derivation for prediction in parser.parse_examples(annotated))
    trees = [
        derivation.tree if isinstance(derivation, SpanDerivation) else None
        for derivation in derivations
    ]
    return of_trees(trees, annotated, parser.types)


def of_trees(
    trees: Sequence[SpanTree | None], examples: Sequence[Example[Term]], types: TypeAlgebra
) -> dict[str, float]:
    """F1 of predicted trees over the examples with an annotated one; nothing if none has one;
    raises ValueError if the lengths differ."""
    gold = [example.spans for example in examples]
    if not any(gold):
        return {}
    return {
        "tree_f1": tree_f1(trees, gold, types.domain).f1,
        "tree_f1_equivalent": equivalent_tree_f1(trees, examples, types).f1,
    }


class TreeF1(NamedTuple):
    """Micro-averaged metrics, fractions from 0 to 1; `n` trees were compared."""

    precision: float
    recall: float
    f1: float
    n: int


def tree_f1(
    predicted: Sequence[SpanTree | None], gold: Sequence[Sequence[Span] | None], domain: Domain
) -> TreeF1:
    """F1 of predicted trees (None for no parse) with annotated ones (None for no annotation);
    raises ValueError if the lengths differ or nothing is annotated."""
    _check(predicted, gold)
    return _micro(
        (_spans(guess, domain), frozenset(spans))
        for guess, spans in zip(predicted, gold, strict=True)
        if spans is not None
    )


def equivalent_tree_f1(
    predicted: Sequence[SpanTree | None], examples: Sequence[Example[Term]], types: TypeAlgebra
) -> TreeF1:
    """F1 with the annotated tree or whichever equally right tree is nearest to the prediction;
    raises ValueError as `tree_f1`.

    Equally right are all trees that have the annotation's constants on the annotation's words and
    that mean the example's program under `types`. ``[large [red cube]]`` and ``[[large red]
    cube]`` are, and so are two ways to feed a predicate its arguments. Of these trees the one with
    the greatest F1 with the prediction stands as gold; it is found exactly, by the chart. Where
    there is no prediction, or no such tree (a program that does not type, an annotation of another
    program), the annotation itself stands.
    """
    _check(predicted, [example.spans for example in examples])
    return _micro(
        (_spans(guess, types.domain), nearest(guess, example, types))
        for guess, example in zip(predicted, examples, strict=True)
        if example.spans is not None
    )


def nearest(guess: SpanTree | None, example: Example[Term], types: TypeAlgebra) -> Spans:
    """The spans of the tree that `equivalent_tree_f1` holds a prediction to; raises ValueError if
    the example has no annotation."""
    if example.spans is None:
        raise ValueError(f"{example.source or example.question}: no annotated tree")
    annotated = frozenset(example.spans)
    if guess is None:
        return annotated
    try:
        words = tokenize(example.question).words
        gold = tree_of(example.spans, types.domain, words)
        target = TargetAlgebra(types, types.check(example.meaning))
    except PartwiseError:
        return annotated
    if guess.end != len(words):
        raise ValueError(f"a tree over {guess.end} words for the {len(words)} of {words}")
    found = _nearest(_spans(guess, types.domain), leaves_of(gold), len(words), target)
    return annotated if found is None else frozenset(spans_of(found, types.domain))


def _nearest(
    mine: Spans, leaves: Collection[Leaf], n: int, target: TargetAlgebra
) -> SpanTree | None:
    """The tree with the greatest F1 with these spans, by Dinkelbach's method.

    For a ratio r, the chart finds the tree with the greatest ``overlap - r * (sizes of both)``;
    while that is above zero, the tree's own ratio is greater than r and takes its place.
    """
    composed = np.zeros((n + 1, n + 1))
    for start, end, category in mine:
        composed[start, end] = category == JOIN_LABEL
    best: SpanTree | None = None
    ratio = Fraction(0)
    while True:
        found = best_over(target, leaves, composed - float(ratio))
        if found is None:
            return None
        spans = _spans(found, target.types.domain)
        better = Fraction(len(mine & spans), len(mine) + len(spans))
        if best is not None and better <= ratio:
            return best
        best, ratio = found, better


def _check(predicted: Sequence[SpanTree | None], gold: Sequence[Sequence[Span] | None]) -> None:
    if len(predicted) != len(gold):
        raise ValueError(f"{len(predicted)} predicted trees for {len(gold)} examples")
    if all(spans is None for spans in gold):
        raise ValueError("no example has an annotated tree to compare with")


def _spans(tree: SpanTree | None, domain: Domain) -> Spans:
    return frozenset() if tree is None else frozenset(spans_of(tree, domain))


def _micro(pairs: Iterable[tuple[Spans, Spans]]) -> TreeF1:
    sizes = [(len(one & two), len(one), len(two)) for one, two in pairs]
    found, predicted, gold = (sum(column) for column in zip(*sizes, strict=True))
    precision = found / predicted if predicted else 0.0
    recall = found / gold if gold else 0.0
    f1 = 2 * found / (predicted + gold) if predicted + gold else 0.0
    return TreeF1(precision, recall, f1, len(sizes))
