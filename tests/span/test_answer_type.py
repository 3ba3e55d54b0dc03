"""What a question asks for: the type of its answer, predicted from the whole question."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from brute import state_of

from partwise.domains.geography import kinds
from partwise.domains.geography.domain import Geography
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.language.types import Type, from_hint, kind_of_answer
from partwise.span.config import SpanParserConfig
from partwise.span.decoding import Logits
from partwise.span.parser import SpanParser
from partwise.training.trainer import TrainingConfig

pytestmark = pytest.mark.usefixtures("no_state")

CONFIG = SpanParserConfig(encoder="bilstm", hidden=16, answer_type=2.0)


@pytest.fixture(scope="module")
def examples() -> list[Example[Term]]:
    return [e for e in load("geography", "iid").train if len(e.question.split()) < 9][:24]


@pytest.fixture(scope="module")
def parser(examples: list[Example[Term]]) -> SpanParser:
    made = SpanParser.create(Geography(), CONFIG)
    made.fit(
        examples,
        examples[:4],
        TrainingConfig(epochs=15, batch_size=4, head_rate=1e-2),
        Checkpoints(None),
    )
    return made


@pytest.mark.parametrize(
    ("hint", "answer"),
    [
        (kinds.Best[kinds.State], ("0 Things", "1 State")),
        (kinds.Noun[kinds.City], ("0 Things", "1 City")),
        (kinds.Measure[kinds.Best[kinds.City]], ("0 Measure", "1 Things")),
        (kinds.Number, ("0 Number",)),
    ],
)
def test_forms_of_a_sort_are_one_answer(hint: object, answer: tuple[str, ...]) -> None:
    kind = from_hint(hint)
    assert isinstance(kind, Type)
    assert kind_of_answer(kind) == answer


def test_it_is_learned(parser: SpanParser, examples: list[Example[Term]]) -> None:
    right = 0
    for example in examples:
        (scored,) = parser.scored([parser.labels.prepare(tokenize(example.question))])
        assert np.exp(scored.answers / CONFIG.answer_type).sum() == pytest.approx(1.0)
        target = parser.decoder.gold(example.meaning)
        assert target.answer is not None
        (gold,) = set(target.answer[target.final].tolist())
        right += int(scored.answers.argmax()) == gold
    assert right >= 22


def test_it_decides_among_programs(parser: SpanParser) -> None:
    question = parser.labels.prepare(tokenize("texas city ?"))
    (scored,) = parser.scored([question])
    for number, answer in enumerate(parser.types.answers):
        wanted = np.full(len(scored.answers), -1e3)
        wanted[number] = 0.0
        _, best = parser.decoder.best(question, Logits(scored.labels, wanted))
        if best is not None and best.score > -500:
            state = state_of(best.tree, parser.types)
            assert parser.types.answers[parser.types.answer[state]] == answer  # type: ignore[index]


def test_it_is_saved_and_read(
    parser: SpanParser, examples: list[Example[Term]], tmp_path: Path
) -> None:
    parser.save_pretrained(tmp_path / "saved")
    again = SpanParser.from_pretrained(tmp_path / "saved")
    questions = [example.question for example in examples]
    assert again.parse(questions) == parser.parse(questions)


def test_without_it_there_is_no_such_network(examples: list[Example[Term]]) -> None:
    made = SpanParser.create(Geography(), SpanParserConfig(encoder="bilstm", hidden=16))
    made.prepare(examples)
    assert made.answers is None
    (scored,) = made.scored([made.labels.prepare(tokenize("rivers in texas"))])
    assert not len(scored.answers)
