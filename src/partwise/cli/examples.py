"""Examples by name or from files, as the commands take them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.jsonl import read_jsonl
from partwise.interface.registry import (
    DATASETS,
    GRAPH_DOMAINS,
    dataset_info,
    load,
    load_graphs,
)
from partwise.language.domain import Domain
from partwise.language.program import Term, parse_program
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_read import parse_query
from partwise.language.query.sparql_write import write_query

OWN = "own"
"""The split's name of data that the user gave as files."""


def examples_of(
    name: str,
    split: str | None,
    part: str,
    data: Path | None,
    domain: Domain | None = None,
    skip_bad: bool = False,
) -> list[Example[Term]]:
    """Examples of a file, or of a part of a known data set (of its first split by default).

    Raises:
        DataError: for an unknown name, split or part, or bad content.
    """
    _check_part(part)
    if is_file(name):
        return read_jsonl(name, spelled(domain) if domain else parse_program, skip_bad=skip_bad)[0]
    chosen = split if split is not None else dataset_info(name).splits[0]
    return load(name, chosen, data, skip_bad).parts()[part]


def has_graphs(name: str) -> bool:
    """Whether a name is that of a data set with query graphs."""
    return name in DATASETS and DATASETS[name].graphs


def queries_of(
    name: str, split: str | None, part: str, data: Path | None
) -> list[tuple[str, str, str]]:
    """Question, query and source of each example of a data set with query graphs.

    Raises:
        DataError: as `examples_of`.
    """
    _check_part(part)
    info = dataset_info(name)
    dialect = GRAPH_DOMAINS[info.domain].dialect
    found = load_graphs(name, split if split is not None else info.splits[0], data)
    return [(e.question, write_query(e.meaning, dialect), e.source) for e in found.parts()[part]]


def graph_examples_of(
    name: str, split: str | None, part: str, data: Path | None, skip_bad: bool = False
) -> list[Example[QueryGraph]]:
    """As `examples_of`, of questions with queries.

    Raises:
        DataError: as `examples_of`.
    """
    _check_part(part)
    if is_file(name):
        return read_jsonl(name, parse_query, skip_bad=skip_bad)[0]
    chosen = split if split is not None else dataset_info(name).splits[0]
    return load_graphs(name, chosen, data, skip_bad).parts()[part]


def _check_part(part: str) -> None:
    if part not in PARTS:
        raise DataError(f"no part {part!r}; there are {', '.join(PARTS)}")


def is_file(name: str) -> bool:
    """Whether a name is meant as a file and not as a data set."""
    return name not in DATASETS and (
        name.endswith((".jsonl", ".json", ".jsonl.gz")) or Path(name).is_file()
    )


def own_dataset(
    domain: Domain, train: Path, dev: Path | None, test: Path | None, skip_bad: bool
) -> Dataset[Term]:
    """A data set of the user's files, named for the training file.

    Raises:
        DataError: as `read_jsonl`.
    """
    parts: list[list[Example[Term]]] = []
    skipped: list[str] = []
    for file in (train, dev, test):
        found = read_jsonl(file, spelled(domain), skip_bad=skip_bad) if file else ([], [])
        parts.append(found[0])
        skipped += found[1]
    return Dataset(train.stem, OWN, parts[0], parts[1], parts[2], skipped)


def own_graph_dataset(
    train: Path, dev: Path, test: Path | None, skip_bad: bool
) -> Dataset[QueryGraph]:
    """As `own_dataset`, of questions with queries.

    Raises:
        DataError: as `read_jsonl`.
    """
    parts: list[list[Example[QueryGraph]]] = []
    skipped: list[str] = []
    for file in (train, dev, test):
        found = read_jsonl(file, parse_query, skip_bad=skip_bad) if file else ([], [])
        parts.append(found[0])
        skipped += found[1]
    name = train.name.removesuffix(".gz").rsplit(".", 1)[0]
    return Dataset(name, OWN, parts[0], parts[1], parts[2], skipped)


def spelled(domain: Domain) -> Callable[[str], Term]:
    """What reads programs in the domain's canonical spelling."""
    return lambda text: domain.canonical(parse_program(text))
