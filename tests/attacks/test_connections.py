"""Hostile connections and bodies; and what errors tell clients."""

from __future__ import annotations

import contextlib
import json
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from serve_helpers import Echo, running, served

from cases import rows
from library import Library
from partwise.errors import ExecutionError
from partwise.execution.database import Database
from partwise.execution.sparql import LocalStore
from partwise.serve.guard import Limits
from partwise.serve.service import Service
from partwise.span.parser import SpanParser

PATIENCE = 60.0
"""Seconds after which what has not ended hangs."""
HEAD = b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
HOSTILE = dict(rows(globals(), "HOSTILE"))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log: Path = tmp_path_factory.mktemp("hostile") / "log"
    with running(Echo(), Limits(rate=0, seconds=3.0), log) as address:
        yield address


def honest(url: str) -> None:
    body, kind = json.dumps({"question": "hello"}).encode(), {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/ask", body, kind)
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        assert json.load(reply)["answer"] == ["hello"]


@pytest.mark.parametrize("what", HOSTILE)
def test_an_honest_client_is_answered_and_the_hostile_end(url: str, what: str) -> None:
    count, sent = HOSTILE[what]
    place = urlsplit(url)
    with ExitStack() as opened:
        hostile = []
        for _ in range(count):
            one = socket.create_connection((place.hostname, place.port), PATIENCE)
            hostile.append(opened.enter_context(one))
            with contextlib.suppress(ConnectionError):
                one.sendall(sent)
        for _ in range(5):
            honest(url)
        until = time.monotonic() + PATIENCE
        for one in hostile:
            _ends(one, until)
    honest(url)


def _ends(connection: socket.socket, until: float) -> None:
    """Read what is still said to a connection until the server closes it."""
    with contextlib.suppress(ConnectionError):
        while True:
            connection.settimeout(max(0.1, until - time.monotonic()))
            if not connection.recv(65_536):
                return


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
    here.problem(413, path, content=longest + " " * 12_000, headers=KIND)


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
