"""Examples by name or from files, as the commands take them."""

from __future__ import annotations

from pathlib import Path

from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example, read_jsonl
from partwise.interface.graph_data import GraphDataset, GraphExample
from partwise.interface.graph_jsonl import read_graph_jsonl
from partwise.interface.registry import (
    DATASETS,
    GRAPH_DOMAINS,
    dataset_info,
    load,
    load_graphs,
)
from partwise.language.domain import Domain
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
) -> list[Example]:
    """Examples of a file, or of a part of a known data set (of its first split by default).

    Raises:
        DataError: for an unknown name, split or part, or bad content.
    """
    _check_part(part)
    if is_file(name):
        return read_jsonl(name, domain=domain, skip_bad=skip_bad)[0]
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
    return [(e.question, write_query(e.graph, dialect), e.source) for e in found.parts()[part]]


def graph_examples_of(
    name: str, split: str | None, part: str, data: Path | None, skip_bad: bool = False
) -> list[GraphExample]:
    """As `examples_of`, of questions with queries.

    Raises:
        DataError: as `examples_of`.
    """
    _check_part(part)
    if is_file(name):
        return read_graph_jsonl(name, skip_bad=skip_bad)[0]
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
    domain: Domain, train: Path, dev: Path, test: Path | None, skip_bad: bool
) -> Dataset:
    """A data set of the user's files, named for the training file.

    Raises:
        DataError: as `read_jsonl`.
    """
    parts: list[list[Example]] = []
    skipped: list[str] = []
    for file in (train, dev, test):
        found = read_jsonl(file, domain=domain, skip_bad=skip_bad) if file else ([], [])
        parts.append(found[0])
        skipped += found[1]
    return Dataset(train.stem, OWN, parts[0], parts[1], parts[2], skipped)


def own_graph_dataset(train: Path, dev: Path, test: Path | None, skip_bad: bool) -> GraphDataset:
    """As `own_dataset`, of questions with queries.

    Raises:
        DataError: as `read_graph_jsonl`.
    """
    parts: list[list[GraphExample]] = []
    skipped: list[str] = []
    for file in (train, dev, test):
        found = read_graph_jsonl(file, skip_bad=skip_bad) if file else ([], [])
        parts.append(found[0])
        skipped += found[1]
    name = train.name.removesuffix(".gz").rsplit(".", 1)[0]
    return GraphDataset(name, OWN, parts[0], parts[1], parts[2], skipped)
