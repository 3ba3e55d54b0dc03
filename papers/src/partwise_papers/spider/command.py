"""What ``partwise data spider`` and ``partwise data spider-questions`` do."""

from __future__ import annotations

import json
import math
from pathlib import Path

from partwise.cli.common import write_text
from partwise.execution.relational.writing import write
from partwise_papers.spider.coverage import ConversionCounts, Converted, convert_all, fill_all
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder, split
from partwise_papers.spider.filling import rows_of
from partwise_papers.spider.generating.generate import generate
from partwise_papers.spider.layers import imported_layer


def convert_spider(
    data: Path | None, fills: Path, seeds: int, programs: Path | None = None
) -> ConversionCounts:
    """Fills the databases where they are missing, converts all questions and counts.

    Args:
        data: folder of Spider's files, or one that holds it as ``spider``.
        fills: folder of the databases with made-up rows.
        seeds: how many sets of them.
        programs: file for the programs; none if None.

    Raises:
        DataError: if Spider's files are not there.
    """
    folder = spider_folder(data)
    schemas, questions = read_schemas(folder), read_questions(folder)
    numbers = range(seeds)
    fill_all(schemas, questions, fills, numbers)
    coverage, lines = ConversionCounts(), []
    for one in convert_all(schemas, questions, fills, numbers):
        coverage.add(one)
        if one.programs:
            lines.append(json.dumps(_line(one), ensure_ascii=False))
    if programs is not None:
        write_text(programs, "\n".join(lines) + "\n")
    return coverage


def _line(one: Converted) -> dict[str, object]:
    first, *others = [[write(made.program), made.verdict] for made in one.programs]
    return {
        **{"id": one.question.id, "db": one.question.db},
        **{"program": first[0], "verdict": first[1], "alternatives": others},
    }


def generate_spider(data: Path | None, fills: Path, n: int, seed: int, out: Path) -> int:
    """Writes questions over the training databases, equally many for each, and counts them.

    The layers are imported from the files of the first set of made-up rows, as a user's would be.

    Args:
        n: how many in all.
        out: a file of JSON lines: db, question, program (null if it cannot be told), words, kind.

    Raises:
        DataError: if Spider's files are not there.
    """
    folder = spider_folder(data)
    schemas = read_schemas(folder)
    fill_all(schemas, read_questions(folder), fills, [0])
    names, lines = split(schemas).train, []
    for db in names:
        file = fills / "0" / f"{db}.sqlite"
        layer = imported_layer(file)
        made = generate(layer, rows_of(file, layer), math.ceil(n / len(names)), seed)
        lines += [json.dumps({"db": db, **one.to_json()}, ensure_ascii=False) for one in made]
    write_text(out, "\n".join(lines) + "\n")
    return len(lines)
