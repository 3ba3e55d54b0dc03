"""What edits of a semantic layer are worth: questions to a database as imported, and as edited.

    python benchmarks/edited_layer.py PARSER FOLDER --edits FILE [--out FILE]

FOLDER holds one SQLite file and ``questions.jsonl``, as for ``partwise database-parser measure
--folder``. The file of edits has the form of a layer's file, with only what a person changed: what
it says of a key stands, ``~`` takes a key out, and the rest is as imported. A list takes the place
of the imported one; ``+`` as its first text keeps that one, too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from partwise.database.layer.entries import ColumnEntry, LinkEntry, MeasureEntry
from partwise.database.layer.files import dump, load, read_layer, write_layer
from partwise.database.layer.model import SemanticLayer
from partwise.database.parser import DatabaseParser
from partwise.encoders.storage import read_json, write_json
from partwise.training.store import CONFIG
from partwise_papers.databases.measuring import measure
from partwise_papers.databases.metrics import AnsweredQuestion, metrics, text
from partwise_papers.databases.questions import AskedDatabase, read_listed_database
from partwise_papers.results.recorder import checkout_commit, device

ADDED = "+"
"""As the first text of a list: the imported texts stay."""
SHORT = {
    "columns": str(ColumnEntry.short),
    "links": str(LinkEntry.short),
    "measures": str(MeasureEntry.short),
}
"""The key that a bare word in a part of a table stands for."""
SURE = 0.8
"""A wrong answer with this probability or more misleads."""


def merged(there: Any, edits: Any, short: str = "", below: str = "") -> Any:
    """What a file says after some edits.

    Args:
        there: a part of it as it was imported; None if it says nothing.
        edits: the same part of the edits.
        short: the key that a bare word stands for there.
        below: the key that one stands for in its parts.
    """
    if isinstance(edits, Mapping):
        old = there if isinstance(there, Mapping) else {} if there is None else {short: there}
        new = {
            key: merged(old.get(key), one, below, SHORT.get(key, "")) for key, one in edits.items()
        }
        return {key: one for key, one in {**old, **new}.items() if one is not None}
    if isinstance(edits, list) and edits[:1] == [ADDED]:
        texts = there if isinstance(there, list) else [] if there is None else [there]
        return list(dict.fromkeys([*texts, *edits[1:]]))
    return edits


def edited(layer: SemanticLayer, edits: Path) -> SemanticLayer:
    """A layer after some edits.

    Raises:
        DataError: if they do not fit; says each line of the edited file.
    """
    with tempfile.TemporaryDirectory(prefix="partwise-") as folder:
        file = Path(folder) / f"{layer.name}.yaml"
        write_layer(layer, file, "sqlite:///any.db")
        file.write_text(dump(merged(load(file), load(edits))), "utf-8")
        return read_layer(file).layer


def lines_of(edits: Path) -> int:
    """The lines of a file that say something."""
    lines = edits.read_text("utf-8").splitlines()
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


def told(answered: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """The figures of a set of questions, and how many wrong answers were sure."""
    wrong = [one for one in answered if one.verdict == "wrong"]
    sure = [one for one in wrong if (one.probability or 0.0) >= SURE]
    return {**metrics(answered), "wrong and sure": round(len(sure) / len(answered), 4)}


def measured(parser: Path, asked: AskedDatabase) -> dict[str, Any]:
    """The figures of a parser on the questions of a database."""
    return told(
        measure(DatabaseParser.from_pretrained(parser, asked.domain), asked, asked.questions)
    )


def main() -> None:
    """Print the figures before and after the edits, and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parser", type=Path, help="folder of a trained parser for databases")
    parser.add_argument("folder", type=Path, help="with one SQLite file and questions.jsonl")
    parser.add_argument("--edits", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="file for the figures, as JSON")
    given = parser.parse_args()
    torch.set_num_threads(1)
    with closing(read_listed_database(given.folder)) as asked:
        before = measured(given.parser, asked)
        layer = edited(asked.domain.layer, given.edits)
    with closing(read_listed_database(given.folder, layer)) as asked:
        after = measured(given.parser, asked)
    for name, said in (("imported", before), ("edited", after)):
        print(text(name, said))
        print(f"  wrong with a probability of {SURE} or more: {100 * said['wrong and sure']:.1f} %")
    if given.out is not None:
        made = {
            **{"database": given.folder.name, "edits": given.edits.name},
            "lines": lines_of(given.edits),
            **{"commit": checkout_commit(), "device": device(), "load": round(os.getloadavg()[0])},
            "training": read_json(given.parser / CONFIG)["training"],
            "sets": {"imported": before, "edited": after},
        }
        write_json(given.out, made)


if __name__ == "__main__":
    main()
