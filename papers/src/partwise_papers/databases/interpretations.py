"""Lists of interpretations with what is right: searched with a parser, and kept on disk.

Each database has two files, the vectors as ``NAME.safetensors`` and the rest as ``NAME.json.gz``.
The latter is written last, so that a list is whole where it is there.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors.torch import load_file, save_file
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from partwise.database.context import Context
from partwise.database.parser import DatabaseParser
from partwise.database.reading.label import Label
from partwise.database.reading.learning import Judged, Readings, judged
from partwise.database.reading.read import NameTable
from partwise.database.spans.names import SchemaItem
from partwise.execution.relational.program import Program
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion

T = TypeVar("T")
BEST, GUIDED = 20, 12
"""Interpretations of a question that are listed: of a free search, and of one among what its SQL
names."""
TYPED, TYPED_TIMES = "typed", 2
"""Folder of the lists of typed questions, and how often these are among those of training; others
are there once."""
Tell = Callable[[str], object]
"""Is told a line of what goes on."""
Allowed = Callable[[Label, str], bool]
"""Whether a label may be used in a role."""


def of_each(
    make: Callable[[AskedQuestion], T],
    database: AskedDatabase,
    questions: Iterable[AskedQuestion],
    tell: Tell,
) -> list[T]:
    """What is made of each question that can be read (`tell`: told of those that cannot)."""
    made = []
    for question in questions:
        try:
            made.append(make(question))
        # One question must not cost the hours of a run.
        except Exception as error:
            tell(f"{database.name}: {question.id} cannot be read: {error!r}")
    return made


def lists_of(
    parser: DatabaseParser, database: AskedDatabase, questions: Iterable[AskedQuestion], tell: Tell
) -> list[Readings]:
    """The interpretations of questions, each judged by its rows; questions without an answer are
    left out (`tell`: as for `of_each`)."""
    names = parser.names_in(database.domain)
    answerable = [question for question in questions if question.right]
    made = of_each(
        lambda question: _list(parser, database, question, names), database, answerable, tell
    )
    return [one for one in made if one.readings]


def _list(
    parser: DatabaseParser, database: AskedDatabase, question: AskedQuestion, names: NameTable
) -> Readings:
    domain = database.on(question.today)
    read = parser.search(question.text, domain, names)
    some = read.readings[:BEST]
    allowed = allow_named(question.sql) if question.sql else None
    if allowed is not None:
        guided = parser.search(question.text, domain, names, allowed).readings
        seen = {interpretation.program for interpretation in some}
        some += [
            interpretation
            for interpretation in guided[:GUIDED]
            if interpretation.program not in seen
        ]
    right = right_of(database, question, [interpretation.program for interpretation in some])
    known = [
        judged(interpretation, read.words, good)
        for interpretation, good in zip(some, right, strict=True)
    ]
    called = names.labeller.names.texts
    return Readings(
        question.text, called, read.vectors, names.vectors, names.things, read.context, known
    )


def right_of(
    database: AskedDatabase, question: AskedQuestion, programs: Sequence[Program]
) -> list[bool]:
    """Which programs are right: those with just the expected rows, if there are any; else those
    that answer the question. So nothing learns to leave out repeated rows that are asked for."""
    right = [database.judge(question, program) for program in programs]
    pairs = zip(programs, right, strict=True)
    exact = [good and database.judge(question, program, exactly=True) for program, good in pairs]
    return exact if any(exact) else right


def allow_named(sql: str) -> Allowed | None:
    """Allows the tables, columns and values that a query names; None if it cannot be read."""
    try:
        tree = parse_one(sql, dialect="sqlite")
    except SqlglotError:
        return None
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    values = {str(literal.this).lower() for literal in tree.find_all(exp.Literal)}
    # In SQLite a text may stand in double quotes, as names do.
    quoted = (column for column in tree.find_all(exp.Column) if column.this.args.get("quoted"))
    values |= {column.name.lower() for column in quoted}

    def allows(label: Label, role: str) -> bool:
        thing = label.thing
        if thing is None or thing.kind == "measure":
            return True
        if label.kind == "value":
            named = str(label.value).lower() in values or bool(label.columns)
            return named and thing.column.lower() in columns
        named = thing.table.lower() in tables
        return named and (thing.kind == "table" or thing.column.lower() in columns)

    return allows


def write_lists(lists: Sequence[Readings], place: Path) -> None:
    """Write the lists of one database (`place`: the path without the endings)."""
    place.parent.mkdir(parents=True, exist_ok=True)
    empty = torch.zeros(0, 0)
    words = torch.cat([one.words for one in lists]) if lists else empty
    names = lists[0].names if lists else empty
    vectors = {"words": words.half().contiguous(), "names": names.half().contiguous()}
    save_file(vectors, _vectors(place))
    things, called = (lists[0].things, lists[0].called) if lists else ({}, ())
    stored = {
        "things": [[*thing, list(rows)] for thing, rows in things.items()],
        "called": list(called),
        "lists": [
            {
                "text": one.text,
                "words": len(one.words),
                "context": one.context,
                "readings": [_to_json(r) for r in one.readings],
            }
            for one in lists
        ],
    }
    part = _file(place).with_suffix(".part")
    with gzip.open(part, "wt", encoding="utf-8", compresslevel=3) as file:
        json.dump(stored, file)
    part.replace(_file(place))


def have_lists(place: Path) -> bool:
    """Whether the lists of a database are there, whole."""
    return _file(place).is_file()


def read_lists(place: Path) -> list[Readings]:
    """The lists of one database, as they were written."""
    vectors = {name: tensor.float() for name, tensor in load_file(_vectors(place)).items()}
    with gzip.open(_file(place), "rt", encoding="utf-8") as file:
        stored = json.load(file)
    things = {SchemaItem(*thing): rows for *thing, rows in stored["things"]}
    sizes = [one["words"] for one in stored["lists"]]
    parts = vectors["words"].split(sizes)  # type: ignore[no-untyped-call]
    return [
        Readings(
            one["text"],
            stored["called"],
            words,
            vectors["names"],
            things,
            Context(*one["context"]),
            [_from_json(r) for r in one["readings"]],
        )
        for words, one in zip(parts, stored["lists"], strict=True)
    ]


def lists_below(home: Path) -> Iterator[Readings]:
    """All lists below a folder, those of typed questions several times."""
    for file in sorted(home.rglob("*.json.gz")):
        place = file.with_name(file.name.removesuffix(".json.gz"))
        typed = TYPED in file.relative_to(home).parts
        yield from read_lists(place) * (TYPED_TIMES if typed else 1)


def _vectors(place: Path) -> Path:
    return place.with_name(f"{place.name}.safetensors")


def _file(place: Path) -> Path:
    return place.with_name(f"{place.name}.json.gz")


def _to_json(one: Judged) -> list[Any]:
    return [one.used, one.skipped, one.shifts, one.features, one.right]


def _from_json(stored: list[Any]) -> Judged:
    used, skipped, shifts, features, right = stored
    labels = tuple(
        (start, end, role, None if thing is None else SchemaItem(*thing), named)
        for start, end, role, thing, named in used
    )
    return Judged(labels, tuple(skipped), tuple(shifts), features, right)
