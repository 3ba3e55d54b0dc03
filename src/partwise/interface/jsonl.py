"""Examples as JSON Lines, an object on each line::

    {"question": "which rivers run through texas?", "program": "answer(river(loc_2(...)))"}
    {"question": "Did M1 direct M0", "query": "ASK WHERE {...}", "bindings": {"M0": IRI, ...}}

The meaning is the field "program", "query" or "meaning". Other fields may be missing: "id";
"bindings", what placeholders stand for; "rules", which rules made it, with "names" and "edges";
"official", false for a meaning that is not as published. Files whose names end in ``.gz`` are
gzipped.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example, RuleGraph

X = TypeVar("X")
M = TypeVar("M")
Read = Callable[[str], M]
"""A meaning from its text; raises `PartwiseError`."""

MEANINGS = ("program", "query", "meaning")
"""Names of the field that holds the meaning."""
FORMAT = '{"question": "...", "program": "..."}'
MAX_LINE = 1 << 20
"""Bytes."""


def read_jsonl(
    path: str | Path, read: Read[M], *, skip_bad: bool = False, label: str | None = None
) -> tuple[list[Example[M]], list[str]]:
    """The examples of a file, which their sources call `label`; blank lines are passed over. With
    `skip_bad` lines that cannot be read are left out, and have a message. Raises DataError for a
    file that is missing, damaged or holds no example, and for a line that is not UTF-8, not JSON,
    lacks a field, or has a meaning that cannot be read."""
    file = Path(path)
    lines = lines_of(file)
    return examples_of_lines(lines, line_reader(read), file, label or file.name, FORMAT, skip_bad)


def read_bytes(file: Path, expected: str) -> bytes:
    """The content of a file. Raises DataError if it cannot be opened; the message says what is
    `expected` there."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{file}: no such file; expected {expected}") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{file}: cannot be read ({why}); expected {expected}") from error


def lines_of(file: Path, expected: str = FORMAT) -> Iterator[bytes]:
    """Lines of a file, gzipped or not, without a byte order mark. Raises DataError if it is
    missing, damaged, or has a line of more than `MAX_LINE` bytes; the message says what lines are
    `expected`."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            first = True
            while line := stream.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise DataError(f"{file}: a line is longer than {MAX_LINE:,} bytes")
                yield line.removeprefix(b"\xef\xbb\xbf") if first else line
                first = False
    except FileNotFoundError:
        also = f"expected a UTF-8 text file, {expected} a line"
        raise DataError(f"{file}: no such file; {also}") from None
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{file}: cannot be read ({why}); expected {expected} a line") from error


def examples_of_lines(
    lines: Iterable[bytes],
    one: Callable[[bytes, str], X],
    path: str | Path,
    label: str,
    expected: str,
    skip_bad: bool,
) -> tuple[list[X], list[str]]:
    """An example of each line that is not blank, made by `one` of the line and its source, and the
    messages of those that were left out. Messages call the file `path`, sources call it `label`,
    and lines look as `expected`. Raises DataError for a bad line, unless `skip_bad`, and if there
    is no example."""
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


def line_reader(read: Read[M]) -> Callable[[bytes, str], Example[M]]:
    def one(raw: bytes, source: str) -> Example[M]:
        fields = fields_of(raw)
        question = _text(fields, "question")
        name = next((name for name in MEANINGS if name in fields), MEANINGS[0])
        text = _text(fields, name)
        try:
            meaning = read(text)
        except PartwiseError as error:
            raise DataError(f"the {name} cannot be read; correct it: {error}") from error
        official = fields.get("official", True)
        if not isinstance(official, bool):
            raise DataError(f"field 'official' must be true or false, not {official!r:.80}")
        return Example(
            question,
            meaning,
            source,
            None if fields.get("id") is None else str(fields["id"]),
            context=_bindings(fields["bindings"]) if "bindings" in fields else None,
            official=official,
            rules=None if fields.get("rules") is None else _rules(fields["rules"]),
        )

    return one


def text_of(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + 1
        raise DataError(f"not UTF-8 at byte {at} of the line; save the file as UTF-8") from error


def fields_of(raw: bytes, expected: str = FORMAT) -> dict[str, Any]:
    """The JSON object of a line. Raises DataError if it is not UTF-8, not JSON, or another JSON
    value; the message says what is `expected`."""
    try:
        fields = json.loads(text_of(raw))
    except json.JSONDecodeError as error:
        at = f"{error.msg} at column {error.colno}"
        raise DataError(f"not JSON: {at}; expected {expected}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"not usable JSON ({error}); expected {expected}") from error
    if not isinstance(fields, dict):
        raise DataError(f"a JSON {type(fields).__name__}, not an object; expected {expected}")
    return fields


def _text(fields: dict[str, Any], name: str) -> str:
    if name not in fields:
        have = ", ".join(sorted(fields)) or "none"
        raise DataError(f"no field {name!r} (fields here: {have}); expected {FORMAT}")
    return check_text(fields[name], f"field {name!r}")


def check_text(value: object, what: str) -> str:
    """A value of a data file, which messages call `what`, as a text without blanks around it.
    Raises DataError if it is no text, is empty, or cannot be written as UTF-8."""
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{what} must be a text that is not empty, not {value!r:.80}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{what} holds half of a surrogate pair at character {error.start + 1}"
        ) from error
    return value.strip()


def _bindings(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise DataError(
            "field 'bindings' must be an object of placeholders and texts, as "
            f'{{"M0": "https://..."}}, not {value!r:.80}'
        )
    return tuple(value.items())


def _rules(value: Any) -> RuleGraph:
    try:
        names, edges = value["names"], tuple((one, other) for one, other in value["edges"])
        places = [place for edge in edges for place in edge]
        named = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if named and all(type(place) is int and 0 <= place < len(names) for place in places):
            return RuleGraph(tuple(names), edges)
    except (TypeError, ValueError, KeyError):
        pass
    raise DataError(
        "field 'rules' must be an object with names and edges between their places, as "
        f'{{"names": ["a", "b"], "edges": [[0, 1]]}}, not {value!r:.80}'
    )
