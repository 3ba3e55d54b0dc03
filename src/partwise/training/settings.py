"""Settings of the training loop."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from partwise.errors import PartwiseError


@dataclass(frozen=True)
class TrainSettings:
    """How long, how fast and how often.

    Attributes:
        epochs: at most this many passes over the training examples.
        patience: stop after this many epochs without a better dev score; 0 for never.
        encoder_rate, head_rate: peak learning rates of a pretrained encoder and of the rest.
        warmup: share of the steps in which the rates rise; then they fall linearly to zero.
        clip: limit of the gradient's norm.
        average: decay of the running average of the weights that is evaluated and kept in place of
            the last weights; 0 for no average.
        precision: ``bf16`` runs training's matrix products in bfloat16 (twice as fast on CPUs
            that have it, slower on others); weights and prediction stay in ``fp32``.
    """

    epochs: int = 10
    batch_size: int = 16
    patience: int = 0
    encoder_rate: float = 5e-5
    head_rate: float = 1e-3
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.0
    seed: int = 0
    precision: str = "fp32"

    def __post_init__(self) -> None:
        if self.precision not in ("fp32", "bf16"):
            raise PartwiseError(f"precision {self.precision!r} is none of fp32, bf16")
        if not 0.0 <= self.average < 1.0:
            raise PartwiseError(f"average must be from 0 to below 1, not {self.average}")
        for name in ("epochs", "batch_size"):
            if getattr(self, name) < 1:
                raise PartwiseError(f"{name} must be at least 1, not {getattr(self, name)}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)
