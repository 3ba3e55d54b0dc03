"""Cases: training examples that are kept to be read beside a question, and their file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.language.text import Words
from partwise_papers.retrieval.relations import Names, joined

CASE, QUERY = "<case>", "<query>"
"""What stands before the question and before the output of a case."""


class Case(NamedTuple):
    """A training example as it is read: the words of its question, the tokens of its output."""

    words: tuple[str, ...]
    output: tuple[str, ...]


def with_cases(question: Words, cases: Sequence[Case], room: int) -> Words:
    """What is read: a question, then the questions and outputs of cases, as many as fit."""
    words = list(question.words)
    for case in cases:
        more = [CASE, *case.words, QUERY, *case.output]
        if len(words) + len(more) > room:
            break
        words += more
    return joined(words) if len(words) > len(question) else question


def write_cases(file: Path, cases: Sequence[Case], names: Names) -> None:
    """Write what `read_cases` reads."""
    rows = [[list(part) for part in case] for case in cases]
    write_json(file, {"names": sorted(map(list, names)), "cases": rows})


def read_cases(file: Path) -> tuple[list[tuple[str, ...]], list[Case]]:
    """Names and cases of a saved parser.

    Raises:
        CheckpointError: if the file is damaged.
    """
    values = read_json(file)
    try:
        names = [_texts(one) for one in values["names"]]
        return names, [Case(_texts(words), _texts(output)) for words, output in values["cases"]]
    except (LookupError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{file} is damaged ({type(error).__name__}: {error}); copy or train it again"
        ) from error


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError(f"{values!r:.60} is no list of texts")
    # Many cases have the same words.
    return tuple(map(sys.intern, values))
