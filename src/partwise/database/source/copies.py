"""Copies of files as DuckDB files, which are kept until the files change."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from partwise.database.source.loading import DeclaredLink

VERSION = 1
"""Of how files become tables."""
COPY, NOTE = "copy.duckdb", "links.json"


class Kept(NamedTuple):
    """A copy, and what is known of its links."""

    file: Path
    links: tuple[DeclaredLink, ...]


def kept_copy(folder: Path, path: Path, load: Callable[[Path], list[DeclaredLink]]) -> Kept | None:
    """The copy of files in a folder, made where there is none of what they are now; None if nothing
    can be written there.

    Args:
        path: the file, or the folder of files.
        load: copies them to a new file.

    Raises:
        DomainError: if the files cannot be read.
    """
    state = folder / _state(path)
    if (made := _read(state)) is not None:
        return made
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = TemporaryDirectory(dir=folder, prefix="part-", ignore_cleanup_errors=True)
    except OSError:
        return None
    with part as name:
        new = Path(name) / state.name
        new.mkdir()
        links = load(new / COPY)
        (new / NOTE).write_text(json.dumps(links), "utf-8")
        # Another process may have been faster; its copy is as good.
        with suppress(OSError):
            new.rename(state)
    _forget_others(folder, state)
    return _read(state)


def _state(path: Path) -> str:
    """A name for what the files are, by their sizes and times."""
    files = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    stats = [(one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in files]
    return sha256(repr((VERSION, str(path.resolve()), stats)).encode()).hexdigest()[:16]


def _read(state: Path) -> Kept | None:
    try:
        links = json.loads((state / NOTE).read_text("utf-8"))
        return Kept(state / COPY, tuple((table, column, to) for table, column, to in links))
    except (OSError, ValueError, TypeError):
        return None


def _forget_others(folder: Path, state: Path) -> None:
    """Remove older copies. What still reads one keeps its open file."""
    for one in folder.iterdir():
        if one != state and len(one.name) == len(state.name):
            for file in (NOTE, COPY):
                with suppress(OSError):
                    (one / file).unlink()
            with suppress(OSError):
                one.rmdir()
