"""Settings of the End2End parser, checked when made, and those of its training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partwise.interface.settings import check, setting

KIND = "end2end"
"""Name of the parser as a plug-in."""
FEW = 2000
"""With fewer training questions than this, more passes in smaller batches are needed."""


@dataclass(frozen=True)
class End2EndConfig:
    """How an End2End parser is built.

    Attributes:
        encoder: minilm, or a Hugging Face folder or name.
        frozen_layers: Lowest layers of the encoder that are not trained, the embeddings first.
        dropout: Dropout before the answer.
        max_words: Longer questions are not answered.
    """

    encoder: str = "minilm"
    frozen_layers: int = setting(1, least=0, most=100)
    dropout: float = setting(0.1, least=0, below=1)
    max_words: int = setting(80, least=1, most=1000)

    def __post_init__(self) -> None:
        check(self)


def presets(size: int) -> dict[str, Any]:
    """Settings of training where the user gives none.

    Args:
        size: number of training examples.
    """
    usual: Mapping[str, Any] = {"encoder_rate": 2e-4, "precision": "auto"}
    if size < FEW:
        return {**usual, "epochs": 40, "batch_size": 16}
    return {**usual, "epochs": 10, "batch_size": 32}
