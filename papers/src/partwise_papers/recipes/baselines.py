"""Options behind the rows of `tables.baselines`; those of each system come from its settings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from partwise.errors import DataError
from partwise_papers.seq2seq.systems import SYSTEMS
from partwise_papers.tables.baselines import PART, SMALL

GRAPH, SEQ2SEQ = "graph", "seq2seq"
DATA = {
    "geoquery": "--threads 1",
    "scan_sp": "--threads 1",
    "clevr": "--threads 1",
    "mcwq": f"--threads 1 --train-size {PART}",
}
"""Data set -> options of the training."""
SEEDS = {"geoquery": (0, 1, 2), "scan_sp": (0,), "clevr": (0,), "mcwq": (0,)}
"""Data set -> seeds: three where a run takes less than half an hour."""


def command(kind: str, dataset: str, variant: str, split: str, seed: int) -> tuple[str, ...]:
    """The words after ``partwise`` that train a row for one seed.

    Raises:
        DataError: for a system that there is none of.
    """
    run = ("--split", split, "--seed", str(seed), "--test")
    if kind == GRAPH:
        composition = variant.removesuffix(SMALL)
        part = ("--train-size", str(PART)) if variant.endswith(SMALL) else ()
        return ("train", dataset, *run, "--composition", composition, *part)
    settings = _settings(variant) if kind == SEQ2SEQ else {}
    own = ("--variant", variant, *_options(settings))
    return ("train", dataset, "--parser", kind, *run, *own, *shlex.split(DATA[dataset]))


def _settings(variant: str) -> Mapping[str, Any]:
    if variant not in SYSTEMS:
        raise DataError(f"no system {variant!r} here; there are {', '.join(SYSTEMS)}")
    return SYSTEMS[variant]


def _options(settings: Mapping[str, Any]) -> Iterator[str]:
    """Settings as options: ``--encoder minilm --no-copy``."""
    for setting, value in settings.items():
        name = setting.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{name}" if value else f"--no-{name}"
        else:
            yield from (f"--{name}", str(value))
