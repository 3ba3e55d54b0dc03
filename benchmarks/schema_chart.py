"""Times the parts of questions to typed databases, and counts what wider charts would change.

    python benchmarks/schema_chart.py [--parser NAME] [--each 12]

Without a saved parser, first weights score and nothing is reranked. Milliseconds are processor
time of a process that has answered before. Wider charts have cells four times as wide, and then
twice the margin as well. Written to ``benchmarks/results/schema_chart.json``.
"""

from __future__ import annotations

import argparse
import gc
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch

from partwise.database import inference as parsing
from partwise.database.config import DatabaseSettings
from partwise.database.constants import ConstantFinder
from partwise.database.inference import DatabaseInference
from partwise.database.parser import DatabaseParser
from partwise.encoders.storage import write_json
from partwise_papers.databases.interpretations import reset
from partwise_papers.databases.questions import AskedDatabase, read_typed_database
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.typed_databases.check import database_folders

OUT = Path(__file__).resolve().parent / "results" / "schema_chart.json"
PARTS = {
    "encoding": [(parsing, "word_vectors")],
    "constants": [(ConstantFinder, "find")],
    "network": [(parsing, "question_of"), (DatabaseInference, "_scores")],
    "chart": [(parsing, "k_best")],
    "programs": [(DatabaseInference, "_interpretations")],
    "reranking": [(DatabaseInference, "rerank")],
    "all": [(DatabaseInference, "read")],
}


def count_time(owner: Any, name: str, spent: Counter[str], part: str) -> None:
    """Add the nanoseconds of each call of a function to what a part has spent."""
    plain = getattr(owner, name)

    def timed(*given: Any, **more: Any) -> Any:
        begun = time.process_time_ns()
        made = plain(*given, **more)
        spent[part] += time.process_time_ns() - begun
        return made

    setattr(owner, name, timed)


def ask(
    parser: DatabaseParser, database: AskedDatabase, number: int, spent: Counter[str]
) -> Iterator[list[int]]:
    """Of each question the time of each part, and whether each wider chart finds another best."""
    kept, asked = parser.config, (database.domain, parser.names_in(database.domain))
    cells = {"cell": 4 * kept.cell, "inner": 4 * kept.inner}
    wide = [reset(parser, some) for some in ({}, cells, {**cells, "margin": 2 * kept.margin})]
    for question in database.questions[:3]:
        parser.read(question.text, *asked)
    gc.collect()
    gc.freeze()
    for question in random.Random(database.name).sample(database.questions, number):
        spent.clear()
        parser.read(question.text, *asked)
        times = [spent[part] for part in PARTS]
        found = (some.search(question.text, *asked).interpretations for some in wide)
        best, *others = ([x.program for x in some[:1]] for some in found)
        yield [*times, *(other != best for other in others)]


def main() -> None:
    """Measure, print, and keep the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parser")
    options.add_argument("--each", type=int, default=12)
    given = options.parse_args()
    torch.set_num_threads(1)
    spent, made, parser = Counter[str](), list[list[int]](), None
    for part, functions in PARTS.items():
        for owner, name in functions:
            count_time(owner, name, spent, part)
    folders = [folder for folder in database_folders() if folder.parent.name != "blind"]
    with tempfile.TemporaryDirectory() as work:
        for folder in folders:
            with closing(read_typed_database(folder, Path(work))) as database:
                if parser is None and given.parser:
                    parser = DatabaseParser.from_pretrained(given.parser, database.domain)
                parser = parser or DatabaseParser.create(database.domain, DatabaseSettings())
                made += ask(parser, database, given.each, spent)
    tops = np.percentile(np.array(made)[:, : len(PARTS)] / 1e6, (50, 99, 100), axis=0).round(2)
    names, columns = ("median", "p99", "max"), zip(PARTS, tops.T.tolist(), strict=True)
    figures = {part: dict(zip(names, some, strict=True)) for part, some in columns}
    changed = dict(zip(("cells", "and margin"), np.sum(made, 0)[-2:].tolist(), strict=True))
    about = {"about": device(), "commit": checkout_commit(), "parser": given.parser or "untrained"}
    facts = {"questions": len(made), "milliseconds": figures, "best changed by wider": changed}
    write_json(OUT, {**about, **facts})
    print(facts)


if __name__ == "__main__":
    main()
