"""What ``train --test`` and ``evaluate --save`` write into result files."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from partwise.cli.common import typed
from partwise.errors import DataError
from partwise.evaluation.result import Run, Setup
from partwise.evaluation.results import (
    add_seed,
    checkout_commit,
    differences,
    load_result,
    result_path,
)

PLACES = ("--data", "--out", "--results", "--errors")
"""Options that say where things are, not what is done."""
SHOWN = ("--json", "--debug")
"""Options that say what is shown."""
FILES = ("--train", "--dev", "--test-file", "--config")
"""Options with files, whose folders are nobody's business."""


def same_setup(file: Path, setup: Setup) -> None:
    """Find out before the work that its result has no place.

    Raises:
        DataError: if the file there is of another setup; the number of parameters is not looked
            at, as it is counted later.
    """
    if not file.exists():
        return
    old = load_result(file).setup
    changed = [name for name in differences(old, setup) if name != "parameters"]
    if changed:
        raise DataError(
            f"{file}: was made with other {', '.join(changed)}, so that a mean over seeds would "
            "mix setups; name another --variant, or delete the file"
        )


def record(
    results: Path, setup: Setup, seed: int, metrics: Mapping[str, float], seconds: float, done: str
) -> Path:
    """Add one seed's metrics to its result file.

    Args:
        seconds: wall time of the training.
        done: the command, as `command` gives it.

    Returns:
        The file.

    Raises:
        DataError: as `add_seed`.
    """
    path = result_path(results, setup)
    add_seed(
        path, setup, seed, Run(dict(metrics), round(seconds, 1), device(), done, checkout_commit())
    )
    return path


def device() -> str:
    """The processor and the number of threads."""
    import torch

    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = (line.partition(":") for line in info.read_text().splitlines())
        name = next(
            (value.strip() for key, _, value in lines if key.startswith("model name")), name
        )
    return f"{name}, {torch.get_num_threads()} thread(s)"


def command(model: tuple[str, str] | None = None) -> str:
    """The command that was given, as results record it.

    Args:
        model: a folder of this machine, and what is recorded in its place.
    """
    words = typed.get()
    return recorded([model[1] if model and word == model[0] else word for word in words])


def recorded(words: Sequence[str]) -> str:
    """A command (without ``partwise``) as results record it: without places and what is shown."""
    kept, rest = ["partwise"], iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in SHOWN:
            continue
        if name in PLACES:
            _ = equals or next(rest, "")
        elif name in FILES:
            kept += [name, Path(value if equals else next(rest, "")).name]
        else:
            kept.append(word)
    return shlex.join(kept)
