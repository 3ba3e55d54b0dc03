"""The folder of a saved parser, whichever it is.

It holds config.json, a model card, manifest.json with the hashes of the other files, and what the
parser itself writes: model.safetensors, vocabularies, the files of its encoder. Nothing in it is
code, and reading it runs none. Folders from before there was a manifest are read without one.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from partwise.encoders.base import Encoder
from partwise.encoders.storage import (
    read_json,
    read_shapes,
    read_tensors,
    write_json,
    write_tensors,
)
from partwise.errors import CheckpointError, PartwiseError
from partwise.training.card import model_card

CONFIG, WEIGHTS, CARD, MANIFEST = "config.json", "model.safetensors", "README.md", "manifest.json"
ENCODER = "encoder"
"""The folder of an encoder's files beside its weights, in a parser's folder."""
FORMAT = 1
Module = TypeVar("Module", bound=nn.Module)


def write_folder(
    folder: Path, config: Mapping[str, Any], write: Callable[[Path], object], example: str = "..."
) -> None:
    """Write a parser's own files, the configuration, the card and the manifest.

    Args:
        config: what config.json says beside the format; with ``kind``, ``domain``, ``about`` and
            ``training``.
        write: writes the parser's own files into the folder that it is given.
        example: a question that it can answer, for the card.

    Raises:
        CheckpointError: if it cannot be written; what stood in the folder is left as it was.
    """
    # All files are made in a folder beside, so that the old ones stand until all is written.
    staging = folder.with_name(f".{folder.name}.partial")
    try:
        staging.mkdir(parents=True, exist_ok=True)
        write(staging)
        # The configuration and the card are for people, too, who may edit them.
        files = sorted(file for file in staging.rglob("*") if file.is_file())
        hashes = {file.relative_to(staging).as_posix(): _hash(file) for file in files}
        write_json(staging / MANIFEST, {"sha256": hashes})
        write_json(staging / CONFIG, {"format": FORMAT, **config})
        (staging / CARD).write_text(model_card(config, example), encoding="utf-8")
        # Others that stand in the folder are left alone.
        for file in sorted(file for file in staging.rglob("*") if file.is_file()):
            place = folder / file.relative_to(staging)
            place.parent.mkdir(parents=True, exist_ok=True)
            file.replace(place)
    except OSError as error:
        raise CheckpointError(
            f"cannot write {folder}: {error}; free some space or choose another folder"
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def write_weights(folder: Path, module: nn.Module, half: bool = False) -> None:
    """Write a module's weights; with `half` in half precision, in half the space."""
    weights = module.state_dict()
    if half:
        weights = {k: v.half() if v.is_floating_point() else v for k, v in weights.items()}
    write_tensors(folder / WEIGHTS, weights)


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_manifest(folder: Path) -> None:
    """Compare the files with the manifest, where there is one.

    Raises:
        CheckpointError: naming the first file that is missing or is not what was written.
    """
    if not (folder / MANIFEST).exists():
        return
    manifest = read_json(folder / MANIFEST)
    hashes = manifest.get("sha256") if isinstance(manifest, dict) else None
    if not isinstance(hashes, dict):
        raise CheckpointError(f"{folder / MANIFEST} is damaged; copy or train the parser again")
    for name, wanted in hashes.items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise CheckpointError(f"{folder / MANIFEST} names {name}, outside of the folder")
        file = folder / name
        if not file.is_file():
            raise CheckpointError(f"{file} is missing; copy or train the parser again")
        if _hash(file) != wanted:
            raise CheckpointError(
                f"{file} is damaged or is not the file that was saved; copy or train it again"
            )


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Write what an encoder needs beside its weights into a parser's folder.

    Raises:
        CheckpointError: if it cannot be written.
    """
    place = folder / ENCODER
    place.mkdir(exist_ok=True)
    try:
        encoder.save_files(place)
    except Exception as error:
        # The tokenizers library raises a plain Exception where it cannot write.
        raise CheckpointError(f"cannot write the encoder's files: {error}") from error


def kind_of(folder: Path) -> str:
    """The kind of parser that a folder holds, as its config.json says: ``span`` or ``graph``.

    Raises:
        CheckpointError: if the folder or the file is missing or damaged.
    """
    if not folder.is_dir():
        raise CheckpointError(
            f"there is no folder {folder}; train a parser first: partwise train --help"
        )
    config = read_json(folder / CONFIG)
    kind = config.get("kind") if isinstance(config, dict) else None
    if not isinstance(kind, str):
        raise CheckpointError(f"{folder / CONFIG} does not say which kind of parser it is of")
    return kind


def read_config(folder: Path, kind: str) -> dict[str, Any]:
    """The content of config.json.

    Raises:
        CheckpointError: if the folder is missing, damaged, of another kind of parser or version.
    """
    actual, config = kind_of(folder), read_json(folder / CONFIG)
    if config.get("format") != FORMAT or actual != kind:
        raise CheckpointError(
            f"{folder} holds a {actual} parser of format {config.get('format')}; this version "
            f"reads {kind} parsers of format {FORMAT}"
        )
    check_manifest(folder)
    return dict(config)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Whatever is wrong with what config.json and the files beside it say, told as such.

    Raises:
        CheckpointError: in place of the errors inside.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, OSError) as error:
        raise CheckpointError(
            f"{folder / CONFIG} is damaged or lacks a file beside it ({type(error).__name__}: "
            f"{error}); copy or train it again"
        ) from error
    except CheckpointError:
        raise
    except PartwiseError as error:
        raise CheckpointError(f"{folder / CONFIG}: {error}; train it again") from error


def filled(folder: Path, make: Callable[[], Module]) -> Module:
    """A parser with its saved weights.

    It is made without memory first: a damaged or hostile folder may name sizes that no memory
    holds, so what its JSON files ask for must be what the weights' file has, before it is made.

    Args:
        make: what makes the parser, its weights still to be filled in.

    Raises:
        CheckpointError: if it cannot be made, or the weights are missing, damaged, or of another
            shape.
    """
    file = folder / WEIGHTS
    with reading(folder), torch.device("meta"), _Undrawn():
        wanted = {name: tuple(value.shape) for name, value in make().state_dict().items()}
    stored = read_shapes(file)
    for name in sorted(wanted.keys() | stored.keys()):
        if wanted.get(name) != stored.get(name):
            raise CheckpointError(
                f"{file} does not fit {CONFIG}: {name} has the shape {stored.get(name)} there, not "
                f"{wanted.get(name)}; copy or train it again"
            )
    with reading(folder):
        parser = make()
    parser.load_state_dict(read_tensors(file))
    return parser.eval()


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
