"""The real contents of Spider's databases, as SQLite files; some databases have none."""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path

from partwise.errors import DataError

ARCHIVE, INSIDE = "databases.tar.xz", "databases"
"""The file in Spider's folder, and the folder in it."""


def unpack_contents(spider: Path, folder: Path) -> None:
    """Unpack the databases into a folder, which is kept if it is there.

    Args:
        spider: the folder of Spider's files.
        folder: gets a file ``NAME.sqlite`` for each database.

    Raises:
        DataError: if the archive is not there, or damaged.
    """
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Written elsewhere first: a folder that is there is whole.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}.") as name:
        try:
            with tarfile.open(spider / ARCHIVE) as archive:
                archive.extractall(name, filter="data")
        except (OSError, EOFError, tarfile.TarError) as error:
            raise DataError(f"{spider / ARCHIVE} cannot be unpacked: {error}") from None
        made = Path(name, INSIDE)
        if not made.is_dir():
            raise DataError(f"{spider / ARCHIVE} has no folder {INSIDE}")
        if not folder.is_dir():
            made.rename(folder)


def contents_of(folder: Path, database: str) -> Path | None:
    """The file with the real contents of a database; None if it has none."""
    file = folder / f"{database}.sqlite"
    return file if file.is_file() else None
