"""Plug-ins: those of this package, and those of others by entry points. The parsers, domains and
data sets that are registered so."""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from partwise.errors import DataError, PluginError
from partwise.interface.data import Dataset, DatasetInfo
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import Parser

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The plug-ins of one `group` of entry points, as ``partwise.parsers``, by name; each is
    imported when it is first asked for. Messages call one of them `what`. `own`: where those of
    this package are, as ``module:name``."""

    def __init__(self, group: str, what: str, own: Mapping[str, str] | None = None) -> None:
        self.group, self.what, self.own = group, what, own or {}
        self._loaded: dict[str, T] = {}

    @cached_property
    def _others(self) -> dict[str, Any]:
        # Reading what all packages say of themselves takes most of a tenth of a second.
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=self.group)}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            other = None if name in self.own else self._others[name]
            try:
                self._loaded[name] = _load(self.own[name]) if other is None else other.load()
            except Exception as error:
                package = "partwise"
                if other is not None:
                    package = other.module if other.dist is None else other.dist.name
                raise PluginError(
                    f"the {self.what} {name} of the package {package} cannot be imported "
                    f"({type(error).__name__}: {error}); update or uninstall that package"
                ) from error
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self.own or name in self._others

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.own, *self._others}))

    def __len__(self) -> int:
        return len({*self.own, *self._others})

    def find(self, name: str) -> T:
        """The plug-in of this name. Raises PluginError if there is none, or if it cannot be
        imported; lists the known ones."""
        if name not in self:
            raise PluginError(f"no {self.what} {name!r}; there are {', '.join(self)}")
        return self[name]


def _load(place: str) -> Any:
    module, _, path = place.partition(":")
    return reduce(getattr, path.split("."), import_module(module))


DATA_VARIABLE = "PARTWISE_DATA"
"""Environment variable: a folder that holds a folder for each data set, as ``geoquery/``."""

PARSERS: Registry[type[Parser[Any]]] = Registry(
    "partwise.parsers",
    "parser",
    {
        "span": "partwise.span.parser:SpanParser",
        "graph": "partwise.graph.parser:GraphParser",
        "database": "partwise.database.parser:DatabaseParser",
    },
)
INFERENCE: Registry[type[Parser[Any]]] = Registry(
    "partwise.inference",
    "parser that answers",
    {
        "span": "partwise.span.inference:SpanInference",
        "graph": "partwise.graph.inference:GraphInference",
        "database": "partwise.database.inference:DatabaseInference",
    },
)
"""The halves of saved parsers that answer without torch, by the same names as `PARSERS`."""
DATASETS: Registry[DatasetInfo] = Registry(
    "partwise.datasets",
    "data set",
    {"geography": "partwise.domains.geography.dataset:GEOGRAPHY"},
)
DOMAINS: Registry[AnyDomain[Any] | Callable[[], AnyDomain[Any]]] = Registry(
    "partwise.domains",
    "domain",
    {
        "geography": "partwise.domains.geography.domain:Geography",
        "films": "partwise.domains.films.domain:FILMS",
    },
)
"""Domains, or classes of domains that are made without arguments."""
METRICS: Registry[Callable[[Parser[Any], Dataset[Any], Path | None], dict[str, float]]] = Registry(
    "partwise.metrics", "metric"
)
"""Further metrics of a parser on the test questions of a data set (whose folder may be given);
none where they do not apply."""


def named_domain(name: str) -> Any:
    """A domain by name, of whatever meanings. Raises DataError for an unknown name; lists the known
    ones."""
    if name not in DOMAINS:
        raise DataError(f"no domain {name!r}; there are {', '.join(DOMAINS)}")
    made: Any = DOMAINS[name]
    return made() if isinstance(made, type) else made


def load(
    name: str,
    split: str,
    data_dir: str | Path | None = None,
    skip_bad: bool = False,
    texts: dict[str, str] | None = None,
) -> Dataset[Any]:
    """One split of a data set: of its folder, of one that holds it under its name, or of
    ``$PARTWISE_DATA/<name>``. With `skip_bad` bad lines are left out and listed; `texts` takes the
    meanings as they stand in the files, by the source of their examples. Raises DataError for an
    unknown data set or split, a missing folder, or bad content."""
    info = dataset_info(name, split)
    if info.make is not None:
        made = info.make(split, skip_bad=skip_bad)
        if texts is not None:
            write = named_domain(info.domain).write
            every = (example for part in made.parts().values() for example in part)
            texts.update((e.source, write(e.meaning)) for e in every)
        return made
    read: Any = info.read
    more = {} if texts is None else {"texts": texts}
    whole: Dataset[Any] = read(data_folder(name, data_dir), split, skip_bad=skip_bad, **more)
    return whole


def dataset_info(name: str, split: str | None = None) -> DatasetInfo:
    """What is known of a data set; with `split`, checks that it has it. Raises DataError for an
    unknown name; lists the known ones."""
    if name not in DATASETS:
        raise DataError(f"no data set {name!r}; there are {', '.join(DATASETS)}")
    info = DATASETS[name]
    if split is not None and split not in info.splits:
        raise DataError(f"{name} has no split {split!r}; it has {', '.join(info.splits)}")
    return info


def data_note(name: str, data_dir: str | Path | None = None) -> str:
    """What every table of figures on a data set must say; "" for nothing. Raises DataError as
    `data_folder`."""
    info = DATASETS.get(name)
    return "" if info is None or info.note is None else info.note(data_folder(name, data_dir))


def data_folder(name: str, data_dir: str | Path | None = None) -> Path:
    """The folder of a data set that is not shipped. Raises DataError if no folder is named or it is
    not there."""
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
