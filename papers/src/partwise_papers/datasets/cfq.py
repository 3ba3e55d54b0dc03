"""Reader of CFQ 1.1 (Keysers et al. 2020, "Measuring Compositional Generalization").

It reads ``cfq1.1.tar.gz`` as published, or the folder that it unpacks to. ``dataset.json`` (some
4 GB) is a list of 239,357 records, and ``splits/NAME.json`` gives the places of the records of each
part, from 0. Records are decoded one at a time, from the archive too, which is never unpacked. Of a
record, only the question and the query with entities as M0, M1, ... are read::

    {"questionPatternModEntities": "Did M1 star M2",
     "sparqlPatternModEntities": "SELECT count(*) WHERE {...}", ...}
"""

from __future__ import annotations

import io
import json
import tarfile
import zlib
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from partwise.errors import DataError, QuerySyntaxError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.jsonl import check_text
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query
from partwise_papers.datasets.json_stream import JsonStream

DATASET = "dataset.json"
ARCHIVE = "cfq1.1.tar.gz"
FOLDERS = ("", "cfq", "cfq1.1", "cfq1.1/cfq")
INDICES = {part: f"{part}Idxs" for part in PARTS}
INDEX_FORMAT = "{" + ", ".join(f'"{key}": [...]' for key in INDICES.values()) + "}"
MAX_INDEX_FILE = 1 << 26
"""Bytes; that of a published split has fewer than two million."""
MAX_MEMBERS = 10_000
"""Of an archive; the published one has some hundreds."""


def find_place(given: str | Path) -> Path:
    """The archive, or the folder that holds ``dataset.json`` (`given`: either of them, or a folder
    that holds either); raises DataError if neither is there."""
    place = Path(given)
    if place.is_file():
        return place
    for folder in FOLDERS:
        if (place / folder / DATASET).is_file():
            return place / folder
    if (place / ARCHIVE).is_file():
        return place / ARCHIVE
    raise DataError(f"{place}: has neither {ARCHIVE} nor {DATASET}; put the archive there")


def read_records(place: Path) -> Generator[Any, None, None]:
    """The records of ``dataset.json`` in order, not yet checked; raises DataError for a file that
    is missing, damaged, or no list of JSON values."""
    with _open_member(place, DATASET) as (stream, where):
        text = io.TextIOWrapper(stream, encoding="utf-8-sig")
        yield from JsonStream(text, where, "a list of records, [{...}, ...]").entries()


def read_indices(place: Path, name: str) -> dict[str, list[int]]:
    """The places of the records of train, dev and test, from ``splits/NAME.json``; raises DataError
    for a file that is missing or of another form, or a record that is listed twice."""
    with _open_member(place, f"splits/{name}.json") as (stream, where):
        raw = stream.read(MAX_INDEX_FILE + 1)
    if len(raw) > MAX_INDEX_FILE:
        raise DataError(f"{where}: more than {MAX_INDEX_FILE} bytes; expected {INDEX_FORMAT}")
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not usable JSON ({error}); expected {INDEX_FORMAT}") from error
    if not isinstance(found, dict):
        raise DataError(f"{where}: no JSON object; expected {INDEX_FORMAT}")
    parts = {part: _numbers(found, key, where) for part, key in INDICES.items()}
    seen: dict[int, str] = {}
    for part, numbers in parts.items():
        for number in numbers:
            if number in seen:
                raise DataError(
                    f"{where}: record {number} is both in {seen[number]} and in {part}"
                    if seen[number] != part
                    else f"{where}: record {number} is twice in {part}"
                )
            seen[number] = part
    return parts


def _numbers(fields: dict[str, Any], key: str, where: str) -> list[int]:
    numbers = fields.get(key)
    if not isinstance(numbers, list):
        raise DataError(f"{where}: has no list {key!r}; expected {INDEX_FORMAT}")
    for place, number in enumerate(numbers):
        if type(number) is not int or number < 0:
            raise DataError(
                f"{where}: {key}[{place}] is {number!r:.40}, not the place of a record from 0"
            )
    return numbers


@contextmanager
def _open_member(place: Path, name: str) -> Iterator[tuple[IO[bytes], str]]:
    """A file of the folder or the archive, and what messages call it."""
    if place.is_dir():
        with _telling(str(place / name)), (place / name).open("rb") as stream:
            yield stream, str(place / name)
        return
    where = f"{place}: {name}"
    with _telling(where), tarfile.open(place, "r:gz") as archive:
        yield _member(archive, place, name), where


@contextmanager
def _telling(where: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{where}: no such file") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8 ({error}); get it again") from error
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise DataError(f"{where}: cannot be read ({error}); get it again") from error


def _member(archive: tarfile.TarFile, place: Path, name: str) -> IO[bytes]:
    wanted = tuple(name.split("/"))
    for member in islice(archive, MAX_MEMBERS):
        if member.isfile() and tuple(member.name.split("/"))[-len(wanted) :] == wanted:
            file = archive.extractfile(member)
            assert file is not None
            return file
    raise DataError(f"{place}: has no {name}; expected {ARCHIVE} as published, not cut off")


SPLITS = {
    "mcd1": "mcd1",
    "mcd2": "mcd2",
    "mcd3": "mcd3",
    "random": "random_split",
    "question_pattern": "question_pattern_split",
    "question_complexity": "question_complexity_split",
    "query_pattern": "query_pattern_split",
    "query_complexity": "query_complexity_split",
}
"""Name of a split -> that of its file, without ``.json``."""
FIELDS = ("questionPatternModEntities", "sparqlPatternModEntities")


def read_cfq(
    folder: str | Path,
    split: str,
    *,
    skip_bad: bool = False,
    texts: dict[str, str] | None = None,
) -> Dataset[QueryGraph]:
    """One split. ``dataset.json`` is read once, record by record; only the split's are kept.

    Args:
        folder: ``cfq1.1.tar.gz``, the folder that it unpacks to, or a folder that holds either.
        skip_bad: leave out records that cannot be read, with a message for each in `skipped`. A
            damaged file, or one that does not fit the others, is an error all the same.
        texts: if given, the queries as they stand in the file are put here by their source.

    Raises:
        DataError: for an unknown split; a file that is missing, cut off or of another form; a
            split that lists a record twice or one that is not there; a bad record.
    """
    if split not in SPLITS:
        raise DataError(f"no split {split!r} of cfq; there are {', '.join(SPLITS)}")
    place = find_place(folder)
    parts = read_indices(place, SPLITS[split])
    wanted = {number for numbers in parts.values() for number in numbers}
    examples: dict[int, Example[QueryGraph]] = {}
    skipped: list[str] = []
    known: dict[str, QueryGraph] = {}
    for number, record in _records(place, split, wanted):
        try:
            example, text = _example(record, f"{DATASET}[{number}]", known)
        except DataError as error:
            if not skip_bad:
                raise DataError(f"{place}: {error}") from error
            skipped.append(f"{place}: {error}")
            continue
        examples[number] = example
        if texts is not None:
            texts[example.source] = text
    if not examples:
        first = f"; all records were bad, first {skipped[0]}" if skipped else ""
        raise DataError(f"{place}: split {split} has no examples{first}")
    train, dev, test = (
        [examples[n] for n in numbers if n in examples] for numbers in parts.values()
    )
    return Dataset("cfq", split, train, dev, test, skipped)


def _records(place: Path, split: str, wanted: set[int]) -> Iterator[tuple[int, Any]]:
    """The records of the numbers that are wanted, in the order of the file; raises DataError if the
    file ends before the last of them."""
    last, count = max(wanted, default=-1), 0
    with closing(read_records(place)) as records:
        for number, record in enumerate(records):
            count = number + 1
            if number in wanted:
                yield number, record
            if number >= last:
                break
    if last >= count:
        raise DataError(
            f"{place}: split {split} lists record {last}, but {DATASET} has {count} records; get "
            "both from the same release"
        )


def _example(
    record: object, source: str, known: dict[str, QueryGraph]
) -> tuple[Example[QueryGraph], str]:
    """A record's example and its query as it stands; `known` holds the queries read so far."""
    if not isinstance(record, Mapping):
        raise DataError(f"{source}: no JSON object; expected one with {' and '.join(FIELDS)}")
    question, text = (_text(record, field, source) for field in FIELDS)
    if text not in known:
        try:
            known[text] = parse_query(text)
        except QuerySyntaxError as error:
            raise DataError(f"{source}: the query cannot be read; mend it: {error}") from error
    return Example(question, known[text], source), text


def _text(record: Mapping[str, Any], field: str, source: str) -> str:
    if field not in record:
        raise DataError(f"{source}: has no field {field!r}; use files of CFQ 1.1")
    return check_text(record[field], f"{source}: {field}")
