"""What who runs a server needs: keys, other sites, readiness, metrics, and a queue that ends."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from serve_helpers import Echo, served

from partwise.serve.batching import Batcher, BusyError
from partwise.serve.guard import Access


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
