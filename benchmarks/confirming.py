"""Whether what is confirmed of questions is answered from then on, and nothing else is lost.

    python benchmarks/confirming.py --chinook FOLDER [--typed ferries]
    python benchmarks/confirming.py --spider DATA --contents FOLDER

Twenty questions to Chinook as people type them (benchmarks/data/chinook_confirmed.tsv), each with
other words that the parser takes rightly; and twenty to a typed database, those first that
it takes wrongly, as far as a right program is among its interpretations. All other questions of
both are asked before and after. Then two regressions are planted: a column becomes private,
and the names of a table go.

The second command tells what `partwise improve` makes of twenty confirmed questions, drawn at
random, for all other questions to the databases for choosing. Every second of them, by name, chose
how prices are fitted; the others are the ones to report.
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from partwise.database.confirmed import Confirmed, ConfirmedQuestions
from partwise.database.correcting import (
    ask_again,
    confirm,
    fit_to_confirmed,
    propose_synonyms,
    with_changes,
)
from partwise.database.domain import DatabaseDomain
from partwise.database.editing import new_domain
from partwise.database.folder import layer_file, open_domain
from partwise.database.inference import DatabaseInference, Parses
from partwise.database.layer.files import dump, load
from partwise.database.parser import DatabaseParser
from partwise.database.prices import Prices, priced
from partwise.encoders.storage import read_json, write_json
from partwise.errors import PartwiseError
from partwise.execution.relational.program import Program
from partwise.interface.answering import READ, answer, interpretations
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import (
    Answering,
    AskedDatabase,
    AskedQuestion,
    TypedRows,
    read_listed_database,
    read_typed_database,
    spider_database,
)
from partwise_papers.databases.training_questions import by_database
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.results.result import mean_ci95
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder, split
from partwise_papers.typed_databases.check import HOME

HERE = Path(__file__).resolve().parent
OUT = HERE / "results" / "confirming.json"
MANY, DRAWS, NAMED, LEAST = 20, 5, 2, 10
"""Confirmed questions, how often they are drawn, in how many draws synonyms are proposed, too, and
how many other questions must be left."""
Case = tuple[AskedQuestion, str]
"""A question and the program that it means."""


def changed(text: str) -> str:
    """Nearly the same question."""
    return f"  {text.upper().rstrip('?')} ?!"


def cases_of_chinook(parser: DatabaseParser, database: AskedDatabase) -> Iterator[Case]:
    with (HERE / "data" / "chinook_confirmed.tsv").open(encoding="utf-8") as lines:
        for number, row in enumerate(csv.DictReader(lines, delimiter="\t")):
            found = database.rows.of_sql(row["sql"])
            assert found is not None, row
            right = (TypedRows([Answering.of(found[0], ordered=False)]),)
            asked = AskedQuestion(f"own-{number}", "own", row["question"], row["sql"], right)
            (said,) = parser.parse([row["meant"]], READ)
            yield from _first_right(parser, database, asked, said)


def cases_of_typed(parser: DatabaseParser, database: AskedDatabase) -> Iterator[Case]:
    made: list[tuple[bool, Case]] = []
    for asked in database.questions:
        if asked.right:
            (said,) = parser.parse([asked.text], READ)
            for case in _first_right(parser, database, asked, said):
                if not _is_lasting(parser, case):
                    continue
                first = said.meaning is not None and database.judge(asked, said.meaning)
                made.append((first, case))
    yield from (case for _, case in sorted(made, key=lambda pair: pair[0])[:MANY])


def _is_lasting(parser: Any, case: Case) -> bool:
    """Whether a meaning has no day that counts from today, as it cannot be confirmed then."""
    try:
        Confirmed(case[0].text, case[1], "", "").meaning(parser.domain)
    except PartwiseError:
        return False
    return True


def _first_right(
    parser: DatabaseParser, database: AskedDatabase, asked: AskedQuestion, said: Any
) -> Iterator[Case]:
    for each in interpretations(said, parser.domain):
        if each.prediction.meaning is not None and database.judge(asked, each.prediction.meaning):
            yield asked, each.text or ""
            return


def right_of(
    parser: DatabaseParser, database: AskedDatabase, asked: Sequence[AskedQuestion]
) -> set[str]:
    """The questions that are answered right."""
    answers = answer(parser, [question.text for question in asked])
    return {
        question.id
        for question, said in zip(asked, answers, strict=True)
        if said.reason is None and database.judge(question, parser.domain.read(said.text or ""))
    }


def measured(
    database: AskedDatabase,
    file: Path,
    cases_of: Callable[[DatabaseParser, AskedDatabase], Iterator[Case]],
    plant: str,
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="partwise-") as work, chdir(work):
        shutil.copy(file, "data.sqlite")
        folder = new_domain("shop", "sqlite:///data.sqlite").folder
        parser = DatabaseParser.from_pretrained("database", open_domain(folder))
        cases = list(cases_of(parser, database))
        chosen = [asked for asked, _ in cases]
        others = [x for x in database.questions if x.right and x not in chosen]
        before = right_of(parser, database, chosen), right_of(parser, database, others)
        for asked, program in cases:
            confirm(parser, asked.text, "benchmark", program)
        after = right_of(parser, database, chosen), right_of(parser, database, others)
        nearly = [AskedQuestion(x.id, x.kind, changed(x.text), x.sql, x.right) for x in chosen]
        made: dict[str, Any] = {
            "confirmed": len(cases),
            "right before": len(before[0]),
            "right after": len(after[0]),
            "right if typed otherwise": len(right_of(parser, database, nearly)),
            "other questions": len(others),
            "of them right before": len(before[1]),
            "of them lost": len(before[1] - after[1]),
            "asked again": _statuses(folder),
        }
        text, (table, column) = layer_file(folder).read_text("utf-8"), plant.split(".")
        for name, change in (("without names", _rename), (f"{plant} private", _hide)):
            tree = load(layer_file(folder))
            change(tree["tables"][table], column)
            layer_file(folder).write_text(dump(tree), "utf-8")
            made[name] = _statuses(folder)
            layer_file(folder).write_text(text, "utf-8")
        return made


def _rename(table: Any, column: str) -> None:
    table["label"], table["synonyms"] = "xyzzy", []


def _hide(table: Any, column: str) -> None:
    said = table["columns"][column]
    kind = said["kind"] if isinstance(said, dict) else said
    table["columns"][column] = {"kind": kind, "private": True}


def _statuses(folder: Path) -> dict[str, int]:
    parser = DatabaseParser.from_pretrained("database", open_domain(folder))
    return dict(Counter(each.status for each in ask_again(parser)))


class Asking:
    """A database for choosing, each question to it searched once.

    Args:
        parser: any for databases.
    """

    def __init__(self, parser: DatabaseInference, database: AskedDatabase) -> None:
        self.parser: Any = with_changes(parser)
        self.database = database
        self.parser.domain = database.domain
        self.parser.__dict__.pop("names", None)
        self.parser.encoded, odds = {}, self.parser._odds
        known: dict[tuple[str, Program], float] = {}

        def remembered(question: str, some: Sequence[Any], layer: Any) -> list[float]:
            new = [x for x in some if (question, x.program) not in known]
            keys = [(question, x.program) for x in new]
            known.update(zip(keys, odds(question, new, layer) if new else (), strict=True))
            return [known[question, x.program] for x in some]

        self.parser._odds = remembered
        self.asked = {x.id: x for x in database.questions if x.right}
        self.parses = {x.id: self.search(self.parser, x) for x in self.asked.values()}
        self.judged: dict[tuple[str, Program], bool] = {}

    def search(self, parser: DatabaseInference, asked: AskedQuestion) -> Parses:
        of: Any = parser.domain
        on = DatabaseDomain(of.layer, of.source, of.index, asked.today)
        return parser.search(asked.text, on, parser.names)

    def is_right(self, asked: AskedQuestion, program: Program) -> bool:
        key = asked.id, program
        if key not in self.judged:
            self.judged[key] = self.database.judge(asked, program)
        return self.judged[key]

    def right(self, prices: Prices, parses: dict[str, Parses]) -> set[str]:
        """The questions whose best interpretation is right."""
        made, layer = set(), self.database.domain.layer
        for number, found in parses.items():
            some = priced(found.interpretations, found.asked, prices, layer.schema)
            asked, found = self.asked[number], found._replace(interpretations=some)
            best = self.parser.rerank(asked.text, found, layer).interpretations[:1]
            if best and self.is_right(asked, best[0].program):
                made.add(number)
        return made

    def cases(self) -> list[Case]:
        """Questions that can be confirmed, with the best right program."""
        made: list[Case] = []
        for number, found in self.parses.items():
            asked = self.asked[number]
            programs = (x.program for x in found.interpretations)
            right = next((x for x in programs if self.is_right(asked, x)), None)
            if right is not None:
                case = asked, self.database.domain.write(right)
                made += [case] if _is_lasting(self.parser, case) else []
        return made

    def draw(
        self, cases: Sequence[Case], seed: int, folder: Path, named: bool
    ) -> dict[str, Any] | None:
        """What twenty confirmed questions change; None if there are too few. `named`: whether
        synonyms are proposed, too, which takes most of the time."""
        others = len(self.asked) - MANY
        if len(cases) < MANY or others < LEAST:
            return None
        domain = self.database.domain
        domain.confirmed = ConfirmedQuestions(folder)
        chosen = random.Random(seed).sample(cases, MANY)
        for asked, program in chosen:
            domain.confirmed.add(Confirmed(asked.text, program, "benchmark", "2026-01-01"))
        fitted = fit_to_confirmed(self.parser)
        found = {
            "before": self.right({}, self.parses),
            "prices": self.right(fitted.prices if fitted.helps else {}, self.parses),
            "prices, never withheld": self.right(fitted.prices, self.parses),
        }
        synonyms = propose_synonyms(self.parser) if named else []
        if named:
            other, parses, both = with_changes(self.parser, synonyms), self.parses, fitted
            if synonyms:
                parses = {x.id: self.search(other, x) for x in self.asked.values()}
                both = fit_to_confirmed(self.parser, synonyms)
            found["synonyms"] = self.right({}, parses)
            found["both"] = self.right(both.prices if both.helps else {}, parses)
        mine = {asked.id for asked, _ in chosen}
        return {
            "seed": seed,
            "others": others,
            "right": {name: len(some - mine) for name, some in found.items()},
            "confirmed": {name: len(some & mine) for name, some in found.items()},
            "proposed": {"synonyms": len(synonyms), "prices": fitted.helps},
            "held out": [fitted.before, fitted.held_out, fitted.likelier],
        }


def databases(spider: Path, contents: Path, work: Path) -> Iterator[AskedDatabase]:
    """The databases for choosing, Spider's with their real contents."""
    folder = spider_folder(spider)
    dev = split(read_schemas(folder)).dev
    some = by_database(x for x in read_questions(folder) if x.db in dev)
    for name, asked in some.items():
        yield spider_database(name, asked, work, (), contents)
    for name in sorted({*DatabaseRecipe.held_out} - {"citylab", "furniture"}):
        yield read_typed_database(HOME / name, work)


def improved(spider: Path, contents: Path) -> dict[str, Any]:
    """What `partwise improve` changes, by database, and the means over those to report."""
    parser, rows = DatabaseInference.from_pretrained, dict[str, Any]()
    with tempfile.TemporaryDirectory(prefix="partwise-") as work:
        for number, database in enumerate(databases(spider, contents, Path(work))):
            asking = Asking(parser("database", database.domain), database)
            cases, folder = asking.cases(), Path(work) / f"confirmed-{database.name}"
            made = []
            for seed in range(DRAWS):
                (folder / str(seed)).mkdir(parents=True)
                named = number % 2 == 1 and seed < NAMED
                made += [asking.draw(cases, seed, folder / str(seed), named)]
            if drawn := [x for x in made if x is not None]:
                rows[database.name] = {"reported": number % 2 == 1, "draws": drawn}
                print(database.name, drawn, flush=True)
            database.close()
    return {"databases": rows, "points gained": _gains(rows)}


def _gains(rows: dict[str, Any]) -> dict[str, Any]:
    """Percentage points of the other questions, the mean over databases and its interval."""
    made: dict[str, Any] = {}
    for reported in (False, True):
        some = [x["draws"] for x in rows.values() if x["reported"] is reported]
        names = [name for name in some[0][0]["right"] if name != "before"] if some else []
        # The first draw has all that any has.
        made["to report" if reported else "for choosing"] = {
            name: mean_ci95(
                [
                    fmean(
                        100 * (x["right"][name] - x["right"]["before"]) / x["others"]
                        for x in draws
                        if name in x["right"]
                    )
                    for draws in some
                ]
            )
            for name in names
        }
    return made


def main() -> None:
    """Measure both databases, and write the counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--chinook", type=Path, help="folder with its SQLite file")
    options.add_argument("--typed", default="ferries", help="a typed database")
    options.add_argument("--plant", default="passengers.nationality", help="what becomes private")
    options.add_argument("--spider", type=Path, help="folder with Spider's files")
    options.add_argument("--contents", type=Path, help="folder with its unpacked databases")
    given = options.parse_args()
    torch.set_num_threads(1)
    before = read_json(OUT) if OUT.exists() else {"figures": {}}
    if given.spider is not None:
        made = {**improved(given.spider, given.contents), "commit": checkout_commit()}
        write_json(OUT, {**before, "improved": made})
        return
    rows = before["figures"]
    if given.chinook is not None:
        chinook = read_listed_database(given.chinook)
        (file,) = given.chinook.absolute().glob("*.sqlite")
        rows["Chinook"] = measured(chinook, file, cases_of_chinook, "Customer.Country")
        print(rows, flush=True)
    with tempfile.TemporaryDirectory(prefix="partwise-") as work:
        typed = read_typed_database(HOME / given.typed, Path(work))
        file = Path(work) / f"{given.typed}.sqlite"
        rows[given.typed] = measured(typed, file, cases_of_typed, given.plant)
        print(rows[given.typed])
    command = "python benchmarks/confirming.py --chinook chinook"
    of = {"system": "database", "encoder": "minilm", "command": command}
    write_json(OUT, {**before, **of, "figures": rows, "commit": checkout_commit()})


if __name__ == "__main__":
    main()
