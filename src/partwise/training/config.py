"""Settings of a training run, whichever parser it trains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from partwise.interface.settings import check, setting, to_dict


@dataclass(frozen=True)
class TrainingConfig:
    """How long, how fast and on what a parser is trained.

    Attributes:
        epochs: Passes over the training questions; the best one is kept.
        batch_size: Questions a step.
        patience: Stop after this many epochs without a better one; 0 for never.
        encoder_rate: Peak learning rate of a pretrained encoder. Lower it if the loss jumps.
        head_rate: Peak learning rate of all that is not pretrained.
        warmup: Share of the steps in which the rates rise; then they fall linearly to zero.
        weight_decay: Weight decay of AdamW.
        clip: Limit of the gradient's norm.
        average: Decay of the running average of the weights, which is evaluated and kept in place
            of the last weights; 0 for no average.
        seed: Another seed is another run of the same experiment.
        precision: bf16 computes training's matrix products in bfloat16, which is twice as fast on
            processors that have it and slower on others. Weights and prediction stay in fp32.
        device: Where the network computes: cpu, cuda (an NVIDIA GPU), or auto (a GPU if there is
            one).
        threads: Processor threads. More are faster where cores are free, but sums are then
            rounded in another order, so that metrics may differ a little.
        held_out: How many training questions are not trained on but choose the best epoch, at most
            a fifth of them; 0 for none. Without it the parser decides: span parsers choose on dev,
            or on a fifth of the training questions if there is no dev; graph parsers hold out 500.
    """

    epochs: int = setting(10, least=1)
    batch_size: int = setting(16, least=1)
    patience: int = setting(0, least=0)
    encoder_rate: float = setting(5e-5, least=0)
    head_rate: float = setting(1e-3, least=0)
    warmup: float = setting(0.1, least=0, most=1)
    weight_decay: float = setting(0.01, least=0)
    clip: float = setting(1.0, least=0)
    average: float = setting(0.0, least=0, below=1)
    seed: int = setting(0, least=0)
    precision: Literal["fp32", "bf16"] = "fp32"
    device: Literal["cpu", "cuda", "auto"] = setting("cpu", unrecorded=True)
    threads: int = setting(1, least=1, unrecorded=True)
    held_out: int | None = setting(None, formerly="held", least=0, unrecorded=True)

    def __post_init__(self) -> None:
        check(self)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return to_dict(self)
