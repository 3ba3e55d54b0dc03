"""Pairs of questions and programs from files: JSON Lines, or CSV and TSV with a header."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.interface.jsonl import FORMAT, examples_of_lines, line_reader, lines_of, text_of
from partwise.language.program import Term
from partwise.language.program_spelling import Syntax, read_spelled, syntax_of

FEWEST = 10
"""With fewer pairs there is nothing to learn from."""
SEPARATORS = {".csv": ",", ".tsv": "\t"}
TABLE = "a header with the columns question and program"


def read_pairs(
    path: Path, skip_bad: bool = False, syntax: Syntax | None = None, fewest: int = FEWEST
) -> tuple[list[Example[Term]], list[str], Syntax]:
    """Read pairs with their programs as they are spelled.

    Args:
        skip_bad: leave out what cannot be read, and return a message for each.
        syntax: how programs are written; as the first one is, if not given.
        fewest: how many pairs there must be.

    Returns:
        The pairs, the messages, and how programs are written.

    Raises:
        DataError: for a file that cannot be read or has too few pairs, and naming the line of a
            pair that cannot be read, unless `skip_bad`.
    """
    known = [] if syntax is None else [syntax]

    def read(text: str) -> Term:
        known.append(syntax_of(text))
        return read_spelled(text)

    one = line_reader(read)
    separator = SEPARATORS.get(path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix)
    lines = lines_of(path, FORMAT if separator is None else TABLE)
    if separator is None:
        examples, skipped = examples_of_lines(lines, one, path, path.name, FORMAT, skip_bad)
    else:
        examples, skipped = _of_table(lines, separator, one, path, skip_bad)
    if len(examples) < fewest:
        more = f", and {len(skipped)} that cannot be read" if skipped else ""
        raise DataError(f"{path}: holds {len(examples)} pairs{more}; give at least {fewest}")
    return examples, skipped, known[0] if known else "functional"


def _of_table(
    lines: Iterator[bytes],
    separator: str,
    one: Callable[[bytes, str], Example[Term]],
    path: Path,
    skip_bad: bool,
) -> tuple[list[Example[Term]], list[str]]:
    try:
        text = "".join(map(text_of, lines))
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        columns = list(table.fieldnames or ())
    except (DataError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read ({error}); expected UTF-8 with {TABLE}") from error
    if "question" not in columns:
        raise DataError(f"{path}:1: the columns are {', '.join(columns)}; expected {TABLE}")
    examples: list[Example[Term]] = []
    skipped: list[str] = []
    while True:
        try:
            row = next(table, None)
            if row is None:
                return examples, skipped
            fields = {name: value for name, value in row.items() if name and value}
            examples.append(one(json.dumps(fields).encode(), f"{path.name}:{table.line_num}"))
        except (DataError, csv.Error) as error:
            message = f"{path}:{table.line_num}: {error}"
            if not skip_bad:
                raise DataError(message) from error
            skipped.append(message)
