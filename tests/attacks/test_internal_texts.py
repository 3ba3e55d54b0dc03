"""Texts of internal errors (paths, SQL) do not reach clients; the log has them under a name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from serve_helpers import served

from library import Library
from partwise.errors import ExecutionError
from partwise.execution.database import Database
from partwise.execution.sparql import LocalStore
from partwise.serve.service import Service
from partwise.span.parser import SpanParser


def _missing(folder: Path) -> None:
    Database(folder / "private.db").rows("SELECT salary FROM staff")


def _no_table(folder: Path) -> None:
    (folder / "private.sql").write_text("CREATE TABLE books (title TEXT);")
    Database(folder / "private.sql").rows("SELECT salary FROM staff")


def _no_turtle(folder: Path) -> None:
    (folder / "private.ttl").write_text("salary")
    LocalStore(folder / "private.ttl")


@pytest.mark.parametrize("ask_store", [_missing, _no_table, _no_turtle])
def test_errors_of_a_store_stay_in_the_log(
    library: SpanParser,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    ask_store: Callable[[Path], None],
) -> None:
    monkeypatch.setattr(Library, "answer", lambda *_: ask_store(tmp_path))
    here = served(Service(library))
    found = here.client.post("/ask", json={"question": "who wrote emma ?", "k": 3})
    assert found.status_code == 200
    for part in ("private", "SELECT", "salary", str(tmp_path)):
        assert part not in found.text
    name = found.headers["x-request-id"]
    assert name in found.json()["reason"]
    (noted,) = [line for line in here.lines if "message" in line]
    assert noted["request"] == name
    assert "private" in noted["message"]


def test_what_a_domain_says_to_who_asks_is_told(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ExecutionError("emma is not yet catalogued")

    monkeypatch.setattr(Library, "answer", fails)
    reply = served(Service(library)).client.post("/ask", json={"question": "who wrote emma ?"})
    assert reply.json()["reason"] == "it does not run: emma is not yet catalogued"
