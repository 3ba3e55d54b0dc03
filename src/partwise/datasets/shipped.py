"""Data sets of questions that stand in the package, in a domain's folder ``questions``."""

from __future__ import annotations

from importlib.resources import files

from partwise.datasets.base import PARTS, Dataset, parse_jsonl
from partwise.errors import DataError


def read_shipped(name: str, split: str, *, skip_bad: bool = False) -> Dataset:
    """Read one split, the files ``domains/<name>/questions/<split>.<part>.jsonl``.

    Raises:
        DataError: if the package lacks the file, or for bad content.
    """
    place = files(f"partwise.domains.{name}").joinpath("questions")
    found = {}
    for part in PARTS:
        file = f"{split}.{part}.jsonl"
        try:
            data = place.joinpath(file).read_bytes()
        except OSError as error:
            raise DataError(
                f"{name}: the package lacks its file questions/{file}; install it anew"
            ) from error
        found[part] = parse_jsonl(data, f"{name}/{file}", file, skip_bad=skip_bad)
    skipped = [message for part in PARTS for message in found[part][1]]
    return Dataset(name, split, found["train"][0], found["dev"][0], found["test"][0], skipped)
