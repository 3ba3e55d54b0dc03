"""What is made of a database's folder and takes long: kept beside it, and made again for other
content. It holds nothing but what the folder says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from partwise import __version__
from partwise.encoders.storage import read_arrays, write_arrays
from partwise.errors import CheckpointError
from partwise.interface.files import write_whole

Array = NDArray[Any]


class Cache:
    """Files in a folder, each named after what it was made of. Where they cannot be written or read
    it is made again, each time.

    Args:
        folder: None keeps nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def text(self, name: str, of: str, make: Callable[[], str]) -> str:
        """A text made of `of`."""
        file = self._file(f"{name}.json", of)
        with suppress(OSError, UnicodeDecodeError):
            if file is not None:
                return file.read_text("utf-8")
        made = make()
        self._keep(file, lambda new: write_whole(new, lambda part: part.write_text(made, "utf-8")))
        return made

    def array(self, name: str, of: str, make: Callable[[], Array]) -> Array:
        """An array made of `of`."""
        file = self._file(f"{name}.safetensors", of)
        with suppress(CheckpointError):
            if file is not None:
                return read_arrays(file, [name])[name]
        made = make()
        self._keep(file, lambda new: write_arrays(new, {name: made}))
        return made

    def _file(self, name: str, of: str) -> Path | None:
        if self._folder is None:
            return None
        digest = sha256(f"{__version__}\n{of}".encode(errors="surrogatepass")).hexdigest()
        return self._folder / f"{digest[:32]}-{name}"

    def _keep(self, file: Path | None, write: Callable[[Path], object]) -> None:
        """Write a file in place of others of its name."""
        if file is None:
            return
        with suppress(OSError, CheckpointError):
            file.parent.mkdir(exist_ok=True)
            write(file)
            for other in file.parent.glob(f"*-{file.name.partition('-')[2]}"):
                if other != file:
                    other.unlink(missing_ok=True)
