"""Questions whose meaning somebody confirmed: a file of a database's folder, one a line.

A line is a JSON object: the question, its program, who said so and when, and whether the parser
found it by itself then. A program of the file is read like any from outside, so that nothing
private can be asked by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from partwise.database.apart import nodes_of
from partwise.database.spans.text import function_words, words_of
from partwise.errors import ChoiceError, DataError, PartwiseError
from partwise.execution.relational.program import Program, Value
from partwise.interface.domain import Issue
from partwise.interface.files import file_state, write_whole

FILE = "confirmed.jsonl"
LARGEST = 10_000_000
"""Bytes of a file."""


class ProgramReader(Protocol):
    """What reads programs from outside: a `DatabaseDomain`."""

    def read(self, text: str) -> Program:
        """A program, if nothing of it is private."""
        ...


class Confirmed(NamedTuple):
    """A question with its meaning.

    Attributes:
        program: as a domain writes it.
        when: a day, as 2026-01-31.
        alone: whether the parser found it by itself when it was confirmed.
    """

    question: str
    program: str
    who: str
    when: str
    alone: bool = False

    def meaning(self, domain: ProgramReader) -> Program:
        """Its program. Raises PartwiseError if it cannot be read or uses what is private, and
        ChoiceError if it has a day that the question does not name, as what "last month" means."""
        program = domain.read(self.program)
        for node in nodes_of(program):
            day = node.value if isinstance(node, Value) else None
            if isinstance(day, date) and not _names_year(self.question, day.year):
                raise ChoiceError(f"it means the day {day}, which its question does not name")
        return program

    def __str__(self) -> str:
        """Who confirmed it, and when."""
        return f"confirmed by {self.who}, {self.when}"


def _names_year(question: str, year: int) -> bool:
    # A period ends with the first day that is not of it.
    return any(str(number) in question for number in (year, year - 1))


Key = tuple[tuple[str, ...], tuple[str, ...]]


def key_of(question: str) -> Key:
    """What questions share that are nearly the same: the stems of their words in order, and those
    of small words in any order."""
    small = function_words()
    stems = [word.stem for word in words_of(question) if any(map(str.isalnum, word.text))]
    return tuple(x for x in stems if x not in small), tuple(sorted(x for x in stems if x in small))


class ConfirmedQuestions:
    """The confirmed questions of a folder, which are read again when the file changes."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self._state: tuple[int, ...] = ()
        self._known: Mapping[Key, Confirmed] = {}

    def find(self, question: str) -> Confirmed | None:
        """What was confirmed of nearly the same question; the last line that says so."""
        state = file_state(self.file)
        if state != self._state:
            with suppress(DataError):
                lines = (entry for _, entry in self.lines() if isinstance(entry, Confirmed))
                self._known = {key_of(entry.question): entry for entry in lines}
            self._state = state
        return self._known.get(key_of(question)) if self._known else None

    def lines(self) -> Iterator[tuple[int, Confirmed | str]]:
        """Each line by its number: an entry, or what is wrong. Raises DataError if the file cannot
        be read."""
        if not self.file.exists():
            return
        try:
            if not self.file.is_file() or self.file.stat().st_size > LARGEST:
                raise DataError(f"{self.file} is no file, or larger than {LARGEST} bytes")
            text = self.file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{self.file} cannot be read: {error}") from error
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, _read(line)

    def add(self, entry: Confirmed) -> None:
        """Write an entry, in place of one of nearly the same question. Raises DataError if the file
        cannot be read or written."""
        same, kept = key_of(entry.question), []
        if self.file.exists():
            wrong = [number for number, known in self.lines() if isinstance(known, str)]
            if wrong:
                raise DataError(f"{self.file}:{wrong[0]} cannot be read; mend it first")
            kept = [known for _, known in self.lines() if isinstance(known, Confirmed)]
        entries = [*(x for x in kept if key_of(x.question) != same), entry]
        lines = (json.dumps(x._asdict(), ensure_ascii=False) + "\n" for x in entries)
        text = "".join(lines)
        write_whole(self.file, lambda part: part.write_text(text, "utf-8"))

    def issues(self, domain: ProgramReader) -> Iterator[Issue]:
        """The lines that are never used, and why."""
        for number, entry in self.lines():
            why = entry if isinstance(entry, str) else ""
            if isinstance(entry, Confirmed):
                try:
                    entry.meaning(domain)
                except PartwiseError as error:
                    why = str(error)
            if why:
                place, advice = f"{self.file.name}:{number}", "confirm it again, or take it out"
                yield Issue("error", "confirmed", "a confirmed question", why, advice, place)


def today_text() -> str:
    """The day that an entry is written."""
    return datetime.now().date().isoformat()


def _read(line: str) -> Confirmed | str:
    try:
        said = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return "it is no JSON object"
    names = Confirmed._fields
    if not isinstance(said, dict) or not {*names[:4]} <= {*said} <= {*names}:
        return f"it has not just {', '.join(names)}"
    if not all(isinstance(said[name], str) for name in names[:4]):
        return "its question, program, who and when must be texts"
    return Confirmed(**{**said, "alone": said.get("alone") is True})
