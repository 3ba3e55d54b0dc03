"""Settings of the baselines, compared on a held-out part of train.

    python benchmarks/tuning.py [SYSTEM...] [--dataset NAME] [--data DIR] [--runs DIR]

Each is trained with one seed on the train set without a part that is as new as the test set is, and
tested on this part: new templates on GeoQuery, new compounds on MCWQ, where it is a part of 3,000
pairs. Test is not touched. The last epoch is kept, as in the reported runs; dev serves for
calibration alone. Trainings that stand in the result file are not run again.

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
SEED = "0"
PLACES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "geoquery": ("template", "template", ()),
    "mcwq": ("mcd1", "mcd", ("--train-size", "3000")),
}
"""Data set -> its split, how a part of train is held out, and further options."""
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
_STACK: tuple[Mapping[str, str], ...] = (
    {},
    {"epochs": "40"},
    {"batch_size": "8"},
    {"head_rate": "2e-3"},
    {"dropout": "0.1"},
    {"epochs": "40", "dropout": "0.1"},
)
TRIED: Mapping[str, Mapping[str, tuple[Mapping[str, str], ...]]] = {
    "geoquery": {
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
    },
    "mcwq": dict.fromkeys(("transformer", "t5"), _STACK),
}
"""Data set and system -> what is tried, as differences to its first settings, which come first."""
_INNER = re.compile(r"^inner +(?:denotation ([\d.]+) +)?exact match ([\d.]+)", re.MULTILINE)


def command(dataset: str, system: str, settings: Mapping[str, str], data: Path | None) -> list[str]:
    """The words after ``partwise`` that train a system with some settings."""
    split, inner, more = PLACES[dataset]
    options = [part for name, value in settings.items() for part in (_option(name), value)]
    words = ["train", dataset, "--parser", "seq2seq", "--system", system, "--split", split]
    words += ["--inner", inner, "--seed", SEED, "--threads", "1", *more, *options]
    if dataset == "geoquery" and system != "bert2bert":
        words += ["--precision", "auto"]
    return words + (["--data", str(data)] if data else [])


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def tried(
    dataset: str, system: str, settings: Mapping[str, str], given: argparse.Namespace
) -> dict[str, Any]:
    """Train and test one; the row for the result file.

    Raises:
        SystemExit: if the training fails; what it printed is shown.
    """
    words = command(dataset, system, settings, given.data)
    name = "-".join([dataset, system, *(f"{key}{value}" for key, value in settings.items())])
    run = [sys.executable, "-m", "partwise", *words, "--out", str(given.runs / name)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    found = _INNER.search(done.stdout)
    if done.returncode or not found:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    denotation, exact = (share and round(float(share) / 100, 4) for share in found.groups())
    split, inner, _ = PLACES[dataset]
    return {
        "system": system,
        "settings": dict(settings),
        "dataset": dataset,
        "split": f"{split}-inner-{inner}",
        "seed": int(SEED),
        "denotation": denotation,
        "exact_match": exact,
        "command": " ".join(["partwise", *command(dataset, system, settings, None)]),
        "commit": checkout_commit(),
    }


def main() -> None:
    """Try what is not in the result file yet."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("systems", nargs="*", metavar="SYSTEM")
    options.add_argument("--dataset", choices=PLACES, default="geoquery")
    options.add_argument("--data", type=Path)
    options.add_argument("--runs", type=Path, default=Path("runs/tuning"))
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    mine = TRIED[given.dataset]
    if unknown := set(given.systems).difference(mine):
        options.error(f"no settings of {', '.join(sorted(unknown))} on {given.dataset}")
    for system in given.systems or mine:
        for settings in mine[system]:
            key = (given.dataset, system, dict(settings))
            if key in [(r["dataset"], r["system"], r["settings"]) for r in _rows(given.out)]:
                continue
            row = tried(given.dataset, system, settings, given)
            write_json(given.out, {"rows": [*_rows(given.out), row]})
            print(row, flush=True)


def _rows(file: Path) -> list[dict[str, Any]]:
    return list(read_json(file)["rows"]) if file.exists() else []


if __name__ == "__main__":
    main()
