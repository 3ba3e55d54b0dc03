"""Reader of MCWQ (Cui et al. 2022, "Compositional Generalization in Multilingual Semantic Parsing
over Wikidata"), in English or Chinese: ``SPLIT.PART.tsv.gz``, each line a question, its query and
its origin::

    Did M1 star M2 <TAB> ASK WHERE { M1 wdt:P161 M2 } <TAB> official

A query is "official" as published, or "silver": recovered from the question by rules, as the
published training files of these splits came without queries. Dev and test are official.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from partwise.errors import DataError, QuerySyntaxError
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import examples_of_lines, lines_of, text_of
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query

SPLITS = ("mcd1", "mcd2", "mcd3", "random")
ORIGINS = {"official": True, "silver": False}
FORMAT = "QUESTION<TAB>QUERY<TAB>official|silver"


def read_mcwq(
    folder: str | Path,
    split: str,
    *,
    skip_bad: bool = False,
    texts: dict[str, str] | None = None,
    name: str = "mcwq",
) -> Dataset[QueryGraph]:
    """One split: ``mcd1``, ``mcd2``, ``mcd3`` or ``random``.

    Args:
        skip_bad: leave out lines that cannot be read, with a message for each in `skipped`. A
            damaged file is an error all the same.
        texts: if given, the queries as they stand in the files are put here by their source.
        name: of the data set; ``mcwq_zh`` is the Chinese one, in files of the same form.

    Raises:
        DataError: for an unknown split; a file that is missing, cut off, no gzip or empty; a line
            that is not UTF-8, has other columns, or a query that cannot be read.
    """
    if split not in SPLITS:
        raise DataError(f"no split {split!r} of {name}; there are {', '.join(SPLITS)}")
    known: dict[str, QueryGraph] = {}
    dataset = Dataset[QueryGraph](name, split, [], [], [])
    for part, examples in dataset.parts().items():
        file = Path(folder) / f"{split}.{part}.tsv.gz"
        one = partial(_example, known=known, texts=texts)
        lines = lines_of(file, FORMAT)
        read, bad = examples_of_lines(lines, one, file, file.name, FORMAT, skip_bad)
        examples += read
        dataset.skipped += bad
    return dataset


def mcwq_note(folder: Path) -> str:
    """What figures on these files must say."""
    return (
        "most queries of the training parts are recovered by rules and not official; those of dev "
        "and test are official"
    )


def chinese_note(folder: Path) -> str:
    """What figures on the Chinese files must say, too."""
    return (
        f"{mcwq_note(folder)}; the questions are translated by machine, and some test questions "
        "stand in train as well, as in published figures; settings were chosen on dev of mcd1"
    )


def _example(
    raw: bytes, source: str, known: dict[str, QueryGraph], texts: dict[str, str] | None
) -> Example[QueryGraph]:
    columns = text_of(raw).split("\t")
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
            raise DataError(f"the query cannot be read; correct it: {error}") from error
    if texts is not None:
        texts[source] = text
    return Example(question, known[text], source, official=ORIGINS[origin])
