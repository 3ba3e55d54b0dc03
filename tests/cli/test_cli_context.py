"""Questions about a scene: the context that the command line reads."""

from __future__ import annotations

import math

import pytest

from partwise.domains.geography.domain import Geography
from partwise.errors import ExecutionError, PartwiseError
from partwise.interface.answering import answered
from partwise.interface.prediction import Prediction
from partwise.language.program import Term, parse_program
from partwise_papers.domains.scenes.domain import Scenes


def reading(program: str) -> Prediction[Term]:
    return Prediction("-", meaning=parse_program(program), probability=math.nan)


def test_an_answer_needs_the_context_of_its_question() -> None:
    domain = Scenes()
    scene = domain.read_context("shipped:0")
    count = reading("count(scene())")
    assert answered(count, domain, context=scene).lines == (str(len(scene.objects)),)
    without = answered(count, domain)
    assert without.lines == ()
    assert "--context" in str(without.reason)


def test_a_domain_without_contexts_refuses_one() -> None:
    with pytest.raises(ExecutionError, match="takes no context"):
        Geography().read_context("shipped:0")
    refused = answered(reading("answer(state(all))"), Geography(), context=object())
    assert "takes no context" in str(refused.reason)


@pytest.mark.parametrize(
    "text", ["shipped:x", "shipped:99999999", "nowhere.json", "nowhere.json:3"]
)
def test_bad_contexts_are_named(text: str) -> None:
    with pytest.raises(PartwiseError, match=text.split(":")[0]):
        Scenes().read_context(text)
