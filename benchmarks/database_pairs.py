"""What pairs of a user bring the parser for databases, on databases held out of its training.

    python benchmarks/database_pairs.py [DATABASE...] [--pairs 20] [--draws 2]
    python benchmarks/database_pairs.py --folder FOLDER --draws 5

FOLDER holds one SQLite file and ``questions.jsonl``, and is asked in place of typed databases. Of
each database, some questions are drawn as the pairs of a user. The program of a pair is the
first interpretation that gives the right rows, which a person would confirm; a question without one
is no pair. The shipped parser is trained on with them as `partwise train` does, and asked the other
questions and these once more. All draws of all databases count together.

Written to benchmarks/results/database_pairs.json, or database_pairs_NAME.json for a folder.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import torch

from partwise.database.parser import DatabaseParser
from partwise.encoders.storage import write_json
from partwise.interface.data import Dataset, Example
from partwise.training.session import START, start_from, train
from partwise.training.trainer import settings_for
from partwise_papers.databases.measuring import measure
from partwise_papers.databases.metrics import AnsweredQuestion, confidence
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    read_listed_database,
    read_typed_database,
)
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.typed_databases.check import database_folders

OUT = Path(__file__).resolve().parent / "results" / "database_pairs.json"
Counts = dict[str, list[float]]


def pairs_of(
    parser: DatabaseParser, database: AskedDatabase, questions: Sequence[AskedQuestion]
) -> list[Example[Any]]:
    """Questions with the first interpretation that is right."""
    names, made = parser.names_in(database.domain), []
    for question in questions:
        found = parser.search(question.text, database.on(question.today), names).interpretations
        right = (one.program for one in found if database.judge(question, one.program))
        program = next(right, None)
        if program is not None:
            made.append(Example(question.text, program, question.id))
    return made


def trained(database: AskedDatabase, pairs: list[Example[Any]], seed: int) -> DatabaseParser:
    """The shipped parser, trained on."""
    kind, domain = DatabaseParser, database.domain
    _, training = settings_for(kind, domain, len(pairs), {"seed": seed, "held_out": 0})
    data = Dataset(database.name, "own", pairs, [], [])
    with tempfile.TemporaryDirectory() as folder:
        start = str(kind.starts_from)
        made = start_from(kind, domain, start)
        how: dict[str, Any] = {"folder": folder, "progress": False, "facts": {START: start}}
        return train(made, domain, data, training=training, **how).parser  # type: ignore[return-value]


def add(counts: Counts, name: str, answered: Sequence[AnsweredQuestion]) -> None:
    """Note what came of some questions."""
    told = [one for one in answered if one.probability is not None]
    counts.setdefault(f"{name}: right", []).extend(float(one.best) for one in answered)
    gap = fmean((one.probability or 0.0) - one.best for one in told)
    counts.setdefault(f"{name}: probability off", []).append(abs(gap))
    said = confidence(answered)
    for error in ("calibration error", "calibration error by chance"):
        counts.setdefault(f"{name}: {error}", []).append(said[error])


def main() -> None:
    """Measure, print, and keep the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", default=list(DatabaseRecipe.held_out))
    options.add_argument("--folder", type=Path, help="a database from elsewhere")
    options.add_argument("--pairs", type=int, default=20)
    options.add_argument("--draws", type=int, default=2)
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    torch.set_num_threads(1)
    folders = {one.name: one for one in database_folders()}
    names = [given.folder.name] if given.folder else given.names
    counts: Counts = {}
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            of_folder = read_listed_database(given.folder) if given.folder else None
            with closing(of_folder or read_typed_database(folders[name], Path(work))) as database:
                _measured(database, given, counts)
            print(name, {key: round(fmean(some), 3) for key, some in counts.items()}, flush=True)
    means = {name: round(fmean(some), 4) for name, some in counts.items()}
    sizes = {name: len(some) for name, some in counts.items()}
    facts = {"databases": names, "pairs": given.pairs, "draws": given.draws}
    about = {"about": device(), "commit": checkout_commit()}
    out = given.out or (OUT.with_stem(f"{OUT.stem}_{names[0]}") if given.folder else OUT)
    write_json(out, {**about, **facts, "figures": means, "counted": sizes})


def _measured(database: AskedDatabase, given: argparse.Namespace, counts: Counts) -> None:
    before = DatabaseParser.from_pretrained("database", database.domain)
    asked = [one for one in database.questions if one.right]
    answered = {one.id: one for one in measure(before, database, asked)}
    for draw in range(given.draws):
        some = random.Random(f"{database.name} {draw}").sample(asked, given.pairs)
        others = [one for one in asked if one not in some]
        pairs = pairs_of(before, database, some)
        begin = perf_counter()
        after = trained(database, pairs, draw)
        counts.setdefault("seconds of training", []).append(perf_counter() - begin)
        counts.setdefault("usable pairs", []).append(len(pairs))
        for name, part in (("pairs", some), ("others", others)):
            add(counts, f"{name}, before", [answered[one.id] for one in part])
            add(counts, f"{name}, after", measure(after, database, part))


if __name__ == "__main__":
    main()
