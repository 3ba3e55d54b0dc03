"""Examples by name or from files, as the commands take them."""

from __future__ import annotations

from pathlib import Path

from partwise.datasets.base import PARTS, Dataset, Example, read_jsonl
from partwise.datasets.registry import DATASETS, dataset_info, load
from partwise.domain import Domain
from partwise.errors import DataError

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
    if part not in PARTS:
        raise DataError(f"no part {part!r}; there are {', '.join(PARTS)}")
    if is_file(name):
        return read_jsonl(name, domain=domain, skip_bad=skip_bad)[0]
    chosen = split if split is not None else dataset_info(name).splits[0]
    return load(name, chosen, data, skip_bad).parts()[part]


def is_file(name: str) -> bool:
    """Whether a name is meant as a file and not as a data set."""
    return name not in DATASETS and (name.endswith((".jsonl", ".json")) or Path(name).is_file())


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
