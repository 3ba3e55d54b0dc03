"""Where wall time goes, by named part."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class Stopwatch:
    """Seconds spent in named parts, those of all threads together."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._lock = Lock()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the time of a block to a part."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self.seconds[name] += time.perf_counter() - begin
