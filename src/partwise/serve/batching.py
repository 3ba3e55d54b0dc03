"""One thread for the parser; the questions that wait while it works are its next batch.

A parser reads many questions at once much faster than one by one, and is not made for several
threads. Nothing waits for others: a batch is whatever has come together meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from partwise.serve.service import Service

Replies = list[dict[str, Any]]


class BusyError(Exception):
    """More questions wait than may."""


@dataclass(frozen=True, eq=False)
class _Request:
    """Questions of one client, and where their replies go."""

    questions: Sequence[str]
    k: int
    run: bool
    replies: asyncio.Future[Replies]


class Batcher:
    """Puts concurrent requests to a service together; to be used in one event loop.

    Args:
        most: questions of a batch, unless one request has more.
        waiting: questions that may wait.
    """

    def __init__(self, service: Service, most: int = 64, waiting: int = 512) -> None:
        self.service, self.most, self.waiting = service, most, waiting
        self._queue: deque[_Request] = deque()
        self._thread = ThreadPoolExecutor(1, "parser")
        self._work: asyncio.Task[None] | None = None

    async def ask(self, questions: Sequence[str], k: int, run: bool) -> Replies:
        """The replies to questions; see `Service.ask`.

        Raises:
            BusyError: if too many wait already. Also whatever the service raises.
        """
        ahead = sum(len(request.questions) for request in self._queue)
        if ahead and ahead + len(questions) > self.waiting:
            raise BusyError(f"{ahead} questions wait already")
        request = _Request(questions, k, run, asyncio.get_running_loop().create_future())
        self._queue.append(request)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._serve())
        return await request.replies

    def close(self) -> None:
        """End the thread when it is done with its batch."""
        self._thread.shutdown(cancel_futures=True)

    async def _serve(self) -> None:
        while self._queue:
            batch = self._next()
            loop = asyncio.get_running_loop()
            each = await loop.run_in_executor(self._thread, self._replies, batch)
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
        first = self._queue.popleft()
        batch, size = [first], len(first.questions)
        for request in tuple(self._queue):
            alike = (request.k, request.run) == (first.k, first.run)
            if alike and size + len(request.questions) <= self.most:
                batch.append(request)
                size += len(request.questions)
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
