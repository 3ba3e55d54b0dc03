"""The systems of the papers as combinations of settings, and the settings for small data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partwise.errors import PartwiseError
from partwise.interface.settings import recorded, variant_of
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig

STACKED = ("transformer", "universal", "evolved", "t5")
"""Systems that are a stack over a stack, without copying."""
SYSTEMS: dict[str, Mapping[str, Any]] = {
    "seq2seq": {},
    "contextual": {"contextual": "minilm"},
    "bert2seq": {"encoder": "minilm", "decoder": "transformer"},
    "grammar": {"form": "rules"},
    "bart": {"pretrained": "facebook/bart-base"},
    "bert2bert": {"pretrained": "minilm"},
    "lstm": {"copy": False},
    **{name: {"decoder": name, "encoder": STACK, "copy": False} for name in STACKED},
    **{
        f"{form}-{name}": {"decoder": name, "encoder": STACK, "copy": False, "form": form}
        for form in ("rir", "lir")
        for name in ("transformer", "t5")
    },
    "cbr": {"decoder": "transformer", "encoder": STACK},
}
"""Name of a system -> its settings where they are not the defaults."""
FEW = 2000
"""With fewer training questions than this, more passes in smaller batches are needed."""


def presets(given: Mapping[str, Any], usual: str, size: int) -> dict[str, Any]:
    """Settings to use where the user gives none.

    Args:
        given: what the user gave; `system` says whose settings they are.
        usual: the system, if that is not given.
        size: number of training examples.

    Raises:
        PartwiseError: for a system that is not known.
    """
    name = given.get("system", usual)
    if name not in SYSTEMS:
        raise PartwiseError(f"system {name!r} is none of {', '.join(SYSTEMS)}")
    steps: dict[str, Any]
    steps = {"epochs": 50, "batch_size": 8} if size < FEW else {"epochs": 10, "batch_size": 32}
    if SYSTEMS[name].get("pretrained") or given.get("pretrained"):
        few = size < FEW
        steps = {"epochs": 30, "batch_size": 16} if few else {"epochs": 10, "batch_size": 32}
        # The side of the decoder of a BERT is far from what it was trained for.
        slow = 2e-4 if name == "bert2bert" else 1e-4
        steps |= {"encoder_rate": slow, "head_rate": 1e-3, "precision": "auto"}
    return {**SYSTEMS[name], **steps, "keep": "last"}


def variant(config: Seq2SeqConfig) -> str:
    """The name of the system, and whatever is not as it has it: ``lstm-beam1``."""
    usual = {
        **recorded(type(config)()),
        **SYSTEMS.get(config.system, {}),
        "system": config.system,
    }
    return variant_of(config.system, config, usual)
