"""What is known of a data set before it is read: how, where from, and what to say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from partwise.interface.data import Dataset

Reader = Callable[..., Dataset[Any]]
"""Reads a split from the folder of a data set: ``reader(folder, split, skip_bad=False)``.

With `skip_bad` bad lines are left out and listed; else they raise DataError, as do missing files. A
reader may have a further argument, ``texts``, a dict that takes the meanings as they stand in the
files by the source of their examples.
"""
Maker = Callable[..., Dataset[Any]]
"""Makes a split of a data set that comes with a package: ``maker(split, skip_bad=False)``."""


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is read; `read` or `make` must be given.

    Attributes:
        domain: name of its domain, a plug-in.
        description: what it is; a data set that was made again and not published says so here.
        read: reads a split from the data set's folder.
        make: makes a split of a data set that comes with a package, without a folder.
        note: what every table of metrics on a folder must say, as that its files are not the
            published ones; "" for nothing.
        settings: what `Parser.presets` is given as suggestions of the data, as a smaller encoder
            where the words are few.
    """

    name: str
    domain: str
    splits: tuple[str, ...]
    description: str
    read: Reader | None = None
    make: Maker | None = None
    note: Callable[[Path], str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shipped(self) -> bool:
        """Whether it comes with a package; if not, a folder must be given."""
        return self.make is not None
