"""Texts of internal errors (paths, SQL) do not reach clients; the log has them under a name."""

from __future__ import annotations

import pytest
from serve_helpers import served

from library import Library
from partwise.errors import DomainError, ExecutionError, StoreError
from partwise.serve.service import Service
from partwise.span.parser import SpanParser

SECRET = "/srv/private/books.db: no such table in the query 'SELECT salary FROM staff'"


@pytest.mark.parametrize("kind", [StoreError, DomainError])
def test_errors_of_a_store_stay_in_the_log(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def fails(*_: object) -> None:
        raise kind(SECRET)

    monkeypatch.setattr(Library, "answer", fails)
    here = served(Service(library))
    found = here.client.post("/ask", json={"question": "who wrote emma ?", "k": 3})
    assert found.status_code == 200
    for part in ("private", "SELECT", "salary"):
        assert part not in found.text
    name = found.headers["x-request-id"]
    assert name in found.json()["reason"]
    (noted,) = [line for line in here.lines if line.get("error") == kind.__name__]
    assert (noted["request"], noted["message"]) == (name, SECRET)


def test_what_a_domain_says_to_who_asks_is_told(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ExecutionError("emma is not yet catalogued")

    monkeypatch.setattr(Library, "answer", fails)
    reply = served(Service(library)).client.post("/ask", json={"question": "who wrote emma ?"})
    assert reply.json()["reason"] == "it does not run: emma is not yet catalogued"
