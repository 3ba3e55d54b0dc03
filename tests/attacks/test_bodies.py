"""Hostile bodies: no list of thousands of mistakes is made while everybody waits."""

from __future__ import annotations

import pytest
from serve_helpers import Echo, served

from partwise.serve.limits import Limits

BODIES = {
    "not one question": b'{"questions": [' + b"1," * 130_000 + b"1]}",
    "empty questions": b'{"questions": [' + b'"",' * 87_000 + b'""]}',
    "made up fields": b"{" + b",".join(b'"%x": 1' % number for number in range(20_000)) + b"}",
}


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize("path", ["/ask", "/batch"])
def test_the_first_mistakes_are_enough(what: str, path: str) -> None:
    here = served(Echo(), Limits(rate=0))
    kind = {"content-type": "application/json"}
    detail = here.problem(422, path, content=BODIES[what], headers=kind)
    assert " more" not in detail
    assert len(detail) < 300
