"""The weights of a saved parser: written, and read into networks that are not larger than they."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from torch import nn

from partwise.encoders.base import Encoder
from partwise.encoders.eight_bits import pack, shapes_of, unpack
from partwise.encoders.storage import read_shapes
from partwise.encoders.tensors import bound_building, read_tensors, without_memory, write_tensors
from partwise.errors import CheckpointError
from partwise.training.store import CONFIG, ENCODER, WEIGHTS, reading

Module = TypeVar("Module", bound=nn.Module)


def write_weights(
    folder: Path, module: nn.Module, half: bool = False, eight_bits: tuple[str, ...] = ()
) -> None:
    """Write a module's weights. `half`: in half precision, in half the space; `eight_bits`: then
    matrices whose names begin so take a quarter."""
    weights = module.state_dict()
    if half:
        weights = pack(weights, eight_bits)
        weights = {k: v.half() if v.is_floating_point() else v for k, v in weights.items()}
    write_tensors(folder / WEIGHTS, weights)


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Write what an encoder needs beside its weights into a parser's folder. Raises CheckpointError
    if it cannot be written."""
    place = folder / ENCODER
    place.mkdir(exist_ok=True)
    try:
        encoder.save_files(place)
    except Exception as error:
        # The tokenizers library raises a plain Exception where it cannot write.
        raise CheckpointError(f"cannot write the encoder's files: {error}") from error


def load_weights(folder: Path, make: Callable[[], Module]) -> Module:
    """A parser with its saved weights. It is made without memory first: a damaged or hostile folder
    may name sizes that no memory holds, so what its JSON files ask for must be what the weights'
    file has, before it is made. `make`: what makes the parser, its weights still to be filled in.
    Raises CheckpointError if it cannot be made, or the weights are missing, damaged, or of another
    shape."""
    file = folder / WEIGHTS
    with reading(folder):
        stored = shapes_of(read_shapes(file))
    with reading(folder), without_memory(), bound_building(len(stored)):
        wanted = {name: tuple(value.shape) for name, value in make().state_dict().items()}
    for name in sorted(wanted.keys() | stored.keys()):
        if wanted.get(name) != stored.get(name):
            raise CheckpointError(
                f"{file} does not fit {CONFIG}: {name:.200} has the shape {stored.get(name)} "
                f"there, not {wanted.get(name)}; copy or train it again"
            )
    with reading(folder):
        parser = make()
        parser.load_state_dict(unpack(read_tensors(file)))
    return parser.eval()
