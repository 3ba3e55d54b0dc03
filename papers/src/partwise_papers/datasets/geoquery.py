"""GeoQuery in FunQL: the published split files, and the raw corpus that they were made from.

The folder is laid out as published::

    geoquery/{iid,template,length}/{train,dev,test}.jsonl
    geoquery/geoFunql-en.corpus, split880.{train,test}.ids      (for `rebuild_splits` only)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from partwise.errors import DataError, ProgramSyntaxError
from partwise.evaluation.splits import by_length, by_template, shuffle_apart, template
from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.jsonl import read_bytes, read_jsonl
from partwise.language.domain import Domain
from partwise.language.program import Term, parse_program

SPLITS = ("iid", "template", "length")
DEV = 60
CORPUS = "geoFunql-en.corpus"
IDS = "split880.{}.ids"
LAYOUT = "geoquery/{iid,template,length}/{train,dev,test}.jsonl"


def read_geoquery(
    folder: str | Path, split: str, *, domain: Domain | None = None, skip_bad: bool = False
) -> Dataset[Term]:
    """Read one published split; sources are as ``template/train.jsonl:17``.

    Raises:
        DataError: for an unknown split, a missing folder or file, or a bad line (see
            `read_jsonl`).
    """
    if split not in SPLITS:
        raise DataError(f"geoquery has no split {split!r}; it has {', '.join(SPLITS)}")
    place = Path(folder) / split
    if not place.is_dir():
        raise DataError(f"{place}: no such folder; expected the published files, {LAYOUT}")
    found = {
        part: read_jsonl(
            place / f"{part}.jsonl",
            parse_program if domain is None else lambda t: domain.canonical(parse_program(t)),
            skip_bad=skip_bad,
            label=f"{split}/{part}.jsonl",
        )
        for part in PARTS
    }
    skipped = [message for part in PARTS for message in found[part][1]]
    return Dataset("geoquery", split, found["train"][0], found["dev"][0], found["test"][0], skipped)


def read_corpus(folder: str | Path) -> dict[str, Example[Term]]:
    """The raw corpus by id, in file order; questions are spelt as in the published splits.

    Raises:
        DataError: for a missing file, an entry without id, question or program, an id that
            occurs twice, or a program that cannot be read.
    """
    found: dict[str, Example[Term]] = {}
    for line, entry in _entries(Path(folder) / CORPUS):
        where = f"{Path(folder) / CORPUS}:{line}"
        missing = [name for name in ("id", "nl", "mrl") if not entry.get(name)]
        if missing:
            raise DataError(f"{where}: the entry lacks {', '.join(missing)}: lines")
        if entry["id"] in found:
            raise DataError(f"{where}: id {entry['id']} occurs twice")
        try:
            program = parse_program(entry["mrl"])
        except ProgramSyntaxError as error:
            raise DataError(f"{where}: the program cannot be read: {error}") from error
        question = entry["nl"].replace(" 's ", "'s ")
        found[entry["id"]] = Example(question, program, f"{CORPUS}:{line}", entry["id"])
    return found


def rebuild_splits(folder: str | Path) -> dict[str, Dataset[Term]]:
    """The three splits, made again from the raw corpus and the two id files.

    All nine lists come out exactly as published, in the published order (checked on the real
    files). The pool is the 600 train ids, then the 280 test ids, each in file order, and every
    shuffle is ``random.Random(seed).shuffle``:

    - iid: the train ids, shuffled with seed 0; the last 60 are dev.
    - template: templates in the order in which the pool first shows them, shuffled with seed 10,
      taken whole until there are at least 600 examples (604); those shuffled with seed 0; the
      last 60 are dev.
    - length: the pool sorted by `published_length` (stable); the first 600 shuffled
      with seed 0; the last 60 are dev.

    Raises:
        DataError: as `read_corpus`; also for an id that the corpus lacks.
    """
    corpus = read_corpus(folder)
    train, test = (_listed(Path(folder) / IDS.format(part), corpus) for part in ("train", "test"))
    pool = train + test
    entries = (entry for _, entry in _entries(Path(folder) / CORPUS))
    lengths = {entry["id"]: published_length(entry["mrl"]) for entry in entries}
    halves = {
        "iid": (train, test),
        "template": by_template(pool, lambda e: template(e.meaning), len(test), 10),
        "length": by_length(pool, lambda e: lengths[str(e.id)], len(test)),
    }
    return {
        split: Dataset("geoquery", split, *shuffle_apart(known, DEV, 0), new)
        for split, (known, new) in halves.items()
    }


def published_length(text: str) -> int:
    """Number of blank-separated tokens of a raw program once blanks surround its brackets.

    Of the raw text, not of the term: it writes commas in three ways, and that counts.
    """
    return len(text.replace("(", " ( ").replace(")", " ) ").split())


def _entries(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The entries of the corpus with the line each begins on."""
    start, entry = 0, dict[str, str]()
    for number, line in enumerate([*_lines(file), ""], start=1):
        if not line.strip():
            if entry:
                yield start, entry
            entry = {}
            continue
        start = start if entry else number
        key, colon, value = line.partition(":")
        if colon and key in ("id", "nl", "mrl"):
            entry[key] = value.strip()
        else:
            entry.setdefault("", "")


def _listed(file: Path, corpus: dict[str, Example[Term]]) -> list[Example[Term]]:
    names = [(number, line.strip()) for number, line in enumerate(_lines(file), 1)]
    for number, name in names:
        if name and name not in corpus:
            raise DataError(f"{file}:{number}: {CORPUS} has no id {name}")
    return [corpus[name] for _, name in names if name]


def _lines(file: Path) -> Sequence[str]:
    data = read_bytes(file, f"the raw corpus of GeoQuery ({CORPUS}, {IDS.format('{train,test}')})")
    try:
        return data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{file}:{line}: not UTF-8; get the file again") from error
