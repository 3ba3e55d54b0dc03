"""What is known of a data set before it is read: how, where from, and what to say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from partwise.interface.data import Dataset, Example


class Reader(Protocol):
    """Reads a split from a folder; bad lines are left out and listed if asked so."""

    def __call__(self, folder: Path, split: str, *, skip_bad: bool = False) -> Dataset[Any]:
        """One split.

        Raises:
            DataError: for a missing folder or file, or bad content.
        """
        ...


class Maker(Protocol):
    """Makes a split of a data set that comes with the package."""

    def __call__(self, split: str, *, skip_bad: bool = False) -> Dataset[Any]:
        """One split."""
        ...


class GraphReader(Protocol):
    """Reads a split of questions with query graphs from a folder."""

    def __call__(
        self,
        folder: Path,
        split: str,
        *,
        skip_bad: bool = False,
        texts: dict[str, str] | None = None,
    ) -> Dataset[Any]:
        """One split; into `texts`, the queries as the files have them, by their source.

        Raises:
            DataError: for a missing folder or file, or bad content.
        """
        ...


class GraphMaker(Protocol):
    """Makes a split of a data set of query graphs that comes with the package."""

    def __call__(self, split: str, *, skip_bad: bool = False) -> Dataset[Any]:
        """One split."""
        ...


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is read.

    Attributes:
        trees: reads the published span trees of test questions, given the folder, the split and
            the domain; None where there are none.
        domain: name of its domain in `registry.DOMAINS`, or in `registry.GRAPH_DOMAINS` if its
            questions have query graphs.
        description: what it is; a data set that was made anew and not published says so here.
        read: reads a split from the data set's folder, which must be given; None if shipped.
        make: makes a split of a data set that comes with the package.
        read_graphs, make_graphs: in place of `read` and `make` where questions have query graphs
            and not programs.
        note: what every table of figures on a folder must say, as that its files are not the
            published ones; "" for nothing.
        settings: what `partwise train` uses here where the command says nothing else, as a
            smaller encoder where the words are few; of query graphs by composition.
    """

    name: str
    domain: str
    splits: tuple[str, ...]
    description: str
    read: Reader | None = None
    make: Maker | None = None
    read_graphs: GraphReader | None = None
    make_graphs: GraphMaker | None = None
    note: Callable[[Path], str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    trees: Callable[[Path, str, Any], list[Example[Any]]] | None = None
    tree_splits: tuple[str, ...] = ()

    @property
    def shipped(self) -> bool:
        """Whether it comes with the package; if not, a folder must be given."""
        return self.make is not None or self.make_graphs is not None

    @property
    def graphs(self) -> bool:
        """Whether its questions have query graphs, and not programs."""
        return self.read_graphs is not None or self.make_graphs is not None
