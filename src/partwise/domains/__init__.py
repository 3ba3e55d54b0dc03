"""The domains that come with the package, a folder each; they use what any other domain may use.

Imports errors, interface, language and execution only, and no torch. Start with
`geography.domain`, a language of programs, or with `films.domain`, one of query graphs. Domains
are found through entry points (``partwise.domains``); trained parsers stand in `pretrained`.

A data set of questions in a domain's folder ``questions`` has its splits in the files
``<split>.<part>.jsonl``. The split ``wide`` is the split ``iid`` with the questions of
``further.jsonl`` added to train, and ``typed`` with those of ``typed.jsonl`` too, as people type
them: what the parser that comes with the package learns from.
"""

from pathlib import Path

from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.jsonl import read_jsonl
from partwise.language.program import Term, parse_program

MORE = {"wide": ("further.jsonl",), "typed": ("further.jsonl", "typed.jsonl")}
"""Split -> files whose questions it adds to those of the split ``iid``."""


def read_shipped(name: str, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Read one split, the files ``domains/<name>/questions/<split>.<part>.jsonl``. Raises DataError
    if the package lacks the file, or for bad content."""
    folder = Path(__file__).parent / name / "questions"

    def read(file: str) -> tuple[list[Example[Term]], list[str]]:
        return read_jsonl(folder / file, parse_program, skip_bad=skip_bad)

    of = "iid" if split in MORE else split
    train, dev, test = (read(f"{of}.{part}.jsonl") for part in PARTS)
    trains = [train, *map(read, MORE.get(split, ()))]
    examples = [example for some, _ in trains for example in some]
    skipped = [message for _, messages in (*trains, dev, test) for message in messages]
    return Dataset(name, split, examples, dev[0], test[0], skipped)
