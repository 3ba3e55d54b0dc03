"""Examples by name or from files, as the commands take them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.cli.domains import find_domain, reading
from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.jsonl import read_jsonl
from partwise.interface.registry import DATASETS, dataset_info, load

OWN = "own"
"""The split's name of data that the user gave as files."""


def examples_of(
    name: str,
    split: str | None,
    part: str,
    data: Path | None,
    domain: Any,
    skip_bad: bool = False,
) -> list[Example[Any]]:
    """Examples of a file, or of a part of a known data set (of its first split by default).

    Raises:
        DataError: for an unknown name, split or part, or bad content.
    """
    if part not in PARTS:
        raise DataError(f"no part {part!r}; there are {', '.join(PARTS)}")
    if is_file(name):
        return read_jsonl(name, reading(domain), skip_bad=skip_bad)[0]
    return known_dataset(name, split, data, domain, skip_bad).parts()[part]


def known_dataset(
    name: str, split: str | None, data: Path | None, domain: Any, skip_bad: bool = False
) -> Dataset[Any]:
    """A split of a known data set, the first by default.

    Raises:
        DataError: for an unknown name or split, a domain of other meanings, or bad content.
    """
    info = dataset_info(name, split)
    own = find_domain(info.domain)
    if own.parser != domain.parser:
        raise DataError(
            f"{name} has meanings of the domain {own.name}, which {domain.name} does not have; "
            f"use a data set of {domain.name}"
        )
    return load(name, split or info.splits[0], data, skip_bad)


def own_dataset(
    domain: Any, files: Mapping[str, Path | None], skip_bad: bool = False
) -> Dataset[Any]:
    """A data set of the user's files, named for the training file.

    Args:
        files: by part, that of train at least.

    Raises:
        DataError: as `read_jsonl`.
    """
    parts: dict[str, list[Example[Any]]] = {}
    skipped: list[str] = []
    for part, file in files.items():
        read = read_jsonl(file, reading(domain), skip_bad=skip_bad) if file else ([], [])
        parts[part] = read[0]
        skipped += read[1]
    name = str(files["train"] and files["train"].name).removesuffix(".gz").rsplit(".", 1)[0]
    return Dataset(name, OWN, **parts, skipped=skipped)


def is_file(name: str) -> bool:
    """Whether a name is meant as a file and not as a data set."""
    return name not in DATASETS and (
        name.endswith((".jsonl", ".json", ".jsonl.gz")) or Path(name).is_file()
    )
