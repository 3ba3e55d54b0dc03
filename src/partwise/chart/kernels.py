"""Compiling the charts, once after installation.

Machine code is kept beside the source, or in the user's cache folder where that is read-only, or
in ``NUMBA_CACHE_DIR`` if that is set.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
from numba.core.registry import cpu_target


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and keep its machine code for later runs."""
    try:
        compiled: Any = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # No folder that it could be kept in can be written to.
        return numba.njit(nogil=True)(function)
    try:
        compiled._cache._cache_file._load_index()
    except (ImportError, AttributeError):  # An older version kept types that are no more.
        compiled._cache.flush()
    return compiled


def inlined(function: Callable[..., Any]) -> Any:
    """A part of kernels that is compiled as if it stood in them."""
    return numba.njit(nogil=True, inline="always")(function)


class KernelCompiler:
    """Has kernels compiled, and knows whether they are. `function`: one of them, beside which the
    others are kept; `compile_all`: runs all of them."""

    def __init__(self, function: Any, compile_all: Callable[[], object]) -> None:
        self.function, self.compile_all = function, compile_all
        self._compiled = False

    def is_compiled(self) -> bool:
        """Whether machine code for this computer is kept, so that none is to be made."""
        self._compiled = self._compiled or (self._mark is not None and self._mark.exists())
        return self._compiled

    def run(self) -> None:
        """Compile all kernels."""
        if self.is_compiled():
            return
        self.compile_all()
        if self._mark is not None:
            self._mark.touch()
        self._compiled = True

    @cached_property
    def _mark(self) -> Path | None:
        """The file that says so, named by what machine code depends on; None if none is kept."""
        folder = self.function.stats.cache_path
        if folder is None:
            return None
        machine = cpu_target.target_context.codegen().magic_tuple()
        key = hashlib.sha256(f"{sys.version}{numba.__version__}{machine}".encode())
        for source in sorted(Path(__file__).parent.glob("*.py")):
            key.update(source.read_bytes())
        return Path(folder) / f"compiled-{key.hexdigest()[:16]}"
