"""Whatever the labels, frames and programs are made without a crash, and every program runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakery import SCHEMA, bakery_layer, labels_of, rows_by_sql, rows_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partwise.database.domain import check_visible
from partwise.database.reading.frame import Frame
from partwise.database.reading.label import Label
from partwise.database.reading.programs import programs
from partwise.database.reading.steps import steps
from partwise.execution.relational.writing import canonical, read, write

WORDS = (
    "how many different kinds of rye or sweet breads by Ada Moss per store between 2 and 3 euros "
    "cheaper than the average price without sales in 2023 or last march not contains 'at' with "
    "the most revenue sorted by weight descending missing shelf who name when where vegan both "
    "oldest or more highest and lowest monthly in kilos is everything Jena february 29 2024 1"
)
LABELS = [replace(one, end=one.end - one.start, start=0) for one in labels_of(WORDS)]
LABELS = list(dict.fromkeys(LABELS))
ADDED = 40
"""The most frames of one label that are looked at."""


def frames_of(labels: Sequence[Label]) -> list[Frame]:
    """The frames of some labels, one behind the other, as far as they go."""
    frames = [Frame()]
    at = 0
    for one in labels:
        moved = replace(one, start=at, end=at + one.end)
        made = [step.frame for frame in frames for step in steps(frame, moved, bakery_layer())]
        if made:
            frames = list(dict.fromkeys(made))[:ADDED]
            at = moved.end
    return frames


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=9))
def test_random_labels_give_programs_that_run(labels: list[Label]) -> None:
    """By SQL and by the interpreter alike, and without anything private."""
    made = [one for frame in frames_of(labels)[:8] for one in programs(frame, bakery_layer())]
    for one in dict.fromkeys(one.program for one in made):
        check_visible(one, bakery_layer())
        assert rows_by_sql(one, 1) == rows_of(one, 1)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=7))
def test_programs_are_made_once_and_can_be_written_and_read(labels: list[Label]) -> None:
    for frame in frames_of(labels)[:4]:
        made = [one.program for one in programs(frame, bakery_layer())]
        assert len(set(made)) == len(made)
        for one in made:
            again = read(write(one), SCHEMA)
            assert canonical(again, SCHEMA) == canonical(one, SCHEMA)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(LABELS), max_size=6))
def test_steps_are_the_same_each_time_and_have_roles(labels: list[Label]) -> None:
    for frame in frames_of(labels)[:4]:
        for one in LABELS[::7]:
            made = steps(frame, one, bakery_layer())
            assert all(step.role for step in made)
            assert made == steps(frame, one, bakery_layer())
