"""What ``partwise database-parser measure`` does."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from partwise.cli.common import write_text
from partwise.database.parser import DatabaseParser
from partwise.encoders.storage import read_json
from partwise.training.store import CONFIG, find_pretrained
from partwise_papers.databases.figures import figures
from partwise_papers.databases.lists import Tell
from partwise_papers.databases.measuring import FILLS, AnsweredQuestion, measure_all
from partwise_papers.databases.options import MeasuredOn
from partwise_papers.databases.questions import typed_database
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.typed_databases.check import database_folders


def measure_parser(
    folder: Path, on: MeasuredOn, command: str, answers: Path | None, tell: Tell
) -> dict[str, Any]:
    """Measure a saved parser: figures of each set, and what made them.

    Args:
        folder: of the parser.
        command: that was typed, to be noted.
        answers: file for what became of each question, as JSON lines; none if None.

    Raises:
        DataError: if there is nothing to measure on, or data are missing.
    """
    config = read_json(find_pretrained(folder) / CONFIG)
    with tempfile.TemporaryDirectory(prefix="partwise-") as name:
        work = Path(name)
        # Any database will do until the parser is moved to those that it is asked about.
        domain = typed_database(database_folders()[0], work).domain
        parser = DatabaseParser.from_pretrained(folder, domain)
        made = measure_all(parser, on, work, tell)
    if answers is not None:
        write_text(answers, "".join(_lines(made)))
    seeds = {"training": config["training"].get("seed"), "drawing": on.seed, "rows": list(FILLS)}
    return {
        **{"command": command, "commit": checkout_commit(), "device": device()},
        **{"encoder": config["encoder"], "training": config["training"], "seeds": seeds},
        "sets": {name: figures(some) for name, some in made.items()},
    }


def _lines(made: Mapping[str, Sequence[AnsweredQuestion]]) -> list[str]:
    return [
        json.dumps({"set": name, **vars(one)}, ensure_ascii=False) + "\n"
        for name, some in made.items()
        for one in some
    ]
