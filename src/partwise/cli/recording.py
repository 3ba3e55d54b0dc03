"""What ``train --test`` and ``evaluate --save`` write into result files."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer
from typer.core import TyperGroup

from partwise.cli.common import warn
from partwise.errors import DataError
from partwise.evaluation.result import Run, Setup
from partwise.evaluation.results import (
    add_seed,
    checkout_commit,
    differences,
    load_result,
    result_path,
)
from partwise.language.program import Term

if TYPE_CHECKING:
    from partwise.chart.algebra.type import TypeAlgebra
    from partwise.interface.data import Dataset, Example

PLACES = {"data", "out", "results", "errors", "json", "debug"}
"""Options that say where things are and what is shown, not what is done."""


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
    """Add one seed's figures to its result file.

    Args:
        seconds: wall time of the training.
        done: the command, as `command_of` gives it.

    Returns:
        The file.

    Raises:
        DataError: as `add_seed`.
    """
    path = result_path(results, setup)
    run = Run(dict(metrics), round(seconds, 1), device(), done, checkout_commit())
    add_seed(path, setup, seed, run)
    return path


def with_trees(
    dataset: Dataset[Term], types: TypeAlgebra, data: Path | None
) -> list[Example[Term]]:
    """The test questions with trees to compare with; without any, and a note, if they cannot be
    read."""
    from partwise.span.annotated_test import annotated_test

    try:
        return annotated_test(dataset, types, data)
    except DataError as error:
        warn(f"no F1 of trees: {error}")
        return dataset.test


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


def command_of(ctx: typer.Context, instead: Mapping[str, str] | None = None) -> str:
    """The command that was given, its options in their usual order, without the places.

    Args:
        instead: other values for some of the parameters, as for a folder of this machine.
    """
    words = ["partwise", str(ctx.info_name)]
    for parameter in ctx.command.params:
        name, value = str(parameter.name), ctx.params.get(str(parameter.name))
        source = ctx.get_parameter_source(name)
        if source is None or source.name == "DEFAULT" or name in PLACES or value is None:
            continue
        if instead is not None and name in instead:
            value = instead[name]
        if parameter.param_type_name == "argument":
            words.append(str(value))
        elif isinstance(value, bool):
            options = parameter.opts if value else parameter.secondary_opts
            words += options[:1]
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], one.name if isinstance(one, Path) else str(one)]
    return shlex.join(words)


def recorded(words: Sequence[str]) -> str:
    """A command (without ``partwise``) as `command_of` would record it, without running it."""
    context = _commands().commands[words[0]].make_context(words[0], list(words[1:]))
    return command_of(cast(typer.Context, context))


@cache
def _commands() -> TyperGroup:
    from partwise.cli import app

    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group
