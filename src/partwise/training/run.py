"""The folder of a training run, whichever parser it trains.

It holds ``model/`` (the saved parser), ``train.log``, ``history.json`` and, while the run is not
finished, ``state/``, from which a killed run continues.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from partwise.encoders.storage import (
    PROGRESS,
    read_json,
    read_progress,
    state_files,
    write_json,
)
from partwise.errors import DataError
from partwise.interface.parser import Parser, Tick, TrainingReport
from partwise.training.config import TrainingConfig

log = logging.getLogger("partwise.training")

MODEL, STATE_FOLDER, LOG, HISTORY, RUN = "model", "state", "train.log", "history.json", "run.json"


def run_name(dataset: str, split: str, variant: str, seed: int) -> str:
    """What the folder of a run is called.

    Raises:
        DataError: for what cannot be a part of it.
    """
    for what, name in (("data set", dataset), ("split", split), ("variant", variant)):
        if not re.fullmatch(r"[\w.+-]+", name, re.ASCII):
            raise DataError(
                f"{what} {name!r} cannot be part of a file name; use letters, digits, . _ + -"
            )
    return f"{dataset}-{split}-{variant}-{seed}"


def both(*ticks: Tick | None) -> Tick:
    """One tick that calls those that are there."""

    def call(seen: int, total: int) -> None:
        for tick in ticks:
            if tick is not None:
                tick(seen, total)

    return call


def identity(
    domain: str, parser: Mapping[str, Any], settings: TrainingConfig, examples: Iterable[str]
) -> dict[str, Any]:
    """What two runs have in common if one continues the other.

    Args:
        examples: each example of train and dev as a text.
    """
    digest = hashlib.sha256()
    for example in examples:
        digest.update(f"{example}\n".encode())
    return {
        "domain": domain,
        "parser": dict(parser),
        "settings": settings.to_dict(),
        "data": digest.hexdigest(),
    }


def claim(folder: Path, mine: Mapping[str, Any], resume: bool) -> int:
    """Note whose state a run's folder keeps, and take away that of another run.

    Returns:
        How many epochs are done.
    """
    note = folder / STATE_FOLDER / RUN
    if (folder / STATE_FOLDER / PROGRESS).exists():
        theirs = read_json(note) if note.exists() else None
        if resume and mine == theirs:
            progress = read_progress(folder / STATE_FOLDER)
            return int(progress["epoch"]) + 1 if progress else 0
        why = "it is of another run" if resume else "as asked"
        log.warning("the state in %s is not continued: %s", folder / STATE_FOLDER, why)
        forget(folder)
    write_json(note, mine)
    return 0


def forget(folder: Path) -> None:
    """Remove the state, and nothing else that may stand there."""
    place = folder / STATE_FOLDER
    for file in (place / PROGRESS, place / RUN, *state_files(place)):
        file.unlink(missing_ok=True)
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()


def keep(
    parser: Parser[Any],
    facts: Mapping[str, Any],
    report: TrainingReport,
    folder: Path,
    finished: bool = True,
) -> None:
    """Save a trained parser and its history, and forget the state if the run is `finished`."""
    parser.save_pretrained(folder / MODEL, facts)
    write_json(folder / HISTORY, {**facts, "history": report.history})
    if finished:
        forget(folder)
    log.info("saved %s (epoch %d, dev %s)", folder / MODEL, report.best_epoch, facts.get("dev", {}))
