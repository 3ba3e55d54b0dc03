"""Training that goes on where it was stopped: its state is written every few minutes."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from partwise.encoders.storage import PROGRESS, describe_damage, state_files
from partwise.encoders.tensors import optimizer_tensors, read_state, restore_optimizer, write_state
from partwise.errors import CheckpointError

log = logging.getLogger("partwise.training")

EVERY = 600.0
"""Seconds between two states."""


class TrainingState:
    """The state of a training, in a folder of its own; None to write nothing. Of `networks`, what
    learns is kept, `every` so many seconds. `facts`: what two runs have in common if one continues
    the other."""

    def __init__(
        self,
        folder: Path | None,
        networks: Mapping[str, nn.Module],
        optimizer: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LambdaLR,
        facts: Mapping[str, Any],
        every: float = EVERY,
    ) -> None:
        self.folder, self.networks = folder, networks
        self.optimizer, self.schedule = optimizer, schedule
        self.facts, self.every = dict(facts), every
        self.written = time.monotonic()

    def restore(self) -> tuple[int, float]:
        """How many steps are done, and the sum of the losses of the epoch that was begun. Raises
        CheckpointError if the state is damaged."""
        state = read_state(self.folder) if self.folder is not None else None
        if state is None:
            return 0, 0.0
        tensors, progress = state
        if progress.get("facts") != self.facts:
            log.warning("the state in %s is of another run and is not continued", self.folder)
            return 0, 0.0
        try:
            self._load(tensors, int(progress["epoch"]))
            return int(progress["epoch"]), float(progress["loss"])
        except (LookupError, TypeError, ValueError, RuntimeError) as error:
            assert self.folder is not None
            raise CheckpointError(f"{describe_damage(self.folder)} ({error!r})") from error

    def keep(self, steps: int, loss: float) -> None:
        """Write the state if the last one is old. `loss`: the sum of the losses of the epoch so
        far."""
        if self.folder is None or time.monotonic() - self.written < self.every:
            return
        tensors = dict(self._learned())
        tensors |= optimizer_tensors(self.optimizer)
        tensors["random"] = torch.get_rng_state()
        write_state(self.folder, tensors, {"epoch": steps, "loss": loss, "facts": self.facts})
        self.written = time.monotonic()

    def forget(self) -> None:
        if self.folder is not None:
            for file in (self.folder / PROGRESS, *state_files(self.folder)):
                file.unlink(missing_ok=True)

    def _learned(self) -> Iterator[tuple[str, Tensor]]:
        for name, network in self.networks.items():
            for key, one in network.named_parameters():
                if one.requires_grad:
                    yield f"{name}.{key}", one

    def _load(self, tensors: Mapping[str, Tensor], steps: int) -> None:
        with torch.no_grad():
            for name, one in self._learned():
                one.copy_(tensors[name])
        restore_optimizer(self.optimizer, tensors)
        self.schedule.last_epoch = steps
        rates = zip(self.schedule.base_lrs, self.schedule.lr_lambdas, strict=True)
        for group, (base, rate) in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = base * rate(steps)
        torch.set_rng_state(tensors["random"])
