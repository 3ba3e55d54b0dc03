"""The domains that come with the package, a folder each; they use what any other domain may use.

Imports errors, interface, language and execution only, and no torch. Start with
`geography.domain`, a language of programs, or with `films.domain`, one of query graphs. Domains
are found through entry points (``partwise.domains``); trained parsers stand in `pretrained`.

A data set of questions in a domain's folder ``questions`` has its splits in the files
``<split>.<part>.jsonl``. The split ``wide`` is the split ``iid`` with the questions of
``further.jsonl`` added to train, and ``typed`` with those of ``typed.jsonl`` too, as people type
them: what the parser that comes with the package learns from.
"""

from __future__ import annotations

from importlib.resources import files

from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.jsonl import parse_jsonl
from partwise.language.program import Term, parse_program

MORE = {"wide": ("further.jsonl",), "typed": ("further.jsonl", "typed.jsonl")}
"""Split -> files whose questions it adds to those of the split ``iid``."""


def read_shipped(name: str, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Read one split, the files ``domains/<name>/questions/<split>.<part>.jsonl``. Raises DataError
    if the package lacks the file, or for bad content."""
    of = "iid" if split in MORE else split
    parts = {part: _read(name, f"{of}.{part}.jsonl", skip_bad) for part in PARTS}
    for file in MORE.get(split, ()):
        examples, messages = _read(name, file, skip_bad)
        parts["train"] = (parts["train"][0] + examples, parts["train"][1] + messages)
    skipped = [message for part in PARTS for message in parts[part][1]]
    return Dataset(name, split, parts["train"][0], parts["dev"][0], parts["test"][0], skipped)


def _read(name: str, file: str, skip_bad: bool) -> tuple[list[Example[Term]], list[str]]:
    """The examples of a file, and what was left out and why."""
    place = files(f"partwise.domains.{name}").joinpath("questions")
    try:
        data = place.joinpath(file).read_bytes()
    except OSError as error:
        raise DataError(
            f"{name}: the package lacks its file questions/{file}; install it again"
        ) from error
    return parse_jsonl(data, f"{name}/{file}", file, parse_program, skip_bad=skip_bad)
