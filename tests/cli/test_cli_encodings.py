"""What is printed where the terminal cannot write a name."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from partwise.cli import app
from partwise.cli.common import print_json

NAMES = ["Łódź", "東京", "naïve 😀"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_names_are_escaped(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding))

    def show(*_: Any) -> Any:
        return lambda words: print(*NAMES)

    monkeypatch.setattr(app, "make_app", show)
    assert app.main(["ask"]) == 0
    print_json(NAMES)
    sys.stdout.flush()
    shown, as_json, *_ = buffer.getvalue().decode(encoding).splitlines()
    assert json.loads(as_json) == NAMES
    assert ("Łódź" in shown) == (encoding == "utf-8")
