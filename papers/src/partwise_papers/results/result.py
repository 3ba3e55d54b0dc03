"""The result of a system on a split over its seeds, and its JSON form.

Metrics are fractions from 0 to 1; times are seconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from partwise.errors import DataError
from partwise_papers.results.interval import mean_ci95

METRICS = ("exact_match", "denotation", "edges_match")
"""Metrics on test that every seed of a result has, or none."""
OPTIONAL = (
    *("tree_f1", "tree_f1_equivalent"),
    *("dev_denotation", "dev_exact_match", "dev_edges_match", "chart_share"),
)
"""What a seed may have: F1 of the test set's trees (against the annotated tree, and against the
nearest tree of the same program); metrics on dev; and the charts' share of the training time."""
GROUP = "denotation/"
"""Before the name of a kind of question: denotation accuracy on those of test."""
IDENTITY = ("system", "dataset", "split", "variant")
FORMAT = 1
"""Of result files; those from before there was a number are alike."""
NOTES = ("dev_size", "data")
"""Fields of a setup that a file need not have."""


@dataclass(frozen=True)
class Setup:
    """What was run: the same for all seeds of a result file.

    Attributes:
        protocol: how hyper-parameters were chosen and when training stopped.
        parameters: number of trained parameters, None where there are none to count.
        settings: anything else that tells this run from others (JSON values).
        dev_size: number of dev questions; None if not noted.
        data: what is to know of the data, as that they were made again; None for nothing.
    """

    system: str
    dataset: str
    split: str
    variant: str
    protocol: str
    encoder: str
    parameters: int | None
    train_size: int
    test_size: int
    settings: dict[str, Any] = field(default_factory=dict)
    dev_size: int | None = None
    data: str | None = None

    def __post_init__(self) -> None:
        _check_types(self)
        for name in IDENTITY:
            value = getattr(self, name)
            if not re.fullmatch(r"[\w.+-]+", value, re.ASCII):
                raise DataError(
                    f"{name} {value!r} cannot be part of a file name; use letters, digits, . _ + -"
                )

    @property
    def file_name(self) -> str:
        """``<system>-<dataset>-<split>-<variant>.json``."""
        return "-".join(getattr(self, name) for name in IDENTITY) + ".json"


@dataclass(frozen=True)
class Run:
    """One seed: its metrics (fractions), seconds of training, and where these come from."""

    metrics: dict[str, float]
    seconds: float
    device: str
    command: str
    commit: str | None

    def __post_init__(self) -> None:
        _check_types(self)
        for name, value in self.metrics.items():
            if not is_metric(name):
                raise DataError(f"metrics.{name} is no metric that is known; remove or rename it")
            if type(value) not in (int, float) or not 0 <= value <= 1:
                raise DataError(f"metrics.{name} must be from 0 to 1, not {value!r:.60}")


def is_metric(name: str) -> bool:
    """Whether a run may have a metric of this name."""
    return name in (*METRICS, *OPTIONAL) or (name.startswith(GROUP) and name != GROUP)


def _check_types(one: Any) -> None:
    """Check that the fields of a setup or run have the types that are declared."""
    for name, hint in get_type_hints(type(one)).items():
        value = getattr(one, name)
        union = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        kinds = [get_origin(kind) or kind for kind in union]
        whole = float in kinds and type(value) is int
        number = isinstance(value, int | float) and not 0 <= value < math.inf
        if number or not (whole or type(value) in kinds):
            raise DataError(f"{name} must be of the type {hint}, not {value!r:.60}")


@dataclass(frozen=True)
class Result:
    """A setup with its runs, by seed."""

    setup: Setup
    runs: Mapping[int, Run]

    def __post_init__(self) -> None:
        if any(seed < 0 for seed in self.runs):
            raise DataError(f"the seeds {sorted(self.runs)} must not be below 0")

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that some seed has: `METRICS`, `OPTIONAL`, then groups by name."""
        names = {name for run in self.runs.values() for name in run.metrics}
        order = {name: place for place, name in enumerate((*METRICS, *OPTIONAL))}
        return tuple(sorted(names, key=lambda name: (order.get(name, len(order)), name)))

    def seeds(self, metric: str) -> list[int]:
        """The seeds that have a metric."""
        return [seed for seed in sorted(self.runs) if metric in self.runs[seed].metrics]

    def values(self, metric: str) -> list[float]:
        """The fractions of a metric in the order of the seeds that have it."""
        return [self.runs[seed].metrics[metric] for seed in self.seeds(metric)]

    def mean_ci95(self, metric: str) -> tuple[float, float | None]:
        """Mean over seeds and half-width of its 95 % interval, None for one seed.

        Raises:
            ValueError: if no seed has the metric.
        """
        return mean_ci95(self.values(metric))

    def to_json(self) -> dict[str, Any]:
        """The content of a result file.

        ``device`` names all devices used, ``seconds`` is the sum over seeds, and ``command`` and
        ``commit`` are those of the last seed; ``runs`` has them for each seed.
        """
        setup = vars(self.setup)
        last = self.runs[max(self.runs)]
        return {
            **{name: setup[name] for name in (*IDENTITY, "protocol", "encoder", "parameters")},
            # Older files have no such fields, and stay as they are.
            **{name: setup[name] for name in NOTES if setup[name] is not None},
            "device": ", ".join(sorted({run.device for run in self.runs.values()})),
            "train_size": self.setup.train_size,
            "test_size": self.setup.test_size,
            "metrics": {metric: self._metric(metric) for metric in self.metrics},
            # The same whatever the order that seeds were added in.
            "seconds": round(sum(run.seconds for run in self.runs.values()), 3),
            "command": last.command,
            "commit": last.commit,
            "settings": self.setup.settings,
            "runs": {
                str(seed): {k: v for k, v in vars(self.runs[seed]).items() if k != "metrics"}
                for seed in sorted(self.runs)
            },
        }

    def _metric(self, metric: str) -> dict[str, Any]:
        mean, half = self.mean_ci95(metric)
        by_seed = {str(seed): self.runs[seed].metrics[metric] for seed in self.seeds(metric)}
        return {"seeds": by_seed, "mean": mean, "ci95": half}


def from_json(content: Any) -> Result:
    """A result from the content of its file, which must be as `Result.to_json` writes it.

    Raises:
        DataError: naming the field that is missing or wrong.
    """
    if isinstance(content, dict) and "format" in content:
        if content["format"] != FORMAT:
            raise DataError(f"the format is {content['format']!r:.20}; install a newer version")
        content = {name: value for name, value in content.items() if name != "format"}
    try:
        setup = Setup(
            **{one.name: content[one.name] for one in fields(Setup) if one.name in content}
        )
        runs = {
            int(seed): Run(
                {
                    name: m["seeds"][seed]
                    for name, m in content["metrics"].items()
                    if seed in m["seeds"]
                },
                **run,
            )
            for seed, run in content["runs"].items()
        }
        result = Result(setup, runs)
        written = result.to_json()
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"this is no result ({error!r})") from error
    for where, given, back in _differences(content, written, ""):
        raise DataError(
            f"{where} is {given!r:.60}, but the seeds give {back!r:.60}; the file was changed "
            "by hand: correct it or run the seeds again"
        )
    needed = [name for name in METRICS if result.seeds(name)]
    if not needed or any(len(result.seeds(name)) < len(runs) for name in needed):
        raise DataError(f"each seed must have the metrics {', '.join(needed or METRICS)}")
    return result


def _differences(given: Any, written: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ by more than rounding."""
    if isinstance(given, dict) and isinstance(written, dict):
        for name in (*given, *(name for name in written if name not in given)):
            inner = f"{where}.{name}" if where else name
            yield from _differences(given.get(name), written.get(name), inner)
    elif isinstance(given, int | float) and isinstance(written, int | float):
        if not math.isclose(given, written, rel_tol=1e-6, abs_tol=1e-6):
            yield where, given, written
    elif given != written:
        yield where, given, written
