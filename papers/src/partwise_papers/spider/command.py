"""What ``partwise data spider`` does."""

from __future__ import annotations

import json
from pathlib import Path

from partwise.cli.common import write_text
from partwise.execution.relational.writing import write
from partwise_papers.spider.coverage import ConversionCounts, Converted, convert_all, fill_all
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder


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
