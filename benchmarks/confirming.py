"""Whether what is confirmed of questions is answered from then on, and nothing else is lost.

    python benchmarks/confirming.py --chinook FOLDER [--typed ferries]

Twenty questions to Chinook as people type them (benchmarks/data/chinook_confirmed.tsv), each with
other words that the parser takes rightly; and twenty to a typed database, those first that
it takes wrongly, as far as a right program is among its interpretations. All other questions of
both are asked before and after. Then two regressions are planted: a column becomes private,
and the names of a table go.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import torch

from partwise.database.confirmed import Confirmed
from partwise.database.correcting import ask_again, confirm
from partwise.database.editing import new_domain
from partwise.database.folder import layer_file, open_domain
from partwise.database.layer.files import dump, load
from partwise.database.parser import DatabaseParser
from partwise.encoders.storage import read_json, write_json
from partwise.errors import PartwiseError
from partwise.interface.answering import READ, answer, interpretations
from partwise_papers.databases.questions import (
    Answering,
    AskedDatabase,
    AskedQuestion,
    TypedRows,
    read_listed_database,
    read_typed_database,
)
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.typed_databases.check import HOME

HERE = Path(__file__).resolve().parent
OUT = HERE / "results" / "confirming.json"
MANY = 20
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


def _is_lasting(parser: DatabaseParser, case: Case) -> bool:
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


def main() -> None:
    """Measure both databases, and write the counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--chinook", type=Path, help="folder with its SQLite file")
    options.add_argument("--typed", default="ferries", help="a typed database")
    options.add_argument("--plant", default="passengers.nationality", help="what becomes private")
    given = options.parse_args()
    torch.set_num_threads(1)
    rows = read_json(OUT)["figures"] if OUT.exists() else {}
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
    write_json(OUT, {**of, "figures": rows, "commit": checkout_commit()})


if __name__ == "__main__":
    main()
