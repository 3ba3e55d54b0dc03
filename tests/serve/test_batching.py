"""Concurrent requests: put together, answered each with its own, and each alone where one fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from serve_helpers import Echo

from partwise.serve.batching import Batcher, BusyError


class Held(Echo):
    """Its first call lasts until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun = threading.Event(), threading.Event()

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """The question as its own answer."""
        self.begun.set()
        assert self.go.wait(30)
        return super().ask(questions, k, run)


async def _first(batcher: Batcher, service: Held) -> asyncio.Task[Any]:
    """A request that is under way."""
    task = asyncio.create_task(batcher.ask(["first"], 1, True))
    await asyncio.to_thread(service.begun.wait, 30)
    return task


def _answers(replies: Any) -> list[list[str]]:
    return [[one["answer"][0] for one in reply] for reply in replies]


def test_what_waits_meanwhile_is_one_batch_and_each_gets_its_own() -> None:
    service = Held()
    batcher = Batcher(service, most=5)

    async def run() -> Any:
        first = await _first(batcher, service)
        asked = [["a", "b"], ["c"], ["d", "e", "f"], ["g"]]
        tasks = [asyncio.create_task(batcher.ask(one, 1, True)) for one in asked]
        await asyncio.sleep(0)
        service.go.set()
        return asked, await asyncio.gather(*tasks), await first

    asked, replies, first = asyncio.run(run())
    batcher.close()
    assert _answers(replies) == asked
    assert _answers([first]) == [["first"]]
    # Five questions at most; d, e and f do not fit, what is behind them does.
    assert service.calls == [["first"], ["a", "b", "c", "g"], ["d", "e", "f"]]


def test_only_requests_that_want_the_same_share_a_batch() -> None:
    service = Held()
    batcher = Batcher(service)

    async def run() -> None:
        first = await _first(batcher, service)
        wanted = [("a", 1, True), ("b", 2, True), ("c", 1, False), ("d", 1, True)]
        tasks = [asyncio.create_task(batcher.ask([q], k, go)) for q, k, go in wanted]
        await asyncio.sleep(0)
        service.go.set()
        await asyncio.gather(first, *tasks)

    asyncio.run(run())
    batcher.close()
    assert service.calls == [["first"], ["a", "d"], ["b"], ["c"]]


def test_a_request_that_fails_takes_no_other_with_it() -> None:
    service = Held()

    def fail(question: str) -> None:
        if question == "bad":
            raise RuntimeError("bad luck")

    service.fails = fail
    batcher = Batcher(service)

    async def run() -> list[Any]:
        first = await _first(batcher, service)
        tasks = [asyncio.create_task(batcher.ask([q], 1, True)) for q in ("a", "bad", "c")]
        await asyncio.sleep(0)
        service.go.set()
        await first
        return await asyncio.gather(*tasks, return_exceptions=True)

    good, bad, other = asyncio.run(run())
    batcher.close()
    assert _answers([good, other]) == [["a"], ["c"]]
    assert isinstance(bad, RuntimeError)


def test_too_many_waiting_are_sent_away_and_the_rest_is_answered() -> None:
    service = Held()
    batcher = Batcher(service, waiting=3)

    async def run() -> Any:
        first = await _first(batcher, service)
        waiting = asyncio.create_task(batcher.ask(["a", "b"], 1, True))
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="2 questions wait"):
            await batcher.ask(["c", "d"], 1, True)
        service.go.set()
        return await asyncio.gather(first, waiting)

    assert _answers(asyncio.run(run())) == [["first"], ["a", "b"]]
    batcher.close()


def test_a_request_that_is_given_up_stops_nothing() -> None:
    service = Held()
    batcher = Batcher(service)

    async def run() -> Any:
        first = await _first(batcher, service)
        given_up = asyncio.create_task(batcher.ask(["a"], 1, True))
        kept = asyncio.create_task(batcher.ask(["b"], 1, True))
        await asyncio.sleep(0)
        given_up.cancel()
        service.go.set()
        await first
        return await kept

    assert _answers([asyncio.run(run())]) == [["b"]]
    batcher.close()


def test_a_service_that_loses_replies_is_found_out() -> None:
    class Lossy(Echo):
        def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
            return super().ask(questions, k, run)[1:]

    batcher = Batcher(Lossy())
    with pytest.raises(ValueError, match="1 replies to 2 questions"):
        asyncio.run(batcher.ask(["a", "b"], 1, True))
    batcher.close()
