"""How ``train --test`` and ``evaluate --save`` reach the plug-ins that keep test metrics."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from partwise.cli.common import typed, warn
from partwise.errors import DataError, PluginError
from partwise.evaluation.metrics import RECORDERS, Recorder
from partwise.interface.data import Dataset
from partwise.interface.registry import METRICS

PLACES = ("--data", "--out", "--results", "--errors")
"""Options that say where things are, not what is done."""
SHOWN = ("--json", "--debug")
"""Options that say what is shown."""
FILES = ("--train", "--dev", "--test-file", "--config")
"""Options with files, whose folders are nobody's business."""
NO_RECORDER = "results are kept by the package partwise-papers: pip install partwise-papers"


def recorders(needed: bool) -> list[Recorder]:
    """The plug-ins that keep test metrics.

    Raises:
        PluginError: if there are none and one is `needed`.
    """
    if not RECORDERS:
        if needed:
            raise PluginError(NO_RECORDER)
        warn(f"the metrics on test are shown and not kept: {NO_RECORDER}")
    return [RECORDERS.find(name) for name in RECORDERS]


def further_metrics(parser: Any, data: Dataset[Any], folder: Path | None) -> dict[str, float]:
    """What the plug-ins `METRICS` say of a parser on test questions."""
    metrics: dict[str, float] = {}
    for name in METRICS:
        try:
            metrics |= METRICS.find(name)(parser, data, folder)
        except DataError as error:
            warn(f"no {name}: {error}")
    return metrics


def command(names: Mapping[str, str] | None = None) -> str:
    """The command that was typed, in the form of `recorded`.

    Args:
        names: folders of this machine, and what is noted in their place.
    """
    return recorded([(names or {}).get(word, word) for word in typed.get()])


def recorded(words: Sequence[str]) -> str:
    """A command (without ``partwise``) as it is noted: without places and what is shown."""
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
