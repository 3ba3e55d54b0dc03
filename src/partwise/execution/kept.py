"""KeptAnswers: small answers from a SQLite file, kept until the file changes."""

from __future__ import annotations

import os
import time
from typing import Any

Version = tuple[tuple[int, int, int], ...]

MOST = 1000
"""Answers; one more, and all are forgotten."""
ROWS, CHARACTERS = 100, 10_000
"""Of an answer that is kept."""
REST = 2.0
"""Seconds after a change in which nothing is kept: the file's time may not show another change."""


class KeptAnswers:
    """Answers by query and values; asking the process again costs more than most queries.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        self._files = path, f"{path}-wal"
        self._answers: dict[tuple[str, str], tuple[Version, list[tuple[Any, ...]]]] = {}

    def version(self) -> Version | None:
        """What changes with the file; None if it changed just now."""
        parts = []
        for file in self._files:
            try:
                state = os.stat(file)
            except OSError:
                parts.append((0, 0, 0))
                continue
            if time.time() - state.st_mtime < REST:
                return None
            parts.append((state.st_ino, state.st_mtime_ns, state.st_size))
        return tuple(parts)

    def get(self, key: tuple[str, str], version: Version | None) -> list[tuple[Any, ...]] | None:
        """The rows of this version, if they are kept."""
        kept = self._answers.get(key)
        return list(kept[1]) if kept and kept[0] == version else None

    def keep(
        self, key: tuple[str, str], version: Version | None, rows: list[tuple[Any, ...]]
    ) -> None:
        """Keep rows, if they are few.

        Args:
            version: of the file before it was asked.
        """
        if version is None or len(rows) > ROWS or len(str(rows)) > CHARACTERS:
            return
        if len(self._answers) >= MOST:
            self._answers.clear()
        self._answers[key] = version, list(rows)
