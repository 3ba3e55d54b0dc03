"""Compiling the charts: once after installation, in the background if an answer is wanted first.

Machine code is kept beside the source, or in the user's cache folder where that is read-only, or
in ``NUMBA_CACHE_DIR`` if that is set. Until it is there, the interpreter can run the same code:
the results are the same, and with a trained model's scores it takes milliseconds.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from threading import Lock, Thread, current_thread
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher, cpu_target

_JOB = "import os; getattr(os, 'nice', int)(10); from partwise.chart import warm_up; warm_up()"


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


@cache
def interpreted(function: Any) -> Callable[..., Any]:
    """The same function, run by the interpreter; so are all kernels that it calls."""
    return np.errstate(all="ignore")(_python(function))


@cache
def _python(function: Any) -> FunctionType:
    python = function.py_func
    kernels = {
        name: _python(value)
        for name in python.__code__.co_names
        if isinstance(value := python.__globals__.get(name), CPUDispatcher)
    }
    return FunctionType(python.__code__, {**python.__globals__, **kernels}, python.__name__)


class KernelCompiler:
    """Has kernels compiled, and knows whether they are. `function`: one of them, beside which the
    others are kept; `compile_all`: runs all of them."""

    def __init__(self, function: Any, compile_all: Callable[[], object]) -> None:
        self.function, self.compile_all = function, compile_all
        self._busy: Callable[[], bool] | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def chosen(self, function: Any) -> Callable[..., Any]:
        """A kernel, or the interpreted one as long as it is being compiled in the background."""
        # Read once, as other threads may find out at the same time that compiling is done.
        busy = self._busy
        if busy is not None and current_thread() is not self._thread:
            if busy():
                return interpreted(function)
            self._busy = None
        kernel_: Callable[..., Any] = function
        return kernel_

    def wait(self) -> None:
        """Go on when what is being compiled in the background is done."""
        while self._busy is not None and self._busy() and current_thread() is not self._thread:
            time.sleep(0.05)

    def is_compiled(self) -> bool:
        """Whether machine code for this computer is kept, so that none is to be made."""
        return self._mark is not None and self._mark.exists()

    def run(self, wait: bool = True) -> None:
        """Compile all kernels, or begin to: what is asked for meanwhile is interpreted."""
        if self.is_compiled():
            return
        if wait:
            self.compile_all()
            if self._mark is not None:
                self._mark.touch()
            return
        with self._lock:
            if self._busy is None:
                self._busy = self._in_thread() if self._mark is None else self._in_process()

    def _in_process(self) -> Callable[[], bool]:
        """A process goes on when this one ends, so that even a single answer gets it done."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        none = subprocess.DEVNULL
        job = subprocess.Popen(
            [sys.executable, "-c", _JOB],
            env=environment,
            stdin=none,
            stdout=none,
            stderr=none,
            start_new_session=True,
        )
        return lambda: job.poll() is None

    def _in_thread(self) -> Callable[[], bool]:
        self._thread = Thread(target=self.compile_all, daemon=True)
        self._thread.start()
        return self._thread.is_alive

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
