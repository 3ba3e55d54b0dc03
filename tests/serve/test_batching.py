"""Concurrent requests: put together, answered each with its own, and each alone where one fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from serve_helpers import Echo

from partwise.serve.batching import LONG, MUCH, Batcher, BusyError, _Request


class Held(Echo):
    """Its calls last until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun, self.held = threading.Event(), threading.Event(), True

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """The question as its own answer."""
        self.begun.set()
        assert not self.held or self.go.wait(30)
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


def _order(asked: Sequence[tuple[str, str]], most: int = 1) -> list[list[str]]:
    """The batches in which questions of clients are asked that come while the first one is."""
    service = Held()
    batcher = Batcher(service, most=most)

    async def run() -> None:
        first = await _first(batcher, service)
        tasks = [asyncio.create_task(batcher.ask([q], 1, True, who)) for who, q in asked]
        await asyncio.sleep(0)
        service.go.set()
        await asyncio.gather(first, *tasks)

    asyncio.run(run())
    batcher.close()
    return service.calls[1:]


def test_clients_take_turns_however_much_one_asks() -> None:
    greedy = [("greedy", f"g{number}") for number in range(5)]
    honest = [("one", "a1"), ("one", "b1"), ("two", "c1")]
    asked = [*greedy, *honest]
    order = ["g0", "a1", "c1", "g1", "b1", "g2", "g3", "g4"]
    assert _order(asked) == [[question] for question in order]
    assert _order(asked, 3) == [order[:3], order[3:6], order[6:]]


def test_who_asks_long_questions_waits_longer_for_the_next_turn() -> None:
    asked = [("long", "l" * 30), ("long", "m" * 30), *(("short", f"s{n}" * 5) for n in range(4))]
    assert [call[0][0] for call in _order(asked)] == ["l", "s", "s", "s", "m", "s"]


def _held_up(batcher: Batcher, service: Held, question: str) -> Any:
    """What a short question of another client is told while a question is under way."""

    async def run() -> Any:
        costly = asyncio.create_task(batcher.ask([question], 1, True, "attacker"))
        await asyncio.to_thread(service.begun.wait, 30)
        # Only what costs much is held.
        service.held = False
        reply = await asyncio.wait_for(batcher.ask(["short"], 1, True, "honest"), 30)
        assert not costly.done()
        service.go.set()
        await costly
        return reply

    reply = asyncio.run(run())
    batcher.close()
    return _answers([reply])


@pytest.mark.parametrize("spent", [0.0, 2 * MUCH])
def test_nobody_waits_for_what_costs_much(spent: float) -> None:
    service = Held()
    batcher = Batcher(service)
    # A question is known to cost much by its length, or by those that its client asked before.
    batcher.spent.add("attacker", spent)
    question = "texas" if spent else "texas " * LONG
    assert _held_up(batcher, service, question) == [["short"]]


def test_what_a_client_costs_is_noted() -> None:
    batcher = Batcher(Echo())
    asyncio.run(batcher.ask(["a"], 1, True, "one"))
    assert batcher.spent.add("one") > batcher.spent.add("two") == 0.0
    batcher.close()


def test_who_has_asked_much_is_sent_away_before_who_has_not() -> None:
    service = Held()
    batcher = Batcher(service, waiting=8)

    async def run() -> Any:
        first = await _first(batcher, service)
        many = asyncio.create_task(batcher.ask(["m"] * 7, 1, True, "many"))
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="7 questions wait"):
            await batcher.ask(["m", "m"], 1, True, "many")
        others = [asyncio.create_task(batcher.ask(["o"], 1, True, str(n))) for n in range(5)]
        await asyncio.sleep(0)
        service.go.set()
        return await asyncio.gather(first, many, *others)

    assert len(asyncio.run(run())) == 7
    batcher.close()


def test_nobody_is_held_up_for_another_client_of_a_slow_batch() -> None:
    batcher = Batcher(Echo())

    def note(seconds: float, *clients: str) -> None:
        """A batch of a question of each client took so long."""
        batcher.quick._under_way = len(clients)
        future = asyncio.Future[Any](loop=asyncio.new_event_loop())
        batch = [_Request(["texas"], 1, True, client, future) for client in clients]
        batcher.quick._note(batch, seconds)

    for _ in range(50):
        note(0.001, "usual")
    note(0.02, "honest", "attacker")
    assert 1 < batcher.spent.add("honest") < MUCH / 5
    note(0.5, "attacker")
    assert batcher.spent.add("attacker") > MUCH / 5
    batcher.close()
