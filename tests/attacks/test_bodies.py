"""Hostile bodies: no list of thousands of mistakes is made while everybody waits."""

from __future__ import annotations

import json

import pytest
from serve_helpers import Echo, served

from partwise.serve.guard import Limits

KIND = {"content-type": "application/json"}
BODIES = {
    "not one question": b'{"questions": [' + b"1," * 130_000 + b"1]}",
    "empty questions": b'{"questions": [' + b'"",' * 87_000 + b'""]}',
    "made up fields": b"{" + b",".join(b'"%x": 1' % number for number in range(20_000)) + b"}",
}


@pytest.mark.parametrize("what", BODIES)
def test_the_first_mistakes_are_enough(what: str) -> None:
    here = served(Echo(), Limits(rate=0))
    detail = here.problem(422, "/batch", content=BODIES[what], headers=KIND)
    assert " more" not in detail
    assert len(detail) < 300


@pytest.mark.parametrize("path", ["/ask", "/parse"])
def test_a_body_larger_than_any_question_is_not_read(path: str) -> None:
    here = served(Echo())
    longest = json.dumps({"question": "\U0001f600" * 500, "k": 8})
    assert here.client.post(path, content=longest, headers=KIND).status_code == 200
    here.problem(413, path, content=longest + " " * 1100, headers=KIND)
