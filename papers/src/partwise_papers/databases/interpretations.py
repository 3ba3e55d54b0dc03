"""Lists of interpretations with what is right: searched with a parser, and kept on disk.

Each database has three files: the vectors as ``NAME.safetensors``, the restated interpretations
as ``NAME.restated.json.gz``, and the trees as ``NAME.trees.json.gz``. The last is written last, so
that a list is whole where it is there.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from safetensors.torch import load_file, save_file

from partwise.database.context import Context
from partwise.database.features import RoleUse, SchemaDerivation
from partwise.database.inference import SchemaNames
from partwise.database.learning import Candidates
from partwise.database.parser import DatabaseParser
from partwise.database.phrases import SpanConstant
from partwise.database.restating import restate
from partwise.database.spans.names import SchemaItem
from partwise.execution.relational.program import Program
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion

T = TypeVar("T")
FREE = {"cell": 24, "inner": 7, "margin": 8.0, "listed": 24}
GUIDED = {"cell": 40, "inner": 12, "margin": 10.0, "listed": 40}
"""How wide a free search is, and one with the help of the query; some settings of the parser."""
HELPED = 2
"""Right interpretations that are taken of a guided search."""
RESTATED = 12
"""Interpretations that are restated; right ones further down are restated, too."""
NAMED_COLUMN, OTHER_COLUMN, NAMED_TABLE, OTHER_TABLE = 1.5, -3.0, 0.8, -2.0
"""What a constant is worth that the query names, or does not."""
TREES, TOLD, VECTORS = "trees.json.gz", "restated.json.gz", "safetensors"
Tell = Callable[[str], object]
"""Is told a line of what goes on."""


class Restated(NamedTuple):
    """A question with restated interpretations, the best first, and whether each is right."""

    question: str
    interpretations: list[tuple[str, bool]]


class Found(NamedTuple):
    """What was found for a question."""

    candidates: Candidates
    restated: Restated


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
        # A question must not cost the hours of a run.
        except Exception as error:
            tell(f"{database.name}: {question.id} cannot be read: {error!r}")
    return made


def lists_of(
    parser: DatabaseParser, database: AskedDatabase, questions: Iterable[AskedQuestion], tell: Tell
) -> list[Found]:
    """The interpretations of questions, each judged by its rows; of what cannot be answered none is
    right (`tell`: as for `of_each`)."""
    names = parser.names_in(database.domain)
    free, guided = reset(parser, FREE), reset(parser, GUIDED)
    made = of_each(
        lambda question: _find(free, guided, database, question, names), database, questions, tell
    )
    return [found for found in made if found.candidates.derivations]


def reset(parser: DatabaseParser, settings: Mapping[str, Any]) -> DatabaseParser:
    """The same parser with other settings of its search."""
    made = copy(parser)
    made.config = replace(parser.config, **settings)
    return made


def _find(
    free: DatabaseParser,
    guided: DatabaseParser,
    database: AskedDatabase,
    question: AskedQuestion,
    names: SchemaNames,
) -> Found:
    domain = database.on(question.today)
    parses = free.search(question.text, domain, names)
    found = list(parses.interpretations)
    programs = [interpretation.program for interpretation in found]
    right = dict(zip(programs, right_of(database, question, programs), strict=True))
    if question.sql is not None and not any(right.values()):
        more = guided.search(question.text, domain, names, guide_of(question.sql)).interpretations
        new = (x for x in more if x.program not in right)
        some = list(islice((x for x in new if database.judge(question, x.program)), HELPED))
        good = right_of(database, question, [x.program for x in some])
        some = [x for x, yes in zip(some, good, strict=True) if yes]
        found += some
        right |= dict.fromkeys((interpretation.program for interpretation in some), True)
    parses = parses._replace(interpretations=found)
    restated = [
        (restate(program, domain.layer), yes)
        for place, (program, yes) in enumerate(right.items())
        if place < RESTATED or yes
    ]
    return Found(
        free.candidates(question.text, parses, right.__getitem__, names),
        Restated(question.text, restated),
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


def guide_of(sql: str) -> Callable[[SpanConstant], float]:
    """What is added to the score of a constant: more for the tables and columns that a query names,
    less for others."""
    said = set(re.findall(r"\w+", sql.lower()))

    def guide(constant: SpanConstant) -> float:
        item = constant.item
        if item is None or item.kind == "measure":
            return 0.0
        table = item.table.lower() in said
        if item.kind == "table":
            return NAMED_TABLE if table else OTHER_TABLE
        return NAMED_COLUMN if table and item.column.lower() in said else OTHER_COLUMN

    return guide


# --- files -------------------------------------------------------------------------------------


def write_lists(lists: Sequence[Found], place: Path) -> None:
    """Write the lists of one database (`place`: the path without the endings)."""
    place.parent.mkdir(parents=True, exist_ok=True)
    some = [found.candidates for found in lists]
    empty = torch.zeros(0, 0)
    words = torch.cat([candidates.words for candidates in some]) if some else empty
    names = some[0].names if some else empty
    vectors = {"words": words.half().contiguous(), "names": names.half().contiguous()}
    save_file(vectors, _file(place, VECTORS))
    _write([found.restated for found in lists], _file(place, TOLD))
    _write(_to_json(some), _file(place, TREES))


def have_lists(place: Path) -> bool:
    """Whether the lists of a database are there, whole."""
    return _file(place, TREES).is_file()


def read_lists(place: Path) -> list[Candidates]:
    """The lists of one database, as they were written."""
    vectors = {name: some.float() for name, some in load_file(_file(place, VECTORS)).items()}
    stored = _read(_file(place, TREES))
    items = [SchemaItem(*item) for *item, _ in stored["items"]]
    rows = {item: known[-1] for item, known in zip(items, stored["items"], strict=True)}
    sizes = [length for _, length, *_ in stored["lists"]]
    parts = vectors["words"].split(sizes)  # type: ignore[no-untyped-call]
    return [
        Candidates(
            *(text, stored["called"], words, vectors["names"], rows, Context(*context)),
            [_derivation(tree, stored["names"], items) for tree in trees],
            [bool(yes) for yes in right],
        )
        for words, (text, _, context, trees, right) in zip(parts, stored["lists"], strict=True)
    ]


def read_restated(place: Path) -> list[Restated]:
    """The restated interpretations of one database."""
    return [
        Restated(question, [(text, bool(yes)) for text, yes in some])
        for question, some in _read(_file(place, TOLD))
    ]


def places_below(home: Path) -> Iterator[Path]:
    """Places of the lists below a folder."""
    for file in sorted(home.rglob(f"*.{TREES}")):
        yield file.with_name(file.name.removesuffix(f".{TREES}"))


def _file(place: Path, ending: str) -> Path:
    return place.with_name(f"{place.name}.{ending}")


def _write(stored: Any, file: Path) -> None:
    part = file.with_suffix(".part")
    with gzip.open(part, "wt", encoding="utf-8", compresslevel=3) as text:
        json.dump(stored, text, ensure_ascii=False, separators=(",", ":"))
    part.replace(file)


def _read(file: Path) -> Any:
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return json.load(text)


class _Numbers(dict[Any, int]):
    """Things by number, in the order in which they were met."""

    def __missing__(self, key: Any) -> int:
        self[key] = len(self)
        return self[key]


def _to_json(lists: Sequence[Candidates]) -> dict[str, Any]:
    """Lists with each name once: names of roles, steps and figures come very often."""
    names, items = _Numbers(), _Numbers()
    for item in lists[0].rows if lists else ():
        items[item]

    def tree(derivation: SchemaDerivation) -> list[Any]:
        uses = [
            number
            for use in derivation.uses
            for number in (
                *(use.start, use.end, names[use.role]),
                *(-1 if use.item is None else items[use.item], int(use.named)),
            )
        ]
        figures = [
            number for name, value in derivation.features.items() for number in (names[name], value)
        ]
        return [uses, derivation.skipped, [names[step] for step in derivation.steps], figures]

    made = [
        [
            *(some.text, len(some.words), some.context),
            *([tree(derivation) for derivation in some.derivations], list(map(int, some.right))),
        ]
        for some in lists
    ]
    rows: Mapping[SchemaItem, Sequence[int]] = lists[0].rows if lists else {}
    return {
        "names": list(names),
        "items": [[*item, list(rows.get(item, ()))] for item in items],
        "called": list(lists[0].called) if lists else [],
        "lists": made,
    }


def _derivation(
    stored: list[Any], names: Sequence[str], items: Sequence[SchemaItem]
) -> SchemaDerivation:
    uses, skipped, steps, figures = stored
    return SchemaDerivation(
        tuple(
            RoleUse(start, end, names[role], None if item < 0 else items[item], bool(named))
            for start, end, role, item, named in zip(*[iter(uses)] * 5, strict=True)
        ),
        tuple(skipped),
        tuple(names[step] for step in steps),
        {names[name]: value for name, value in zip(*[iter(figures)] * 2, strict=True)},
    )
