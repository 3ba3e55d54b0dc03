"""Result files: one for each system, data set, split and variant, with all its seeds inside.

``<system>-<dataset>-<split>-<variant>.json`` is written seed by seed, without ever losing what is
there.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.files import write_whole
from partwise_papers.results.result import FORMAT, Result, Run, Setup, from_json

UNKNOWN = ("dev_size", "parameters")
"""Fields of a setup that may be unknown: None is no other setup."""
EXPECTED = "result files, <system>-<dataset>-<split>-<variant>.json"


def load_result(path: str | Path) -> Result:
    """Read one result file.

    Raises:
        DataError: for a file that is missing, malformed, or named for another setup.
    """
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
    """Read every ``*.json`` of a folder, sorted by file name.

    Raises:
        DataError: for a missing or empty folder, or the first file that `load_result` rejects.
    """
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{place}: no such folder; expected {EXPECTED}")
    # A name with a leading dot is a file that is just being written.
    files = sorted(file for file in place.glob("*.json") if not file.name.startswith("."))
    if not files:
        raise DataError(f"{place}: no results; expected {EXPECTED}")
    return [load_result(file) for file in files]


def stored(folder: str | Path, setup: Setup) -> Result:
    """What a folder has of a setup, without runs if there is nothing.

    Settings that are off do not count: a file is older than the settings that came after it.

    Raises:
        DataError: if the file is damaged or of another setup.
    """
    file = Path(folder) / setup.file_name
    if not file.exists():
        return Result(setup, {})
    old = load_result(file)
    mine, theirs = ({**vars(s), "settings": _switched_on(s.settings)} for s in (old.setup, setup))
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


def _switched_on(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON gives them back, without those that are 0, false, none or empty."""
    return {
        name: _switched_on(value) if isinstance(value, dict) else value
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
        with _locked(file.parent):
            old = stored(folder, setup)
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
