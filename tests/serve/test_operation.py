"""What who runs a server needs: keys, readiness, metrics, limits, logs, commands."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import re
import shlex
import signal
import socket
import sys
import threading
import urllib.request
from collections.abc import Sequence
from datetime import datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serve_helpers import Echo, asked, running, served, serving

from cases import cases
from library import Library
from partwise.domains.geography.domain import Geography
from partwise.errors import ServeError
from partwise.serve.batching import Batcher, BusyError
from partwise.serve.guard import Access, Limits, RateLimiter, client_name
from partwise.serve.logs import Log, ServerLines
from partwise.serve.server import address_of, take_port
from partwise.serve.service import Service
from partwise.span.parser import SpanParser


def test_with_keys_only_who_has_one_is_answered() -> None:
    here = served(Echo(), access=Access(keys=("one", "two")))
    for key in ("", "Bearer ", "Bearer three", "Bearer onetwo", "Bearer é"):
        headers = {"authorization": key.encode()} if key else {}
        assert "a key is needed" in here.problem(401, json={"question": "x"}, headers=headers)
    assert here.client.get("/metrics").status_code == 401
    found = here.client.post("/ask", json={"question": "x"})
    assert found.headers["www-authenticate"] == "Bearer"
    for key in ("one", "two"):
        headers = {"authorization": f"Bearer {key}"}
        assert here.client.post("/ask", json={"question": "x"}, headers=headers).status_code == 200
        assert here.client.get("/metrics", headers=headers).status_code == 200
    # Whether it is up is no secret.
    assert here.client.get("/health").status_code == here.client.get("/ready").status_code == 200


def test_pages_of_other_sites_may_ask_only_where_they_are_named() -> None:
    asks = {"access-control-request-method": "POST", "origin": "https://example.org"}
    name = "access-control-allow-origin"
    assert name not in served(Echo()).client.options("/ask", headers=asks).headers
    here = served(Echo(), access=Access(origins=("https://example.org",)))
    found = here.client.options("/ask", headers=asks)
    assert (found.status_code, found.headers[name]) == (200, "https://example.org")
    found = here.client.post("/ask", json={"question": 5}, headers=asks)
    assert (found.status_code, found.headers[name]) == (422, "https://example.org")
    asks["origin"] = "https://example.com"
    assert name not in here.client.options("/ask", headers=asks).headers


def test_metrics_count_questions_requests_and_problems() -> None:
    here = served(Echo())
    here.client.post("/batch", json={"questions": ["x", "y"]})
    here.client.post("/ask", json={"question": ""})
    here.client.get("/made/up")
    text = here.client.get("/metrics").text
    for line in (
        'partwise_questions_total{outcome="answered"} 2.0',
        'partwise_problems_total{status="422"} 1.0',
        'partwise_problems_total{status="404"} 1.0',
        'partwise_request_seconds_count{path="/batch"} 1.0',
        'partwise_request_seconds_count{path="other"} 1.0',
        "partwise_waiting_questions 0.0",
    ):
        assert line in text.splitlines()
    assert "made" not in text


def test_questions_are_sent_away_before_they_would_wait_long() -> None:
    go = threading.Event()

    class Slow(Echo):
        def ask(self, questions: Any, k: int, run: bool) -> list[dict[str, Any]]:
            assert go.wait(30)
            return super().ask(questions, k, run)

    async def told() -> float:
        batcher = Batcher(Slow(), most=1, wait=1.0)
        # As if the questions before had taken two seconds each.
        batcher.quick.seconds = 2.0
        first = []
        for _ in range(2):
            first.append(asyncio.create_task(batcher.ask(["x"], 1, True)))
            await asyncio.sleep(0.05)
        assert not batcher.quick.takes()
        with pytest.raises(BusyError) as busy:
            await batcher.ask(["x"], 1, True)
        go.set()
        await asyncio.gather(*first)
        assert batcher.quick.takes()
        batcher.close()
        return busy.value.wait

    assert asyncio.run(told()) >= 2.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_is_full_at_first_and_fills_again() -> None:
    clock = Clock()
    limiter = RateLimiter(60, clock=clock)
    assert [limiter.take("a") for _ in range(60)] == [0.0] * 60
    assert limiter.take("a") == pytest.approx(1.0)
    assert limiter.take("b") == 0.0
    clock.now = 2.0
    assert limiter.take("a", 2) == 0.0
    assert limiter.take("a") > 0
    clock.now = 1e6
    assert limiter.take("a", 60) == 0.0
    assert limiter.take("a") > 0


def test_who_is_sent_away_pays_nothing_and_more_than_a_bucket_costs_a_bucket() -> None:
    clock = Clock()
    limiter = RateLimiter(10, clock=clock)
    assert limiter.take("a", 9) == 0.0
    assert limiter.take("a", 5) == pytest.approx(24.0)
    assert limiter.take("a") == 0.0
    assert limiter.take("b", 1000) == 0.0
    assert limiter.take("b") > 0


def test_no_rate_is_no_limit_and_no_memory() -> None:
    limiter = RateLimiter(0)
    assert all(limiter.take("a", 100) == 0.0 for _ in range(1000))
    assert len(limiter.spent) == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4), st.floats(0, 20)), max_size=80))
def test_memory_is_bounded_and_no_client_gets_more_than_its_rate(
    events: list[tuple[int, int, float]],
) -> None:
    clock, rate = Clock(), 6
    limiter = RateLimiter(rate, clients=40, clock=clock)
    granted: dict[int, int] = {}
    for client, tokens, pause in events:
        clock.now += pause
        if limiter.take(str(client), tokens) == 0.0:
            granted[client] = granted.get(client, 0) + tokens
        assert len(limiter.spent) <= 40
    for total in granted.values():
        assert total <= rate + clock.now * rate / 60 + 1e-6


def test_the_client_not_seen_for_longest_is_forgotten_first() -> None:
    limiter = RateLimiter(1, clients=2, clock=Clock())
    assert limiter.take("a") == limiter.take("b") == 0.0
    assert limiter.take("a") > 0
    assert limiter.take("c") == 0.0
    assert limiter.take("a") > 0
    assert limiter.take("b") == 0.0
    assert len(limiter.spent) == 2


@cases("address, name")
def test_clients_of_one_network_share_a_bucket(address: str, name: str) -> None:
    assert client_name(address) == name


def test_each_request_is_a_line() -> None:
    here = served(Echo())
    here.client.post("/batch", json={"questions": ["my secret", "x"]})
    here.client.get("/health?token=hidden")
    here.client.post("/ask", content=b"{my secret")
    batch, health, bad = here.lines
    assert datetime.fromisoformat(batch["time"]).tzinfo is not None
    assert (batch["method"], batch["path"], batch["status"]) == ("POST", "/batch", 200)
    assert batch["questions"] == 2
    assert batch["milliseconds"] > 0
    assert len({line["request"] for line in here.lines}) == 3
    assert (health["path"], health["status"]) == ("/health", 200)
    assert bad["status"] in (400, 422)
    assert "secret" not in here.stream.getvalue()
    assert "hidden" not in here.stream.getvalue()


def test_texts_are_logged_on_demand() -> None:
    here = served(Echo(), questions=True)
    here.client.post("/ask", json={"question": "who?"})
    assert here.lines[0]["asked"] == ["who?"]


def test_nothing_in_a_path_can_forge_a_line() -> None:
    here = served(Echo())
    here.client.get("/x%0a%7b%22level%22:1%7d%1b[31m\u2028")
    (line,) = here.lines
    assert line["status"] == 404
    assert "\n" in line["path"]
    assert here.stream.getvalue().count("\n") == 1
    assert "\x1b" not in here.stream.getvalue()


def test_the_web_server_speaks_in_lines_too() -> None:
    here = served(Echo())
    handler = ServerLines()
    handler.log = Log(here.stream)
    handler.handle(logging.LogRecord("_granian", 20, "", 1, "up on %d", (80,), None))
    (line,) = here.lines
    assert line["level"] == "info"
    assert line["message"] == "up on 80"


def test_programs_run_in_the_context_given(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def about(domain: Library, context: Any) -> Library:
        seen.append(context)
        return domain

    monkeypatch.setattr(Library, "about", about)
    service = Service(library, context="the second shelf")
    (reply,) = service.ask(["who wrote emma ?"], 2, True)
    assert reply["answer"] == ["austen"]
    assert len(reply["alternatives"]) == 1
    assert seen == ["the second shelf"] * 2
    service.ask(["who wrote emma ?"], 2, False)
    assert len(seen) == 2


def test_the_examples_of_geography_are_answered_by_its_parser() -> None:
    parser = SpanParser.from_pretrained("geography")
    for question in Geography.examples:
        answer = parser(question)
        assert answer.lines, question
        assert answer.prediction.probability > 0.9


def test_a_service_warms_up_with_its_examples(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[str], int, bool]] = []

    def ask(_: Service, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        asked.append((list(questions), k, run))
        return []

    monkeypatch.setattr(Service, "ask", ask)
    try:
        Service(library).warm_up()
        assert gc.get_freeze_count() > 1000
    finally:
        gc.unfreeze()
    examples = list(library.domain.examples)
    assert examples
    assert asked == [(examples, 1, True), (examples, 2, True)]


def test_a_port_is_taken_once() -> None:
    with take_port("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert address_of(taken) == f"http://127.0.0.1:{port}"
        with pytest.raises(ServeError, match=f"port {port}: .*--port"):
            take_port("127.0.0.1", port)
    with pytest.raises(ServeError, match="cannot listen on 203"):
        take_port("203.0.113.1", 0)


@pytest.mark.parametrize(("proxy", "second"), [(None, 429), ("127.0.0.1", 200)])
def test_only_a_proxy_that_was_named_is_believed(
    proxy: str | None, second: int, tmp_path: Path
) -> None:
    import httpx2

    with running(Echo(), Limits(rate=1), tmp_path / "log", proxy) as url:
        codes = [
            httpx2.post(
                f"{url}/ask", json={"question": "x"}, headers={"X-Forwarded-For": address}
            ).status_code
            for address in ("192.0.2.1", "192.0.2.2")
        ]
    assert codes == [200, second]


def test_addresses_that_a_browser_finds() -> None:
    with take_port("0.0.0.0", 0) as taken:
        assert address_of(taken).startswith("http://127.0.0.1:")
    if socket.has_ipv6:
        try:
            taken = take_port("::1", 0)
        except ServeError:
            pytest.skip("this machine has no IPv6")
        with taken:
            assert address_of(taken).startswith("http://[::1]:")


PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve.md"


def _commands() -> dict[str, list[str]]:
    page = PAGE.read_text(encoding="utf-8")
    unit = re.search(r"^ExecStart=(.*)$", page, re.M)
    image = re.search(r"^CMD (.*)$", page, re.M)
    assert unit
    assert image
    return {"unit": shlex.split(unit[1]), "container": json.loads(image[1])}


def _command(place: str) -> list[str]:
    """The one of a place, with this Python."""
    command = _commands()[place]
    assert command[0].endswith("python")
    # Any port that is free, in place of the last one on this machine that may not be.
    command[command.index("--port") + 1] = "0"
    return [sys.executable, *command[1:]]


def test_the_command_of_the_container_serves_and_ends() -> None:
    with serving(_command("container")) as (url, process, _):
        assert asked(url, "what is the capital of texas?")["answer"] == ["austin, texas"]
        assert urllib.request.urlopen(f"{url}/ready", timeout=60).status == 200
        # A log that nobody reads keeps no server from answering, nor from ending.
        assert process.stderr is not None
        process.stderr.close()
        assert asked(url, "what is the capital of ohio?")["answer"] == ["columbus, ohio"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_neither_runs_as_root() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert re.search(r"^USER (?!root|0)", page, re.M)
    assert "DynamicUser=yes" in page


def test_dead_workers_of_the_unit_are_replaced_and_the_last_questions_answered() -> None:
    with serving(_command("unit")) as (url, process, log):
        lines = iter(log)

        def until(said: str) -> Any:
            return next(line for line in map(json.loads, lines) if said in line.get("message", ""))

        workers = [int(until("Spawning")["message"].rsplit(" ", 1)[1]) for _ in range(2)]
        for _ in workers:
            until("Started worker")
        assert asked(url, "what is the capital of texas?")["answer"] == ["austin, texas"]
        assert urllib.request.urlopen(f"{url}/ready", timeout=60).status == 200
        os.kill(workers[0], signal.SIGKILL)
        until("Started worker")
        connection = HTTPConnection(urlsplit(url).netloc, timeout=120)
        body = json.dumps({"question": "which states border texas?"})
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        connection.request("POST", "/ask", body, headers)
        assert connection.getresponse().read()
        # The server asks for the body when the request is under way, and is then told to end.
        connection.request("POST", "/ask", headers={**headers, "Expect": "100-continue"})
        assert b"100 Continue" in connection.sock.recv(1000)
        process.send_signal(signal.SIGTERM)
        connection.send(body.encode())
        assert len(json.load(connection.getresponse())["answer"]) == 4
        assert process.wait(60) == 0
