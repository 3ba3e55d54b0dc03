"""Two threads ask for answers; questions that wait meanwhile are the next batch of a thread.

A parser reads many questions at once much faster than one by one. Nothing waits for others: a batch
is whatever has come together meanwhile, as far as it takes no longer than a moment. Clients take
turns between batches, so that one with many questions does not hold up the others: a request of
many is as many of one question. What costs much has a lane (a queue and its thread) of its own,
which the server lets ask another process.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from partwise.serve.guard import PAUSE, Spent
from partwise.serve.service import Apart, Service, trim_memory

CHARACTERS = 1000
"""Of the questions of a batch, unless one request has more."""
LONG = 100
"""Characters of a request's questions; a longer one goes to the lane of what costs much, ..."""
MUCH, FORGOTTEN = 30.0, 0.6
"""... and so do all of a client whose questions of late count as so many usual ones, of which so
many are forgotten in each second. A question that takes ten times as long counts as a hundred, or
as ten in a batch of several clients, as another one of them may be the cause; none counts as more
than ten times `MUCH`, so that nobody is remembered for hours."""
REST, SLOW = 5.0, 0.1
"""Seconds without a question after which memory is given back, and those of a batch after which it
is at once, which takes a twentieth as long."""
TURN = 0.5
"""Seconds that a batch of several questions should take, at the pace of the last ones."""
Replies = list[dict[str, Any]]


class BusyError(Exception):
    """More questions wait than may, or for longer. `wait`: seconds that a question would wait for
    its turn, as far as is known."""

    def __init__(self, ahead: int, wait: float) -> None:
        super().__init__(f"{ahead} questions wait already")
        self.wait = wait


@dataclass(frozen=True, eq=False)
class _Request:
    question: str
    k: int
    run: bool
    client: str
    reply: asyncio.Future[dict[str, Any]]
    more: Mapping[str, Any]


class Batcher:
    """Puts concurrent requests to a service together, up to `most` questions; to be used in one
    event loop. As many as `waiting` may wait, if all clients had as many as the one that asks, and
    for up to `wait` expected seconds. `apart` is asked in place of the service where that costs
    much."""

    def __init__(
        self,
        service: Service | Apart,
        most: int = 64,
        waiting: int = 512,
        wait: float = 5.0,
        apart: Apart | None = None,
    ) -> None:
        self.spent = Spent(FORGOTTEN)
        self.quick = Lane(service, most, waiting, wait, self.spent)
        self.costly = Lane(apart or service, most, waiting, wait, self.spent, self.quick)

    async def ask(
        self, questions: Sequence[str], k: int, run: bool, client: str = "", **more: Any
    ) -> Replies:
        """The replies to a client's questions. Raises BusyError if too many wait already, and
        whatever the service raises. `more`: see `Service.ask`."""
        loop = asyncio.get_running_loop()
        some = [_Request(one, k, run, client, loop.create_future(), more) for one in questions]
        length = sum(map(len, questions))
        # What is long counts before it is asked, as it may cost much.
        expected = min((2 * length / LONG) ** 2, 10 * MUCH) if length > LONG else 0.0
        costly = self.spent.add(client, expected) > MUCH or length > LONG
        return await (self.costly if costly else self.quick).ask(some)

    @property
    def ahead(self) -> int:
        return self.quick.ahead() + self.costly.ahead()

    def close(self) -> None:
        for lane in (self.quick, self.costly):
            lane.thread.shutdown(cancel_futures=True)


class Lane:
    """A queue in which clients take turns, those that `spent` less first, and the thread that asks
    the service. In that of what costs much, which is given the `quick` one, clients share no batch.
    `seconds` has those of a question, lately."""

    def __init__(
        self,
        service: Service | Apart,
        most: int,
        waiting: int,
        wait: float,
        spent: Spent,
        quick: "Lane | None" = None,
    ) -> None:
        self.service, self.most, self.waiting, self.wait = service, most, waiting, wait
        self.spent, self.quick = spent, quick or self
        self.seconds, self._under_way = 0.0, 0
        # What is asked, by its turn. A client's next turn comes later by the length of its last
        # question, but is never earlier than the one that was served last.
        self._queue: list[tuple[float, _Request]] = []
        self._waiting = Counter[str]()
        self._turn, self._next_turns = 0.0, dict[str, float]()
        self.thread = ThreadPoolExecutor(1, "parser")
        self._work: asyncio.Task[None] | None = None

    async def ask(self, requests: Sequence[_Request]) -> Replies:
        """The replies to a client's questions, which take turns with those of others."""
        client, size = requests[0].client, len(requests)
        ahead = self.ahead(client, size)
        if not self._fits(ahead, size):
            busy = BusyError(self.ahead(), self._wait(ahead))
            # Who asks again at once would keep the server busy with saying no.
            await asyncio.sleep(PAUSE if self.quick is not self else 0.0)
            raise busy
        turn = max(self._turn, self._next_turns.get(client, 0.0))
        for request in requests:
            self._queue.append((turn, request))
            turn += len(request.question)
        self._next_turns[client] = turn
        self._waiting[client] += size
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._serve())
        try:
            return await asyncio.gather(*(request.reply for request in requests))
        finally:
            # Who goes away, or has one that fails, waits for none of the others.
            for request in requests:
                request.reply.cancel()

    def ahead(self, client: str | None = None, questions: int = 1) -> int:
        """Questions that wait; for a client that asks so many, those whose turn comes before."""
        if client is None:
            return self._waiting.total()
        most, own = self._waiting[client] + questions, self._level(client)
        return sum(min(n, most) for other, n in self._waiting.items() if self._level(other) <= own)

    def _level(self, client: str) -> float:
        """Lower ones go first: who never asked much does not wait for those that always do."""
        return self.spent.add(client) // MUCH

    def expected(self) -> float:
        """Seconds that a new client would wait for its turn, at the pace of the last questions."""
        return self._wait(self.ahead(""))

    def takes(self) -> bool:
        return self._fits(self.ahead(""), 1)

    def _wait(self, ahead: int) -> float:
        return (ahead + self._under_way) * self.seconds

    def _fits(self, ahead: int, questions: int) -> bool:
        """Whether so many more may wait; at least one request always may."""
        few = ahead + questions <= self.waiting
        return not ahead or (few and self._wait(ahead) <= self.wait)

    async def _serve(self) -> None:
        while self._wanted():
            batch = self._next()
            loop, began = asyncio.get_running_loop(), time.monotonic()
            self._under_way = len(batch)
            each = await loop.run_in_executor(self.thread, self._replies, batch)
            seconds = time.monotonic() - began
            self._note(batch, seconds)
            for request, reply in zip(batch, each, strict=True):
                # A request that was given up has nobody who waits.
                if request.reply.done():
                    continue
                if isinstance(reply, Exception):
                    request.reply.set_exception(reply)
                else:
                    request.reply.set_result(reply)
            if seconds > SLOW:
                self.thread.submit(trim_memory)
        asyncio.get_running_loop().call_later(REST, self._rest)

    def _rest(self) -> None:
        if self._work is None or self._work.done():
            trim_memory()

    def _note(self, batch: Sequence[_Request], seconds: float) -> None:
        taken = seconds / max(1, self._under_way)
        self.seconds = 0.8 * self.seconds + 0.2 * taken if self.seconds else taken
        self._under_way = 0
        # In usual questions: so all count as much where the machine is busy, or the parser slow.
        usual = self.quick.seconds or seconds or 1.0
        each = seconds / max(1, sum(len(request.question) for request in batch))
        power = 1 if len({request.client for request in batch}) > 1 else 2
        for request in batch:
            counted = (each * len(request.question) / usual) ** power
            self.spent.add(request.client, min(counted, 10 * MUCH))

    def _wanted(self) -> bool:
        """Whether anything waits; what was given up does no longer."""
        for entry in tuple(self._queue):
            if entry[1].reply.done():
                self._queue.remove(entry)
                self._waiting[entry[1].client] -= 1
        return bool(self._queue)

    def _next(self) -> list[_Request]:
        """The first request and those that want the same, up to a batch; the rest waits on."""
        self._queue.sort(key=lambda entry: (self._level(entry[1].client), entry[0]))
        most = self.most if not self.seconds else min(self.most, max(1, int(TURN / self.seconds)))
        self._turn, first = self._queue.pop(0)
        self._next_turns = {c: turn for c, turn in self._next_turns.items() if turn > self._turn}
        batch, characters = [first], len(first.question)
        for entry in tuple(self._queue):
            request = entry[1]
            wanted = attrgetter("k", "run", "more")
            alike = wanted(request) == wanted(first)
            shares = self.quick is self or request.client == first.client
            fits = len(batch) < most
            if alike and shares and fits and characters + len(request.question) <= CHARACTERS:
                batch.append(request)
                characters += len(request.question)
                self._queue.remove(entry)
        for request in batch:
            self._waiting[request.client] -= 1
        self._waiting = +self._waiting
        return batch

    def _replies(self, batch: Sequence[_Request]) -> list[dict[str, Any] | Exception]:
        """What each request gets; where a batch fails, only the requests that fail alone do."""
        first = batch[0]
        try:
            questions = [one.question for one in batch]
            answers = self.service.ask(questions, first.k, first.run, **first.more)
            if len(answers) != len(batch):
                raise ValueError(f"{len(answers)} replies to {len(batch)} questions")
            return [*answers]
        except Exception as error:
            if len(batch) == 1:
                return [error]
            return [reply for request in batch for reply in self._replies([request])]
