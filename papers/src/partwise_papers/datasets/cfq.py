"""Reader of CFQ 1.1 (Keysers et al. 2020, "Measuring Compositional Generalization").

Of a record, only the question and the query with entities as M0, M1, ... are read::

    {"questionPatternModEntities": "Did M1 star M2",
     "sparqlPatternModEntities": "SELECT count(*) WHERE {...}", ...}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from partwise.errors import DataError, QuerySyntaxError
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import checked_text
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query
from partwise_papers.datasets.cfq_archive import (
    DATASET,
    find_place,
    opened,
    read_indices,
    read_records,
    records_of,
)

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
SHORT_FIELDS = ("question", "sparql")


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
            example, text = _example(record, f"{DATASET}[{number}]", (FIELDS,), known)
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
    """The records of the numbers that are wanted, in the order of the file.

    Raises:
        DataError: if the file ends before the last of them.
    """
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


def read_pairs(
    file: str | Path, *, texts: dict[str, str] | None = None
) -> list[Example[QueryGraph]]:
    """The pairs of a JSON list of records, with the fields of CFQ or ``question`` and ``sparql``.

    Args:
        texts: as for `read_cfq`.

    Raises:
        DataError: for a file that is missing or no such list, or holds a bad record or none.
    """
    path = Path(file)
    examples: list[Example[QueryGraph]] = []
    known: dict[str, QueryGraph] = {}
    with opened(path) as stream:
        for number, record in enumerate(records_of(stream, str(path))):
            source = f"{path.name}[{number}]"
            example, text = _example(record, source, (FIELDS, SHORT_FIELDS), known)
            examples.append(example)
            if texts is not None:
                texts[source] = text
    if not examples:
        raise DataError(f"{path}: holds no pairs; expected records with {' and '.join(FIELDS)}")
    return examples


def _example(
    record: object,
    source: str,
    forms: tuple[tuple[str, str], ...],
    known: dict[str, QueryGraph],
) -> tuple[Example[QueryGraph], str]:
    """A record's example and its query as it stands; `known` holds the queries read so far."""
    named = " or ".join(" and ".join(form) for form in forms)
    if not isinstance(record, Mapping):
        raise DataError(f"{source}: no JSON object; expected one with {named}")
    form = next((form for form in forms if form[0] in record), forms[0])
    question, text = (_text(record, field, source) for field in form)
    if text not in known:
        try:
            known[text] = parse_query(text)
        except QuerySyntaxError as error:
            raise DataError(f"{source}: the query cannot be read; mend it: {error}") from error
    return Example(question, known[text], source), text


def _text(record: Mapping[str, Any], field: str, source: str) -> str:
    if field not in record:
        raise DataError(f"{source}: has no field {field!r}; use files of CFQ 1.1")
    return checked_text(record[field], f"{source}: {field}")
