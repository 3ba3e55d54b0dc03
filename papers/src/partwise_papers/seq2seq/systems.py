"""The systems of the papers as combinations of settings, and the settings for small data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partwise.interface.settings import recorded, spelled
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig

SYSTEMS: dict[str, Mapping[str, Any]] = {
    "seq2seq": {},
    "contextual": {"contextual": "minilm"},
    "bert2seq": {"encoder": "minilm", "decoder": "transformer"},
    "lstm": {"copy": False},
    "transformer": {"decoder": "transformer", "encoder": STACK, "copy": False},
}
"""Name of a system -> its settings where they are not the defaults."""
FEW = 2000
"""With fewer training questions than this, more passes in smaller batches are needed."""


def presets(given: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Settings to use where the user gives none.

    Args:
        given: what the user gave.
        size: number of training examples.
    """
    if size < FEW:
        return {"epochs": 30, "batch_size": 16, "keep": "last"}
    return {"epochs": 10, "batch_size": 64, "keep": "last"}


def variant(config: Seq2SeqConfig) -> str:
    """The name of a system, and whatever else is not by default: ``lstm-beam1``."""
    usual, settings = recorded(type(config)()), recorded(config)
    other = {name: value for name, value in settings.items() if value != usual[name]}
    systems = sorted(SYSTEMS, key=lambda name: -len(SYSTEMS[name]))
    name = next(name for name in systems if SYSTEMS[name].items() <= other.items())
    rest = (spelled(*one) for one in other.items() if one[0] not in SYSTEMS[name])
    return "-".join([name, *rest])
