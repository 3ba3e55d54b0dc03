"""Examples, data sets, and the reader of JSON Lines files with `question` and `program`."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import DataError, ProgramSyntaxError, ProgramTypeError, UnknownConstantError
from partwise.language.domain import Domain
from partwise.language.program import Term, parse_program

X = TypeVar("X")
PARTS = ("train", "dev", "test")

Span = tuple[int, int, str]
"""A labelled span, ``(start, end, category)``, end excluded."""

JOIN_LABEL = "join"
"""How `Span` names composed spans."""

DRAFT = "draft"
"""A field of lines that `partwise examples` proposed and nobody has edited; they are refused."""

FORMAT = '{"question": "...", "program": "..."}'


@dataclass(frozen=True)
class Example:
    """A question with its program.

    Attributes:
        source: where it was read, as ``train.jsonl:17`` (lines count from 1).
        id: a name that is the same in every split, or None if the data has none.
        context: what the question is about where that differs from question to question (a
            scene); the domain's executor takes it. None if the domain needs none.
        answer: what the data say the program's denotation is, as `Domain.denotation` gives it;
            None if they do not say.
        group: what kind of question it is, for figures by kind; "" if the data do not say.
        spans: an annotated span tree, ``(start, end, category)`` over the words with the end
            excluded and "join" for composed spans; None without one.
    """

    question: str
    program: Term
    source: str = ""
    id: str | None = None
    context: Hashable | None = None
    answer: Hashable | None = None
    group: str = ""
    spans: tuple[Span, ...] | None = None


@dataclass
class Dataset:
    """One split of a data set; `skipped` holds a message for each line that was left out."""

    name: str
    split: str
    train: list[Example]
    dev: list[Example]
    test: list[Example]
    skipped: list[str] = field(default_factory=list)

    def parts(self) -> dict[str, list[Example]]:
        """The three parts by name, in the order train, dev, test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}


def read_jsonl(
    path: str | Path,
    *,
    domain: Domain | None = None,
    skip_bad: bool = False,
    label: str | None = None,
) -> tuple[list[Example], list[str]]:
    """Read a file with a JSON object on each line; blank lines are passed over.

    Args:
        domain: if given, programs are kept in its canonical spelling.
        skip_bad: leave out lines that cannot be read and return a message for each, instead of
            raising at the first.
        label: what `Example.source` calls the file; its name by default.

    Returns:
        The examples, and the messages (none unless `skip_bad`).

    Raises:
        DataError: for a file that is missing, cannot be opened or holds no example, and for a
            line that is not UTF-8, not JSON, lacks a field, or has a program that cannot be read.
    """
    file = Path(path)
    data = read_bytes(file, f"a UTF-8 text file with {FORMAT} on each line")
    return parse_jsonl(data, str(file), label or file.name, domain=domain, skip_bad=skip_bad)


def read_bytes(file: Path, expected: str) -> bytes:
    """The content of a file.

    Raises:
        DataError: if it cannot be opened; the message says what is `expected` there.
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{file}: no such file; expected {expected}") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{file}: cannot be read ({why}); expected {expected}") from error


def parse_jsonl(
    data: bytes,
    path: str,
    label: str,
    *,
    domain: Domain | None = None,
    skip_bad: bool = False,
) -> tuple[list[Example], list[str]]:
    """`read_jsonl` for content that is already in memory; `path` stands in messages."""
    # Only \n ends a line: other separators may stand inside JSON strings.
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")

    def one(raw: bytes, source: str) -> Example:
        return _example(raw, source, domain)

    return examples_of_lines(lines, one, path, label, FORMAT, skip_bad)


def examples_of_lines(
    lines: Iterable[bytes],
    one: Callable[[bytes, str], X],
    path: str | Path,
    label: str,
    expected: str,
    skip_bad: bool,
) -> tuple[list[X], list[str]]:
    """An example of each line that is not blank, and the messages of those that were left out.

    Args:
        one: an example from a line and what its `source` is; raises DataError for a bad line.
        path: what messages call the file; sources call it `label`.
        expected: what lines look like.

    Raises:
        DataError: for a bad line, unless `skip_bad`, and if there is no example.
    """
    examples: list[X] = []
    skipped: list[str] = []
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        try:
            examples.append(one(raw, f"{label}:{number}"))
        except DataError as error:
            message = f"{path}:{number}: {error}"
            if not skip_bad:
                raise DataError(message) from error
            skipped.append(message)
    if not examples:
        also = f"; all {len(skipped)} lines were bad, first {skipped[0]}" if skipped else ""
        raise DataError(f"{path}: holds no examples; expected lines like {expected}{also}")
    return examples, skipped


def _example(raw: bytes, source: str, domain: Domain | None) -> Example:
    fields = _fields(raw)
    if fields.get(DRAFT) is True:
        raise DataError(f'is a draft: put the question right, then take away its field "{DRAFT}"')
    question, text = _text(fields, "question"), _text(fields, "program")
    name = fields.get("id")
    try:
        program = parse_program(text)
    except ProgramSyntaxError as error:
        raise DataError(f"the program cannot be read; mend it: {error}") from error
    if domain is not None:
        program = domain.normalize(program)
    return Example(question, program, source, None if name is None else str(name))


def _fields(raw: bytes) -> dict[str, object]:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8"
        ) from error
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"not JSON: {error.msg} at column {error.colno}; expected {FORMAT}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"not usable JSON ({error}); expected {FORMAT}") from error
    if not isinstance(found, dict):
        raise DataError(f"a JSON {type(found).__name__}, not an object; expected {FORMAT}")
    return found


def _text(fields: dict[str, object], name: str) -> str:
    if name not in fields:
        have = ", ".join(sorted(fields)) or "none"
        raise DataError(f"no field {name!r} (fields here: {have}); expected {FORMAT}")
    return checked_text(fields[name], f"field {name!r}")


def checked_text(value: object, what: str) -> str:
    """A value of a data file as a text, without blanks around it.

    Args:
        what: what messages call it.

    Raises:
        DataError: if it is no text, is empty, or cannot be written as UTF-8.
    """
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{what} must be a text that is not empty, not {value!r:.80}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{what} holds half of a surrogate pair at character {error.start + 1}"
        ) from error
    return value.strip()


def check_programs(
    examples: Iterable[Example],
    types: TypeAlgebra,
    reasons: dict[Term, str | None] | None = None,
) -> tuple[list[Example], list[tuple[Example, str]]]:
    """Part examples whose program the types allow from the others, with the reason for each.

    A program that does not type may still be worth training on, so this is no error.

    Args:
        reasons: what is known of programs already; new ones are added.
    """
    reasons = {} if reasons is None else reasons
    typed: list[Example] = []
    untyped: list[tuple[Example, str]] = []
    for example in examples:
        if example.program not in reasons:
            reasons[example.program] = _reason(example.program, types)
        reason = reasons[example.program]
        if reason is None:
            typed.append(example)
        else:
            untyped.append((example, reason))
    return typed, untyped


def _reason(program: Term, types: TypeAlgebra) -> str | None:
    try:
        types.check(program)
    except (UnknownConstantError, ProgramTypeError) as error:
        return str(error)
    return None
