"""Reader of MCWQ (Cui et al. 2022, "Compositional Generalization in Multilingual Semantic Parsing
over Wikidata"), in English: ``SPLIT.PART.tsv.gz``, each line a question, its query and its origin::

    Did M1 star M2 <TAB> ASK WHERE { M1 wdt:P161 M2 } <TAB> official

A query is "official" as published, or "silver": recovered from the question by rules, as the
published training files of these splits came without queries. Dev and test are official.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from partwise.errors import DataError, QuerySyntaxError
from partwise.interface.data import Dataset, Example
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_read import parse_query

SPLITS = ("mcd1", "mcd2", "mcd3", "random")
ORIGINS = {"official": True, "silver": False}
FORMAT = "QUESTION<TAB>QUERY<TAB>official|silver"
MAX_LINE = 1 << 20
"""Bytes."""


def read_mcwq(
    folder: str | Path,
    split: str,
    *,
    skip_bad: bool = False,
    texts: dict[str, str] | None = None,
) -> Dataset[QueryGraph]:
    """One split: ``mcd1``, ``mcd2``, ``mcd3`` or ``random``.

    Args:
        skip_bad: leave out lines that cannot be read, with a message for each in `skipped`. A
            damaged file is an error all the same.
        texts: if given, the queries as they stand in the files are put here by their source.

    Raises:
        DataError: for an unknown split; a file that is missing, cut off, no gzip or empty; a line
            that is not UTF-8, has other columns, or a query that cannot be read.
    """
    if split not in SPLITS:
        raise DataError(f"no split {split!r} of mcwq; there are {', '.join(SPLITS)}")
    dataset: Dataset[QueryGraph] = Dataset("mcwq", split, [], [], [])
    known: dict[str, QueryGraph] = {}
    for part, examples in dataset.parts().items():
        file = Path(folder) / f"{split}.{part}.tsv.gz"
        for number, raw in enumerate(_lines(file), start=1):
            try:
                example, text = _example(raw, f"{file.name}:{number}", known)
            except DataError as error:
                message = f"{file}:{number}: {error}"
                if not skip_bad:
                    raise DataError(message) from error
                dataset.skipped.append(message)
                continue
            examples.append(example)
            if texts is not None:
                texts[example.source] = text
        if not examples:
            first = f"; all lines were bad, last {dataset.skipped[-1]}" if dataset.skipped else ""
            raise DataError(f"{file}: holds no examples; expected lines like {FORMAT}{first}")
    return dataset


def mcwq_note(folder: Path) -> str:
    """What figures on these files must say."""
    return (
        "most queries of the training parts are recovered by rules and not official; those of dev "
        "and test are official"
    )


def _lines(file: Path) -> Iterator[bytes]:
    """The lines without their ends."""
    try:
        with gzip.open(file, "rb") as stream:
            while line := stream.readline(MAX_LINE):
                if len(line) == MAX_LINE:
                    raise DataError(
                        f"{file}: a line of more than {MAX_LINE} bytes; expected {FORMAT}"
                    )
                yield line.rstrip(b"\r\n")
    except FileNotFoundError:
        raise DataError(f"{file}: no such file; expected lines like {FORMAT}, gzipped") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error}); get the file anew") from error


def _example(
    raw: bytes, source: str, known: dict[str, QueryGraph]
) -> tuple[Example[QueryGraph], str]:
    try:
        columns = raw.decode("utf-8").split("\t")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8"
        ) from error
    if len(columns) != 3:
        raise DataError(f"{len(columns)} columns, not 3; expected {FORMAT}")
    question, text, origin = (column.strip() for column in columns)
    if not question:
        raise DataError(f"an empty question; expected {FORMAT}")
    if origin not in ORIGINS:
        raise DataError(f"the third column is {origin[:40]!r}; expected {' or '.join(ORIGINS)}")
    if text not in known:
        try:
            known[text] = parse_query(text)
        except QuerySyntaxError as error:
            raise DataError(f"the query cannot be read; mend it: {error}") from error
    return Example(question, known[text], source, official=ORIGINS[origin]), text
