"""GeoQuery in FunQL: the published split files, and the raw corpus that they were made from.

The folder is laid out as published::

    geoquery/{iid,template,length}/{train,dev,test}.jsonl
    geoquery/geoFunql-en.corpus, split880.{train,test}.ids      (for `rebuild_splits` only)
"""

from __future__ import annotations

from pathlib import Path

from partwise.datasets.base import Dataset, read_jsonl
from partwise.domain import Domain
from partwise.errors import DataError

SPLITS = ("iid", "template", "length")
PARTS = ("train", "dev", "test")
LAYOUT = "geoquery/{iid,template,length}/{train,dev,test}.jsonl"


def read_geoquery(
    folder: str | Path, split: str, *, domain: Domain | None = None, skip_bad: bool = False
) -> Dataset:
    """Read one published split; sources are as ``template/train.jsonl:17``.

    Raises:
        DataError: for an unknown split, a missing folder or file, or a bad line (see
            `read_jsonl`).
    """
    if split not in SPLITS:
        raise DataError(f"geoquery has no split {split!r}; it has {', '.join(SPLITS)}")
    place = Path(folder) / split
    if not place.is_dir():
        raise DataError(f"{place}: no such folder; expected the published files, {LAYOUT}")
    found = {
        part: read_jsonl(
            place / f"{part}.jsonl",
            domain=domain,
            skip_bad=skip_bad,
            label=f"{split}/{part}.jsonl",
        )
        for part in PARTS
    }
    skipped = [message for part in PARTS for message in found[part][1]]
    return Dataset("geoquery", split, found["train"][0], found["dev"][0], found["test"][0], skipped)
