"""The result of a system on a split over its seeds, and its JSON form.

Metrics are fractions from 0 to 1; times are seconds. `results` keeps the files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from partwise.errors import DataError
from partwise.evaluation.metrics import mean_ci95

METRICS = ("exact_match", "denotation")
IDENTITY = ("system", "dataset", "split", "variant")
MAX_SECONDS = 1e12
_NAME = re.compile(r"[\w.+-]+", re.ASCII)


@dataclass(frozen=True)
class Setup:
    """What was run: the same for all seeds of a result file.

    Attributes:
        protocol: how hyper-parameters were chosen and when training stopped.
        parameters: number of trained parameters, None where there are none to count.
        settings: anything else that tells this run from others (JSON values).
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

    def __post_init__(self) -> None:
        for name in IDENTITY:
            value = getattr(self, name)
            if not _NAME.fullmatch(value):
                raise DataError(
                    f"{name} {value!r} cannot be part of a file name; use letters, digits, . _ + -"
                )

    @property
    def file_name(self) -> str:
        """``<system>-<dataset>-<split>-<variant>.json``."""
        return "-".join(getattr(self, name) for name in IDENTITY) + ".json"


@dataclass(frozen=True)
class Run:
    """One seed: its metrics (fractions), its seconds, and where its figures come from."""

    metrics: Mapping[str, float]
    seconds: float
    device: str
    command: str
    commit: str | None


@dataclass(frozen=True)
class Result:
    """A setup with its runs, by seed."""

    setup: Setup
    runs: Mapping[int, Run]

    def values(self, metric: str) -> list[float]:
        """The fractions of a metric in the order of the seeds."""
        return [self.runs[seed].metrics[metric] for seed in sorted(self.runs)]

    def mean_ci95(self, metric: str) -> tuple[float, float | None]:
        """Mean over seeds and half-width of its 95 % interval, None for one seed."""
        return mean_ci95(self.values(metric))

    def with_run(self, seed: int, run: Run) -> Result:
        """The same with one seed added or replaced."""
        return Result(self.setup, {**self.runs, seed: run})

    def to_json(self) -> dict[str, Any]:
        """The content of a result file.

        ``device`` names all devices used, ``seconds`` is the sum over seeds, and ``command`` and
        ``commit`` are those of the last seed; ``runs`` has them for each seed.
        """
        seeds = sorted(self.runs)
        last = self.runs[seeds[-1]]
        return {
            **{name: getattr(self.setup, name) for name in (*IDENTITY, "protocol", "encoder")},
            "parameters": self.setup.parameters,
            "device": ", ".join(sorted({run.device for run in self.runs.values()})),
            "train_size": self.setup.train_size,
            "test_size": self.setup.test_size,
            "metrics": {metric: self._metric(metric, seeds) for metric in METRICS},
            "seconds": sum(run.seconds for run in self.runs.values()),
            "command": last.command,
            "commit": last.commit,
            "settings": self.setup.settings,
            "runs": {str(seed): _provenance(self.runs[seed]) for seed in seeds},
        }

    def _metric(self, metric: str, seeds: list[int]) -> dict[str, Any]:
        mean, half = self.mean_ci95(metric)
        by_seed = {str(seed): self.runs[seed].metrics[metric] for seed in seeds}
        return {"seeds": by_seed, "mean": mean, "ci95": half}


def _provenance(run: Run) -> dict[str, Any]:
    return {
        "seconds": run.seconds,
        "device": run.device,
        "command": run.command,
        "commit": run.commit,
    }


def result_of(found: object) -> Result:
    """Check and read the content of a result file.

    Raises:
        DataError: naming the field that is missing or wrong.
    """
    data = _mapping(found, "the file")
    metrics = _mapping(data.get("metrics"), "metrics")
    by_metric = {metric: _seeds(metrics.get(metric), metric) for metric in METRICS}
    runs = _mapping(data.get("runs", _runs_alike(data, by_metric[METRICS[0]])), "runs")
    for metric, values in by_metric.items():
        if {str(seed) for seed in values} != set(runs):
            raise DataError(f"metrics.{metric} and runs do not have the same seeds")
    result = Result(
        _setup(data),
        {
            int(seed): _run(run, seed, {m: by_metric[m][int(seed)] for m in METRICS})
            for seed, run in runs.items()
        },
    )
    for metric in METRICS:
        _agrees(result, metric, _mapping(metrics[metric], metric))
    return result


def _setup(data: Mapping[str, Any]) -> Setup:
    return Setup(
        system=_text(data, "system"),
        dataset=_text(data, "dataset"),
        split=_text(data, "split"),
        variant=_text(data, "variant"),
        protocol=_text(data, "protocol"),
        encoder=_text(data, "encoder"),
        parameters=None if data.get("parameters", 0) is None else _count(data, "parameters"),
        train_size=_count(data, "train_size"),
        test_size=_count(data, "test_size"),
        settings=dict(_mapping(data.get("settings", {}), "settings")),
    )


def _runs_alike(data: Mapping[str, Any], seeds: Mapping[int, float]) -> dict[str, Any]:
    """The runs of a file that tells only of all seeds together."""
    seconds = _number(data.get("seconds"), "seconds", 0, MAX_SECONDS) / len(seeds)
    shared = {name: data.get(name) for name in ("device", "command", "commit")}
    return {str(seed): {**shared, "seconds": seconds} for seed in seeds}


def _run(found: object, seed: str, metrics: Mapping[str, float]) -> Run:
    data = _mapping(found, f"runs.{seed}")
    commit = None if data.get("commit") is None else _text(data, "commit")
    seconds = _number(data.get("seconds"), f"runs.{seed}.seconds", 0, MAX_SECONDS)
    return Run(metrics, seconds, _text(data, "device"), _text(data, "command"), commit)


def _seeds(found: object, metric: str) -> dict[int, float]:
    where = f"metrics.{metric}.seeds"
    seeds = _mapping(_mapping(found, f"metrics.{metric}").get("seeds"), where)
    if not seeds or not all(re.fullmatch(r"0|[1-9]\d{0,17}", seed) for seed in seeds):
        raise DataError(f"{where} must have at least one seed, each a whole number: {list(seeds)}")
    return {int(seed): _number(seeds[seed], f"{where}.{seed}", 0, 1) for seed in seeds}


def _agrees(result: Result, metric: str, given: Mapping[str, Any]) -> None:
    mean, half = result.mean_ci95(metric)
    for name, value in (("mean", mean), ("ci95", half)):
        stated = given.get(name)
        if stated is None and value is None:
            continue
        if value is None or abs(_number(stated, f"metrics.{metric}.{name}", 0, 10) - value) > 1e-6:
            raise DataError(
                f"metrics.{metric}.{name} is {stated}, but its seeds give {value}; "
                "the file was changed by hand: mend it or run the seeds anew"
            )


def _mapping(found: object, where: str) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise DataError(f"{where} must be a JSON object, not {found!r:.60}")
    return found


def _text(data: Mapping[str, Any], name: str) -> str:
    if not isinstance(data.get(name), str):
        raise DataError(f"field {name!r} must be a text, not {data.get(name)!r:.60}")
    return str(data[name])


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise DataError(f"field {name!r} must be a whole number from 0, not {value!r:.60}")
    return value


def _number(value: object, where: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise DataError(f"{where} must be a number from {low} to {high}, not {value!r:.60}")
    return float(value)
