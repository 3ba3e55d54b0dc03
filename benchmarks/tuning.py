"""Six settings for each baseline on GeoQuery, compared on a held-out part of train.

    python benchmarks/tuning.py [SYSTEM...] [--data DIR] [--runs DIR]

Each is trained with one seed on the train set of the Template split without a quarter of its
questions, whose templates are held out (``--inner template``), and tested on these. Dev and test
are not touched. Trainings that stand in the result file are not run again.

Written to benchmarks/results/tuning.json; docs/baselines.md shows it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.encoders.storage import read_json, write_json
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "tuning.json"
DATASET, SPLIT, INNER, SEED = "geoquery", "template", "template", "0"
_DROPOUT: Mapping[str, str] = {"dropout": "0.4"}
_SMOOTHING: Mapping[str, str] = {"smoothing": "0.1"}
_LSTM: tuple[Mapping[str, str], ...] = (
    {},
    _DROPOUT,
    _SMOOTHING,
    {"hidden": "128"},
    {"head_rate": "2e-3"},
    {"layers": "1"},
)
TRIED: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "seq2seq": _LSTM,
    "contextual": _LSTM,
    "grammar": _LSTM,
    "bert2seq": (
        {},
        _DROPOUT,
        _SMOOTHING,
        {"layers": "1"},
        {"encoder_rate": "1e-4"},
        {"encoder_rate": "1e-4", "dropout": "0.4"},
    ),
    "bert2bert": (
        {},
        _SMOOTHING,
        {"encoder_rate": "1e-4"},
        {"encoder_rate": "4e-4"},
        {"epochs": "60"},
        {"epochs": "60", "smoothing": "0.1"},
    ),
}
"""System -> what is tried: what differs from its first settings, which are the first one."""
_INNER = re.compile(r"^inner +denotation ([\d.]+) +exact match ([\d.]+)", re.MULTILINE)


def command(system: str, settings: Mapping[str, str], data: Path | None) -> list[str]:
    """The words after ``partwise`` that train a system with some settings."""
    options = [part for name, value in settings.items() for part in (_option(name), value)]
    words = ["train", DATASET, "--parser", "seq2seq", "--system", system, "--split", SPLIT]
    words += ["--inner", INNER, "--seed", SEED, "--threads", "1", *options]
    if system != "bert2bert":
        words += ["--precision", "auto"]
    return words + (["--data", str(data)] if data else [])


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def tried(system: str, settings: Mapping[str, str], given: argparse.Namespace) -> dict[str, Any]:
    """Train and test one; the row for the result file.

    Raises:
        SystemExit: if the training fails; what it printed is shown.
    """
    words = command(system, settings, given.data)
    name = "-".join([system, *(f"{key}{value}" for key, value in settings.items())])
    run = [sys.executable, "-m", "partwise", *words, "--out", str(given.runs / name)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    found = _INNER.search(done.stdout)
    if done.returncode or not found:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    denotation, exact = (float(share) / 100 for share in found.groups())
    return {
        "system": system,
        "settings": dict(settings),
        "dataset": DATASET,
        "split": f"{SPLIT}-inner-{INNER}",
        "seed": int(SEED),
        "denotation": denotation,
        "exact_match": exact,
        "command": " ".join(["partwise", *command(system, settings, None)]),
        "commit": checkout_commit(),
    }


def main() -> None:
    """Try what is not in the result file yet."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("systems", nargs="*", metavar="SYSTEM")
    options.add_argument("--data", type=Path)
    options.add_argument("--runs", type=Path, default=Path("runs/tuning"))
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    for system in given.systems or TRIED:
        for settings in TRIED[system]:
            rows = read_json(given.out)["rows"] if given.out.exists() else []
            known = [(row["system"], row["settings"]) for row in rows]
            if (system, dict(settings)) in known:
                continue
            row = tried(system, settings, given)
            rows = read_json(given.out)["rows"] if given.out.exists() else []
            write_json(given.out, {"rows": [*rows, row]})
            print(row, flush=True)


if __name__ == "__main__":
    main()
