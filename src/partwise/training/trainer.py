"""One training loop for all parsers, its settings, and where its time goes."""

from __future__ import annotations

import logging
import math
import platform
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from partwise.encoders.storage import describe_damage
from partwise.encoders.tensors import optimizer_tensors, read_state, restore_optimizer, write_state
from partwise.errors import CheckpointError, PartwiseError
from partwise.interface.parser import Checkpoints, Parser, TrainingError, TrainingReport
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
    seed: int = setting(0, least=0)
    precision: Literal["fp32", "bf16", "auto"] = "fp32"
    device: Literal["cpu", "cuda", "auto"] = setting("cpu", unrecorded=True)
    threads: int = setting(1, least=1, unrecorded=True)
    held_out: int | None = setting(None, formerly="held", least=0, unrecorded=True)
    GONE: ClassVar[frozenset[str]] = frozenset({"average"})

    def __post_init__(self) -> None:
        check(self)
        if self.keep == "last" and self.patience:
            raise PartwiseError("patience waits for a better epoch, so it needs keep = best")

    def to_dict(self) -> dict[str, Any]:
        return to_dict(self)


def settings_for(
    parser: type[Parser[Any]],
    domain: Any,
    size: int,
    given: Mapping[str, Any] | None = None,
    of_data: Mapping[str, Any] | None = None,
) -> tuple[Any, TrainingConfig]:
    """Settings of a parser and of its training: those given, over the parser's presets. `size`:
    number of training examples; `given`: settings of either, by name; `of_data`: what the data set
    suggests (`DatasetInfo.settings`). Raises PartwiseError for a setting that neither has, and for
    values that cannot be."""
    former = {**former_names(parser.Config), **former_names(TrainingConfig)}
    named = {former.get(name, name): value for name, value in (given or {}).items()}
    own, loop = (
        {option.name for option in fields(kind)} for kind in (parser.Config, TrainingConfig)
    )
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


log = logging.getLogger("partwise.training")

Item = TypeVar("Item")


@dataclass
class LossReport:
    """What a parser says of a batch: a loss to go down, or None if nothing could be learned."""

    loss: Tensor | None
    reached: int = 0
    unreached: list[str] = field(default_factory=list)


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def _error(share: float, count: int) -> float:
    """Standard error of a share of `count`, with two added that are right and two that are wrong
    (Agresti and Coull, 1998): a perfect share is not known for sure either."""
    share, count = (share * count + 2) / (count + 4), count + 4
    return math.sqrt(share * (1 - share) / count)


def computes_bf16(device: str) -> bool:
    """Whether matrix products in bfloat16 are computed as such there, and not imitated."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    # torch tells this of processors in no public place. Of x86, oneDNN says that it can where it
    # imitates: with AVX-512 alone.
    can = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    if platform.machine().lower() in ("x86_64", "amd64"):
        can &= torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return can


POOL = 16
"""How many batches' items are sorted by length together."""
FEATURE_RATE = 10.0
"""Learning rate of single feature weights, in head learning rates."""
NOTHING_KEPT = Checkpoints()


class Trainer(Generic[Item]):
    """Trains a parser; the run can be killed and continued from its folder.

    Args:
        parser: a module that says which parameters are `pretrained` and what the `loss` of a batch
            is, and has a `clock`, as `partwise.training.neural.NeuralParser`.
        evaluate: figures on what the log calls `label`; the first decides, the others break ties.
        judged: of how many questions the first figure is a share. Epochs that are within one
            standard error of the best are as good as it, and the latest of them is kept (the rule
            of Breiman et al., Classification and Regression Trees, 1984); 0 for exact ties only.
        checkpoints: where the state after each epoch is kept, and from where a killed run
            continues; its tick is called after each batch.
        length: size of an item; items of like size share a batch.
        vary: draws another item in an item's place, again in each epoch.
    """

    def __init__(
        self,
        parser: Any,
        items: Sequence[Item],
        evaluate: Callable[[], dict[str, float]],
        settings: TrainingConfig,
        checkpoints: Checkpoints = NOTHING_KEPT,
        length: Callable[[Item], int] = lambda item: 0,
        vary: Callable[[Item, random.Random], Item] | None = None,
        label: str = "dev",
        judged: int = 0,
    ) -> None:
        self.judged = judged
        self.length, self.vary, self.label = length, vary, label
        self.parser, self.items, self.evaluate = parser, list(items), evaluate
        self.settings, self.folder, self.tick = settings, checkpoints.folder, checkpoints.tick
        self.steps = settings.epochs * -(-len(self.items) // settings.batch_size)
        decay = settings.weight_decay
        self.optimizer = torch.optim.AdamW(self._groups(), weight_decay=decay, fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._rate)
        self.report = TrainingReport(len(self.items))
        self.begin = time.perf_counter()
        self.best: dict[str, Tensor] = {}

    def _groups(self) -> list[dict[str, Any]]:
        slow = {id(parameter) for parameter in self.parser.pretrained()}
        groups: dict[str, list[nn.Parameter]] = {"encoder": [], "head": [], "feature": []}
        for parameter in self.parser.parameters():
            if parameter.requires_grad:
                own = "feature" if parameter.dim() == 0 else "head"
                groups["encoder" if id(parameter) in slow else own].append(parameter)
        head = self.settings.head_rate
        return [
            {"params": groups["encoder"], "lr": self.settings.encoder_rate},
            {"params": groups["head"], "lr": head},
            # Weights of single features see a gradient from every span, and must move by units.
            {"params": groups["feature"], "lr": head * FEATURE_RATE, "weight_decay": 0.0},
        ]

    def _rate(self, step: int) -> float:
        warm = max(1, int(self.settings.warmup * self.steps))
        if step < warm:
            return (step + 1) / warm
        return max(0.0, (self.steps - step) / max(1, self.steps - warm))

    def _batches(self, epoch: int) -> list[list[Item]]:
        draw = random.Random(self.settings.seed * 100_003 + epoch)
        order = list(self.items)
        if self.vary is not None:
            order = [self.vary(item, draw) for item in order]
        draw.shuffle(order)
        size = self.settings.batch_size
        # Sorting within pools of batches saves padding and keeps most of the randomness.
        pool = size * POOL
        pools = [order[i : i + pool] for i in range(0, len(order), pool)]
        sorted_ = [item for pool in pools for item in sorted(pool, key=self.length)]
        batches = [sorted_[i : i + size] for i in range(0, len(sorted_), size)]
        draw.shuffle(batches)
        return batches

    def run(self) -> TrainingReport:
        """Train, and leave the best epoch's weights in the parser."""
        self.begin = time.perf_counter()
        first = self._resume()
        for epoch in range(first, self.settings.epochs):
            # Asked first, as a run may have been killed after its last epoch.
            waited = epoch - 1 - self.report.best_epoch
            if epoch and self.settings.patience and waited >= self.settings.patience:
                break
            # Seeding by epoch makes a continued run draw what an unbroken one would.
            seed_everything(self.settings.seed * 100_003 + epoch)
            self._epoch(epoch)
            self._save(epoch)
        return self.keep_best()

    def keep_best(self) -> TrainingReport:
        """Leave the best epoch's weights in the parser; there must have been an epoch."""
        self.parser.load_state_dict(self.best)
        self.parser.eval()
        seconds = self.parser.clock.seconds
        if "chart" in seconds:
            self.report.facts["chart_share"] = seconds["chart"] / (time.perf_counter() - self.begin)
        self.report.seconds = sum(line["seconds"] for line in self.report.history)
        return self.report

    def _epoch(self, epoch: int) -> None:
        begin = time.perf_counter()
        total, reached, unreached = 0.0, 0, list[str]()
        self.parser.begin_epoch(self.items, epoch)
        self.parser.train()
        device, precision = next(self.parser.parameters()).device.type, self.settings.precision
        halves = precision == "bf16" or (precision == "auto" and computes_bf16(device))
        seen = epoch * len(self.items)
        for batch in self._batches(epoch):
            with torch.autocast(device, torch.bfloat16, enabled=halves):
                made = self._loss(batch)
            reached += made.reached
            unreached += made.unreached
            if made.loss is not None:
                total += float(made.loss.detach()) * made.reached
                self._step(made.loss, batch)
            if self.tick is not None:
                seen += len(batch)
                self.tick(seen, self.settings.epochs * len(self.items))
        # The last step may have spoilt what no later loss would show.
        trained = (weights for weights in self.parser.parameters() if weights.requires_grad)
        if not all(bool(weights.isfinite().all()) for weights in trained):
            raise self._stop_error("a weight is not finite", self.schedule.last_epoch, batch)
        self.parser.eval()
        dev = self.evaluate()
        line = {
            "epoch": epoch,
            "loss": total / max(1, reached),
            "reached": reached,
            "unreached": unreached,
            "dev": dev,
            "seconds": time.perf_counter() - begin,
        }
        self.report.history.append(line)
        if self._as_good():
            self.report.best_epoch = epoch
            weights = self.parser.state_dict()
            self.best = {name: value.detach().clone() for name, value in weights.items()}
        shown = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in dev.items())
        log.info(
            "epoch %d of %d: loss %.4f%s%s (%.1f s)",
            *(epoch + 1, self.settings.epochs, line["loss"]),
            f"; questions not reached: {len(unreached)}" if unreached else "",
            f"; {self.label}: {shown}" if dev else "",
            line["seconds"],
        )

    def _loss(self, batch: Sequence[Item]) -> LossReport:
        try:
            made: LossReport = self.parser.loss(batch)
        except PartwiseError as error:
            # Charts refuse scores that are not finite, before there is a loss.
            raise self._stop_error(str(error), self.schedule.last_epoch + 1, batch) from error
        return made

    def _step(self, loss: Tensor, batch: Sequence[Item]) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        with self.parser.clock.part("network"):
            loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.parser.parameters(), self.settings.clip)
        # One number tells: what is not finite anywhere is not finite in the norm or the loss.
        if not math.isfinite(norm) or not math.isfinite(loss.detach()):
            why = f"the loss is {float(loss.detach()):g}, the gradient's norm {float(norm):g}"
            raise self._stop_error(why, self.schedule.last_epoch + 1, batch)
        self.optimizer.step()
        self.schedule.step()

    def _stop_error(self, why: str, step: int, batch: Sequence[Item]) -> TrainingError:
        named = dict(self.parser.named_parameters())
        bad = [name for name, value in named.items() if not value.isfinite().all()]
        grads = {
            name: parameter.grad for name, parameter in named.items() if parameter.grad is not None
        }
        bad = bad or [name for name, grad in grads.items() if not grad.isfinite().all()]
        # Only whole questions have a place in a file.
        examples = [getattr(item, "example", None) or item for item in batch]
        sources = [
            str(getattr(example, "source", example)).splitlines()[0][:80] for example in examples
        ]
        return TrainingError(
            f"training stops at step {step} of {self.steps}: {why}; first parameter that is not "
            f"finite: {bad[0] if bad else 'none'}; examples: {', '.join(sources)}. If the loss "
            "grew before, lower the learning rates"
        )

    def _as_good(self) -> bool:
        """Whether the last epoch is to be kept; of equal epochs the later has seen more."""
        if self.settings.keep == "last":
            return True
        *before, last = (tuple(line["dev"].values()) for line in self.report.history)
        best = max(before, default=last)
        if not last or last >= best:
            return True
        return bool(self.judged) and last[0] >= best[0] - _error(best[0], self.judged)

    # --- continuing a killed run ---------------------------------------------------------

    def _save(self, epoch: int) -> None:
        if self.folder is None:
            return
        tensors = {f"model.{k}": v for k, v in self.parser.state_dict().items()}
        tensors |= {f"best.{k}": v for k, v in self.best.items()}
        tensors |= {f"training.{k}": v for k, v in self.parser.training_state().items()}
        tensors |= optimizer_tensors(self.optimizer)
        progress = {
            "epoch": epoch,
            "items": len(self.items),
            "settings": self.settings.to_dict(),
            "best_epoch": self.report.best_epoch,
            "history": self.report.history,
            "step": self.schedule.last_epoch,
        }
        write_state(self.folder, tensors, progress)

    def _resume(self) -> int:
        state = None if self.folder is None else read_state(self.folder)
        if self.folder is None or state is None:
            return 0
        try:
            return self._continue(*state)
        except (LookupError, TypeError, ValueError, ArithmeticError, RuntimeError) as error:
            raise CheckpointError(f"{describe_damage(self.folder)} ({error!r})") from error

    def _continue(self, tensors: dict[str, Tensor], progress: dict[str, Any]) -> int:
        if progress["settings"] != self.settings.to_dict() or progress["items"] != len(self.items):
            log.warning("the state in %s is of another run and is not continued", self.folder)
            return 0

        def part(prefix: str) -> dict[str, Tensor]:
            size = len(prefix)
            return {k[size:]: v for k, v in tensors.items() if k.startswith(prefix)}

        self.parser.load_state_dict(part("model."))
        self.parser.restore_training_state(part("training."))
        self.best = part("best.")
        restore_optimizer(self.optimizer, tensors)
        self.schedule.last_epoch = int(progress["step"])
        for group, base in zip(self.optimizer.param_groups, self.schedule.base_lrs, strict=True):
            group["lr"] = base * self._rate(self.schedule.last_epoch)
        self.report.history = list(progress["history"])
        self.report.best_epoch = int(progress["best_epoch"])
        log.info("continuing after epoch %d from %s", progress["epoch"] + 1, self.folder)
        return int(progress["epoch"]) + 1
