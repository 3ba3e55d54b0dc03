"""Results: what was run, with its metrics by seed, and the files that the tables are made of.

Metrics are fractions from 0 to 1; times are seconds. There is a file for each system, data set,
split and variant, ``<system>-<dataset>-<split>-<variant>.json``, with all its seeds inside. It is
written seed by seed, without ever losing what is there.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from statistics import fmean, stdev
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from partwise.errors import DataError
from partwise.interface.files import write_whole

# Student's t, 97.5th percentile, for 1 to 30 degrees of freedom; then some larger ones.
_T = [
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
]
_T_LARGE = ((120, 1.980), (60, 2.000), (40, 2.021), (30, 2.042))


def mean_ci95(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and half-width of its 95 % confidence interval (Student's t), None for one value; raises
    ValueError for no values."""
    if not values:
        raise ValueError("no values to take a mean of")
    if len(values) == 1:
        return fmean(values), None
    return fmean(values), t975(len(values) - 1) * stdev(values) / math.sqrt(len(values))


def t975(freedom: int) -> float:
    """97.5th percentile of Student's t; between tabled degrees of freedom, the wider one; raises
    ValueError for less than one degree of freedom."""
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom")
    if freedom <= len(_T):
        return _T[freedom - 1]
    return next(value for degrees, value in _T_LARGE if freedom >= degrees)


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


def _check_types(item: Any) -> None:
    """Check that the fields of a setup or run have the types that are declared."""
    for name, hint in get_type_hints(type(item)).items():
        value = getattr(item, name)
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
        """Mean over seeds and half-width of its 95 % interval, None for one seed; raises ValueError
        if no seed has the metric."""
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
    """A result from the content of its file, which must be as `Result.to_json` writes it; raises
    DataError naming the field that is missing or wrong."""
    if isinstance(content, dict) and "format" in content:
        if content["format"] != FORMAT:
            raise DataError(f"the format is {content['format']!r:.20}; install a newer version")
        content = {name: value for name, value in content.items() if name != "format"}
    try:
        setup = Setup(
            **{
                setting.name: content[setting.name]
                for setting in fields(Setup)
                if setting.name in content
            }
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


UNKNOWN = ("dev_size", "parameters")
"""Fields of a setup that may be unknown: None is no other setup."""
EXPECTED = "result files, <system>-<dataset>-<split>-<variant>.json"


def load_result(path: str | Path) -> Result:
    """Read one result file; raises DataError for a file that is missing, malformed, or named for
    another setup."""
    file = Path(path)
    try:
        result = from_json(json.loads(file.read_bytes()))
    except FileNotFoundError:
        raise DataError(f"{file}: no such result file") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not JSON ({error}); delete it and run its seeds again") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error
    if file.name != result.setup.file_name:
        raise DataError(f"{file}: holds what belongs in {result.setup.file_name}; rename it")
    return result


def load_results(folder: str | Path) -> list[Result]:
    """Read every ``*.json`` of a folder, sorted by file name; raises DataError for a missing or
    empty folder, or the first file that `load_result` rejects."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{place}: no such folder; expected {EXPECTED}")
    # A name with a leading dot is a file that is just being written.
    files = sorted(file for file in place.glob("*.json") if not file.name.startswith("."))
    if not files:
        raise DataError(f"{place}: no results; expected {EXPECTED}")
    return [load_result(file) for file in files]


def read_stored(folder: str | Path, setup: Setup) -> Result:
    """What a folder has of a setup, without runs if there is nothing; raises DataError if the file
    is damaged or of another setup.

    Settings that are off do not count: a file is older than the settings that came after it.
    """
    file = Path(folder) / setup.file_name
    if not file.exists():
        return Result(setup, {})
    old = load_result(file)
    mine, theirs = ({**vars(s), "settings": _drop_off(s.settings)} for s in (old.setup, setup))
    for name, value in mine.items():
        if value != theirs[name] and not (name in UNKNOWN and None in (value, theirs[name])):
            raise DataError(
                f"{file}: was made with another {name}: {getattr(old.setup, name)!r}, not "
                f"{getattr(setup, name)!r}. Seeds of different setups have no common mean: name "
                "another --variant or delete the file"
            )
    if old.setup.dev_size is None:
        return Result(replace(old.setup, dev_size=setup.dev_size), old.runs)
    return old


def _drop_off(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON gives them back, without those that are 0, false, none or empty."""
    return {
        name: _drop_off(value) if isinstance(value, dict) else value
        for name, value in json.loads(json.dumps(settings)).items()
        if value
    }


def add_seed(folder: str | Path, setup: Setup, seed: int, run: Run) -> Path:
    """Put one seed's run into the result file of a setup, which is made if need be.

    The new file replaces the old in one step, so that a reader sees the one or the other. Several
    processes may add seeds to one file at once. An earlier run of the same seed is replaced.

    Returns:
        The file.

    Raises:
        DataError: if the file there is damaged or of another setup, if the figures are not
            fractions, or if the new file cannot be written (full disk, no permission); the old
            file is left as it was.
    """
    file = Path(folder) / setup.file_name
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _lock(file.parent):
            old = read_stored(folder, setup)
            result = Result(old.setup, {**old.runs, seed: run})
            content = {"format": FORMAT, **result.to_json()}
            text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
            # Read back, so that no file is written that cannot be read.
            from_json(json.loads(text))
            write_whole(file, lambda partial: partial.write_text(text, encoding="utf-8"))
    except OSError as error:
        raise DataError(
            f"{file}: the result could not be written ({error.strerror or error}); what was there "
            "before is unchanged. Make room or choose another folder, then run this seed again"
        ) from error
    except (TypeError, ValueError) as error:
        raise DataError(f"{file}: settings and figures must be JSON values: {error}") from error
    return file


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep other processes from changing the results of a folder (where the system can)."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
