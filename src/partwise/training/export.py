"""The functions of a parser's networks as torch modules, and as graphs that need no torch.

A graph holds the steps of a function. Its weights stay where they are, in model.safetensors: the
graph points to their bytes, and makes floats of numbers in half precision and in eight bits.
"""

from __future__ import annotations

import io
import itertools
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import onnx
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn

from partwise.encoders.eight_bits import SCALE
from partwise.encoders.functions import GRAPH, Array, Function
from partwise.encoders.storage import read_json, write_json
from partwise.training.store import CONFIG, WEIGHTS, write_manifest

if TYPE_CHECKING:
    from partwise.training.neural import NeuralParser

OPSET = 18
"""Version of the operators."""


class TorchFunctions:
    """The functions of a parser with torch; see `partwise.encoders.functions.Functions`. They have
    no dropout, whatever mode the parser is in."""

    def __init__(self, parser: NeuralParser[Any]) -> None:
        self.parser = parser

    @torch.no_grad()
    def __call__(self, name: str, **arrays: Array) -> tuple[Array, ...]:
        function = self.parser.network_functions()[name]
        device = next(self.parser.parameters()).device
        given = {key: torch.from_numpy(value).to(device) for key, value in arrays.items()}
        with self.parser.without_dropout():
            found = function.compute(**given)
        some = found if isinstance(found, tuple) else (found,)
        return tuple(one.float().cpu().numpy() for one in some)


class _Traced(nn.Module):
    """A function as a module, with the weights of its parser."""

    def __init__(self, parser: nn.Module, function: Function) -> None:
        super().__init__()
        self.parser, self.names, self.compute = parser, list(function.example), function.compute

    def forward(self, *given: Tensor) -> Any:
        return self.compute(**dict(zip(self.names, given, strict=True)))


def write_graphs(folder: Path, parser: NeuralParser[Any]) -> None:
    """Write the graphs of a parser's functions beside its weights, which must be there."""
    functions = parser.network_functions()
    if not functions:
        return
    stored = _stored(folder / WEIGHTS)
    for name, function in functions.items():
        model = onnx.load_from_string(traced(parser, function))
        _shrink(model.graph)
        _point_to(model.graph, stored)
        (folder / f"{name}{GRAPH}").write_bytes(model.SerializeToString())


def traced(parser: nn.Module, function: Function) -> bytes:
    """A function of a parser's networks as an ONNX graph with its weights."""
    axes = {
        name: {place: axis for place, axis in enumerate(some) if axis}
        for name, some in function.axes.items()
    }
    made, module = io.BytesIO(), _Traced(parser, function)
    device = next(parser.parameters()).device
    with warnings.catch_warnings(), torch.no_grad():
        # Of what depends on lengths there is none: property tests compare other lengths.
        warnings.simplefilter("ignore")
        # The exporter by traces takes a tenth of a second, and lets the length of what an LSTM
        # reads be free, which the one by `torch.export` (2.13) does not.
        torch.onnx.export(
            module.eval(),
            tuple(value.to(device) for value in function.example.values()),
            made,  # type: ignore[arg-type]  # files are taken where there is no dynamo
            input_names=list(function.example),
            dynamic_axes=axes,
            opset_version=OPSET,
            do_constant_folding=False,
            dynamo=False,
        )
    return made.getvalue()


def _shrink(graph: Any) -> None:
    """Compute once what is the same, and number what is between inputs and outputs."""
    ends, numbers = {end.name for end in graph.output}, itertools.count()
    names = {"": ""} | {start.name: start.name for start in (*graph.input, *graph.initializer)}
    known: dict[tuple[Any, ...], list[str]] = {}
    nodes = []
    for node in graph.node:
        given, outputs = [names[name] for name in node.input], list(node.output)
        same = node.op_type, *given, *sorted(one.SerializeToString() for one in node.attribute)
        made = known.get(same)
        if made is None or ends & set(outputs):
            made = [name if name in ends else name and f"#{next(numbers)}" for name in outputs]
            known[same] = made
            del node.input[:], node.output[:]
            node.input.extend(given)
            node.output.extend(made)
            node.ClearField("name")
            nodes.append(node)
        names |= zip(outputs, made, strict=True)
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)


class _Stored(NamedTuple):
    kind: str
    shape: tuple[int, ...]
    start: int
    size: int


def _stored(file: Path) -> dict[str, _Stored]:
    """Where the tensors of a safetensors file stand."""
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        listed = json.loads(stream.read(size))
    return {
        name: _Stored(
            one["dtype"],
            tuple(one["shape"]),
            8 + size + one["data_offsets"][0],
            one["data_offsets"][1] - one["data_offsets"][0],
        )
        for name, one in listed.items()
        if name != "__metadata__"
    }


_KINDS = {"F32": "FLOAT", "F16": "FLOAT16", "BF16": "BFLOAT16", "I8": "INT8", "I64": "INT64"}


def _point_to(graph: Any, stored: Mapping[str, _Stored]) -> None:
    """Let a graph's weights be those of a file; what the file does not have stays in the graph."""
    pointing = _Pointing(graph, stored)
    nodes = [node for each in graph.node for node in pointing.of_node(each)]
    nodes = [*pointing.whole(), *nodes]
    kept = [weight for weight in graph.initializer if weight.name not in pointing.parts]
    parts = dict.fromkeys(part for some in pointing.parts.values() for part in some)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend([*kept, *(_external(part, stored[part]) for part in parts)])
    graph.node.extend(nodes)


class _Pointing:
    """How numbers become floats in a graph: each step of that is a copy in memory while the graph
    is read. So rows of tables become floats when they are looked up, and the scales of matrices are
    for the products with them.

    Attributes:
        parts: of each weight of the graph, the stored tensors: the numbers, and the scales of
            their rows if they are in eight bits.
    """

    def __init__(self, graph: Any, stored: Mapping[str, _Stored]) -> None:
        names = {weight.name: weight.name.removeprefix("parser.") for weight in graph.initializer}
        self.parts = {
            mine: [part for part in (name, name + SCALE) if part in stored]
            for mine, name in names.items()
            if name in stored
        }
        self.users: dict[str, list[Any]] = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)
        self._scales: dict[str, str] = {}

    def _is_table(self, weight: str) -> bool:
        some = self.users.get(weight, ())
        plain = (not any(given.i for given in node.attribute) for node in some)
        return all(node.op_type == "Gather" for node in some) and all(plain)

    def _is_factor(self, weight: str) -> bool:
        """Whether a matrix is turned, and then only the second factor of products."""
        turns = self.users.get(weight, ())
        products = [(turn, node) for turn in turns for node in self.users.get(turn.output[0], ())]
        return all(
            turn.op_type == "Transpose" and list(turn.attribute[0].ints) == [1, 0] for turn in turns
        ) and all(
            node.op_type == "MatMul" and node.input[0] != turn.output[0] for turn, node in products
        )

    def whole(self) -> list[Any]:
        """The nodes for weights that become floats whole."""
        return [
            node
            for weight, parts in self.parts.items()
            if not self._is_table(weight) and not self._is_factor(weight)
            for node in _floats(weight, parts)
        ]

    def of_node(self, node: Any) -> list[Any]:
        """A node of the graph, or those that take its place."""
        first, made = (node.input or [""])[0], node.output[0]
        if first in self.parts and self._is_table(first):
            rows = [f"{made}::{part}" for part in self.parts[first]]
            looked = [
                helper.make_node("Gather", [part, node.input[1]], [row])
                for part, row in zip(self.parts[first], rows, strict=True)
            ]
            return [*looked, *_floats(made, rows)]
        if first in self.parts and self._is_factor(first):
            numbers, *scale = self.parts[first]
            turned = helper.make_node("Transpose", [numbers], [f"{made}::turned"], perm=[1, 0])
            nodes = [turned, *_floats(made, turned.output)]
            if scale:
                self._scales[made] = f"{made}::scale"
                nodes += _floats(self._scales[made], scale)
            return nodes
        if node.op_type == "MatMul" and node.input[1] in self._scales:
            node.output[0] = f"{made}::unscaled"
            scaled = [node.output[0], self._scales[node.input[1]]]
            return [node, helper.make_node("Mul", scaled, [made])]
        return [node]


def _floats(made: str, parts: Sequence[str]) -> list[Any]:
    """The nodes that make floats of stored numbers, and of the scales of their rows if there are
    any."""
    floats = [f"{made}::{place}" for place, _ in enumerate(parts)]
    nodes = [
        helper.make_node("Cast", [part], [name], to=TensorProto.FLOAT)
        for part, name in zip(parts, floats, strict=True)
    ]
    if len(parts) == 1:
        return [*nodes, helper.make_node("Identity", floats, [made])]
    axis, scale = f"{made}::axis", f"{made}::column"
    last = helper.make_tensor(axis, TensorProto.INT64, [1], [-1])
    return [
        *nodes,
        helper.make_node("Constant", [], [axis], value=last),
        helper.make_node("Unsqueeze", [floats[1], axis], [scale]),
        helper.make_node("Mul", [floats[0], scale], [made]),
    ]


def _external(name: str, place: _Stored) -> Any:
    tensor = TensorProto(name=name, data_type=getattr(TensorProto, _KINDS[place.kind]))
    tensor.dims.extend(place.shape)
    tensor.data_location = TensorProto.EXTERNAL
    where = {"location": WEIGHTS, "offset": place.start, "length": place.size}
    for key, value in where.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def add_graphs(folder: Path, parser: NeuralParser[Any]) -> None:
    """Write graphs into the folder that a parser was read from; its weights stay as they are."""
    write_graphs(folder, parser)
    write_json(folder / CONFIG, read_json(folder / CONFIG) | parser.described())
    write_manifest(folder)
