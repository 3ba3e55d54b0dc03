"""Wishes for charts that people phrased: is each read, and obeyed?

    python benchmarks/wishes.py NVBENCH SPIDER [--half dev]

NVBENCH is nvBench as a file ``train.jsonl.gz``: wordings, the type of chart, and the SQL; SPIDER a
folder with a SQLite file for each of its databases. A wording with a word for a chart is read if
the type that is wished is found and no such word is left; it is obeyed if the rows of the SQL are
drawn so. Rows for which the type cannot be are left out: less than two, or without a number. The
phrases were chosen on one half of the databases; the other is reported. Written to
``benchmarks/results/wishes.json``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from zlib import crc32

from partwise.drawing.charts import display
from partwise.encoders.storage import write_json
from partwise.interface.prediction import Explanation, ResultTable
from partwise.language.wishes import split_wish
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "wishes.json"
KINDS = {
    **{"bar": {"bar"}, "pie": {"pie"}, "line": {"line"}, "scatter": {"scatter"}},
    **{
        "stacked bar": {"stacked", "bar"},
        "grouping line": {"line"},
        "grouping scatter": {"scatter"},
    },
}
ASKED = re.compile(
    r"\b(?:bar|pie|line|scatter)\w*[ -]*(?:chart|graph|plot)|\b(?:chart|graph)s?\b", re.I
)


def rows_of(folder: Path, name: str, sql: str) -> ResultTable | None:
    """The rows of a query, if they can be a chart."""
    file = folder / f"{name}.sqlite"
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as base:
            base.text_factory = lambda data: data.decode(errors="replace")
            found = base.execute(sql)
            names = [f"{n} {column[0]}" for n, column in enumerate(found.description)]
            rows = tuple(found.fetchmany(500))
    except sqlite3.Error:
        return None
    numbers = any(isinstance(cell, int | float) for cell in rows[0]) if rows else False
    return (
        ResultTable(tuple(names), rows, Explanation("", "")) if numbers and len(rows) > 1 else None
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("nvbench", type=Path)
    parser.add_argument("spider", type=Path)
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    counted: Counter[str] = Counter()
    shown = 0
    with gzip.open(given.nvbench, "rt", encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    for entry in entries:
        if ("dev", "test")[crc32(entry["db"].encode()) % 2] != given.half:
            continue
        table = rows_of(given.spider, entry["db"], entry["sql"])
        for question in entry["questions"]:
            wish, asked = split_wish(question), bool(ASKED.search(question))
            counted["wordings"] += 1
            if not asked:
                counted["without a wish"] += 1
                counted["without a wish, one is read"] += bool(wish.kind)
                continue
            kinds = KINDS[entry["chart"]]
            counted["with a wish"] += 1
            read = wish.kind in kinds and not ASKED.search(wish.question)
            counted["read"] += read
            if not read and shown < given.show:
                shown += 1
                print(entry["chart"], "|", question, "|", wish)
            if table is not None and "bin" not in entry and "series" not in entry:
                counted["with rows"] += 1
                seen = display(table, wish.kind).kind
                counted["obeyed"] += seen in kinds
                if read and seen not in kinds:
                    counted[f"{entry['chart']} seen as {seen}"] += 1
    print(dict(counted))
    if given.half == "test":
        write_json(OUT, {"commit": checkout_commit(), **counted})


if __name__ == "__main__":
    main()
