"""The networks of a saved parser as pure functions from arrays to arrays, without torch.

Each function is an ONNX graph in the parser's folder, written when the parser was saved. Its
weights are those of model.safetensors, which the graph points into. While a parser is trained the
same functions are torch modules (`partwise.training.export`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.encoders.storage import LARGEST, check_size, reading_file
from partwise.errors import CheckpointError, PartwiseError

if TYPE_CHECKING:
    from torch import Tensor

Array = NDArray[Any]
GRAPH = ".onnx"
"""How the names of files with graphs end."""


class Functions(Protocol):
    """The functions of a parser's networks, by their names."""

    def __call__(self, name: str, **arrays: Array) -> tuple[Array, ...]:
        """What a function gives for arrays. Raises PartwiseError if it cannot be computed."""
        ...


class Function(NamedTuple):
    """A function of a parser's networks.

    Attributes:
        compute: what it gives for its tensors, by name.
        example: of these, in their order; no axis is of length 1 but by nature.
        axes: the names of the axes of each; "" for one whose length is always the same.
    """

    compute: Callable[..., Tensor | tuple[Tensor, ...]]
    example: Mapping[str, Tensor]
    axes: Mapping[str, Sequence[str]]


class GraphFunctions:
    """The graphs of a saved parser's folder. Each call computes in the thread that makes it, and
    threads may share them. Raises CheckpointError if one cannot be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sessions: dict[str, tuple[Any, set[str]]] = {}
        # A graph says itself in which file its weights are: none of the folder may be a pipe.
        for file in folder.rglob("*"):
            if not file.is_dir():
                with reading_file(file):
                    check_size(file, LARGEST)
        self._optimized = False
        self._open("ORT_DISABLE_ALL")

    def optimize(self) -> None:
        """Take some tenths of a second, once, and compute a tenth faster from then on."""
        if not self._optimized:
            self._open("ORT_ENABLE_ALL")
            self._optimized = True

    def _open(self, level: str) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        # A second thread gains nothing for a question, and waits in a spin beside other programs.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4
        # Lengths differ from question to question, so that a plan of memory is of no use; and what
        # an arena has taken it does not give back.
        options.enable_mem_pattern = options.enable_cpu_mem_arena = False
        for file in sorted(self._folder.glob(f"*{GRAPH}")):
            try:
                session = onnxruntime.InferenceSession(
                    file, options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:
                # Each of its errors is a class of its own below Exception.
                raise CheckpointError(
                    f"{file} is damaged ({error!s:.200}); copy or train it again"
                ) from error
            self._sessions[file.stem] = session, {given.name for given in session.get_inputs()}

    def __call__(self, name: str, **arrays: Array) -> tuple[Array, ...]:
        if name not in self._sessions:
            raise PartwiseError(f"the parser's folder has no graph {name!r}; save it again")
        session, takes = self._sessions[name]
        given = {key: np.ascontiguousarray(value) for key, value in arrays.items() if key in takes}
        try:
            return tuple(session.run(None, given))
        except Exception as error:
            raise PartwiseError(f"the graph {name!r} cannot compute ({error!s:.200})") from error


def has_graphs(folder: Path) -> bool:
    """Whether a saved parser's folder has graphs, so that it can be used without torch."""
    return any(folder.glob(f"*{GRAPH}"))
