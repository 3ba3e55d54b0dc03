"""The small parsers that come with the package: trained, tested once, saved in half precision.

Run: python scripts/make_pretrained.py geography|films [--run FOLDER]

Training takes some minutes; with --run a finished run is taken. What is tested is what is saved.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from partwise import GraphParser, SpanParser
from partwise.encoders.storage import read_json
from partwise.evaluation.confidence import measure_confidence
from partwise.evaluation.metrics import evaluate
from partwise.interface.registry import load
from partwise.training.store import CONFIG, WEIGHTS, model_folder
from partwise_papers.results.recorder import checkout_commit

PLACE = Path(__file__).resolve().parent.parent / "src" / "partwise" / "domains" / "pretrained"
COMMANDS = {
    "geography": "train geography --split typed --encoder distilled --recombine 0.3 --epochs 20 "
    "--set marks=false --set typed=true --set typing_augmentation=0.3",
    "films": "train films --split random",
}
MOST = 8 * 2**20
"""Bytes that the weights of a parser may have."""


def main() -> None:
    """Train if need be, save, test what was saved, and note the outcome beside it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", choices=COMMANDS)
    options.add_argument("--run", type=Path, help="a finished run, in place of training again")
    given = options.parse_args()
    run = given.run or Path("runs") / f"pretrained-{given.name}"
    if given.run is None:
        command = [sys.executable, "-m", "partwise", *COMMANDS[given.name].split()]
        subprocess.run([*command, "--out", str(run)], check=True)
    source, place = model_folder(run), PLACE / given.name
    facts = {
        **read_json(source / CONFIG)["training"],
        "command": f"partwise {COMMANDS[given.name]}",
        "commit": checkout_commit(),
    }
    make = geography if given.name == "geography" else films
    # Saved, read again and tested, so that the figures are those of half precision.
    make(source, place, facts)
    size = (place / WEIGHTS).stat().st_size
    print(f"{place}: {size:,} bytes of weights; {read_json(place / CONFIG)['training']['tested']}")
    if size > MOST:
        raise SystemExit(f"more than {MOST:,} bytes")


def geography(source: Path, place: Path, facts: dict[str, Any]) -> None:
    """Denotation accuracy, exact match and calibration on the test questions of the iid split."""
    SpanParser.from_pretrained(source).save_pretrained(place, facts, half=True)
    parser = SpanParser.from_pretrained(place)
    test = load("geography", "iid").test
    metrics = evaluate(parser, test)
    facts["encoder"] = parser.encoder.name
    facts["tested"] = {"geography iid": metrics.denotation}
    facts["test"] = metrics.to_json() | {"calibration": vars(measure_confidence(parser, test))}
    SpanParser.from_pretrained(source).save_pretrained(place, facts, half=True)


def films(source: Path, place: Path, facts: dict[str, Any]) -> None:
    """Denotation accuracy and exact match on the test questions of the random split."""
    GraphParser.from_pretrained(source).save_pretrained(place, facts, half=True)
    parser = GraphParser.from_pretrained(place)
    test = load("films", "random").test
    metrics = evaluate(parser, test)
    facts["encoder"] = parser.config.encoder
    facts["tested"] = {"films random": metrics.to_json()["denotation"]}
    facts["test"] = metrics.to_json()
    GraphParser.from_pretrained(source).save_pretrained(place, facts, half=True)


if __name__ == "__main__":
    main()
