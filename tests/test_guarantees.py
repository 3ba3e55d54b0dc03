"""Every promise of the page of guarantees names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")


def test_each_promise_names_a_test_that_exists() -> None:
    promises = re.findall(r"^(\d+)\. (.*)$", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in promises] == list(range(1, len(promises) + 1))
    for number, promise in promises:
        tests = re.findall(r"`((?:papers/)?tests/[\w/]+\.py)(?:::(\w+))?`", promise)
        assert tests, f"promise {number} names no test"
        for file, name in tests:
            text = (ROOT / file).read_text(encoding="utf-8")
            assert f"def {name or 'test_'}" in text, f"promise {number}: {file} has no {name}"
