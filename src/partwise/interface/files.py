"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a new file beside `path`, then put it in its place in one step.

    The new file's name starts with a dot and cannot be guessed, so that no link waits there.

    Raises:
        OSError: if it cannot be written. On this and on any error of `write` what stood at `path`
            is left as it was.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    partial.touch(exist_ok=False)
    try:
        write(partial)
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
