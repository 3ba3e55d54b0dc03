"""Writing and reading arrays and JSON safely: whole or not at all, and never a pickle."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as array_bytes

from partwise.errors import CheckpointError, PartwiseError
from partwise.interface.files import write_whole

T = TypeVar("T")
STATE, PROGRESS = "state.safetensors", "progress.json"
FORMAT = 1
"""Of states; those from before there was a number are alike."""
MOST = 2**24
"""Bytes of a JSON file; more is not what was written here."""
HEADER = 2**22
"""Bytes of the list of tensors in their file."""
LARGEST = 2**32
"""Bytes of a file of tensors."""
TYPES = ("BF16", "F16", "F32", "F64", "BOOL", "U8", "I8", "I16", "I32", "I64")
"""Types of tensors that are read."""


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole, and its folder if need be. Raises CheckpointError if it cannot be
    written; what stood at `path` is left as it was."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, write)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"cannot write {path}: {error}. Nothing was changed there; free some space or choose "
            "another folder"
        ) from error


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    # As bytes: the library's own files can be read by nobody but the one who wrote them.
    write_file(path, lambda partial: partial.write_bytes(array_bytes(dict(arrays))))


def write_json(path: Path, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    write_file(path, lambda partial: partial.write_text(text, encoding="utf-8"))


@contextmanager
def reading_file(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file, told as such. Raises CheckpointError in place of the errors
    inside, and for what is no file: pipes and devices would be read for ever."""
    try:
        if path.exists() and not path.is_file():
            raise CheckpointError(f"{path} is not a file; is this a saved parser?")
        yield
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing; is this a saved parser?") from error
    except (SafetensorError, ValueError, RecursionError, OSError) as error:
        raise CheckpointError(f"{path} is damaged ({error}); copy or train it again") from error


def read_arrays(path: Path, names: Collection[str]) -> dict[str, NDArray[Any]]:
    """Some tensors of a safetensors file. Raises CheckpointError if it is missing or damaged, or
    has none of a name."""
    with reading_file(path), safe_open(str(path), framework="numpy") as file:
        return {name: file.get_tensor(name) for name in names}


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors of a safetensors file, which are not read. Raises CheckpointError
    if the file is missing or damaged, its list or it are too large, or a type is not one of a
    network."""
    with reading_file(path):
        check_size(path, LARGEST)
        with path.open("rb") as stream:
            if int.from_bytes(stream.read(8), "little") > HEADER:
                raise ValueError(f"its list of tensors has more than {HEADER:,} bytes")
        # The library checks that each tensor's bytes are its own, and that all are there.
        with safe_open(str(path), framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in sorted(file.keys())}
            other = {tensor.get_dtype() for tensor in slices.values()} - {*TYPES}
            if other:
                raise ValueError(f"tensors of type {', '.join(sorted(map(str, other)))}")
            return {name: tuple(tensor.get_shape()) for name, tensor in slices.items()}


def check_size(path: Path, most: int) -> None:
    """Check how large a file is. Raises CheckpointError if it has more than `most` bytes."""
    if path.stat().st_size > most:
        raise CheckpointError(f"{path} is larger than {most:,} bytes; is this a saved parser?")


def read_json(path: Path, most: int = MOST) -> Any:
    """A JSON file. Raises CheckpointError if it is missing, damaged, or larger than `most`
    bytes."""
    with reading_file(path):
        check_size(path, most)
        return json.loads(path.read_text(encoding="utf-8"))


def read_made(path: Path, make: Callable[[Any], T]) -> T:
    """What `make` makes of a JSON file. Raises CheckpointError as `read_json`, or for content that
    nothing can be made of."""
    values = read_json(path)
    try:
        return make(values)
    except CheckpointError:
        raise
    except (PartwiseError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{path} is damaged ({type(error).__name__}: {error}); copy or train it again"
        ) from error


def read_names(path: Path) -> list[str]:
    """A JSON file with a list of texts. Raises CheckpointError as `read_json`, or for anything
    else."""
    names = read_json(path)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CheckpointError(f"{path} is damaged: it is no list of texts; copy or train it again")
    return names


def state_files(folder: Path) -> list[Path]:
    return [*folder.glob(f"epoch-*-{STATE}"), *folder.glob(f".epoch-*-{STATE}.*.tmp")]


def read_progress(folder: Path) -> dict[str, Any] | None:
    """What `write_state` wrote beside the tensors, or None if there is none. Raises CheckpointError
    if it is damaged, or names tensors other than of a state in this folder."""
    if not (folder / PROGRESS).exists():
        return None
    progress = read_json(folder / PROGRESS)
    given = progress if isinstance(progress, dict) else {}
    # A path in place of a name would lead out of the folder.
    names = [file.name for file in state_files(folder)]
    if given.get("format", FORMAT) != FORMAT:
        raise CheckpointError(f"{folder} is of a later version; delete it to train again")
    if not isinstance(given.get("epoch"), int) or given.get("state") not in names:
        raise CheckpointError(describe_damage(folder))
    return given


def describe_damage(folder: Path) -> str:
    return f"{folder / PROGRESS} is damaged; delete {folder} to train again"
