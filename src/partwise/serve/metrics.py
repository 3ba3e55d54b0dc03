"""What Prometheus reads: questions by what came of them, latency, problems, the queue."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder where the workers of a server put their figures together."""
PATHS = ("/ask", "/parse", "/batch", "/health", "/ready", "/metrics", "/about", "/")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Counts; where `FOLDER` is set, `text` adds up what all workers counted."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own: dict[str, Any] = {"namespace": "partwise", "registry": self._registry}
        self._questions = Counter("questions", "Questions, by outcome.", ["outcome"], **own)
        self._problems = Counter("problems", "Requests that failed, by status.", ["status"], **own)
        self._seconds = Histogram(
            "request_seconds", "Time of a request.", ["path"], buckets=SECONDS, **own
        )
        self._waiting = Gauge(
            "waiting_questions", "Questions in the queue.", multiprocess_mode="livesum", **own
        )

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request that is done."""
        # Other paths are one, as clients may make up any number.
        self._seconds.labels(path if path in PATHS else "other").observe(seconds)
        if status >= 400:
            self._problems.labels(str(status)).inc()

    def replies(self, replies: Sequence[Mapping[str, Any]]) -> None:
        """Count questions that have a reply."""
        for reply in replies:
            self._questions.labels(_outcome(reply)).inc()

    def waiting(self, questions: int) -> None:
        """Note how many wait."""
        self._waiting.set(questions)

    def text(self) -> bytes:
        """In Prometheus' text format."""
        folder = os.environ.get(FOLDER)
        if folder is None:
            return generate_latest(self._registry)
        _forget_dead(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _outcome(reply: Mapping[str, Any]) -> str:
    reason = reply.get("reason")
    if reply.get("meaning") is None:
        return "too_costly" if "too costly" in (reason or "") else "refused"
    return str(reply.get("status", "answered")) if reason is None else "failed"


def _forget_dead(folder: Path) -> None:
    """Leave out what waited in workers that ended."""
    for file in folder.glob("gauge_livesum_*.db"):
        process = int(file.stem.rsplit("_", 1)[1])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            with suppress(FileNotFoundError):
                mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]
