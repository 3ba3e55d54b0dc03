"""Settings of a training run, whichever parser it trains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from partwise.errors import PartwiseError
from partwise.interface.parser import Parser
from partwise.interface.settings import check, former_names, setting, to_dict


@dataclass(frozen=True)
class TrainingConfig:
    """How long, how fast and on what a parser is trained.

    Attributes:
        epochs: Passes over the training questions.
        keep: Which epoch's weights are kept. best: the one that is best on held-out questions.
            last: the last one, whatever held-out questions say, of which a few are soon all right
            and say little of new combinations.
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
            processors that have it and much slower on others. auto: bf16 on the former, fp32 on
            the latter. Weights and prediction stay in fp32.
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
    keep: Literal["best", "last"] = setting("best", later=True)
    patience: int = setting(0, least=0)
    encoder_rate: float = setting(5e-5, least=0)
    head_rate: float = setting(1e-3, least=0)
    warmup: float = setting(0.1, least=0, most=1)
    weight_decay: float = setting(0.01, least=0)
    clip: float = setting(1.0, least=0)
    average: float = setting(0.0, least=0, below=1)
    seed: int = setting(0, least=0)
    precision: Literal["fp32", "bf16", "auto"] = "fp32"
    device: Literal["cpu", "cuda", "auto"] = setting("cpu", unrecorded=True)
    threads: int = setting(1, least=1, unrecorded=True)
    held_out: int | None = setting(None, formerly="held", least=0, unrecorded=True)

    def __post_init__(self) -> None:
        check(self)
        if self.keep == "last" and self.patience:
            raise PartwiseError("patience waits for a better epoch, so it needs keep = best")

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return to_dict(self)


def settings_for(
    parser: type[Parser[Any]],
    domain: Any,
    size: int,
    given: Mapping[str, Any] | None = None,
    of_data: Mapping[str, Any] | None = None,
) -> tuple[Any, TrainingConfig]:
    """Settings of a parser and of its training: those given, over the parser's presets.

    Args:
        size: number of training examples.
        given: settings of either, by name.
        of_data: what the data set suggests (`DatasetInfo.settings`).

    Raises:
        PartwiseError: for a setting that neither has, and for values that cannot be.
    """
    former = {**former_names(parser.Config), **former_names(TrainingConfig)}
    named = {former.get(name, name): value for name, value in (given or {}).items()}
    own, loop = ({one.name for one in fields(kind)} for kind in (parser.Config, TrainingConfig))
    usual = parser.presets(domain, named, of_data or {}, size)
    # A data set suggests settings for parsers of several kinds.
    others = set(of_data or {}) - own - loop
    values = {**{name: usual[name] for name in usual if name not in others}, **named}
    unknown = sorted(set(values) - own - loop)
    if unknown:
        raise PartwiseError(f"no setting {unknown[0]!r} of {parser.kind} parsers or their training")
    return (
        parser.Config(**{name: value for name, value in values.items() if name not in loop}),
        TrainingConfig(**{name: value for name, value in values.items() if name in loop}),
    )
