"""Questions about other subjects were answered with 92 % confidence."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from partwise import GraphParser, SpanParser
from partwise.evaluation.confidence import MODEL_FILE, VECTORS_FILE
from partwise.interface.answering import answer
from partwise.serve.logs import Metrics
from partwise.serve.service import Service
from partwise.training.store import MANIFEST, find_pretrained, write_manifest

ELSEWHERE = (
    "how do i sharpen a bread knife",
    "what is the weather in ohio tomorrow",
    "how many moons circle saturn",
    "flibber the grommet of texas wuzzle",
    "who sells the cheapest laptops in chicago",
)


@pytest.fixture(scope="module", params=[("geography", SpanParser), ("films", GraphParser)])
def parser(request: pytest.FixtureRequest) -> Any:
    name, kind = request.param
    return kind.from_pretrained(name)


@pytest.mark.parametrize("question", ELSEWHERE)
def test_other_subjects_are_refused(parser: Any, question: str) -> None:
    said = parser(question)
    assert (said.status, said.lines) == ("refused", ())
    assert said.reason
    assert 1 <= len(said.prediction.suggestions) <= 3


def test_examples_are_answered(parser: Any) -> None:
    examples = list(parser.domain.examples)
    assert {one.status for one in answer(parser, examples)} == {"answered"}


def test_what_is_suggested_is_answered(parser: Any) -> None:
    said = parser("how do i sharpen a bread knife")
    statuses = [one.status for one in answer(parser, said.prediction.suggestions)]
    assert "refused" not in statuses


def test_the_server_tells_and_counts(parser: Any) -> None:
    replies = Service(parser).ask([ELSEWHERE[0], parser.domain.examples[0]], 1, True)
    assert [one["status"] for one in replies] == ["refused", "answered"]
    assert replies[0]["suggestions"]
    metrics = Metrics()
    metrics.replies([*replies, {**replies[1], "status": "doubtful"}])
    for outcome in ("refused", "answered", "doubtful"):
        assert f'outcome="{outcome}"}} 1.0' in metrics.text().decode()


def test_a_folder_of_before_answers_as_before(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    shutil.copytree(find_pretrained("geography"), folder)
    for name in (MODEL_FILE, VECTORS_FILE, MANIFEST):
        (folder / name).unlink()
    write_manifest(folder)
    old = SpanParser.from_pretrained(folder)
    assert old.confidence is None
    assert old(ELSEWHERE[1]).status == "answered"
