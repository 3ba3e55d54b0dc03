"""Reading a result's JSON form: every field is checked, and named where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from partwise.errors import DataError
from partwise.evaluation.result import Result, Run, Setup, is_metric

MAX_SECONDS = 1e12


def result_of(found: object) -> Result:
    """Check and read the content of a result file.

    Raises:
        DataError: naming the field that is missing or wrong.
    """
    data = _mapping(found, "the file")
    metrics = _mapping(data.get("metrics"), "metrics")
    unknown = sorted(name for name in metrics if not is_metric(name))
    if unknown:
        raise DataError(f"metrics.{unknown[0]} is no metric that is known; remove or rename it")
    setup = _setup(data)
    needed = setup.required
    names = (*needed, *(name for name in metrics if name not in needed))
    by_metric = {metric: _seeds(metrics.get(metric), metric) for metric in names}
    runs = _mapping(data.get("runs", _runs_alike(data, by_metric[needed[0]])), "runs")
    for metric, values in by_metric.items():
        _same_seeds(metric, {str(seed) for seed in values}, set(runs), metric in needed)
    figures = {seed: _of_seed(by_metric, int(seed)) for seed in runs}
    result = Result(
        setup, {int(seed): _run(run, seed, figures[seed]) for seed, run in runs.items()}
    )
    for metric in by_metric:
        _agrees(result, metric, _mapping(metrics[metric], metric))
    return result


def _same_seeds(metric: str, seeds: set[str], runs: set[str], needed: bool) -> None:
    """Every run has the metrics of every run; others may be of some seeds only."""
    if seeds - runs or (needed and seeds != runs):
        raise DataError(f"metrics.{metric} and runs do not have the same seeds")


def _of_seed(by_metric: Mapping[str, Mapping[int, float]], seed: int) -> dict[str, float]:
    return {metric: values[seed] for metric, values in by_metric.items() if seed in values}


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
        dev_size=None if data.get("dev_size") is None else _count(data, "dev_size"),
        data=None if data.get("data") is None else _text(data, "data"),
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
