"""Apart: a service in a process of its own, so that what costs much there holds up nobody here."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import connection, get_context, parent_process
from typing import Any

from partwise.errors import ExecutionError
from partwise.serve.service import Service

NICE = 5
"""How much the system prefers other processes."""
_service: Service | None = None


class Apart:
    """Asks the service that `load` makes, in another process.

    An interpreter runs one thread at a time: beside a thread that asks what costs much, all others
    would be late. The process is started at once, and again if it went down.
    """

    def __init__(self, load: Callable[[], Service]) -> None:
        self._load = load
        self._pool = self._begun()

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """As `Service.ask`.

        Raises:
            ExecutionError: if the process went down, perhaps out of memory.
        """
        try:
            return self._pool.submit(_ask, list(questions), k, run).result()
        except BrokenProcessPool:
            self._pool = self._begun()
            raise ExecutionError("the process of what costs much went down") from None

    def wait(self) -> None:
        """Until the process answers.

        Raises:
            ExecutionError: if it went down.
        """
        try:
            self._pool.submit(os.getpid).result()
        except BrokenProcessPool:
            raise ExecutionError("the process of what costs much does not start") from None

    def close(self) -> None:
        """End the process when it is done with what it was asked."""
        self._pool.shutdown(cancel_futures=True)

    def _begun(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(1, get_context("spawn"), _begin, (self._load,))
        pool.submit(os.getpid)
        return pool


def _begin(load: Callable[[], Service]) -> None:
    global _service
    when_parent_ends(partial(os._exit, 0))
    if hasattr(os, "nice"):
        os.nice(NICE)
    _service = load()
    _service.warm_up()


def _ask(questions: list[str], k: int, run: bool) -> list[dict[str, Any]]:
    assert _service is not None
    replies = _service.ask(questions, k, run)
    for reply in replies:
        if "error" in reply:
            # Not every error can be sent to another process; the log needs its text alone.
            reply["error"] = ExecutionError(f"{type(reply['error']).__name__}: {reply['error']}")
    return replies


def when_parent_ends(then: Callable[[], object]) -> None:
    """Call `then` in a thread once the process that started this one is gone, even if killed."""
    parent = parent_process()

    def watch(sentinel: int) -> None:
        connection.wait([sentinel])
        then()

    if parent is not None:
        threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
