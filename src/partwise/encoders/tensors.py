"""Files of tensors and the states of trainings, and networks that a file describes: these are built
without memory and with no more parts than the file has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from safetensors.torch import save as tensor_bytes
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode

from partwise.encoders.storage import (
    FORMAT,
    PROGRESS,
    STATE,
    read_progress,
    reading_file,
    state_files,
    write_file,
    write_json,
)
from partwise.errors import PartwiseError

_OPTIMIZER = "optimizer."


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    kept = {key: value.detach().cpu().contiguous().clone() for key, value in tensors.items()}
    # As bytes: the library's own files can be read by nobody but the one who wrote them.
    write_file(path, lambda partial: partial.write_bytes(tensor_bytes(kept)))


def read_tensors(path: Path) -> dict[str, Tensor]:
    with reading_file(path):
        return dict(load_file(str(path)))


def write_state(folder: Path, tensors: Mapping[str, Tensor], progress: Mapping[str, Any]) -> None:
    """The state of a training run; the progress file is written last and makes it valid."""
    name = f"epoch-{progress['epoch']}-{STATE}"
    write_tensors(folder / name, tensors)
    write_json(folder / PROGRESS, {"format": FORMAT, **progress, "state": name})
    for old in state_files(folder):
        if old.name != name:
            old.unlink()


def read_state(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The state that `write_state` wrote, or None if there is none. Raises CheckpointError as
    `read_progress`, or if the tensors are damaged."""
    progress = read_progress(folder)
    if progress is None:
        return None
    return read_tensors(folder / progress["state"]), progress


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
