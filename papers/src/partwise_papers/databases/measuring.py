"""How good the parser for databases is, on databases that it has never seen."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from copy import copy
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from partwise.cli.common import write_text
from partwise.database.domain import DatabaseDomain
from partwise.database.inference import SchemaNames
from partwise.database.parser import DatabaseParser
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.interface.answering import answered
from partwise.training.store import CONFIG, find_pretrained
from partwise_papers.composed.questions import COMPOSED, compose_questions
from partwise_papers.databases.interpretations import Tell
from partwise_papers.databases.metrics import AnsweredQuestion, metrics
from partwise_papers.databases.options import DatabaseRecipe, MeasuredOn
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    other_subjects,
    read_listed_database,
    read_typed_database,
    spider_database,
)
from partwise_papers.databases.training_questions import BLIND, by_database
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.spider.contents import contents_of, unpack_contents
from partwise_papers.spider.coverage import fill_all
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder, split
from partwise_papers.typed_databases.check import HOME, database_folders

FILLS = (0, 1, 2, 3, 4)
"""Sets of made-up rows that answers to Spider's questions are compared on."""
SPIDER, SYNONYMS = "spider, {} rows", "spider with synonyms, {} rows"
OTHERS = "other subjects"


def measure(
    parser: DatabaseParser,
    database: AskedDatabase,
    questions: Iterable[AskedQuestion],
    spelling: bool = False,
) -> list[AnsweredQuestion]:
    """Ask a parser the questions of a database, each by a call of its own (`spelling`: as
    `MeasuredOn.spelling`)."""
    names = parser.names_in(database.domain)
    if spelling:
        names = without_meanings(names)
    _move(parser, database.domain, names).parse(["how many are there?"])
    return [_answer(parser, database, question, names) for question in questions]


def without_meanings(names: SchemaNames) -> SchemaNames:
    """Names that are all alike in meaning, so that only their spelling tells them apart."""
    return names._replace(vectors=np.zeros_like(names.vectors))


def measure_all(
    parser: DatabaseParser, on: MeasuredOn, work: Path, tell: Tell
) -> dict[str, list[AnsweredQuestion]]:
    """Name of a set of databases -> what the parser made of their questions (`work`: where files
    are written that must be there meanwhile); raises DataError if there is nothing to measure on,
    or data are missing."""
    made: dict[str, list[AnsweredQuestion]] = {}
    for name, database, questions in _sets(on, work):
        with closing(database):
            some = measure(parser, database, questions, on.spelling)
        right = sum(answer.verdict == "right" for answer in some)
        tell(f"{name}, {database.name}: {right} of {len(some)} right")
        made.setdefault(name, []).extend(some)
    if not made:
        raise DataError("nothing to measure on: name typed databases, Spider's files or a folder")
    return made


def measure_parser(
    folder: Path, on: MeasuredOn, command: str, answers: Path | None, tell: Tell
) -> dict[str, Any]:
    """Measure a saved parser: metrics of each set, and what made them; raises DataError if there is
    nothing to measure on, or data are missing.

    Args:
        folder: of the parser.
        command: that was typed, to be noted.
        answers: file for what became of each question, as JSON lines; none if None.
    """
    config = read_json(find_pretrained(folder) / CONFIG)
    with tempfile.TemporaryDirectory(prefix="partwise-") as name:
        work = Path(name)
        # Any database will do until the parser is moved to those that it is asked about.
        domain = read_typed_database(database_folders()[0], work).domain
        parser = DatabaseParser.from_pretrained(folder, domain)
        made = measure_all(parser, on, work, tell)
    if answers is not None:
        lines = ({"set": name, **vars(answer)} for name, some in made.items() for answer in some)
        write_text(answers, "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines))
    seeds = {"training": config["training"].get("seed"), "drawing": on.seed, "rows": list(FILLS)}
    return {
        **{"command": command, "commit": checkout_commit(), "device": device()},
        **{"encoder": config["encoder"], "training": config["training"], "seeds": seeds},
        "sets": {name: metrics(some) for name, some in made.items()},
    }


def _answer(
    parser: DatabaseParser, database: AskedDatabase, question: AskedQuestion, names: SchemaNames
) -> AnsweredQuestion:
    asked = _move(parser, database.on(question.today), names)
    start = perf_counter()
    if database.made_up:
        # That made-up rows have no answer says nothing of what was meant.
        parsed = said = asked.parse([question.text])[0]
    else:
        parsed = asked.parse([question.text], DatabaseDomain.tried)[0]
        said = answered(parsed, asked.domain).prediction
    seconds = perf_counter() - start
    best = said if said.meaning is not None else next(iter(parsed.alternatives), None)
    program = None if best is None else best.meaning
    good = program is not None and database.judge(question, program)
    refused = said.meaning is None
    if refused:
        verdict: Literal["right", "wrong", "refused"] = "refused" if question.right else "right"
    else:
        verdict = "right" if good else "wrong"
    exact = good and program is not None and database.judge(question, program, exactly=True)
    return AnsweredQuestion(
        question.id,
        database.name,
        question.kind,
        bool(question.right),
        verdict,
        exact and not refused,
        good,
        None if best is None or program is None else best.probability,
        seconds,
    )


def _move(parser: DatabaseParser, domain: DatabaseDomain, names: SchemaNames) -> DatabaseParser:
    """The same parser for another database."""
    made = copy(parser)
    made.domain, made.names = domain, names
    return made


# --- what is asked -----------------------------------------------------------------------

_Asked = tuple[str, AskedDatabase, list[AskedQuestion]]


def _sets(on: MeasuredOn, work: Path) -> Iterator[_Asked]:
    known = {home.name: home for home in database_folders()}
    for name in (*on.typed, *(DatabaseRecipe.held_out if on.choosing else ())):
        if name not in known:
            raise DataError(f"no typed database {name}; there are {', '.join(known)}")
        database = read_typed_database(known[name], work)
        yield "typed", database, database.questions
        yield from _compose(known[name], work, on)
    if on.blind:
        yield from _blind(work)
        for home in database_folders(HOME / BLIND):
            yield from _compose(home, work, on)
    for folder in on.folder:
        database = read_listed_database(folder)
        yield folder.name, database, database.questions
    if on.spider is not None:
        yield from _spider(on)


def _compose(folder: Path, work: Path, on: MeasuredOn) -> Iterator[_Asked]:
    if on.composed:
        database = read_typed_database(folder, work)
        yield COMPOSED, database, compose_questions(database, on.composed, on.seed)


def _blind(work: Path) -> Iterator[_Asked]:
    with (HOME / BLIND / "other_subjects.jsonl").open(encoding="utf-8") as lines:
        others = other_subjects(json.loads(line)["question"] for line in lines)
    for folder in database_folders(HOME / BLIND):
        database = read_typed_database(folder, work)
        yield BLIND, database, database.questions
        database = read_typed_database(folder, work)
        yield OTHERS, database, others


def _spider(on: MeasuredOn) -> Iterator[_Asked]:
    """Spider's databases for measuring or for choosing, plain and with synonyms."""
    if on.fills is None:
        raise DataError("Spider's databases need a folder for their made-up rows: --fills")
    assert on.spider is not None
    folder = spider_folder(on.spider)
    schemas, questions = read_schemas(folder), read_questions(folder)
    fill_all(schemas, questions, on.fills, FILLS)
    parts = split(schemas)
    held_out = parts.dev if on.choosing else parts.test
    some = [question for question in questions if question.db in held_out]
    random.Random(on.seed).shuffle(some)
    drawn = by_database(islice(some, on.most))
    for db, asked in drawn.items():
        yield from _both_forms(partial(spider_database, db, asked, on.fills, FILLS), "made-up")
    if on.contents is not None:
        unpack_contents(folder, on.contents)
        for db, asked in drawn.items():
            if contents_of(on.contents, db) is not None:
                opened = partial(spider_database, db, asked, on.fills, FILLS, on.contents)
                yield from _both_forms(opened, "real")


def _both_forms(opened: Callable[[], AskedDatabase], rows: str) -> Iterator[_Asked]:
    """A database, each time opened anew, with its questions plain and with synonyms."""
    database = opened()
    yield SPIDER.format(rows), database, database.questions
    database = opened()
    other = [one.with_synonyms() for one in database.questions if one.synonyms]
    yield SYNONYMS.format(rows), database, other
