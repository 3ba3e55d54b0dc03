"""The networks of a saved parser as pure functions from arrays to arrays, without torch.

Each function is an ONNX graph in the parser's folder, written when the parser was saved. Its
weights are those of model.safetensors, which the graph points into. While a parser is trained the
same functions are torch modules (`partwise.training.export`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.encoders.storage import HEADER, LARGEST, check_size, reading_file
from partwise.errors import CheckpointError, PartwiseError
from partwise.interface.files import as_it_stands

if TYPE_CHECKING:
    from torch import Tensor

Array = NDArray[Any]
OWN = Path(__file__).resolve().parents[1] / "domains"
"""Where the parsers are that come with the package."""
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
        # Graphs are opened again to be optimized, when another folder may stand there.
        self._standing, self._name = as_it_stands(folder), folder.resolve()
        self._folder = self._standing.__enter__()
        self._sessions: dict[str, tuple[Any, set[str]]] = {}
        # What comes with the package is trusted as its code is. A graph says itself in which file
        # its weights are: none of the folder may be a pipe.
        for file in () if self._name.is_relative_to(OWN) else folder.rglob("*"):
            if not file.is_dir():
                with reading_file(file):
                    check_size(file, HEADER if file.suffix == GRAPH else LARGEST)
                    if file.suffix == GRAPH:
                        check_graph(file.read_bytes())
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
                    f"{self._name / file.name} is damaged ({error!s:.200}); copy or train it again"
                ) from error
            self._sessions[file.stem] = session, {given.name for given in session.get_inputs()}

    def __call__(self, name: str, **arrays: Array) -> tuple[Array, ...]:
        if name not in self._sessions:
            raise PartwiseError(f"the parser's folder has no graph {name!r}; save it again")
        session, takes = self._sessions[name]
        given = {key: np.ascontiguousarray(value) for key, value in arrays.items() if key in takes}
        try:
            made = tuple(session.run(None, given))
            if any(one.dtype.kind != "f" or np.isnan(one).any() for one in made):
                raise ValueError("what it gives are no numbers")
        except Exception as error:
            where = self._name / f"{name}{GRAPH}"
            raise PartwiseError(f"{where} cannot compute ({error!s:.200})") from error
        return made


def has_graphs(folder: Path) -> bool:
    """Whether a saved parser's folder has graphs, so that it can be used without torch."""
    return any(folder.glob(f"*{GRAPH}"))


_PARTS: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "steps of training", 25: "functions of its own"},
    "graph": {1: "node", 5: "tensor", 15: "sparse weights"},
    "node": {5: "attribute", 7: "domain"},
    "attribute": {
        **{5: "tensor", 10: "tensor", 22: "sparse weights", 23: "sparse weights"},
        **{6: "steps inside of steps", 11: "steps inside of steps"},
    },
    "tensor": {13: "place"},
    "place": {2: "value"},
}
"""What is looked into of the messages of onnx.proto, by the numbers of their fields; what is no
message here a graph may not have."""
_PLACE = re.compile(rb"model\.safetensors|\d*")
"""A file with weights, or where they stand in it."""


def check_graph(data: bytes, part: str = "model") -> None:
    """Check that a graph has a fixed number of steps, all of them operators of the standard, and no
    weights in other files than the parser's own. Raises ValueError for any other, and for what is
    none."""
    if part == "domain" and data not in (b"", b"ai.onnx"):
        raise ValueError(f"it has operators of {data!r:.40}")
    if part == "value" and not _PLACE.fullmatch(data):
        raise ValueError(f"it has weights in {data!r:.80}")
    if part in ("domain", "value"):
        return
    if part not in _PARTS:
        raise ValueError(f"it has {part}")
    for number, inside in _fields(data):
        if number in _PARTS[part]:
            check_graph(inside, _PARTS[part][number])


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message of protocol buffers that are no numbers. Raises ValueError for what
    is no message."""
    place = 0
    while place < len(data):
        tag, place = _number(data, place)
        kind, size = tag & 7, {1: 8, 5: 4}.get(tag & 7, 0)
        if kind in (0, 2):
            size, place = _number(data, place)
        if kind == 2:
            # As readers in C do, which know tags of 32 bits.
            yield (tag & 0xFFFFFFFF) >> 3, data[place : place + size]
        elif kind not in (0, 1, 5):
            raise ValueError("it is no graph")
        place += size if kind else 0
    if place > len(data):
        raise ValueError("it is cut off")


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number of up to ten bytes, and where it ends."""
    value = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place
    raise ValueError("it is cut off")
