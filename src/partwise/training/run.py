"""The folder of a training run, whichever parser it trains.

It holds ``model/`` (the saved parser), ``train.log``, ``history.json`` and, while the run is not
finished, ``state/``, from which a killed run continues.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.encoders.storage import PROGRESS, read_json, state_files, write_json
from partwise.errors import DataError

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


def claim(folder: Path, mine: Mapping[str, Any], resume: bool) -> None:
    """Note whose state a run's folder keeps, and take away that of another run.

    Args:
        mine: what two runs have in common if one continues the other.
    """
    note = folder / STATE_FOLDER / RUN
    if (folder / STATE_FOLDER / PROGRESS).exists():
        if resume and note.exists() and read_json(note) == mine:
            return
        why = "it is of another run" if resume else "as asked"
        log.warning("the state in %s is not continued: %s", folder / STATE_FOLDER, why)
        forget(folder)
    write_json(note, mine)


def forget(folder: Path) -> None:
    """Remove the state, and nothing else that may stand there."""
    place = folder / STATE_FOLDER
    for file in (place / PROGRESS, place / RUN, *state_files(place)):
        file.unlink(missing_ok=True)
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()
