"""Reading pairs line by line, so that all that is wrong with them is found at once."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.places import shown
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.interface.jsonl import DRAFT, read_bytes, read_jsonl
from partwise.language.program import Term, parse_program

MEND = 'a line holds {"question": "...", "program": "..."}'


@dataclass(frozen=True)
class Pair:
    """A pair, its place, and the answer that stands beside it, if any."""

    example: Example[Term]
    where: str
    answer: tuple[str, ...] | None = None


@dataclass
class Pairs:
    """The pairs of a file that can be read, and what is wrong with the others."""

    read: list[Pair] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_pairs(file: Path) -> Pairs:
    """The pairs of a file; lines that cannot be read, and drafts, are findings.

    Raises:
        DataError: if the file cannot be opened.
    """
    raw = read_bytes(file, f"a UTF-8 text file; {MEND}").removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = dict(enumerate(raw, start=1))
    found = Pairs()
    try:
        examples, skipped = read_jsonl(file, parse_program, skip_bad=True)
    except DataError as error:
        place = shown(str(file))
        finding = Finding("error", "unreadable-pair", "file of pairs", str(error), MEND, place)
        return Pairs(findings=[finding])
    for message in skipped:
        found.findings.append(_unreadable(message, file, lines))
    for example in examples:
        number = int(example.source.rpartition(":")[2])
        pair = Pair(example, f"{shown(str(file))}:{number}", _answer(lines[number]))
        found.read.append(pair)
    return found


def _unreadable(message: str, file: Path, lines: dict[int, bytes]) -> Finding:
    place = re.match(rf"{re.escape(str(file))}:(\d+): ", message)
    number = int(place[1]) if place else 1
    why = message[place.end() :] if place else message
    where = f"{shown(str(file))}:{number}"
    if _object(lines.get(number, b"")).get(DRAFT) is True:
        return Finding("warning", "draft", "pair", "is a draft and not trained on", why, where)
    return Finding("error", "unreadable-pair", "pair", why, MEND, where)


def _answer(line: bytes) -> tuple[str, ...] | None:
    given = _object(line).get("answer")
    if isinstance(given, list):
        return tuple(map(str, given))
    return None if given is None else (str(given),)


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
