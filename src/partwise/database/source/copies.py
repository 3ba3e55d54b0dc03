"""Copies of files as DuckDB files, which are kept until the files change."""

from __future__ import annotations

import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from partwise.database.source.loading import load_files

VERSION = 1
"""Of how files become tables."""
COPY = "copy.duckdb"


def kept_copy(folder: Path, path: Path) -> Path | None:
    """The copy of files in a folder, made where there is none of what they are now; None if nothing
    can be written there.

    Args:
        path: the file, or the folder of files.

    Raises:
        DomainError: if the files cannot be read.
    """
    state = folder / _state(path)
    if not (state / COPY).is_file():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part = TemporaryDirectory(dir=folder, prefix="part-", ignore_cleanup_errors=True)
        except OSError:
            return None
        with part as name:
            new = Path(name) / state.name
            new.mkdir()
            load_files(path, new / COPY)
            # Another process may have been faster; its copy is as good.
            with suppress(OSError):
                new.rename(state)
        _forget_others(folder, state)
    return state / COPY if (state / COPY).is_file() else None


def _state(path: Path) -> str:
    """A name for what the files are, by their sizes and times."""
    files = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    stats = [(one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in files]
    return sha256(repr((VERSION, str(path.resolve()), stats)).encode()).hexdigest()[:16]


def _forget_others(folder: Path, state: Path) -> None:
    """Remove older copies. What still reads one keeps its open file."""
    for other in folder.iterdir():
        if other != state and len(other.name) == len(state.name):
            shutil.rmtree(other, ignore_errors=True)
