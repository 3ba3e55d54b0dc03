"""End2End on the shipped questions about scenes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from partwise.domains.geography import Geography
from partwise.errors import ExecutionError, PartwiseError
from partwise.evaluation.metrics import evaluate
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig
from partwise_papers.datasets.scenes import make
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.endtoend.parser import ANSWERS, Asked, End2EndConfig, End2EndParser, features

SETTINGS = TrainingConfig(epochs=14, batch_size=4, encoder_rate=5e-4, keep="last", precision="auto")


@pytest.fixture(scope="module")
def some() -> list[Example[Term]]:
    return make("iid").train[:12]


@pytest.fixture(scope="module")
def learned(some: Sequence[Example[Term]]) -> End2EndParser:
    parser = End2EndParser.create(Scenes(), End2EndConfig(frozen_layers=5))
    parser.fit(some, [], SETTINGS)
    return parser


def test_it_learns_answers_by_heart(learned: End2EndParser, some: Sequence[Example[Term]]) -> None:
    scores = evaluate(learned, some)
    assert scores.denotation == 1.0
    assert scores.exact_match == 0.0
    said = learned.parse_examples(some)
    assert [one.meaning.answer for one in said if one.meaning] == [e.answer for e in some]
    assert all(0.5 < one.probability <= 1 for one in said)


def test_a_question_is_answered_in_the_scene_that_it_is_asked_in(
    learned: End2EndParser, some: Sequence[Example[Term]]
) -> None:
    example = some[0]
    answered = learned(example.question, context=example.context)
    assert answered.lines == (example.answer,)
    assert learned(example.question).reason is not None
    with pytest.raises(ExecutionError, match="context"):
        learned.domain.run(Asked(example.question), "no scene")


def test_it_reads_the_scene_and_not_the_question_alone(
    learned: End2EndParser, some: Sequence[Example[Term]]
) -> None:
    (first,) = learned.parse_examples(some[:1])
    other = next(e.context for e in some if e.context != some[0].context)
    swapped = Example(some[0].question, some[0].meaning, context=other)
    (second,) = learned.parse_examples([swapped])
    assert first.probability != second.probability


def test_a_saved_parser_answers_alike(
    learned: End2EndParser, some: Sequence[Example[Term]], tmp_path: Path
) -> None:
    learned.save_pretrained(tmp_path / "parser")
    again = End2EndParser.from_pretrained(tmp_path / "parser", Scenes())
    before, after = (parser.parse_examples(some[:8]) for parser in (learned, again))
    assert [one.meaning for one in before] == [one.meaning for one in after]
    # Another domain of programs, as one that runs them apart, is wrapped as well.
    again.domain = Scenes()
    assert again.domain.run(Asked("", "red")) == "red"


def test_a_meaning_is_read_as_it_is_written(learned: End2EndParser) -> None:
    domain = learned.domain
    for meaning in (Asked("what's 'it'?"), Asked("how many?", "3"), domain.read("count(scene())")):
        assert domain.read(domain.write(meaning)) == meaning


def test_what_cannot_be_used_is_told(learned: End2EndParser, some: Sequence[Example[Term]]) -> None:
    first = some[0]
    odd = Example(first.question, first.meaning, context=first.context, answer="purple-ish")
    far = Example("big " * 100, first.meaning, context=first.context, answer="yes")
    items, unusable = learned.training_items([odd, far])
    assert not items
    assert ["none of CLEVR's" in unusable[0][1], "100 words" in unusable[1][1]] == [True, True]
    assert [one.meaning for one in learned.parse_examples([far])] == [None]
    with pytest.raises(PartwiseError, match="scenes"):
        End2EndParser.create(Geography(), End2EndConfig())


def test_a_session_measures_its_answers(some: Sequence[Example[Term]], tmp_path: Path) -> None:
    data = Dataset("scenes", "iid", list(some[:4]), list(some[:3]), list(some[:5]))
    few = TrainingConfig(epochs=1, encoder_rate=0.0, head_rate=0.0, keep="last")
    session = train(
        End2EndParser, Scenes(), data, training=few, folder=tmp_path, progress=False, test=True
    )
    assert session.test is not None
    assert (session.test.no_parse, session.test.failed) == (0, 0)


def test_an_object_is_its_attributes_and_ranks(some: Sequence[Example[Term]]) -> None:
    scene = some[0].context
    rows = features(scene)  # type: ignore[arg-type]
    assert all(len(row) == 6 and len(set(row)) == 6 for row in rows)
    assert len({tuple(row) for row in rows}) == len(rows)
    assert len(ANSWERS) == 28
