"""Writing and reading tensors and JSON safely: whole or not at all, and never a pickle.

A network that a file describes is built without memory and with no more parts than the file has.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from safetensors.torch import save as tensor_bytes
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode

from partwise.errors import CheckpointError, PartwiseError
from partwise.interface.files import write_whole

T = TypeVar("T")
STATE, PROGRESS = "state.safetensors", "progress.json"
_OPTIMIZER = "optimizer."
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


def _write(path: Path, write: Callable[[Path], object]) -> None:
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


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    kept = {key: value.detach().cpu().contiguous().clone() for key, value in tensors.items()}
    # As bytes: the library's own files can be read by nobody but the one who wrote them.
    _write(path, lambda partial: partial.write_bytes(tensor_bytes(kept)))


def write_json(path: Path, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    _write(path, lambda partial: partial.write_text(text, encoding="utf-8"))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
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


def read_tensors(path: Path) -> dict[str, Tensor]:
    with _reading(path):
        return dict(load_file(str(path)))


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors of a safetensors file, which are not read. Raises CheckpointError
    if the file is missing or damaged, its list or it are too large, or a type is not one of a
    network."""
    with _reading(path):
        check_size(path, LARGEST)
        with path.open("rb") as stream:
            if int.from_bytes(stream.read(8), "little") > HEADER:
                raise ValueError(f"its list of tensors has more than {HEADER:,} bytes")
        # The library checks that each tensor's bytes are its own, and that all are there.
        with safe_open(str(path), framework="pt") as file:
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
    with _reading(path):
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


def write_state(folder: Path, tensors: Mapping[str, Tensor], progress: Mapping[str, Any]) -> None:
    """The state of a training run; the progress file is written last and makes it valid."""
    name = f"epoch-{progress['epoch']}-{STATE}"
    write_tensors(folder / name, tensors)
    write_json(folder / PROGRESS, {"format": FORMAT, **progress, "state": name})
    for old in state_files(folder):
        if old.name != name:
            old.unlink()


def optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    return {
        f"{_OPTIMIZER}{number}.{name}": torch.as_tensor(value)
        for number, kept in optimizer.state_dict()["state"].items()
        for name, value in kept.items()
    }


def restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give an optimizer what `optimizer_tensors` kept; other tensors of a state are left alone."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith(_OPTIMIZER):
            number, name = key.removeprefix(_OPTIMIZER).split(".", 1)
            state.setdefault(int(number), {})[name] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


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


def read_state(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The state that `write_state` wrote, or None if there is none. Raises CheckpointError as
    `read_progress`, or if the tensors are damaged."""
    progress = read_progress(folder)
    if progress is None:
        return None
    return read_tensors(folder / progress["state"]), progress


def describe_damage(folder: Path) -> str:
    return f"{folder / PROGRESS} is damaged; delete {folder} to train again"


@contextmanager
def bound_building(tensors: int) -> Iterator[None]:
    """Stop the building of a network with clearly more parameters than a file has tensors. Raises
    PartwiseError from inside, at the first parameter too many."""
    # A network may drop a few of its parts, as poolers, before it is filled.
    left, thread = 2 * tensors + 100, threading.get_ident()

    def count(module: nn.Module, name: str, parameter: nn.Parameter) -> None:
        nonlocal left
        # The hook is for all threads.
        left -= threading.get_ident() == thread
        if left < 0:
            raise PartwiseError(
                f"it asks for far more than the {tensors} tensors that the weights' file has"
            )

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        hook.remove()


@contextmanager
def without_memory() -> Iterator[None]:
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    """Draws no first weights. Without memory there is nothing to draw, and torch would load its
    compiler to find that out, which takes longer than all the rest of loading a small parser."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        given = kwargs or {}
        if func.__name__ in ("normal_", "uniform_"):
            return args[0] if args else given["tensor"]
        return func(*args, **given)
