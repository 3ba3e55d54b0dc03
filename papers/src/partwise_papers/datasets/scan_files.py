"""SCAN's and SCAN-SP's files, compressed or not, line by line.

SCAN has ``IN: jump left OUT: I_TURN_LEFT I_JUMP``; SCAN-SP has JSON Lines with `question`,
`program`, `answer` and, in the files of trees, `gold_spans`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from partwise.errors import DataError, ProgramSyntaxError
from partwise.interface.data import Example, Span
from partwise.interface.jsonl import (
    checked_text,
    examples_of_lines,
    fields_of,
    lines_of,
    text_of,
)
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise_papers.domains.scan.grammar import program_of

Line = Callable[[bytes, str], Example[Term]]
"""Reads an example from a line and its source."""

PLAIN = "IN: <command> OUT: <actions>"
JSON = '{"question": "...", "program": "...", "answer": "..."}'
PIECES = {"thrice": 2}
"""Words that the published trees count as several: their spans are over BERT's word pieces."""

_PLAIN = re.compile(r"IN: (.+) OUT: (.+)")


def read_lines(
    folder: Path, name: str, line: Line, expected: str, *, skip_bad: bool = False, label: str = ""
) -> tuple[list[Example[Term]], list[str]]:
    """Read ``<name>.gz``, or `name` where that is not there; blank lines are passed over.

    Args:
        line: reads one line; a `DataError` from it gets the file and the line.
        expected: what a line looks like, for messages.
        skip_bad: leave out bad lines and return a message for each, instead of raising.
        label: what `Example.source` calls the file; its name by default.

    Raises:
        DataError: for a file that is missing, cannot be read or holds no example, or a bad line.
    """
    packed = folder / f"{name}.gz"
    file = folder / name if not packed.exists() and (folder / name).exists() else packed
    lines = lines_of(file, expected)
    return examples_of_lines(lines, line, file, label or file.name, expected, skip_bad)


def plain_line(raw: bytes, source: str) -> Example[Term]:
    """A line of SCAN, with the program of our grammar; the actions are the answer.

    Raises:
        DataError: for another form, or a text that is no command.
    """
    text = text_of(raw).strip()
    match = _PLAIN.fullmatch(text)
    if match is None:
        raise DataError(f"expected {PLAIN}, not {text[:80]!r}")
    command, actions = match.group(1).strip(), match.group(2).strip()
    return Example(command, program_of(command), source, answer=actions)


def json_line(raw: bytes, source: str) -> Example[Term]:
    """A line of SCAN-SP.

    Raises:
        DataError: for a line that is not JSON, lacks a field, or whose program cannot be read.
    """
    return _example(fields_of(raw, JSON), source)


def tree_line(raw: bytes, source: str) -> Example[Term]:
    """A line of SCAN-SP with an annotated tree, its spans over words.

    Raises:
        DataError: as `json_line`, and for spans that are not those of words.
    """
    fields = fields_of(raw, JSON)
    example = _example(fields, source)
    words = tokenize(example.question).words
    spans = tuple(_span(given, words) for given in _list(fields, "gold_spans"))
    if len(words) == 1:
        # The published tree of a lone word has a join over it, and its constant ends too late.
        spans = tuple(span for span in spans if span[2] != "join")
    return Example(example.question, example.meaning, source, answer=example.answer, spans=spans)


def _example(fields: dict[str, Any], source: str) -> Example[Term]:
    question, program, answer = (
        checked_text(fields.get(n), f"field {n!r}") for n in ("question", "program", "answer")
    )
    return Example(question, _program(program), source, answer=answer)


def _list(fields: dict[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    if not isinstance(value, list) or not value:
        raise DataError(f"field {name!r} must be a list that is not empty")
    return value


@cache
def _program(text: str) -> Term:
    try:
        return parse_program(text)
    except ProgramSyntaxError as error:
        raise DataError(f"the program cannot be read; correct it: {error}") from error


def _span(given: Any, words: tuple[str, ...]) -> Span:
    """``{"span": [first, last], "type": ...}`` over word pieces, as a span over words."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + PIECES.get(word, 1))
    try:
        (first, last), kind = given["span"], given["type"]
        end = min(last + 1, starts[-1]) if len(words) == 1 else last + 1
        span = starts.index(first), starts.index(end)
    except (TypeError, KeyError, ValueError):
        span = 0, 0
    if span[0] >= span[1]:
        raise DataError(f"no span of the words of {' '.join(words)!r}: {str(given)[:80]}")
    return *span, "join" if kind == "span" else str(kind)
