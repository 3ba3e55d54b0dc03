"""Result files: one for each system, data set, split and variant, with all its seeds inside.

``results/<system>-<dataset>-<split>-<variant>.json`` is written by the benchmarks, seed by seed,
without ever losing what is there, and read by the report.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import partwise
from partwise.errors import DataError
from partwise.evaluation.result import Result, Run, Setup, is_metric
from partwise.evaluation.result_json import result_of
from partwise.interface.files import write_whole

EXPECTED = "result files, <system>-<dataset>-<split>-<variant>.json"


def result_path(folder: str | Path, setup: Setup) -> Path:
    """Where the result of a setup is kept."""
    return Path(folder) / setup.file_name


def add_seed(path: str | Path, setup: Setup, seed: int, run: Run) -> Result:
    """Merge one seed's run into a result file, which is made if need be.

    The new file replaces the old in one step, so a reader sees the one or the other, and a
    failure leaves the old one as it was. Two processes may add seeds to one file at once.

    Returns:
        The whole result, this seed included; an earlier run of the same seed is replaced.

    Raises:
        DataError: if the file there is damaged or of another setup, if the figures are not
            fractions, or if the new file cannot be written (full disk, no permission).
    """
    file = Path(path)
    _check_run(setup, seed, run, file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _locked(file.parent):
            result = _merged(file, setup).with_run(seed, run)
            write_json(file, result.to_json())
    except OSError as error:
        raise DataError(
            f"{file}: the result could not be written ({error.strerror or error}); what was there "
            "before is unchanged. Make room or choose another folder, then run this seed again"
        ) from error
    return result


def differences(old: Setup, new: Setup) -> list[str]:
    """The fields in which two setups differ; a `dev_size` that one lacks is no difference.

    Nor is a setting that one lacks and that is off in the other: a file is older than the settings
    that came after it.
    """
    mine, theirs = ({**vars(s), "settings": _switched_on(s.settings)} for s in (old, new))
    return [
        name
        for name, value in mine.items()
        if theirs[name] != value and not (name == "dev_size" and None in (value, theirs[name]))
    ]


def _switched_on(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON gives them back, without those that are off: 0, false, none or empty."""
    return {
        name: _switched_on(value) if isinstance(value, dict) else value
        for name, value in json.loads(json.dumps(settings)).items()
        if value
    }


def load_result(path: str | Path) -> Result:
    """Read one result file.

    Raises:
        DataError: for a file that is missing, malformed, or named for another setup.
    """
    file = Path(path)
    try:
        result = result_of(json.loads(file.read_bytes()))
    except FileNotFoundError:
        raise DataError(f"{file}: no such result file") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not JSON ({error}); delete it and run its seeds anew") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error
    if file.name != result.setup.file_name:
        raise DataError(f"{file}: holds what belongs in {result.setup.file_name}; rename it")
    return result


def load_results(folder: str | Path) -> list[Result]:
    """Read every ``*.json`` of a folder, sorted by file name.

    Raises:
        DataError: for a missing or empty folder, or the first file that `load_result` rejects.
    """
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{place}: no such folder; expected {EXPECTED}")
    # A name with a leading dot is a file that is just being written.
    found = sorted(file for file in place.glob("*.json") if not file.name.startswith("."))
    if not found:
        raise DataError(f"{place}: no results; expected {EXPECTED}")
    return [load_result(file) for file in found]


def write_json(file: Path, content: object) -> None:
    """Write a JSON file whole or not at all.

    Raises:
        OSError: if it cannot be written; a file that was there is unchanged.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(file, lambda partial: partial.write_text(text, encoding="utf-8"))


def checkout_commit() -> str | None:
    """The git commit of the checkout this package runs from; None if it is not in one."""
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


def _check_run(setup: Setup, seed: int, run: Run, file: Path) -> None:
    if file.name != setup.file_name:
        raise DataError(f"{file}: the result of this setup belongs in {setup.file_name}")
    if seed < 0 or not set(setup.required) <= set(run.metrics):
        names = ", ".join(setup.required)
        raise DataError(f"{file}: a run has a seed from 0 and the metrics {names}")
    unknown = sorted(name for name in run.metrics if not is_metric(name))
    if unknown:
        raise DataError(f"{file}: a run has no metric {unknown[0]!r}")
    try:
        # Read back what would be written, so that no file is made that cannot be read.
        result_of(json.loads(json.dumps(Result(setup, {seed: run}).to_json(), allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise DataError(f"{file}: settings and figures must be JSON values: {error}") from error


def _merged(file: Path, setup: Setup) -> Result:
    if not file.exists():
        return Result(setup, {})
    old = load_result(file)
    for name in differences(old.setup, setup):
        raise DataError(
            f"{file}: has {name} {getattr(old.setup, name)!r}, this run "
            f"{getattr(setup, name)!r}; seeds of different setups have no common mean: name "
            "another variant or delete the file"
        )
    if old.setup.dev_size is None:
        return Result(replace(old.setup, dev_size=setup.dev_size), old.runs)
    return old


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
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
