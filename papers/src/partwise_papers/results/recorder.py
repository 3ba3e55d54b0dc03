"""The plug-in by which ``partwise train --test`` and ``partwise evaluate --save`` keep results."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import partwise
from partwise.evaluation.metrics import Evaluation, Scores
from partwise_papers.results.files import add_seed, stored
from partwise_papers.results.result import Run
from partwise_papers.results.setup import facts_of, metrics_of, setup_of


class ResultFiles:
    """Adds each test to the result file of its setup; see `partwise.evaluation.metrics`."""

    def check(self, results: Path, evaluation: Evaluation) -> None:
        """Find out before the work that its result has no place.

        Raises:
            DataError: if the file there is of another setup, or the parser does not note enough.
        """
        stored(results, setup_of(evaluation))

    def add(
        self,
        results: Path,
        evaluation: Evaluation,
        parser: Any,
        scores: Scores,
        further: Mapping[str, float],
        command: str,
    ) -> Path:
        """Add a test as one seed; an earlier one of the same seed is replaced."""
        facts = facts_of(evaluation)
        setup = setup_of(evaluation, getattr(parser, "parameter_count", None))
        metrics = {**metrics_of(evaluation, scores), **further}
        run = Run(metrics, round(facts["seconds"], 1), device(parser), command, checkout_commit())
        return add_seed(results, setup, int(facts["settings"]["seed"]), run)


RESULT_FILES = ResultFiles()


def device(parser: Any = None) -> str:
    """The processor and the number of threads, or the GPU that holds a parser."""
    import torch

    if isinstance(parser, torch.nn.Module):
        place = next((one.device for one in parser.parameters()), torch.device("cpu"))
        if place.type == "cuda":
            return torch.cuda.get_device_name(place)
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = (line.partition(":") for line in info.read_text().splitlines())
        name = next(
            (value.strip() for key, _, value in lines if key.startswith("model name")), name
        )
    return f"{name}, {torch.get_num_threads()} thread(s)"


def checkout_commit() -> str | None:
    """The git commit of the checkout that partwise runs from; None if it is not in one."""
    init = Path(partwise.__file__)
    # A package installed inside someone else's checkout is not tracked there.
    if _git(init.parent, "ls-files", "--", init.name) is None:
        return None
    return _git(init.parent, "rev-parse", "HEAD")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
