"""What a question back brings, to the parser that comes with the package.

    python benchmarks/asking_back.py --spider DATA --contents FOLDER [--record FILE] [--ambiguous]

The questions are those for choosing a parser: the typed ones, and Spider's, plain and with
synonyms, on real contents. Whoever answers is simulated by the gold answer: they pick the right
option if there is one, else "none of these", and one pick of ten is wrong. It is told for the least
gain that the parser comes with, and for one that is chosen on four fifths of the databases.
Ambiguous questions are made from the same databases, each with two meanings of other answers: about
a column that two tables keep, and about columns of near names.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from itertools import combinations, zip_longest
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from partwise.database.domain import DatabaseDomain
from partwise.database.inflection import plural
from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.parser import DatabaseParser
from partwise.database.spans.text import function_words
from partwise.encoders.storage import read_json, write_json
from partwise.errors import PartwiseError
from partwise.execution.relational import program as P
from partwise.interface.answering import READ, answered, chosen
from partwise.interface.clarification import MISTAKEN, NONE
from partwise.training.store import CONFIG, find_pretrained
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    in_both_forms,
    read_typed_database,
    spider_database,
)
from partwise_papers.databases.training_questions import BLIND, by_database
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder, split
from partwise_papers.typed_databases.check import database_folders

OUT = Path(__file__).resolve().parent / "results" / "asking_back.json"
FOLDS, MOST_ASKED, EACH = 5, 1 / 3, 75
EVERYTHING = -1e9
Row = dict[str, Any]
Meanings = tuple[str, Sequence[P.Program]]


def databases(spider: Path, contents: Path, work: Path) -> Iterator[AskedDatabase]:
    """The databases for choosing, with their questions."""
    for folder in database_folders():
        if folder.parent.name != BLIND and folder.name in DatabaseRecipe.held_out:
            yield read_typed_database(folder, work)
    folder = spider_folder(spider)
    chosen_for = split(read_schemas(folder)).dev
    asked = by_database(x for x in read_questions(folder) if x.db in chosen_for)
    for name, questions in asked.items():
        # Real contents alone: a file of this name in no folder of a seed.
        yield spider_database(name, questions, contents, [""])  # type: ignore[list-item]


# --- questions whose meaning is known ------------------------------------------------------------


def asked_back(parser: DatabaseParser, database: AskedDatabase, question: AskedQuestion) -> Row:
    """What becomes of a question with none, one and two questions back."""

    def judge(programs: Sequence[str]) -> bool:
        return any(database.judge(question, domain.read(text)) for text in programs)

    domain = parser.domain = database.on(question.today)
    (prediction,) = parser.parse([question.text], READ)
    answer = answered(prediction, domain, asks_above=EVERYTHING)
    row: Row = {"db": database.name, "id": question.id, "set": _set_of(database, question)}
    row |= {"answerable": bool(question.right), "gain": EVERYTHING, "one": False, "two": False}
    row |= {"refused": answer.reason is not None, "status": answer.status}
    row["right"] = answer.reason is None and judge([answer.text or ""])
    if answer.clarification is not None:
        row["gain"] = answer.clarification.gain
        row["one"] = judge([option.program for option in answer.clarification.options])
        after = chosen(prediction, domain, NONE[0])
        if not row["one"] and after.reason is None:
            more = after.clarification
            row["two"] = judge([x.program for x in more.options] if more else [after.text or ""])
    return row


def _set_of(database: AskedDatabase, question: AskedQuestion) -> str:
    if question.kind != "spider":
        return "typed"
    return "spider" if question.synonyms != question.text else "synonyms"


def told(rows: Sequence[Row], above: Sequence[float]) -> dict[str, Any]:
    """Percentages of rows (`above`: the least gain that is asked for, of each)."""
    sure = 1 - MISTAKEN
    pairs = list(zip(rows, above, strict=True))
    asked = [row["gain"] > least for row, least in pairs]
    one = [sure * row["one"] if a else row["right"] for row, a in zip(rows, asked, strict=True)]
    more = [a and not row["one"] for row, a in zip(rows, asked, strict=True)]
    two = [
        sure**2 * row["two"] if m else value for row, m, value in zip(rows, more, one, strict=True)
    ]
    right = [a for row, a in zip(rows, asked, strict=True) if row["right"]]
    shares = {"right": fmean(row["right"] for row in rows), "with one question": fmean(one)}
    shares |= {"with two": fmean(two), "asked back": fmean(asked)}
    shares |= {"asked back where right": fmean(right) if right else 0.0}
    made = {name: round(100 * value, 1) for name, value in shares.items()}
    # Who is asked picks "none" where no option is right, and is asked once more.
    return {"questions": len(rows), **made, "asked for each": fmean(asked) + sure * fmean(more)}


def least_gain(rows: Sequence[Row]) -> float:
    """The gain above which the most right answers come of questions to `MOST_ASKED` of the rows,
    and to at most a fifth of those that are right anyway."""
    some = sorted({round(row["gain"], 3) for row in rows if row["gain"] > EVERYTHING})

    def value(least: float) -> tuple[bool, float]:
        made = told(rows, [least] * len(rows))
        fits = made["asked back"] <= 100 * MOST_ASKED and made["asked back where right"] <= 20
        return fits, made["with one question"]

    return float(max(some, key=value))


def by_folds(rows: Sequence[Row]) -> dict[str, Any]:
    names = sorted({row["db"] for row in rows})
    random.Random(0).shuffle(names)
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    least = {
        number: least_gain([row for row in rows if fold[row["db"]] != number])
        for number in range(FOLDS)
    }
    made: dict[str, Any] = {"least gain": [*least.values()]}
    for name in (None, "typed", "spider", "synonyms"):
        some = [row for row in rows if name in (None, row["set"])]
        made[name or "all"] = told(some, [least[fold[row["db"]]] for row in some])
    return made


# --- questions with two meanings -----------------------------------------------------------------


def ambiguous(database: AskedDatabase) -> tuple[list[Meanings], list[Meanings]]:
    """Questions about a column that two tables keep, and about columns of near names, each with two
    meanings that have other answers; one pair of meanings a question."""
    made = []
    for make in (_kept_twice, _near_names):
        found: dict[str, list[Meanings]] = {}
        for text, programs in make(database.domain.layer):
            try:
                tables = [database.domain.run(program) for program in programs]
            except PartwiseError:
                continue
            empty = any(map(database.domain.is_empty, tables))
            if not empty and len({*map(database.domain.denotation, tables)}) == len(programs):
                found.setdefault(text, []).append((text, programs))
        chance = random.Random(f"{database.name} {make.__name__}")
        some = [chance.choice(each) for each in found.values()]
        chance.shuffle(some)
        made.append(some)
    return made[0], made[1]


def _kept_twice(layer: SemanticLayer) -> Iterator[Meanings]:
    places: dict[tuple[str, str], list[tuple[TableInfo, ColumnInfo]]] = {}
    for table in layer.tables:
        for column in table.columns if not (table.private or table.bridge) else ():
            if not column.private and column.kind in ("number", "text", "date"):
                places.setdefault((column.label, column.kind), []).append((table, column))
    for (label, kind), pair in places.items():
        # What more tables keep has more meanings than two.
        if len(pair) != 2:
            continue
        yield from _about(f"{label}", kind, [(t.name, c.name) for t, c in pair])
        for (one, mine), (other, theirs) in (pair, pair[::-1]):
            path = layer.schema.path(one.name, other.name)
            fields = P.Field((), mine.name), P.Field(tuple(path or ()), theirs.name)
            # Rows are not counted by their own names.
            if path and kind == "text" and mine.name not in one.display:
                rows, count = P.Rows(one.name), P.Aggregate("count")
                groups = [P.Grouping(rows, (field,), (count,)) for field in fields]
                yield f"how many {plural(one.label)} are there per {label}?", groups
            for value in sorted({*mine.values} & {*theirs.values})[:1] if path else ():
                chosen_by = (P.Compare(field, "=", P.Value(value)) for field in fields)
                counts = [_figure(P.Rows(one.name, where), "count") for where in chosen_by]
                yield f"how many {plural(one.label)} are there in {value}?", counts


def _near_names(layer: SemanticLayer) -> Iterator[Meanings]:
    for table in layer.tables:
        labels = {column.label for column in table.columns} | {table.label} | function_words()
        for pair in combinations(table.columns if not table.bridge else (), 2):
            names = [column.label.split() for column in pair]
            kinds = {column.kind for column in pair}
            shared = [a for a, b in zip(*names, strict=False) if a == b]
            private = any(column.private or column.name in table.display for column in pair)
            if len(kinds) > 1 or len({*map(len, names)}) > 1 or not shared or private:
                continue
            word, rows, kind = shared[-1], P.Rows(table.name), pair[0].kind
            if word in labels or not word.isalpha():
                continue
            of = f"{word} of the {plural(table.label)}"
            yield from _about(of, kind, [(table.name, column.name) for column in pair])
            if kind == "text":
                keys = [P.Field((), column.name) for column in pair]
                grouped = [P.Grouping(rows, (key,), (P.Aggregate("count"),)) for key in keys]
                yield f"how many {plural(table.label)} are there per {word}?", grouped


def _about(words: str, kind: str, places: Sequence[tuple[str, str]]) -> Iterator[Meanings]:
    """Questions about the values of columns."""
    of = [(P.Rows(table), P.Field((), column)) for table, column in places]
    if kind == "number":
        yield f"what is the average {words}?", [_figure(r, "average", f) for r, f in of]
        yield f"what is the highest {words}?", [_figure(r, "maximum", f) for r, f in of]
        yield f"what is the lowest {words}?", [_figure(r, "minimum", f) for r, f in of]
    elif kind == "date":
        yield f"what is the latest {words}?", [_figure(r, "maximum", f) for r, f in of]
        yield f"what is the earliest {words}?", [_figure(r, "minimum", f) for r, f in of]
    elif " of the " not in words:
        listed = [P.Listing(rows, (field,), distinct=True) for rows, field in of]
        yield f"what are the different {plural(words)}?", listed


def _figure(rows: P.Rows, function: P.Function, of: P.Field | None = None) -> P.Figure:
    return P.Figure(rows, P.Aggregate(function, of))


def offered(parser: DatabaseParser, database: AskedDatabase, asked: Meanings) -> Row:
    """Whether both meanings of a question are among the options, and the gain of asking; before
    them whether both are among the first five interpretations."""

    def answers(programs: Sequence[P.Program]) -> list[Any]:
        made = []
        for program in programs:
            try:
                made.append(domain.denotation(domain.run(program)))
            except PartwiseError:
                made.append(None)
        return made

    domain: DatabaseDomain = database.domain
    parser.domain = domain
    wanted = {*answers(asked[1])}
    (prediction,) = parser.parse([asked[0]], READ)
    alone, parser.asks_above = parser.asks_above, None
    (usual,) = parser.parse([asked[0]], 5)
    parser.asks_above = alone
    back = answered(prediction, domain, asks_above=EVERYTHING).clarification
    options = [domain.read(option.program) for option in back.options] if back else []
    five = [x.meaning for x in (usual, *usual.alternatives) if x.meaning is not None]
    return {
        "question": asked[0],
        "in five": wanted <= {*answers(five)},
        "offered": wanted <= {*answers(options)},
        "gain": back.gain if back else EVERYTHING,
    }


# --- all -----------------------------------------------------------------------------------------


def record(given: argparse.Namespace) -> Iterator[Row]:
    """A row for each question, and for each ambiguous one."""
    parser: DatabaseParser | None = None
    with tempfile.TemporaryDirectory(prefix="partwise-") as work:
        made: list[tuple[AskedDatabase, tuple[list[Meanings], list[Meanings]]]] = []
        for database in databases(given.spider, given.contents, Path(work)):
            parser = parser or DatabaseParser.from_pretrained("database", database.domain)
            parser.names, parser.asks_above = parser.names_in(database.domain), EVERYTHING
            asked = [] if given.ambiguous else in_both_forms(database.questions)
            for question in asked[:: given.every]:
                yield asked_back(parser, database, question)
            made.append((database, ambiguous(database)))
        assert parser is not None
        for kind in (0, 1):
            turns = zip_longest(*([(db, one) for one in some[kind]] for db, some in made))
            drawn = [one for turn in turns for one in turn if one is not None][:EACH]
            for database, _ in made:
                parser.names = parser.names_in(database.domain)
                for owner, pair in drawn:
                    if owner is database:
                        yield {"ambiguous": kind, **offered(parser, database, pair)}
        for database, _ in made:
            database.close()


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """What is told of recorded rows."""
    asked = [row for row in rows if "ambiguous" not in row]
    answerable = [row for row in asked if row["answerable"]]
    least = read_json(find_pretrained("database") / CONFIG)["asks_above"]
    made: dict[str, Any] = {"least gain": least}
    if answerable:
        made |= {"all": told(answerable, [least] * len(answerable))}
        for name in ("typed", "spider", "synonyms"):
            some = [row for row in answerable if row["set"] == name]
            made[name] = told(some, [least] * len(some))
        made["least gain chosen on other databases"] = by_folds(answerable)
    others = [row for row in asked if not row["answerable"]]
    if others:
        back = fmean(row["gain"] > least for row in others)
        made["no answer"] = {"questions": len(others), "asked back": round(100 * back, 1)}
    for kind, name in enumerate(("kept by two tables", "near names")):
        some = [row for row in rows if row.get("ambiguous") == kind]
        if some:
            shares = {
                "in the first five": fmean(row["in five"] for row in some),
                "offered": fmean(row["offered"] for row in some),
                "asked back": fmean(row["gain"] > least for row in some),
            }
            shown = {key: round(100 * value, 1) for key, value in shares.items()}
            made[name] = {"questions": len(some), **shown}
    return made


def main() -> None:
    """Record what is not recorded, and tell."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--spider", type=Path, required=True, help="folder of Spider's files")
    options.add_argument("--contents", type=Path, required=True, help="its databases, unpacked")
    options.add_argument("--record", type=Path, help="rows, kept in this file (JSON lines)")
    options.add_argument("--ambiguous", action="store_true", help="ambiguous questions alone")
    options.add_argument("--every", type=int, default=1, help="each so many questions alone")
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    torch.set_num_threads(1)
    if given.record is not None and given.record.is_file():
        rows = [json.loads(line) for line in given.record.read_text("utf-8").splitlines()]
    else:
        rows = []
        for row in record(given):
            rows.append(row)
            if given.record is not None:
                with given.record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    made = figures(rows)
    print(json.dumps(made, indent=1))
    if not given.ambiguous:
        of = {"system": "database", "data": "typed and Spider's, for choosing", "encoder": "minilm"}
        command = "python benchmarks/asking_back.py --spider data --contents contents"
        write_json(
            given.out, {**of, "figures": made, "command": command, "commit": checkout_commit()}
        )


if __name__ == "__main__":
    main()
