"""SCAN and SCAN-SP: splits made by rule from the language's grammar, and the published files.

The published files, compressed or not, are laid out as::

    scan_sp/{simple,right,around_right}/{train,dev,test}.jsonl.gz, {dev,test}_trees.jsonl.gz
    scan/<split>.{train,test}.txt.gz

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
from partwise.interface.data import PARTS, Dataset, Example, Span
from partwise.interface.jsonl import (
    check_text,
    examples_of_lines,
    fields_of,
    lines_of,
    text_of,
)
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise_papers.domains.scan.domain import action_sequence, language, program_of
from partwise_papers.splits.scan import RULES, Sides, apart, sides

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
    """Read ``<name>.gz``, or `name` where that is not there; blank lines are passed over; raises
    DataError for a file that is missing, cannot be read or holds no example, or a bad line.

    Args:
        line: reads one line; a `DataError` from it gets the file and the line.
        expected: what a line looks like, for messages.
        skip_bad: leave out bad lines and return a message for each, instead of raising.
        label: what `Example.source` calls the file; its name by default.
    """
    packed = folder / f"{name}.gz"
    file = folder / name if not packed.exists() and (folder / name).exists() else packed
    lines = lines_of(file, expected)
    return examples_of_lines(lines, line, file, label or file.name, expected, skip_bad)


def plain_line(raw: bytes, source: str) -> Example[Term]:
    """A line of SCAN, with the program of our grammar; the actions are the answer; raises DataError
    for another form, or a text that is no command."""
    text = text_of(raw).strip()
    match = _PLAIN.fullmatch(text)
    if match is None:
        raise DataError(f"expected {PLAIN}, not {text[:80]!r}")
    command, actions = match.group(1).strip(), match.group(2).strip()
    return Example(command, program_of(command), source, answer=actions)


def json_line(raw: bytes, source: str) -> Example[Term]:
    """A line of SCAN-SP; raises DataError for a line that is not JSON, lacks a field, or whose
    program cannot be read."""
    return _example(fields_of(raw, JSON), source)


def tree_line(raw: bytes, source: str) -> Example[Term]:
    """A line of SCAN-SP with an annotated tree, its spans over words; raises DataError as
    `json_line`, and for spans that are not those of words."""
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
        check_text(fields.get(n), f"field {n!r}") for n in ("question", "program", "answer")
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


MADE = ("simple", *RULES)
"""Splits made from the grammar."""
GIVEN = ("simple", "right", "around_right")
"""Splits of which SCAN-SP has files with programs."""
SPLITS = (*MADE, "mcd1", "mcd2", "mcd3")
"""Splits of the published files."""
TREES = ("dev", "test")


def make_scan(split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Make a split from the grammar; nothing is read, so that there are no bad lines; raises
    DataError for an unknown split.

    Train and dev are shuffled with a fixed seed, and dev is a fifth of the training set.
    """
    if split not in MADE:
        raise DataError(f"scan has no split {split!r}; it has {', '.join(MADE)}")
    made = make_sides(split)
    return Dataset("scan", split, *apart(made.train), made.test)


def make_sides(split: str) -> Sides:
    """The training and test set that a split's rule gives; sources are as ``scan/right:123``."""
    commands = [
        Example(e.question, e.meaning, f"scan/{split}:{e.id}", e.id, answer=e.answer)
        for e in _commands()
    ]
    return sides(split, commands)


@cache
def _commands() -> tuple[Example[Term], ...]:
    """The whole language; an example's id is its number there, from 1."""
    return tuple(
        Example(text, program, id=str(number), answer=action_sequence(text))
        for number, (text, program) in enumerate(language(), start=1)
    )


def read_scan_sp(folder: str | Path, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Read one published split; raises DataError for an unknown split, a missing folder or file, or
    a bad line.

    Splits that SCAN-SP has are read from `folder`, in its order. The others are read from SCAN's
    own files in the folder ``scan`` beside it: programs are those of our grammar, and dev is a
    fifth of the shuffled training set.
    """
    if split not in SPLITS:
        raise DataError(f"scan_sp has no split {split!r}; it has {', '.join(SPLITS)}")
    if split not in GIVEN:
        made, skipped = read_sides(plain_folder(folder), split, skip_bad=skip_bad)
        return Dataset("scan_sp", split, *apart(made.train), made.test, skipped)
    found = {
        part: read_lines(
            Path(folder) / split,
            f"{part}.jsonl",
            json_line,
            JSON,
            skip_bad=skip_bad,
            label=f"{split}/{part}.jsonl",
        )
        for part in PARTS
    }
    train, dev, test = (found[part][0] for part in PARTS)
    return Dataset("scan_sp", split, train, dev, test, [m for p in PARTS for m in found[p][1]])


def read_sides(folder: Path, split: str, *, skip_bad: bool = False) -> tuple[Sides, list[str]]:
    """The training and test set of a split in SCAN's own files, and messages for bad lines; raises
    DataError for a missing file or a bad line."""
    found = [
        read_lines(folder, f"{split}.{part}.txt", plain_line, PLAIN, skip_bad=skip_bad)
        for part in ("train", "test")
    ]
    return Sides(found[0][0], found[1][0]), found[0][1] + found[1][1]


def plain_folder(folder: str | Path) -> Path:
    """The folder of SCAN's own files: ``scan`` beside that of SCAN-SP; raises DataError if it is
    not there."""
    place = Path(folder).resolve().parent / "scan"
    if not place.is_dir():
        raise DataError(
            f"{place}: no such folder; expected SCAN's files <split>.train.txt.gz there"
        )
    return place


def read_trees(folder: str | Path, split: str, part: str) -> list[Example[Term]]:
    """The annotated span trees of a part of SCAN-SP (paper section 4.4), as `Example.spans`; raises
    DataError for a split or part without trees, a missing file, or a bad line."""
    if split not in GIVEN or part not in TREES:
        raise DataError(
            f"no trees for {split}/{part}: they are there for {', '.join(GIVEN)} and "
            f"{', '.join(TREES)}"
        )
    expected = f'{JSON[:-1]}, "gold_spans": [...]}}'
    label = f"{split}/{part}_trees.jsonl"
    file = f"{part}_trees.jsonl"
    return read_lines(Path(folder) / split, file, tree_line, expected, label=label)[0]
