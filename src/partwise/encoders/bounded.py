"""Building a network that a file describes, without memory and with no more parts than it has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.overrides import TorchFunctionMode

from partwise.errors import PartwiseError


@contextmanager
def bounded_building(tensors: int) -> Iterator[None]:
    """Stop the building of a network with clearly more parameters than a file has tensors.

    Raises:
        PartwiseError: from inside, at the first parameter too many.
    """
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
    """Build shapes alone."""
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    """Draws no first weights.

    Without memory there is nothing to draw, and torch would load its compiler to find that out,
    which takes longer than all the rest of loading a small parser.
    """

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
