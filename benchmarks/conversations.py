"""Whole conversations with a database: each question behind the parser's own former answers.

    python benchmarks/conversations.py measure COSQL SPIDER CONTENTS [--out FILE]
    python benchmarks/conversations.py office [--out FILE]
    python benchmarks/conversations.py fit COSQL SPIDER CONTENTS

COSQL holds CoSQL's training dialogues (``train.jsonl.gz``), SPIDER the files of Spider, CONTENTS
the real contents of its databases. Measured are the databases for choosing, of
`partwise_papers.spider.data.split`; `fit` learns from the dialogues about those for training, and
writes what it learned to the shipped parser. The office is that of the tests. Every turn is asked;
those with a query that runs are counted. A turn is right if its rows are those of the query in any
order of columns, up to two more columns, or each once; for a query of all columns, if the rows are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from copy import copy
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from partwise.database.inference import DatabaseInference
from partwise.encoders.storage import write_json
from partwise.execution.relational.program import Program
from partwise.interface.answering import answer
from partwise.interface.prediction import Answer, Turn
from partwise.training.store import CONFIG, find_pretrained, write_manifest
from partwise_papers.databases.conversations import (
    LearnedTurn,
    dialogue_turns,
    fit_conversations,
    made_turns,
)
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import (
    Answering,
    AskedDatabase,
    SqlRows,
    TypedRows,
    read_typed_database,
)
from partwise_papers.databases.training_questions import BLIND
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.spider.checking import FAILURES, Expected, Fills
from partwise_papers.spider.contents import contents_of, unpack_contents
from partwise_papers.spider.data import read_schemas, split
from partwise_papers.typed_databases.check import database_folders

HERE = Path(__file__).resolve().parent
OUT = HERE / "results" / "conversations.json"
MADE_FOR, DIALOGUES = 12, 16
"""Questions of each typed database that follow-ups are made for, and dialogues of each other one,
that are learned from."""
DOUBTFUL_BELOW = 0.8
OFFICE = HERE.parent / "tests" / "database"
ALL_COLUMNS = re.compile(r"(?<!\()\s(\w+\.)?\*")


class AskedTurn(NamedTuple):
    """What a person typed, and the query of its answer; None where there is none."""

    question: str
    sql: str | None


class Conversation(NamedTuple):
    """What a person asks a database one after the other."""

    db: str
    turns: Sequence[AskedTurn]


class Said(NamedTuple):
    """A turn with a query, as it was answered.

    Attributes:
        place: 0 for the first of a conversation.
        right: behind the former answers; `alone`: asked by itself.
        sure: whether it was answered without doubt; `sure_alone`: asked by itself.
    """

    db: str
    question: str
    place: int
    right: bool
    alone: bool
    sure: bool
    sure_alone: bool


class GoldRows:
    """The rows of a query on one file."""

    def __init__(self, database: AskedDatabase, expected: Expected, sql: str) -> None:
        self.database = database
        gold = expected.plain
        places = _places(gold.keys[: len(gold.rows)])
        self.forms = (
            SqlRows(expected),
            TypedRows((Answering.of(gold.rows, gold.ordered, places),)),
        )
        self.columns = [*zip(*gold.rows, strict=True)] if ALL_COLUMNS.search(sql) else []

    def right(self, program: Program | None) -> bool:
        """Whether a program gives them."""
        if program is None:
            return False
        try:
            (rows,) = self.database.rows.run(program)
        except FAILURES:
            return False
        if any(form.lenient(rows) for form in self.forms):
            return True
        shown = [*zip(*rows, strict=True)]
        return bool(shown and self.columns) and all(
            any(sorted(map(str, mine)) == sorted(map(str, gold)) for gold in self.columns)
            for mine in shown
        )


def _places(keys: Sequence[Any]) -> list[int] | None:
    """A number for each row, equal for those that tie; None if nothing tells."""
    if not keys:
        return None
    places = [0]
    for before, key in pairwise(keys):
        places.append(places[-1] + (key != before))
    return places


def read_dialogues(cosql: Path, names: Sequence[str]) -> list[Conversation]:
    """CoSQL's dialogues over some databases."""
    made = []
    with gzip.open(cosql / "train.jsonl.gz", "rt", encoding="utf-8") as lines:
        for stored in map(json.loads, lines):
            if stored["db"] in names:
                turns = [
                    AskedTurn(turn["question"], turn.get("sql") if turn.get("runs") else None)
                    for turn in stored["turns"]
                ]
                made.append(Conversation(stored["db"], turns))
    return made


def read_office() -> list[Conversation]:
    """The conversations of the tests, which a blank line ends."""
    text = (OFFICE / "conversations.tsv").read_text(encoding="utf-8")
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    return [Conversation("office", [AskedTurn(*line.split("\t")) for line in b]) for b in blocks]


def converse(
    parser: DatabaseInference, database: AskedDatabase, file: Path, talks: Sequence[Conversation]
) -> Iterator[Said]:
    """What comes of conversations about one database."""
    moved = copy(parser)
    moved.domain = database.domain
    moved.names = moved.names_in(database.domain)
    with closing(Fills(database.domain.layer.schema, [file])) as filled:
        for talk in talks:
            last: Turn | None = None
            for place, turn in enumerate(talk.turns):
                alone = answer(moved, [turn.question])[0]
                said = alone if last is None else answer(moved, [turn.question], after=last)[0]
                last = said.turn or last
                gold = _gold(database, filled, turn.sql)
                if gold is None:
                    continue
                meanings = (each.prediction.meaning for each in (said, alone))
                right = [gold.right(meaning) for meaning in meanings]
                yield Said(talk.db, turn.question, place, *right, *map(_is_sure, (said, alone)))


def _is_sure(said: Answer[Any]) -> bool:
    return said.status == "answered"


def summary(turns: Sequence[Said]) -> dict[str, Any]:
    """Counts and percents of turns, of all, first and later ones."""
    parts = {
        "all": turns,
        "first": [turn for turn in turns if turn.place == 0],
        "later": [turn for turn in turns if turn.place > 0],
    }
    return {
        name: {
            "n": len(some),
            "right": _percent([turn.right for turn in some]),
            "right alone": _percent([turn.alone for turn in some]),
            "answered without doubt": sum(turn.sure for turn in some),
            "right of those": _percent([turn.right for turn in some if turn.sure]),
            "answered without doubt alone": sum(turn.sure_alone for turn in some),
            "right of those alone": _percent([turn.alone for turn in some if turn.sure_alone]),
        }
        for name, some in parts.items()
    }


def _percent(right: Sequence[bool]) -> float | None:
    return round(100 * sum(right) / len(right), 1) if right else None


def learn(cosql: Path, spider: Path, contents: Path) -> None:
    """Fit the shipped parser to the dialogues for training, and to made-up follow-ups about the
    typed databases for training."""
    unpack_contents(spider, contents)
    turns: list[LearnedTurn] = []
    names = split(read_schemas(spider)).train
    talks = read_dialogues(cosql, names)
    folders = [
        home
        for home in database_folders()
        if home.parent.name != BLIND and home.name not in DatabaseRecipe.held_out
    ]
    with tempfile.TemporaryDirectory() as work:
        for home in folders:
            with closing(read_typed_database(home, Path(work))) as database:
                parser = DatabaseInference.from_pretrained("database", database.domain)
                turns += made_turns(parser, database, MADE_FOR, random.Random(home.name))
            print(home.name, len(turns), flush=True)
    for name in names:
        if (file := contents_of(contents, name)) is None:
            continue
        with closing(AskedDatabase(name, file)) as database:
            parser = DatabaseInference.from_pretrained("database", database.domain)
            with closing(Fills(database.domain.layer.schema, [file])) as filled:
                for talk in [talk for talk in talks if talk.db == name][:DIALOGUES]:
                    judged = [
                        (turn.question, gold and gold.right)
                        for turn in talk.turns
                        for gold in (_gold(database, filled, turn.sql),)
                    ]
                    turns += dialogue_turns(parser, name, judged)
        print(name, len(turns), flush=True)
    folder = find_pretrained("database")
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    config["follow_up"] = fit_conversations(turns, DOUBTFUL_BELOW)._asdict()
    (folder / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    write_manifest(folder)


def _gold(database: AskedDatabase, filled: Fills, sql: str | None) -> GoldRows | None:
    """The rows of a query; None if there is none that runs."""
    if sql is None:
        return None
    try:
        return GoldRows(database, filled.gold(sql)[0], sql)
    except FAILURES:
        return None


def main() -> None:
    """Measure, or fit."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("what", choices=("measure", "office", "fit"))
    options.add_argument("folders", nargs="*", type=Path)
    options.add_argument("--out", type=Path, default=OUT)
    options.add_argument("--wrong", action="store_true", help="print what is wrong")
    given = options.parse_args()
    if given.what == "fit":
        return learn(*given.folders)
    said: list[Said] = []
    if given.what == "office":
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "office.sqlite"
            with closing(sqlite3.connect(file)) as made:
                made.executescript((OFFICE / "questions" / "office.sql").read_text("utf-8"))
            said += _on(file, "office", read_office())
    else:
        cosql, spider, contents = given.folders
        unpack_contents(spider, contents)
        names = split(read_schemas(spider)).dev
        talks = read_dialogues(cosql, names)
        for name in names:
            file = contents_of(contents, name)
            if file is not None:
                said += _on(file, name, [talk for talk in talks if talk.db == name])
                print(name, summary(said)["later"], flush=True)
    if given.wrong:
        for turn in said:
            if not turn.right:
                print(turn)
    row = {
        "system": "database parser, shipped",
        "data": "office" if given.what == "office" else "CoSQL train",
        "split": "tests" if given.what == "office" else "databases for choosing",
        "metric": "denotation, percent",
        "encoder": "minilm",
        **summary(said),
        "command": f"python benchmarks/conversations.py {given.what}",
        "commit": checkout_commit(),
    }
    print(json.dumps(row, indent=1))
    rows = json.loads(given.out.read_text())["rows"] if given.out.exists() else []
    write_json(given.out, {"rows": [*(old for old in rows if old["data"] != row["data"]), row]})


def _on(file: Path, name: str, talks: Sequence[Conversation]) -> list[Said]:
    with closing(AskedDatabase(name, file)) as database:
        parser = DatabaseInference.from_pretrained("database", database.domain)
        return list(converse(parser, database, file, talks))


if __name__ == "__main__":
    main()
