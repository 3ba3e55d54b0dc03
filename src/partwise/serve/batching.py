"""One thread for the parser; the questions that wait while it works are its next batch.

A parser reads many questions at once much faster than one by one, and is not made for several
threads. Nothing waits for others: a batch is whatever has come together meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from partwise.serve.service import Service

CHARACTERS = 1000
"""Of the questions of a batch, unless one request has more."""
LATER = 0.005
"""Seconds that a request comes later for each character of its longest question: long
questions cost much more than short ones, which else would wait for them."""
Replies = list[dict[str, Any]]


class BusyError(Exception):
    """More questions wait than may, or for longer.

    Attributes:
        wait: seconds that a question would wait for its turn, as far as is known.
    """

    def __init__(self, ahead: int, wait: float) -> None:
        super().__init__(f"{ahead} questions wait already")
        self.wait = wait


@dataclass(frozen=True, eq=False)
class _Request:
    """Questions of one client, and where their replies go."""

    questions: Sequence[str]
    k: int
    run: bool
    replies: asyncio.Future[Replies]
    arrived: float = field(default_factory=time.monotonic)

    @property
    def characters(self) -> int:
        """Of all its questions."""
        return sum(map(len, self.questions))

    @property
    def turn(self) -> float:
        """The lower, the sooner."""
        return self.arrived + LATER * max(map(len, self.questions))


class Batcher:
    """Puts concurrent requests to a service together; to be used in one event loop.

    Args:
        most: questions of a batch, unless one request has more.
        waiting: questions that may wait.
        wait: seconds that one may be expected to wait.
    """

    def __init__(
        self, service: Service, most: int = 64, waiting: int = 512, wait: float = 5.0
    ) -> None:
        self.service, self.most, self.waiting, self.wait = service, most, waiting, wait
        self._seconds, self._under_way = 0.0, 0
        self._queue: list[_Request] = []
        self._thread = ThreadPoolExecutor(1, "parser")
        self._work: asyncio.Task[None] | None = None

    async def ask(self, questions: Sequence[str], k: int, run: bool) -> Replies:
        """The replies to questions; see `Service.ask`.

        Raises:
            BusyError: if too many wait already. Also whatever the service raises.
        """
        if not self.takes(len(questions)):
            raise BusyError(self.ahead, self.expected)
        request = _Request(questions, k, run, asyncio.get_running_loop().create_future())
        self._queue.append(request)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._serve())
        return await request.replies

    @property
    def ahead(self) -> int:
        """Questions that wait."""
        return sum(len(request.questions) for request in self._queue)

    @property
    def expected(self) -> float:
        """Seconds that a question would wait for its turn, at the pace of the last ones."""
        return (self.ahead + self._under_way) * self._seconds

    def takes(self, questions: int = 1) -> bool:
        """Whether so many more may wait; at least one request always may."""
        ahead = self.ahead
        return not ahead or (ahead + questions <= self.waiting and self.expected <= self.wait)

    def close(self) -> None:
        """End the thread when it is done with its batch."""
        self._thread.shutdown(cancel_futures=True)

    async def _serve(self) -> None:
        while self._queue:
            batch = self._next()
            loop, began = asyncio.get_running_loop(), time.monotonic()
            self._under_way = sum(len(request.questions) for request in batch)
            each = await loop.run_in_executor(self._thread, self._replies, batch)
            taken = (time.monotonic() - began) / max(1, self._under_way)
            self._seconds = 0.8 * self._seconds + 0.2 * taken if self._seconds else taken
            self._under_way = 0
            for request, replies in zip(batch, each, strict=True):
                # A request that was given up has nobody who waits.
                if request.replies.done():
                    continue
                if isinstance(replies, Exception):
                    request.replies.set_exception(replies)
                else:
                    request.replies.set_result(replies)

    def _next(self) -> list[_Request]:
        """The first request and those that want the same, up to a batch; the rest waits on."""
        self._queue.sort(key=lambda request: request.turn)
        first = self._queue.pop(0)
        batch, size, characters = [first], len(first.questions), first.characters
        for request in tuple(self._queue):
            alike = (request.k, request.run) == (first.k, first.run)
            fits = size + len(request.questions) <= self.most
            if alike and fits and characters + request.characters <= CHARACTERS:
                batch.append(request)
                size += len(request.questions)
                characters += request.characters
                self._queue.remove(request)
        return batch

    def _replies(self, batch: Sequence[_Request]) -> list[Replies | Exception]:
        """What each request gets; where a batch fails, only the requests that fail alone do."""
        first = batch[0]
        try:
            questions = [question for request in batch for question in request.questions]
            answers = self.service.ask(questions, first.k, first.run)
            if len(answers) != len(questions):
                raise ValueError(f"{len(answers)} replies to {len(questions)} questions")
            replies = iter(answers)
            return [list(islice(replies, len(request.questions))) for request in batch]
        except Exception as error:
            if len(batch) == 1:
                return [error]
            return [reply for request in batch for reply in self._replies([request])]
