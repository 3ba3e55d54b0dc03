"""The scores of trees over a schema: search and training sum the same."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from bakery import TODAY, bakery_domain
from hypothesis import given, settings
from hypothesis import strategies as st
from lakes import (
    CALLED,
    DEPTH,
    DIM,
    PRICES,
    ROWS,
    SCHEMA,
    TEXTS,
    TYPES,
    chart_scores,
    found,
    question,
    vectors,
)
from onnxruntime import InferenceSession

from partwise.chart.k_best import Beam, k_best
from partwise.database.constants import ConstantFinder
from partwise.database.context import Context
from partwise.database.features import (
    SchemaDerivation,
    SchemaQuestion,
    derivation_of,
    first_weight,
    question_of,
)
from partwise.database.learning import Candidates, prepared, scores_of, vocabulary_of
from partwise.database.meaning import PRICES as STEPS
from partwise.database.meaning import shape
from partwise.database.network import SchemaScorer
from partwise.database.phrases import SpanConstant
from partwise.database.schema_algebra import PRICES as PRICES_OF_ROWS
from partwise.database.schema_algebra import SchemaAlgebra
from partwise.database.scorer import (
    ChartScores,
    HandScores,
    SchemaVocabulary,
    arrays_of,
)
from partwise.database.spans.names import LayerNames, SchemaItem
from partwise.database.spans.text import words_of
from partwise.training.export import traced


def _candidates(asked: SchemaQuestion, some: Sequence[SchemaDerivation]) -> Candidates:
    names, right = vectors(len(CALLED), 1), [number % 3 == 0 for number in range(len(some))]
    words = vectors(len(asked.words), 2)
    return Candidates("", CALLED, words, names, ROWS, asked.context, some, right)


def _random(vocabulary: SchemaVocabulary, members: int, seed: int) -> SchemaScorer:
    """A scorer all of whose weights are drawn."""
    torch.manual_seed(seed)
    made = SchemaScorer(DIM, vocabulary, PRICES, members).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.uniform_(-0.5, 0.5)
    return made


def _learned(scorer: SchemaScorer, asked: SchemaQuestion) -> ChartScores:
    words, names = vectors(len(asked.words), 2), vectors(len(CALLED), 1)
    return chart_scores(scorer, asked, words, names, ROWS)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(TEXTS), st.integers(1, 3), st.integers(1, 6))
def test_search_and_training_sum_the_same(seed: int, text: str, members: int, least: int) -> None:
    asked = question(text, random.Random(seed))
    first = [one for _, one in found(asked, HandScores(asked, PRICES))]
    scorer = _random(vocabulary_of([_candidates(asked, first)], least), members, seed)
    scores = _learned(scorer, asked)
    told = found(asked, scores)
    if not told:
        return
    some = [one for _, one in told]
    with torch.no_grad():
        summed = scores_of(prepared(_candidates(asked, some), scorer), scorer)
    assert torch.allclose(summed.mean(0), torch.tensor([x for x, _ in told]), atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(TEXTS))
def test_first_scores_are_sums_of_first_weights(seed: int, text: str) -> None:
    asked = question(text, random.Random(seed))
    for score, one in found(asked, HandScores(asked, PRICES)):
        summed = sum(first_weight(name, PRICES) * x for name, x in one.features.items())
        assert score == pytest.approx(summed, abs=1e-6)


def test_an_untrained_scorer_searches_as_the_first_weights_do() -> None:
    asked = question(TEXTS[0], random.Random(5))
    by_hand = found(asked, HandScores(asked, PRICES))
    vocabulary = vocabulary_of([_candidates(asked, [one for _, one in by_hand])], 1)
    scorer = SchemaScorer(DIM, vocabulary, PRICES).eval()
    # Only the match of words and names is not nothing from the beginning.
    torch.nn.init.zeros_(scorer.labels.scale)
    told = found(asked, _learned(scorer, asked))
    assert [x for x, _ in told] == pytest.approx([x for x, _ in by_hand], abs=1e-4)


def test_a_guide_raises_constants() -> None:
    asked = question(TEXTS[0], random.Random(5))
    guide: Callable[[SpanConstant], float] = lambda one: 2.0 if one.item == DEPTH else 0.0  # noqa: E731
    plain, guided = HandScores(asked, PRICES), HandScores(asked, PRICES, guide)
    for number, one in enumerate(asked.constants):
        assert guided.constant(number) - plain.constant(number) == pytest.approx(guide(one))


def test_names_have_the_same_scores_in_any_order() -> None:
    """The match depends on the vectors of names, not on their numbers."""
    words = words_of("average depth of lakes")
    known = SpanConstant(1, 2, "COLUMN", DEPTH, "column", DEPTH, (1.0,) * 8, "number")
    scorer = _random(SchemaVocabulary(("column",), (), ()), 2, 3)
    names = vectors(len(CALLED), 1)
    told = []
    for order in (range(8), (7, 2, 5, 0, 1, 4, 3, 6)):
        at = {item: [list(order).index(row) for row in rows] for item, rows in ROWS.items()}
        asked = question_of(words, [known], at, TYPES, SCHEMA)
        scores = chart_scores(scorer, asked, vectors(4, 2), names[list(order)], at)
        told.append(scores.constant(0))
    assert told[0] == pytest.approx(told[1], abs=1e-4)


@torch.no_grad()
def test_spans_are_scored_as_if_each_was_read_alone() -> None:
    scorer = _random(SchemaVocabulary(("a", "b"), (), ()), 2, 3)
    words, names = torch.randn(5, DIM), torch.randn(3, DIM)
    context, spans = Context((0, 1, 2), (0, 0, 1), (), ()), [(0, 2), (1, 2), (2, 5), (0, 5)]
    arrays = arrays_of(context, 5, spans, [[0], [1, 2]])._asdict()
    read = {"words": words, "names": names}
    read |= {name: torch.from_numpy(one) for name, one in arrays.items()}
    told = scorer(**read)
    for number, span in enumerate(spans):
        alone = scorer(**read | {"spans": torch.tensor([span])})
        assert torch.allclose(told.roles[:, number], alone.roles[:, 0], atol=1e-5)
        assert torch.allclose(told.match[:, number], alone.match[:, 0], atol=1e-5)
    each = scorer(**read | {"items": torch.tensor([[0], [1], [2]])})
    assert torch.allclose(told.prior[:, 1], each.prior[:, 1:].amax(1), atol=1e-5)


def test_a_question_without_names_is_scored() -> None:
    asked = question_of(
        words_of("how many"), [SpanConstant(0, 2, "COUNT", "", "count")], {}, {}, SCHEMA
    )
    scorer = _random(SchemaVocabulary(("count",), (), ("constant operation",)), 2, 3)
    scores = chart_scores(scorer, asked, vectors(2, 2), torch.zeros(0, DIM), {})
    assert scores.constant(0) != 0.0


@torch.no_grad()
def test_its_graph_gives_the_same_for_questions_of_any_size() -> None:
    scorer = _random(SchemaVocabulary(("a", "b"), ("x",), ("one",)), 2, 3)
    graph = InferenceSession(traced(scorer, scorer.function()))
    for words, names, items in ((1, 0, []), (2, 1, [[0]]), (7, 5, [[0], [1, 2], [3], [4]])):
        context = Context(tuple(range(names)), (0,) * names, ((0, 0, 8),) * (names > 0), ())
        spans = [(0, end) for end in range(1, words + 1)]
        read = {"words": torch.randn(words, DIM).numpy(), "names": torch.randn(names, DIM).numpy()}
        read |= arrays_of(context, words, spans, items)._asdict()
        mine = scorer.means(**{name: torch.from_numpy(one) for name, one in read.items()})
        for expected, made in zip(mine, graph.run(None, read), strict=True):
            assert made.shape == expected.shape
            assert np.allclose(made, expected, atol=1e-5)


@pytest.mark.parametrize(
    "text", ["how many rye breads cost more than 3", "name of the store with the most sales"]
)
def test_the_grammar_of_a_real_schema_is_summed_alike(text: str) -> None:
    domain = bakery_domain()
    names = LayerNames(domain.layer)
    constants, words = ConstantFinder(domain, names), words_of(text)
    rows: defaultdict[SchemaItem, list[int]] = defaultdict(list)
    for number, item in enumerate(names.things):
        rows[item].append(number)
    found_here = constants.find(words, None, TODAY)
    asked = question_of(words, found_here, rows, constants.types, domain.layer.schema)
    algebra, prices = SchemaAlgebra(domain.layer, constants.types), {**PRICES_OF_ROWS, **STEPS}

    def trees(scores: HandScores) -> tuple[list[float], list[SchemaDerivation]]:
        items = k_best(asked.constants, scores, algebra, Beam(12, 4, 6.0))[:20]
        every = [(item, shape(item.meaning)) for item in items]
        told = [item.score + sum(map(scores.step, steps)) for item, steps in every]
        return told, [derivation_of(item, steps, asked) for item, steps in every]

    vectors_of = vectors(len(words), 2), vectors(len(names.texts), 1)
    _, first = trees(HandScores(asked, prices))
    listed = Candidates("", (), *vectors_of, rows, asked.context, first, [True] * len(first))
    torch.manual_seed(0)
    scorer = SchemaScorer(DIM, vocabulary_of([listed], 2), prices, 2).eval()
    with torch.no_grad():
        for name, weight in scorer.named_parameters():
            weight += 0.0 if name == "weights" else 0.1 * torch.randn(weight.shape)
    told, some = trees(chart_scores(scorer, asked, *vectors_of, rows))
    assert len(some) > 5
    again = replace(listed, derivations=some, right=[True] * len(some))
    with torch.no_grad():
        summed = scores_of(prepared(again, scorer), scorer).mean(0)
    assert torch.allclose(summed, torch.tensor(told), atol=1e-4)
