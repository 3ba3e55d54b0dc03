"""Databases with questions whose answers are known: typed ones, Spider's, and others by path; and
whether rows answer a question.

Columns may stand in any order, and at most two more may be shown if they look like keys or names.
Text is compared without case, numbers at two decimals. A person's name may stand in one column or
in two. The order of rows counts only where the question asks for it.
"""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from partwise.database.domain import DatabaseDomain
from partwise.database.layer.model import SemanticLayer
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.errors import DataError, ExecutionError
from partwise.execution.relational.program import Program
from partwise_papers.spider.checking import FAILURES, MOST, Expected, Fills, Record, SqliteRows
from partwise_papers.spider.contents import contents_of
from partwise_papers.spider.data import SpiderQuestion
from partwise_papers.typed_databases.check import TypedQuestion, read_typed_questions

MORE = 2
"""Columns that may be shown beside those asked for."""
TRIED = 500
"""Orders of columns that are tried, at most."""
LEFT = 40
"""Rows that may differ in the last digit of a number, at most."""
_NUMBER = re.compile(r"-?(0|[1-9]\d*|0\d)(\.\d+)?([eE][-+]?\d+)?")
"""``03`` is a month, and ``0123`` is a code."""
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00(:00(\.0+)?)?Z?")
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "1"), True),
    **dict.fromkeys(("no", "n", "false", "0"), False),
}


class RightRows(Protocol):
    """What rows must be to answer a question."""

    def lenient(self, rows: Sequence[Record]) -> bool:
        """Whether they answer it."""
        ...

    def exact(self, rows: Sequence[Record]) -> bool:
        """Whether they are the expected rows, no column more."""
        ...


@dataclass(frozen=True)
class SqlRows:
    """The rows of one of Spider's queries, as SQLite gives them and under the conventions of
    programs: nulls are not chosen and come last, and rows that tie may stand in any order."""

    expected: Expected

    def lenient(self, rows: Sequence[Record]) -> bool:
        """Whether they are the same rows, but for the conventions and for repeated rows."""
        return self.expected.verdict(rows) != "different"

    def exact(self, rows: Sequence[Record]) -> bool:
        """Whether they are just the rows that SQLite gives."""
        return self.expected.verdict(rows) == "same"


@dataclass(frozen=True)
class Answering:
    """Rows that answer a question.

    Attributes:
        groups: a number for each row; only rows of equal numbers may swap places.
    """

    rows: Sequence[Record]
    groups: Sequence[int]

    @classmethod
    def of(
        cls, rows: Sequence[Record], ordered: bool, groups: Sequence[int] | None = None
    ) -> Answering:
        """Rows whose order counts or does not; `groups` are of equal ranks, if that is known."""
        given = groups if groups is not None else range(len(rows))
        return cls(rows, tuple(given) if ordered else (0,) * len(rows))


@dataclass(frozen=True)
class TypedRows:
    """The rows that answer a typed question, any of several.

    Attributes:
        yes_no: whether it is asked for yes or no.
        half_cent: whether numbers may differ by the last of two decimals.
    """

    accepted: Sequence[Answering]
    yes_no: bool = False
    half_cent: bool = False
    _plain: list[list[Record]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        plain = [[tuple(map(_plain, row)) for row in answer.rows] for answer in self.accepted]
        object.__setattr__(self, "_plain", plain)

    def lenient(self, rows: Sequence[Record]) -> bool:
        """Whether they answer it."""
        if self.yes_no:
            said = _truth(rows)
            return said is not None and any(said == _truth(answer.rows) for answer in self.accepted)
        mine = [tuple(map(_plain, row)) for row in rows]
        return any(
            self._fits(said, wanted, answer.groups)
            for answer, gold in zip(self.accepted, self._plain, strict=True)
            if len(gold) == len(mine)
            for said, wanted in _with_names(mine, gold)
        )

    def exact(self, rows: Sequence[Record]) -> bool:
        """Whether they are the expected rows, no column more."""
        if self.yes_no:
            return self.lenient(rows)
        mine = [tuple(map(_plain, row)) for row in rows]
        return any(
            len(gold) == len(mine)
            and (not gold or len(gold[0]) == len(mine[0]))
            and self._fits(mine, gold, answer.groups)
            for answer, gold in zip(self.accepted, self._plain, strict=True)
        )

    def _fits(self, mine: Sequence[Record], gold: Sequence[Record], groups: Sequence[int]) -> bool:
        """Whether rows are the expected ones in some order of columns."""
        if not gold:
            return True
        width, most = len(gold[0]), len(mine[0])
        if not width <= most <= width + MORE:
            return False
        columns = [[(row[number],) for row in mine] for number in range(most)]
        fitting = []
        for number in range(width):
            wanted = [(row[number],) for row in gold]
            fitting.append([k for k in range(most) if self._same(columns[k], wanted)])
        for order in islice(product(*fitting), TRIED):
            more = [columns[k] for k in range(most) if k not in order]
            if len(set(order)) == width and all(_spare(row, gold) for row in more):
                moved = [tuple(row[k] for k in order) for row in mine]
                if self._in_order(moved, gold, groups):
                    return True
        return False

    def _in_order(
        self, mine: Sequence[Record], gold: Sequence[Record], groups: Sequence[int]
    ) -> bool:
        ends = [n for n in range(1, len(gold)) if groups[n] != groups[n - 1]] + [len(gold)]
        starts = [0, *ends[:-1]]
        return all(
            self._same(mine[start:end], gold[start:end])
            for start, end in zip(starts, ends, strict=True)
        )

    def _same(self, mine: Sequence[Record], gold: Sequence[Record]) -> bool:
        """Whether rows are the same in any order."""
        said, wanted = Counter(map(_round, mine)), Counter(map(_round, gold))
        if said == wanted:
            return True
        # Two roundings of one number may differ; what is left is compared pair by pair.
        rest, left = list((said - wanted).elements()), wanted - said
        if len(rest) > LEFT:
            return False
        odd = [row for row in mine if _round(row) in set(rest)]
        open_ = [row for row in gold if left[_round(row)]]
        return len(odd) == len(open_) and self._pair(odd, open_)

    def _pair(self, mine: Sequence[Record], gold: list[Record]) -> bool:
        for row in mine:
            near = (number for number, other in enumerate(gold) if all(map(self._near, row, other)))
            found = next(near, None)
            if found is None:
                return False
            del gold[found]
        return True

    def _near(self, said: Any, wanted: Any) -> bool:
        if not (isinstance(said, float) or isinstance(wanted, float)):
            return bool(said == wanted)
        if not isinstance(said, int | float) or not isinstance(wanted, int | float):
            return False
        raw = abs(said - round(said, 2)) > 1e-9
        most = 0.0101 if self.half_cent else 0.005 + 1e-6 if raw else 1e-9
        return abs(said - wanted) <= most


def _plain(value: Any) -> Any:
    """A value as it is compared: numbers in texts are numbers, and texts have no case."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = " ".join(unicodedata.normalize("NFC", str(value)).split())
    if _NUMBER.fullmatch(text):
        return float(text) if re.search("[.eE]", text) else int(text)
    day = _MIDNIGHT.fullmatch(text)
    return (day[1] if day else text).casefold()


def _round(row: Record) -> Record:
    return tuple(round(value, 2) if isinstance(value, float) else value for value in row)


def _truth(rows: Sequence[Record]) -> bool | None:
    if len(rows) != 1 or len(rows[0]) != 1:
        return None
    return _YES_NO.get(str(_plain(rows[0][0])))


def _spare(column: Sequence[Record], gold: Sequence[Record]) -> bool:
    """Whether a column that is not asked for looks like a name or a key."""
    values = [value for (value,) in column]
    if all(value is None or isinstance(value, str) for value in values):
        return True
    figure = len(gold) == 1 and all(isinstance(value, int | float) for value in gold[0])
    whole = all(isinstance(value, int | float) and float(value).is_integer() for value in values)
    return whole and not figure and len(set(values)) == len(values)


def _with_names(
    mine: Sequence[Record], gold: Sequence[Record]
) -> Iterator[tuple[Sequence[Record], Sequence[Record]]]:
    """Rows and expected rows as they are, and with two texts side by side made one in either."""
    yield mine, gold
    if mine and len(mine[0]) <= len(gold[0]) + MORE:
        yield from ((row, gold) for row in _join_names(mine))
    for row in _join_names(gold):
        yield mine, row


def _join_names(rows: Sequence[Record]) -> Iterator[Sequence[Record]]:
    width = len(rows[0]) if rows else 0
    for left in range(width - 1):
        if all(isinstance(row[left], str) and isinstance(row[left + 1], str) for row in rows):
            for form in ("{0} {1}", "{1}, {0}"):
                yield [
                    (*row[:left], form.format(row[left], row[left + 1]), *row[left + 2 :])
                    for row in rows
                ]


TODAY = date(2025, 6, 1)
"""The day that "last month" counts from where a question names none."""
OTHER_SUBJECT = "other subject"
"""The kind of a question that no database here can answer."""


@dataclass(frozen=True)
class AskedQuestion:
    """A question to a database.

    Attributes:
        kind: what is asked for, as `partwise_papers.typed_databases.check.KINDS` says; ``spider``
            for Spider's.
        sql: the query with the answer; None if the database cannot tell.
        right: what the rows must be, one for each file of the database; empty if it cannot tell.
        synonyms: the question with other words in place of the schema's.
        today: the day of asking.
    """

    id: str
    kind: str
    text: str
    sql: str | None = None
    right: tuple[RightRows, ...] = ()
    synonyms: str | None = None
    today: date = TODAY

    def with_synonyms(self) -> AskedQuestion:
        """The question in its form with synonyms, if it has one."""
        return self if self.synonyms is None else replace(self, text=self.synonyms)


class AskedDatabase:
    """A database, and questions to it.

    Args:
        file: the SQLite file that is asked.
        files: those that answers are compared on, `file` or others with the same tables, whose rows
            are made up.
        layer: what the parser is told of it; None for what an import says, with no edit.
    """

    def __init__(
        self,
        name: str,
        file: Path,
        files: Sequence[Path] = (),
        layer: SemanticLayer | None = None,
    ) -> None:
        self.name, self.made_up = name, bool(files)
        self._source = connect(file)
        if layer is None:
            layer, index = _import(file.absolute(), file.stat().st_mtime, name)
        else:
            index = ValueIndex.build(self._source, layer)
        self.domain = DatabaseDomain(layer, self._source, index, TODAY)
        self.rows = SqliteRows(layer.schema, files or (file,))
        self.questions: list[AskedQuestion] = []

    def on(self, today: date) -> DatabaseDomain:
        """The database as it is asked on a day."""
        before = self.domain
        return DatabaseDomain(before.layer, self._source, before.index, today)

    def judge(self, question: AskedQuestion, program: Program, exactly: bool = False) -> bool:
        """Whether a program answers a question; not one that cannot be run (`exactly`: whether it
        must give just the rows of the question's query, no column more)."""
        if not question.right:
            return False
        try:
            return all(
                right.exact(some) if exactly else right.lenient(some)
                for right, some in zip(question.right, self.rows.each(program), strict=True)
            )
        except FAILURES:
            return False

    def close(self) -> None:
        """Close the files."""
        self.rows.close()
        self._source.close()


@lru_cache(maxsize=200)
def _import(file: Path, changed: float, name: str) -> tuple[SemanticLayer, ValueIndex]:
    """What a user gets of a file, with no edit; kept, as it takes a second or more."""
    with closing(connect(file)) as source:
        layer = import_database(source, name)
        return layer, ValueIndex.build(source, layer)


def read_typed_database(folder: Path, work: Path) -> AskedDatabase:
    """A database with typed questions; raises DataError if the SQL of a question fails.

    Args:
        folder: with ``schema.sql`` and ``questions.jsonl``.
        work: where the SQLite file is written, which must stay there.
    """
    file = work / f"{folder.name}.sqlite"
    work.mkdir(parents=True, exist_ok=True)
    script = folder / "schema.sql"
    if not file.is_file() or file.stat().st_mtime < script.stat().st_mtime:
        _write(script, file)
    made = AskedDatabase(folder.name, file)
    asked = read_typed_questions(folder / "questions.jsonl")
    made.questions = [_ask_typed(question, made.rows) for question in asked]
    return made


def _write(script: Path, file: Path) -> None:
    # In a folder of its own: other processes may write the same database.
    with TemporaryDirectory(dir=file.parent) as folder:
        part = Path(folder) / file.name
        with closing(sqlite3.connect(part)) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
        part.replace(file)


def spider_database(
    name: str,
    questions: Iterable[SpiderQuestion],
    fills: Path,
    seeds: Sequence[int] = (0, 1),
    contents: Path | None = None,
    asked_with_contents: bool = True,
) -> AskedDatabase:
    """One of Spider's databases; questions whose query fails are left out.

    Args:
        fills: folder of the made-up rows, with a folder for each seed.
        seeds: sets of rows that answers are compared on; the first is the one that is asked.
        contents: folder of the real contents, which answers are compared on as well; None without.
        asked_with_contents: whether it is asked with these, where there are any.
    """
    files = [fills / str(seed) / f"{name}.sqlite" for seed in seeds]
    asked = files[0]
    real = None if contents is None else contents_of(contents, name)
    if real is not None:
        # Last, as it is the largest, and most wrong answers differ before.
        files.append(real)
        asked = real if asked_with_contents else asked
    made = AskedDatabase(name, asked, files)
    made.made_up = asked is not real
    with closing(Fills(made.domain.layer.schema, files)) as filled:
        for question in questions:
            try:
                gold = filled.gold(question.sql)
            except ExecutionError:
                continue
            if any(len(rows.plain.rows) > MOST for rows in gold):
                continue
            right = tuple(map(SqlRows, gold))
            text, sql = question.question, question.sql
            made.questions.append(
                AskedQuestion(question.id, "spider", text, sql, right, question.synonyms)
            )
    return made


def read_listed_database(folder: Path, layer: SemanticLayer | None = None) -> AskedDatabase:
    """The database of a folder that was made elsewhere, and questions with the rows of the answers;
    raises DataError if a file is missing.

    Args:
        folder: with one SQLite file and ``questions.jsonl``: on each line `id`, `kind`, `question`
            and `answer` (rows; null if the database cannot tell); `also_answers`, `ordered`,
            `order_groups`, `person`, `half_cent`, `sql` and `today` may be there.
        layer: what the parser is told of it; None for what an import says, with no edit.
    """
    files = [path for path in sorted(folder.glob("*")) if path.suffix in (".sqlite", ".db")]
    questions = folder / "questions.jsonl"
    if len(files) != 1 or not questions.is_file():
        raise DataError(f"{folder}: it must hold one SQLite file and questions.jsonl")
    file = files[0]
    made = AskedDatabase(file.stem, file, layer=layer)
    with questions.open(encoding="utf-8") as lines:
        made.questions = [_ask_listed(json.loads(line)) for line in lines if line.strip()]
    return made


def other_subjects(texts: Iterable[str]) -> list[AskedQuestion]:
    """Questions that no database here can answer."""
    return [
        AskedQuestion(f"other-{number:03}", OTHER_SUBJECT, text)
        for number, text in enumerate(texts, 1)
    ]


def _ask_typed(question: TypedQuestion, rows: SqliteRows) -> AskedQuestion:
    today = date.fromisoformat(question.today) if question.today else TODAY
    right: tuple[RightRows, ...] = ()
    if question.sql is not None:
        accepted = [
            Answering.of(_rows_of(question, sql, rows), question.ordered)
            for sql in (question.sql, *question.also)
        ]
        right = (TypedRows(accepted, question.kind == "yes-no"),)
    return AskedQuestion(
        question.id, question.kind, question.question, question.sql, right, today=today
    )


def _rows_of(question: TypedQuestion, sql: str, rows: SqliteRows) -> Any:
    found = rows.of_sql(sql)
    if found is None:
        raise DataError(f"{question.id}: its SQL fails; run partwise_papers.typed_databases.check")
    return found[0]


def _ask_listed(line: Mapping[str, Any]) -> AskedQuestion:
    right: tuple[RightRows, ...] = ()
    if line["answer"] is not None:
        answers = [line["answer"], *line.get("also_answers", ())]
        groups = [line.get("order_groups"), *line.get("also_order_groups", ())]
        groups += [None] * (len(answers) - len(groups))
        accepted = [
            Answering.of(_last_names(rows, form), bool(line.get("ordered")), some)
            for rows, some in zip(answers, groups, strict=True)
            for form in (None, line.get("person"))
        ]
        right = (TypedRows(accepted, line["kind"] == "yes-no", bool(line.get("half_cent"))),)
    today = date.fromisoformat(line["today"]) if line.get("today") else TODAY
    return AskedQuestion(
        line["id"], line["kind"], line["question"], line.get("sql"), right, today=today
    )


def _last_names(rows: Sequence[Sequence[Any]], person: Mapping[str, Any] | None) -> list[Record]:
    """Rows; of a person whom the last name tells, without the first name."""
    first = person["cols"][0] if person is not None and person.get("last_only") else None
    return [tuple(cell for n, cell in enumerate(row) if n != first) for row in rows]


def in_both_forms(questions: Iterable[AskedQuestion]) -> list[AskedQuestion]:
    """Questions, and with synonyms those that have any."""
    return [
        form
        for question in questions
        for form in (
            [question] if question.synonyms is None else [question, question.with_synonyms()]
        )
    ]
