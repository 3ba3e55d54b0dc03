"""The known data sets and domains: plain dicts that one can read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from partwise.datasets.base import Dataset, parse_jsonl
from partwise.datasets.geoquery import PARTS, read_geoquery
from partwise.datasets.geoquery import SPLITS as GEOQUERY_SPLITS
from partwise.domain import Domain
from partwise.domains.geography.domain import Geography, GeoQuery
from partwise.domains.geography.paper import PaperGeography, PaperGeoQuery
from partwise.errors import DataError

DATA_VARIABLE = "PARTWISE_DATA"
"""Environment variable: a folder that holds a folder for each data set, as ``geoquery/``."""


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is read.

    Attributes:
        domain: name of its domain in `DOMAINS`.
        shipped: whether it comes with the package; if not, a folder must be given.
    """

    name: str
    domain: str
    splits: tuple[str, ...]
    shipped: bool
    description: str


DATASETS: dict[str, DatasetInfo] = {
    "geography": DatasetInfo(
        "geography",
        "geography",
        ("iid", "compositional"),
        True,
        "questions on US geography, written for this package",
    ),
    "geoquery": DatasetInfo(
        "geoquery",
        "geoquery",
        GEOQUERY_SPLITS,
        False,
        "GeoQuery (880 questions, FunQL), the published splits",
    ),
}

DOMAINS: dict[str, Callable[[], Domain]] = {
    "geography": Geography,
    "geography-paper": PaperGeography,
    "geoquery": GeoQuery,
    "geoquery-paper": PaperGeoQuery,
}


def domain(name: str) -> Domain:
    """A domain by name.

    Raises:
        DataError: for an unknown name; lists the known ones.
    """
    if name not in DOMAINS:
        raise DataError(f"no domain {name!r}; there are {', '.join(DOMAINS)}")
    return DOMAINS[name]()


def load(
    name: str,
    split: str,
    data_dir: str | Path | None = None,
    skip_bad: bool = False,
) -> Dataset:
    """Read one split of a data set.

    Args:
        data_dir: the data set's folder, or one that holds it under its name; without it, the
            folder ``$PARTWISE_DATA/<name>``. Not used by shipped data sets.
        skip_bad: leave out bad lines and list them in `Dataset.skipped`.

    Raises:
        DataError: for an unknown data set or split, a missing folder, or bad content.
    """
    info = dataset_info(name, split)
    if info.shipped:
        return _shipped(info, split, skip_bad)
    return read_geoquery(data_folder(name, data_dir), split, skip_bad=skip_bad)


def dataset_info(name: str, split: str | None = None) -> DatasetInfo:
    """What is known of a data set; with `split`, checks that it has it.

    Raises:
        DataError: for an unknown name; lists the known ones.
    """
    if name not in DATASETS:
        raise DataError(f"no data set {name!r}; there are {', '.join(DATASETS)}")
    info = DATASETS[name]
    if split is not None and split not in info.splits:
        raise DataError(f"{name} has no split {split!r}; it has {', '.join(info.splits)}")
    return info


def data_folder(name: str, data_dir: str | Path | None = None) -> Path:
    """The folder of a data set that is not shipped.

    Raises:
        DataError: if no folder is named or it is not there.
    """
    root = data_dir if data_dir is not None else os.environ.get(DATA_VARIABLE)
    if not root:
        raise DataError(
            f"{name} does not come with the package: give its folder with --data, or set "
            f"{DATA_VARIABLE} to a folder that holds {name}/"
        )
    given = Path(root)
    folder = given / name if (given / name).is_dir() or data_dir is None else given
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; expected the files of {name} there")
    return folder


def _shipped(info: DatasetInfo, split: str, skip_bad: bool) -> Dataset:
    place = files(f"partwise.domains.{info.domain}").joinpath("questions")
    found = {}
    for part in PARTS:
        file = f"{split}.{part}.jsonl"
        try:
            data = place.joinpath(file).read_bytes()
        except OSError as error:
            raise DataError(
                f"{info.name}: the package lacks its file questions/{file}; install it anew"
            ) from error
        found[part] = parse_jsonl(data, f"{info.name}/{file}", file, skip_bad=skip_bad)
    skipped = [message for part in PARTS for message in found[part][1]]
    return Dataset(info.name, split, found["train"][0], found["dev"][0], found["test"][0], skipped)
