"""The search for readings, against a readable one that tries all there are."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap

import pytest
from bakery import TODAY, bakery_labeller, bakery_layer
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.database.reading import search as searching
from partwise.database.reading.closing import tables_of
from partwise.database.reading.features import (
    FIRST_WEIGHTS,
    Weighted,
    features,
    pair_feature,
    skip_features,
)
from partwise.database.reading.frame import Frame
from partwise.database.reading.label import Label
from partwise.database.reading.programs import programs
from partwise.database.reading.ranking import lifted
from partwise.database.reading.readings import Reading, Used
from partwise.database.reading.search import Search
from partwise.database.reading.shape import shape_of
from partwise.database.reading.steps import steps
from partwise.database.spans.text import LONGEST, Word, words_of
from partwise.execution.relational.program import Program

HUGE = 10**6
SHORT = (
    "oldest baker",
    "how many rye breads",
    "average price per kind",
    "breads over 3 euros",
    "bakers without breads",
    "cheapest bread in Ulm",
    "is there rye",
    "sales in 2023",
    "who baked Brioche",
    "breads sorted by weight",
)


class RandomScores:
    """Scores by a seed: any label, role, word or addition has its own."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def _of(self, *parts: object) -> float:
        return random.Random(repr((self.seed, *parts))).uniform(-2, 2)

    def use(self, label: Label, role: str) -> float:
        """Of a label in a role."""
        return self._of("use", label, role)

    def pair(self, before: Used | None, after: Used | None) -> float:
        """Of a label in its role behind another."""
        return self._of(pair_feature(before, after))

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        return self._of("skip", word)

    def shift(self, name: str) -> float:
        """Of something that is added without a word."""
        return self._of("shift", name)


def _labels(words: Sequence[Word], most: int = 6) -> list[list[Label]]:
    """The labels of each word, no more than some so that all ways can be tried."""
    return [some[:most] for some in bakery_labeller().labels(words, TODAY)]


def _ways(
    frame: Frame,
    here: int,
    labels: Sequence[Sequence[Label]],
    scores: RandomScores,
    before: Used | None = None,
) -> Iterator[tuple[Frame, float]]:
    """All ways to give the words from one on labels or nothing."""
    if here == len(labels):
        yield frame, scores.pair(before, None)
        return
    for last, score in _ways(frame, here + 1, labels, scores, before):
        yield last, scores.skip(here) + score
    for label in labels[here]:
        for step in steps(frame, label, bakery_layer()):
            used = Used(label, step.role)
            own = scores.use(label, step.role) + scores.pair(before, used)
            for last, score in _ways(step.frame, label.end, labels, scores, used):
                yield last, own + score


def _exhaustive(labels: Sequence[Sequence[Label]], scores: RandomScores) -> dict[Program, float]:
    """The best score of each program."""
    frames: dict[Frame, float] = {}
    for frame, score in _ways(Frame(), 0, labels, scores):
        frames[frame] = max(score, frames.get(frame, score))
    best: dict[Program, float] = {}
    for frame, score in frames.items():
        for made in programs(frame, bakery_layer()):
            added = (*made.shifts, *shape_of(made.program, {*tables_of(frame)}, bakery_layer()))
            total = score + sum(map(scores.shift, added))
            best[made.program] = max(total, best.get(made.program, total))
    return best


@settings(max_examples=25)
@given(st.sampled_from(SHORT), st.integers(0, 10**6))
def test_a_beam_that_is_wide_enough_finds_what_trying_everything_finds(
    question: str, seed: int
) -> None:
    words = words_of(question)
    labels, scores = _labels(words), RandomScores(seed)
    found = Search(bakery_layer(), words, labels, scores, HUGE).readings(HUGE)
    assert {one.program: pytest.approx(one.score) for one in found} == _exhaustive(labels, scores)


@settings(max_examples=25)
@given(st.sampled_from(SHORT), st.integers(0, 10**6))
def test_a_reading_says_how_its_score_is_made(question: str, seed: int) -> None:
    words = words_of(question)
    labels, scores = _labels(words), RandomScores(seed)
    found = Search(bakery_layer(), words, labels, scores, 8).readings(8)
    by_score = sorted(found, key=lambda one: -one.score)
    scores_of = lifted(by_score, [one.score for one in by_score], words)
    moved = dict(zip((id(one) for one in by_score), scores_of, strict=True))
    order = [moved[id(one)] for one in found]
    assert order == sorted(order, reverse=True)
    assert len({one.program for one in found}) == len(found)
    for one in found:
        assert one.score == pytest.approx(_score(one, scores))
        said = [at for used in one.used for at in range(used.label.start, used.label.end)]
        assert sorted([*said, *one.skipped]) == list(range(len(words)))
        assert _replayed(one.used)


def _score(reading: Reading, scores: RandomScores) -> float:
    used = sum(scores.use(one.label, one.role) for one in reading.used)
    skipped = sum(map(scores.skip, reading.skipped))
    pairs = sum(starmap(scores.pair, pairwise([None, *reading.used, None])))
    added = sum(map(scores.shift, (*reading.shifts, *reading.shape)))
    return used + skipped + pairs + added


def _replayed(used: Sequence[Used]) -> set[Frame]:
    """The frames that some labels in their roles give."""
    frames = {Frame()}
    for label, role in used:
        made = [step for frame in frames for step in steps(frame, label, bakery_layer())]
        frames = {step.frame for step in made if step.role == role}
    return frames


@pytest.mark.parametrize("question", SHORT)
def test_the_same_question_has_the_same_readings_each_time(question: str) -> None:
    words = words_of(question)

    def readings() -> list[Reading]:
        labels = bakery_labeller().labels(words, TODAY)
        return Search(bakery_layer(), words, labels, Weighted(words, FIRST_WEIGHTS)).readings()

    first = readings()
    assert first
    assert first == readings()


def test_only_allowed_labels_are_used() -> None:
    words = words_of("average price of rye breads in Ulm")
    labels = bakery_labeller().labels(words, TODAY)

    def allowed(label: Label, role: str) -> bool:
        return label.kind in {"op", "column"} and role != "show"

    scores = Weighted(words, FIRST_WEIGHTS)
    found = Search(bakery_layer(), words, labels, scores, allowed=allowed).readings()
    assert found
    assert all(allowed(*used) for one in found for used in one.used)


def test_the_work_for_a_long_question_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word has no more than a beam of frames, and each label of them a few steps."""
    words = words_of("price weight wage town kind quantity city " * 20)
    assert len(words) == LONGEST
    labels = bakery_labeller().labels(words, TODAY)
    asked = 0

    def counted(frame: Frame, label: Label, layer: object) -> object:
        nonlocal asked
        asked += 1
        return steps(frame, label, bakery_layer())

    monkeypatch.setattr(searching, "steps", counted)
    beam = 8
    Search(bakery_layer(), words, labels, Weighted(words, FIRST_WEIGHTS), beam).readings(4)
    assert asked <= beam * sum(map(len, labels))


def test_a_question_without_words_or_labels_has_no_readings() -> None:
    scores = Weighted([], FIRST_WEIGHTS)
    assert Search(bakery_layer(), [], [], scores).readings() == []
    words = words_of("hello there")
    labels = bakery_labeller().labels(words, TODAY)
    assert Search(bakery_layer(), words, labels, Weighted(words, FIRST_WEIGHTS)).readings() == []


def test_weights_are_summed_over_features() -> None:
    words = words_of("oldest baker , 3 xyzzy")
    label = bakery_labeller().labels(words, TODAY)[1][0]
    named = features(label, "head")
    weights = {name: number + 1.0 for number, name in enumerate(named)}
    scores = Weighted(words, weights)
    expected = sum(weights[name] * value for name, value in named.items())
    assert scores.use(label, "head") == scores.use(label, "head") == pytest.approx(expected)
    assert Weighted(words, {"shift link": -0.5}).shift("link") == -0.5
    assert scores.shift("never met") == 0.0


@pytest.mark.parametrize(
    ("word", "feature"),
    [
        ("the", "skip function word"),
        ("?", "skip function word"),
        ("average", "skip cue"),
        ("xyzzy", "skip content word"),
        ("17", "skip number"),
    ],
)
def test_words_that_give_nothing_are_told_apart(word: str, feature: str) -> None:
    assert feature in skip_features(words_of(word)[0])
