"""Whether saved graphs answer as the networks that they were written from.

    python benchmarks/same_answers.py --spider FOLDER --fills FOLDER [--most 500]

Both halves of each shipped parser get the same questions: the test questions of geography and
films, and for databases the typed questions and those of Spider that are for choosing. The same
program must come first, and its probability may differ by `FAR`. Written to
``benchmarks/results/same_answers.json``.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from partwise.database.domain import DatabaseDomain
from partwise.encoders.storage import write_json
from partwise.interface.prediction import Prediction
from partwise.interface.registry import load
from partwise.training.store import load_parser
from partwise_papers.databases.options import RankedOn
from partwise_papers.databases.questions import read_typed_database
from partwise_papers.databases.ranks import databases_for_choosing
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.typed_databases.check import database_folders

OUT = Path(__file__).resolve().parent / "results" / "same_answers.json"
FAR = 0.01
Pair = tuple[Prediction[Any], Prediction[Any]]


def halves(name: str, domain: Any = None) -> list[Any]:
    """The half that answers from graphs, and the one that learns."""
    return [load_parser(name, domain, trainable=trainable) for trainable in (False, True)]


def shipped(name: str, split: str) -> Iterator[Pair]:
    """Both predictions of each test question."""
    examples = load(name, split).test
    said = [parser.parse_examples(examples) for parser in halves(name)]
    return zip(*said, strict=True)


def databases(on: RankedOn, most: int, work: Path) -> Iterator[tuple[str, Pair]]:
    """The kind of question with both predictions, `most` of a kind."""
    with closing(read_typed_database(database_folders()[0], work)) as first:
        parsers = halves("database", first.domain)
    drawn: dict[str, list[tuple[DatabaseDomain, str]]] = {}
    for kind, database in databases_for_choosing(on, work, None):
        for question in database.questions:
            drawn.setdefault(kind, []).append((database.domain, question.text))
    for kind, asked in drawn.items():
        random.Random(0).shuffle(asked)
        # One after the other, so that each database's names are encoded once.
        for domain, question in sorted(islice(asked, most), key=lambda pair: pair[0].name):
            for parser in parsers:
                if parser.domain is not domain:
                    parser.domain, parser.names = domain, parser.names_in(domain)
            one, other = (parser.parse([question])[0] for parser in parsers)
            yield kind, (one, other)


def compare(pairs: Sequence[Pair]) -> dict[str, Any]:
    """What is the same, and the questions of which it is not."""
    other = [a for a, b in pairs if (a.meaning, a.status) != (b.meaning, b.status)]
    gaps = [abs(a.probability - b.probability) for a, b in pairs if a.meaning == b.meaning]
    return {
        "questions": len(pairs),
        "same program": sum(a.meaning == b.meaning for a, b in pairs),
        "same status": sum(a.status == b.status for a, b in pairs),
        "largest gap of probability": max(gaps, default=0.0),
        f"gaps above {FAR}": sum(gap > FAR for gap in gaps),
        "other": [prediction.question for prediction in other],
    }


def main() -> None:
    """Ask, compare and write the file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--spider", type=Path)
    options.add_argument("--fills", type=Path)
    options.add_argument("--most", type=int, default=500)
    given = options.parse_args()
    found: dict[str, list[Pair]] = {
        "geography": list(shipped("geography", "iid")),
        "films": list(shipped("films", "random")),
    }
    with tempfile.TemporaryDirectory(prefix="partwise-") as work:
        on = RankedOn(spider=given.spider, fills=given.fills)
        for kind, pair in databases(on, given.most, Path(work)):
            found.setdefault(kind, []).append(pair)
    made = {name: compare(pairs) for name, pairs in found.items()}
    for name, figures in made.items():
        print(name, {key: value for key, value in figures.items() if key != "other"})
    command = "python benchmarks/same_answers.py --spider SPIDER --fills FILLS"
    write_json(OUT, {"commit": checkout_commit(), "command": command, "sets": made})


if __name__ == "__main__":
    main()
