"""Reading a result's JSON form, which must be what `Result.to_json` writes of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from partwise.errors import DataError
from partwise.evaluation.result import IDENTITY, NOTES, Result, Run, Setup, is_metric

NONE = type(None)
NAMES = {str: "a text", int: "a whole number", float: "a number", dict: "an object", NONE: "null"}
SETUP: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys((*IDENTITY, "protocol", "encoder"), (str,)),
    **{"parameters": (int, NONE), "train_size": (int,), "test_size": (int,)},
    **{"settings": (dict,), "dev_size": (int, NONE), "data": (str, NONE)},
}
"""Field of a setup -> what it may be."""
RUN: Mapping[str, tuple[type, ...]] = {
    **{"seconds": (int, float), "device": (str,)},
    **{"command": (str,), "commit": (str, NONE)},
}
"""Field of a run -> what it may be."""


def result_of(content: object) -> Result:
    """Check and read the content of a result file.

    Raises:
        DataError: naming the field that is missing or wrong.
    """
    data = _object(content, "the file")
    setup = Setup(**_fields(data, SETUP, ""))
    seeds = {name: _seeds(data, name) for name in _object(data.get("metrics"), "metrics")}
    runs = {}
    for seed, run in _object(data.get("runs"), "runs").items():
        if not (seed.isascii() and seed.isdecimal()):
            raise DataError(f"runs: the seed {seed!r} must be a whole number")
        metrics = {name: values[seed] for name, values in seeds.items() if seed in values}
        where = f"runs.{seed}"
        runs[int(seed)] = Run(metrics, **_fields(_object(run, where), RUN, f"{where}."))
    result = Result(setup, runs)
    if not runs or any(set(result.seeds(name)) != {*runs} for name in setup.required):
        raise DataError(f"each seed of runs must have the metrics {', '.join(setup.required)}")
    for where, given, written in _differences(data, result.to_json(), ""):
        raise DataError(
            f"{where} is {given!r:.60}, but the seeds give {written!r:.60}; the file was changed "
            "by hand: correct it or run the seeds again"
        )
    return result


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{where} must be a JSON object, not {value!r:.60}")
    return value


def _fields(
    data: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]], before: str
) -> dict[str, Any]:
    """The fields of a setup or run; those of `NOTES` may be missing."""
    for name, allowed in kinds.items():
        value = data.get(name)
        missing = name not in data and name not in NOTES
        number = isinstance(value, int | float) and not 0 <= value < math.inf
        if missing or type(value) not in allowed or number:
            names = " or ".join(NAMES[one] for one in allowed)
            raise DataError(f"field '{before}{name}' must be {names}, not {value!r:.60}")
    return {name: data.get(name) for name in kinds}


def _seeds(data: Mapping[str, Any], metric: str) -> Mapping[str, float]:
    if not is_metric(metric):
        raise DataError(f"metrics.{metric} is no metric that is known; remove or rename it")
    where = f"metrics.{metric}"
    seeds = _object(_object(data["metrics"][metric], where).get("seeds"), f"{where}.seeds")
    for seed, value in seeds.items():
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise DataError(f"{where}.seeds.{seed} must be a number from 0 to 1, not {value!r:.60}")
    return seeds


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
