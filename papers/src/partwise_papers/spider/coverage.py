"""How many of Spider's questions have a program, by the constructs of their SQL."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sqlglot import exp

from partwise.cli.common import write_text
from partwise.errors import PartwiseError
from partwise.execution.relational.writing import write
from partwise_papers.spider.checking import VERDICTS, Checked, Fills, Verdict
from partwise_papers.spider.converter import read_sql
from partwise_papers.spider.data import (
    SpiderQuestion,
    SpiderSchema,
    declare_schema,
    read_questions,
    read_schemas,
    spider_folder,
)
from partwise_papers.spider.filling import fill, literals_of

_CONSTRUCTS: Mapping[str, type[exp.Expression]] = {
    **{"group by": exp.Group, "having": exp.Having, "limit": exp.Limit, "order by": exp.Order},
    **{"in": exp.In, "like": exp.Like, "between": exp.Between, "or": exp.Or, "not": exp.Not},
    **{"join": exp.Join, "intersect": exp.Intersect, "except": exp.Except, "union": exp.Union},
}


class Converted(NamedTuple):
    """A question with the programs that give the rows of its SQL.

    Attributes:
        programs: those that words suggest first; empty if there is none.
        missing: why there is none.
    """

    question: SpiderQuestion
    programs: Sequence[Checked]
    missing: str = ""

    @property
    def verdict(self) -> Verdict:
        """How the best of the programs compares."""
        return min(
            (program.verdict for program in self.programs), key=VERDICTS.index, default="different"
        )


@dataclass
class ConversionCounts:
    """Counts of questions."""

    questions: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    constructs: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    missing: Counter[str] = field(default_factory=Counter)

    def add(self, conversion: Converted) -> None:
        """Counts a question."""
        self.questions += 1
        self.verdicts[conversion.verdict] += 1
        for construct in constructs(conversion.question.sql):
            self.constructs[construct]["questions"] += 1
            self.constructs[construct]["covered"] += bool(conversion.programs)
        if not conversion.programs:
            self.missing[conversion.missing] += 1

    @property
    def covered(self) -> int:
        """Questions with a program."""
        return self.questions - self.verdicts["different"]

    def to_json(self) -> dict[str, Any]:
        """The counts as plain values."""
        return {
            "questions": self.questions,
            "covered": self.covered,
            "verdicts": {verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "constructs": {
                construct: dict(of) for construct, of in sorted(self.constructs.items())
            },
            "missing": dict(self.missing.most_common()),
        }

    def text(self) -> str:
        """The counts as lines."""
        share = 100 * self.covered / max(1, self.questions)
        lines = [f"{self.covered:,} of {self.questions:,} questions have a program ({share:.1f} %)"]
        lines += [f"  {self.verdicts[verdict]:6,} {verdict}" for verdict in VERDICTS]
        for name, of in sorted(self.constructs.items(), key=lambda item: -item[1]["questions"]):
            part = 100 * of["covered"] / of["questions"]
            lines.append(f"  {name}: {of['questions']:,} questions, {part:.1f} % covered")
        lines += [f"  without: {count:,} {why}" for why, count in self.missing.most_common()]
        return "\n".join(lines)


def constructs(sql: str) -> set[str]:
    """What the SQL of a question uses."""
    try:
        tree = read_sql(sql)
    except PartwiseError:
        return {"cannot be read"}
    made = {name for name, kind in _CONSTRUCTS.items() if tree.find(kind) is not None}
    selects = list(tree.find_all(exp.Select))
    made |= {"distinct"} if any(select.args.get("distinct") for select in selects) else set()
    inner = [select for select in selects if isinstance(select.parent, exp.Subquery)]
    made |= {"number from a query"} if any(not _in(select) for select in inner) else set()
    return made or {"one table, no more"}


def _in(select: exp.Select) -> bool:
    return select.parent is not None and isinstance(select.parent.parent, exp.In)


def fill_all(
    schemas: Mapping[str, SpiderSchema],
    questions: Iterable[SpiderQuestion],
    folder: Path,
    seeds: Sequence[int],
) -> None:
    """Writes the databases with made-up rows: a folder for each seed; a whole one is kept."""
    literals = literals_of(questions)
    for seed in seeds:
        for db, schema in schemas.items():
            if not (folder / str(seed) / f"{db}.sqlite").is_file():
                fill(schema, literals.get(db, {}), folder / str(seed) / f"{db}.sqlite", seed)


def convert_all(
    schemas: Mapping[str, SpiderSchema],
    questions: Iterable[SpiderQuestion],
    folder: Path,
    seeds: Sequence[int],
) -> Iterator[Converted]:
    """Converts questions, database by database (`folder`: with the filled databases of each
    seed)."""
    by_database: dict[str, list[SpiderQuestion]] = defaultdict(list)
    for question in questions:
        by_database[question.db].append(question)
    for db, some in by_database.items():
        files = [folder / str(seed) / f"{db}.sqlite" for seed in seeds]
        fills = Fills(declare_schema(schemas[db]), files)
        yield from (_convert(fills, question) for question in some)
        fills.close()


def _convert(fills: Fills, question: SpiderQuestion) -> Converted:
    try:
        programs = fills.check(question.sql)
    except PartwiseError as error:
        return Converted(question, (), str(error).split(":")[0])
    return Converted(question, programs, "" if programs else "other rows")


def convert_spider(
    data: Path | None, fills: Path, seeds: int, programs: Path | None = None
) -> ConversionCounts:
    """Fills the databases where they are missing, converts all questions and counts; raises
    DataError if Spider's files are not there.

    Args:
        data: folder of Spider's files, or one that holds it as ``spider``.
        fills: folder of the databases with made-up rows.
        seeds: how many sets of them.
        programs: file for the programs; none if None.
    """
    folder = spider_folder(data)
    schemas, questions = read_schemas(folder), read_questions(folder)
    numbers = range(seeds)
    fill_all(schemas, questions, fills, numbers)
    coverage, lines = ConversionCounts(), []
    for conversion in convert_all(schemas, questions, fills, numbers):
        coverage.add(conversion)
        if conversion.programs:
            lines.append(json.dumps(_line(conversion), ensure_ascii=False))
    if programs is not None:
        write_text(programs, "\n".join(lines) + "\n")
    return coverage


def _line(conversion: Converted) -> dict[str, object]:
    first, *others = [[write(made.program), made.verdict] for made in conversion.programs]
    return {
        **{"id": conversion.question.id, "db": conversion.question.db},
        **{"program": first[0], "verdict": first[1], "alternatives": others},
    }
