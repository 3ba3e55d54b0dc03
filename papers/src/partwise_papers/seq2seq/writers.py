"""Pretrained encoder-decoders: BART and T5, and a BERT on both sides (Rothe et al. 2020)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from partwise.encoders.architecture import configuration
from partwise.encoders.pretrained import (
    REFUSED,
    TENSORS,
    check_parameters,
    filled,
    question_tokenizer,
    read_entries,
    source_of,
)
from partwise.encoders.storage import bounded_building, without_memory
from partwise.errors import PartwiseError
from partwise_papers.seq2seq.pieces import lossless

Loaded = tuple[Any, Any, Any]
"""A network, its tokenizer, and its configuration as it was read."""
Part = Callable[[Any, Any], nn.Module]
"""Makes a network: a class of transformers that chooses by configuration, and that."""


def _whole(part: Part, config: Any) -> nn.Module:
    from transformers import AutoModelForSeq2SeqLM

    return part(AutoModelForSeq2SeqLM, config)


def _both_sides(part: Part, config: Any) -> nn.Module:
    from transformers import AutoModel, AutoModelForCausalLM, EncoderDecoderModel

    encoder: Any = part(AutoModel, config)
    # The sentence vector is not used.
    encoder.pooler = None
    entries = {**config.to_dict(), "is_decoder": True, "add_cross_attention": True}
    decoder: Any = part(AutoModelForCausalLM, type(config)(**entries))
    return EncoderDecoderModel(encoder=encoder, decoder=decoder)


WRITERS: Mapping[str, Callable[[Part, Any], nn.Module]] = {
    **dict.fromkeys(("bart", "t5"), _whole),
    "bert": _both_sides,
}
"""model_type of a config.json -> what makes the network."""
NEW = ("crossattention", "predictions.transform")
"""In the names of what a BERT lacks on the side of the decoder."""
LACKING = (*NEW, "cls.predictions", "pooler", "lm_head", "final_logits_bias")
"""In the names of all that a checkpoint need not have."""


def load_writer(name: str, folder: Path | None = None) -> Loaded:
    """A network that writes, its tokenizer, and its configuration.

    Args:
        name: minilm, a folder, or a hub name.
        folder: where the tokenizer and the configuration are read from; weights are random if
            given (a checkpoint fills them in).

    Raises:
        PartwiseError: if it cannot be loaded.
    """
    source = source_of(name, folder)
    try:
        entries = read_entries(source)
        kind = str(entries.get("model_type"))
        if kind not in WRITERS:
            raise PartwiseError(f"its model_type {kind!r:.60} is none of {', '.join(WRITERS)}")
        config = configuration(entries, kind)
        tokenizer = lossless(question_tokenizer(source, folder is not None, config))
        return _network(source, config, folder is None), tokenizer, config
    except Exception as error:
        raise PartwiseError(
            f"cannot load the pretrained encoder-decoder {name!r}: {error}. Give a folder with "
            "config.json, tokenizer.json and model.safetensors"
        ) from error


def _network(source: str, config: Any, weights: bool) -> nn.Module:
    def empty(auto: Any, config: Any) -> nn.Module:
        made: nn.Module = auto.from_config(config, **REFUSED)
        return made

    def loaded(auto: Any, config: Any) -> nn.Module:
        made: nn.Module = filled(auto, source, config, LACKING)
        return made

    make = WRITERS[config.model_type]
    bare = torch.get_default_device().type == "meta"
    if weights and not bare:
        with without_memory(), bounded_building(TENSORS):
            check_parameters(make(empty, config))
        return make(loaded, config)
    network = make(empty, config)
    check_parameters(network)
    return network


def save_writer(tokenizer: Any, config: Any, folder: Path) -> None:
    """Write what `load_writer` reads beside the weights."""
    os.makedirs(folder, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config.save_pretrained(folder)
