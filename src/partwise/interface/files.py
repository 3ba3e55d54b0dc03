"""Files and folders that are written whole or not at all, and folders that are read so."""

import ctypes
import errno
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

AT_CWD, EXCHANGE = -100, 2
"""Of Linux's ``renameat2``."""
MOMENT = 5.0
"""Seconds for which a folder that is just being replaced is waited for."""


def file_state(file: Path) -> tuple[int, ...]:
    """What is another where a file was changed or replaced; empty where there is none."""
    try:
        found = file.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a new file beside `path`, then put it in its place in one step. The new
    file's name starts with a dot and cannot be guessed, so that no link waits there. Raises OSError
    if it cannot be written. On this and on any error of `write` what stood at `path` is left as it
    was."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    partial.touch(exist_ok=False)
    try:
        write(partial)
        _sync(partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_folder_whole(folder: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a new folder beside `folder`, then put it in its place in one step. Where
    the system cannot exchange two folders (it can on Linux) there is none for a moment. What saves
    that were killed have left is removed. Raises OSError if it cannot be written. On this and on
    any error of `write` what stood at `folder` is left as it was."""
    folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear(folder)
    new = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.partial")
    new.mkdir()
    try:
        # No other process takes it for what a killed one has left.
        with hold(new):
            write(new)
            if folder.exists():
                shutil.copymode(folder, new)
            for path in (*new.rglob("*"), new):
                if not path.is_symlink() and (path.is_file() or path.is_dir()):
                    _sync(path)
            _put(new, folder)
            _sync(folder.parent)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _put(new: Path, folder: Path) -> None:
    system = ctypes.CDLL(None) if sys.platform == "linux" else None
    names = os.fsencode(new), os.fsencode(folder)
    exchange = getattr(system, "renameat2", lambda *_: 1)
    if exchange(AT_CWD, names[0], AT_CWD, names[1], EXCHANGE) == 0:
        return
    # There is none to exchange it with, or the file system cannot.
    old = new.with_suffix(".old")
    there = folder.exists()
    if there:
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if there:
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _clear(folder: Path) -> None:
    # One that was moved away is all there is if the new one did not come.
    kinds = ("partial", "old") if folder.exists() else ("partial",)
    for left in (path for kind in kinds for path in _beside(folder, kind)):
        with suppress(OSError), hold(left):
            shutil.rmtree(left, ignore_errors=True)


def _beside(folder: Path, kind: str) -> list[Path]:
    return sorted(folder.parent.glob(f".{escape(folder.name)}.*{kind}"))


@contextmanager
def hold(folder: Path, shared: bool = False) -> Iterator[None]:
    """Hold a folder for this process, alone or with others that do, where folders can be held.
    Raises OSError if another one has it."""
    try:
        import fcntl
    except ImportError:
        # Not on Windows.
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(number, kind | fcntl.LOCK_NB)
        yield
    finally:
        os.close(number)


def _sync(path: Path) -> None:
    with suppress(PermissionError, IsADirectoryError):
        # Windows opens no folders.
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def standing(folder: Path) -> Path | None:
    """The folder, or none; one that is just being replaced is waited for. Where a save was killed
    between two renames, the old one is all there is. The caller needs no look of its own: by then
    the folder may be away again."""
    end = time.monotonic() + MOMENT
    while not folder.is_dir():
        if not (old := _beside(folder, "old")):
            # The new one may have come between the two looks.
            return folder if folder.is_dir() else None
        if time.monotonic() > end:
            return old[-1]
        time.sleep(0.01)
    return folder


@contextmanager
def as_it_stands(folder: Path) -> Iterator[Path]:
    """A path to the very folder that stands there now, whatever then takes its place. Only Linux
    has one; elsewhere it is the folder itself."""
    if sys.platform != "linux":
        yield folder
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield Path(f"/proc/self/fd/{number}")
    finally:
        os.close(number)
