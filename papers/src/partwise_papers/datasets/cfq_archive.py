"""The files of CFQ 1.1: ``cfq1.1.tar.gz`` as published, or the folder that it unpacks to.

``dataset.json`` (some 4 GB) is a list of 239,357 records, and ``splits/NAME.json`` gives the places
of the records of each part, from 0. Records are decoded one at a time, from the archive too, which
is never unpacked.
"""

from __future__ import annotations

import io
import json
import tarfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from partwise.errors import DataError
from partwise.interface.data import PARTS
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
    """The archive, or the folder that holds ``dataset.json``.

    Args:
        given: either of them, or a folder that holds either.

    Raises:
        DataError: if neither is there.
    """
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
    """The records of ``dataset.json`` in order, not yet checked.

    Raises:
        DataError: for a file that is missing, damaged, or no list of JSON values.
    """
    with _opened(place, DATASET) as (stream, where):
        yield from records_of(stream, where)


def records_of(stream: IO[bytes], where: str) -> Iterator[Any]:
    """The entries of a JSON list, decoded one at a time."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig")
    yield from JsonStream(text, where, "a list of records, [{...}, ...]").entries()


def read_indices(place: Path, name: str) -> dict[str, list[int]]:
    """The places of the records of train, dev and test, from ``splits/NAME.json``.

    Raises:
        DataError: for a file that is missing or of another form, or a record that is listed twice.
    """
    with _opened(place, f"splits/{name}.json") as (stream, where):
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
def opened(file: Path) -> Iterator[IO[bytes]]:
    """A file, open; what fails while it is read is told as an error in the data.

    Raises:
        DataError: if it is missing, cannot be read, or is not UTF-8.
    """
    with _telling(str(file)), file.open("rb") as stream:
        yield stream


@contextmanager
def _opened(place: Path, name: str) -> Iterator[tuple[IO[bytes], str]]:
    """A file of the folder or the archive, and what messages call it."""
    if place.is_dir():
        with opened(place / name) as stream:
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
