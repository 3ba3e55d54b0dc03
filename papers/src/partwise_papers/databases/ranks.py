"""Where the first right interpretation of a question stands, beside another parser's.

Nothing is refused. The questions are Spider's, plain and with synonyms, on made-up rows, and the
typed ones that can be answered: those for choosing a parser, or for a test.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from partwise.cli.common import write_text
from partwise.database.parser import DatabaseParser
from partwise_papers.databases.interpretations import Tell, reset
from partwise_papers.databases.options import DatabaseRecipe, RankedOn
from partwise_papers.databases.questions import (
    AskedDatabase,
    read_typed_database,
    spider_database,
)
from partwise_papers.databases.training_questions import BLIND, by_database
from partwise_papers.spider.coverage import fill_all
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder, split
from partwise_papers.typed_databases.check import database_folders

DEEPEST = 100
"""The last interpretation that is looked at."""
DEPTHS = (1, 5, 20, 100)
FILLS = (0, 1, 2, 3, 4)
CONSTRUCTS: Mapping[str, str] = {
    "set operation": r"\b(intersect|except|union)\b",
    "nested": r"(?s)\bselect\b.*\bselect\b",
    "superlative": "limit",
    "having": "having",
    "group by": "group by",
    "negation": r"\bnot\b|!=|<>|except",
    "or": r"\bor\b|\bin \('",
    "like": "like",
    "dates": r"'\d{4}-\d\d|strftime|julianday|date\(",
}
"""What a query has, by a pattern; a set operation is not called nested as well."""


class Key(NamedTuple):
    """A question in one of its forms: ``spider``, ``synonyms`` or ``typed``."""

    set: str
    db: str
    id: str


@dataclass(frozen=True)
class Ranked:
    """A question, and where the first right interpretation stands.

    Attributes:
        rank: from 1; None if it is not among the first `DEEPEST`.
        found: how many there are.
        seconds: that it took.
    """

    set: str
    db: str
    id: str
    text: str
    sql: str
    rank: int | None
    found: int
    seconds: float

    @property
    def key(self) -> Key:
        """Which question it is."""
        return Key(self.set, self.db, self.id)

    def within(self, depth: int) -> bool:
        """Whether a right one is among the first."""
        return self.rank is not None and self.rank <= depth


def constructs(sql: str) -> list[str]:
    """What a query has."""
    made = [name for name, pattern in CONSTRUCTS.items() if re.search(pattern, sql.lower())]
    if "set operation" in made:
        return [name for name in made if name != "nested"]
    return made if "nested" in made else ["flat", *made]


def read_baseline(file: Path) -> dict[Key, int | None]:
    """Ranks of another parser: lines of a list of objects with `set`, `db`, `id` and `rank`."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    return {Key(line["set"], line["db"], line["id"]): line["rank"] for line in stored}


def ranks_of_saved(
    name: str, on: RankedOn, answers: Path | None, tell: Tell
) -> dict[str, dict[str, Any]]:
    """The figures of a saved parser, as `summary` gives them.

    Args:
        name: of the parser, or its folder.
        answers: file for the rank of each question, which may be a baseline; none if None.
    """
    baseline = {} if on.baseline is None else read_baseline(on.baseline)
    only = None if on.every or on.baseline is None else baseline.keys()
    with tempfile.TemporaryDirectory(prefix="partwise-") as work:
        # Any database will do until the parser is moved to those that it is asked about.
        with closing(read_typed_database(database_folders()[0], Path(work))) as first:
            parser = DatabaseParser.from_pretrained(name, first.domain)
        ranked = ranks_of(parser, on, Path(work), tell, only)
    if answers is not None:
        write_text(answers, json.dumps([asdict(x) for x in ranked], ensure_ascii=False, indent=1))
    return summary(ranked, baseline)


def ranks_of(
    parser: DatabaseParser,
    on: RankedOn,
    work: Path,
    tell: Tell,
    only: Collection[Key] | None = None,
) -> list[Ranked]:
    """Ranks of questions for choosing.

    Args:
        work: where files are written that must be there meanwhile.
        only: the questions that are asked; None for all.
    """
    parser, made = reset(parser, {"listed": DEEPEST}), list[Ranked]()
    wanted = None if only is None else {(key.db, key.id) for key in only}
    for kind, database in databases_for_choosing(on, work, wanted):
        with closing(database):
            some = list(_rank_all(parser, kind, database, only))
        made += some
        first = sum(question.within(1) for question in some)
        tell(f"{kind}, {database.name}: {first} of {len(some)} first")
    return made


def _rank_all(
    parser: DatabaseParser, kind: str, database: AskedDatabase, only: Collection[Key] | None
) -> Iterator[Ranked]:
    names = parser.names_in(database.domain)
    for question in database.questions:
        forms = [(kind, question)]
        if question.synonyms is not None:
            forms.append(("synonyms", question.with_synonyms()))
        for form, asked in forms:
            if only is not None and Key(form, database.name, asked.id) not in only:
                continue
            begun = perf_counter()
            found = parser.read(asked.text, database.on(asked.today), names).interpretations
            seconds = perf_counter() - begun
            right = (database.judge(asked, some.program) for some in found[:DEEPEST])
            rank = next((place for place, yes in enumerate(right, 1) if yes), None)
            key = (form, database.name, asked.id)
            yield Ranked(*key, asked.text, asked.sql or "", rank, len(found), seconds)


def databases_for_choosing(
    on: RankedOn, work: Path, wanted: Collection[tuple[str, str]] | None
) -> Iterator[tuple[str, AskedDatabase]]:
    """Databases for choosing with those of their questions that are wanted."""

    def is_wanted(database: str, number: str) -> bool:
        return wanted is None or (database, number) in wanted

    if on.spider is not None and on.fills is not None:
        folder = spider_folder(on.spider)
        schemas, questions = read_schemas(folder), read_questions(folder)
        fill_all(schemas, questions, on.fills, FILLS)
        chosen = split(schemas).test if on.test else split(schemas).dev
        some = [x for x in questions if x.db in chosen and is_wanted(x.db, x.id)]
        for name, asked in by_database(some).items():
            yield "spider", spider_database(name, asked, on.fills, FILLS)
    for folder in () if on.test else database_folders():
        if folder.parent.name != BLIND and folder.name in DatabaseRecipe.held_out:
            database = read_typed_database(folder, work)
            database.questions = [
                question
                for question in database.questions
                if question.right and is_wanted(folder.name, question.id)
            ]
            yield "typed", database


# --- what is told ------------------------------------------------------------------------------


def summary(
    ranked: Sequence[Ranked], baseline: Mapping[Key, int | None]
) -> dict[str, dict[str, Any]]:
    """Name of a set -> its figures, in all and by construct."""
    made = {}
    for name in dict.fromkeys(question.set for question in ranked):
        some = [question for question in ranked if question.set == name]
        seconds = sorted(question.seconds for question in some)
        kinds = sorted({kind for question in some for kind in constructs(question.sql)})
        made[name] = {
            **_figures(some, baseline),
            "seconds": {"median": seconds[len(some) // 2], "p95": seconds[int(0.95 * len(some))]},
            "constructs": {
                kind: _figures([x for x in some if kind in constructs(x.sql)], baseline)
                for kind in kinds
            },
        }
    return made


def _figures(some: Sequence[Ranked], baseline: Mapping[Key, int | None]) -> dict[str, Any]:
    """How many are first, in 5, and so on; and beside the baseline those that are first in one."""
    made: dict[str, Any] = {"questions": len(some)}
    made |= {f"in {depth}": sum(x.within(depth) for x in some) for depth in DEPTHS}
    both = [x for x in some if x.key in baseline]
    if both:
        others = [baseline[x.key] or DEEPEST + 1 for x in both]
        pairs = [(x.within(1), other == 1) for x, other in zip(both, others, strict=True)]
        won = sum(mine and not other for mine, other in pairs)
        lost = sum(other and not mine for mine, other in pairs)
        made["baseline"] = {
            "questions": len(both),
            **{f"in {depth}": sum(other <= depth for other in others) for depth in DEPTHS},
            **{"won": won, "lost": lost, "p": mcnemar(won, lost)},
        }
    return made


def mcnemar(won: int, lost: int) -> float:
    """How likely two counts are at least as far apart by chance (exact, both sides)."""
    number = won + lost
    tail: float = sum(comb(number, k) for k in range(min(won, lost) + 1)) / 2**number
    return min(1.0, 2 * tail)


def text(figures: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures as lines."""
    lines = []
    for name, some in figures.items():
        lines.append(f"{name}: {_line(some, share=True)}")
        lines += [f"  {kind}: {_line(part)}" for kind, part in some["constructs"].items()]
        lines.append("  {median:.3f} s median, {p95:.3f} s p95".format(**some["seconds"]))
    return "\n".join(lines)


def _line(some: Mapping[str, Any], share: bool = False) -> str:
    def shown(count: int, number: int) -> str:
        return f"{100 * count / number:.1f}" if share else str(count)

    number = some["questions"]
    depths = (f"in {depth} {shown(some[f'in {depth}'], number)}" for depth in DEPTHS)
    told = f"{number} questions, {', '.join(depths)}".replace("in 1 ", "first ")
    if "baseline" in some:
        other = some["baseline"]
        told += f"; baseline first {shown(other['in 1'], other['questions'])}"
        told += f", first here alone {other['won']}, there alone {other['lost']}"
        told += f" (p {other['p']:.3f})" if share else ""
    return told
