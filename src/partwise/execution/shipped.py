"""The knowledge graphs that come with the package, as stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files

from partwise.errors import DataError
from partwise.execution.local import LocalStore

TURTLE: dict[str, tuple[str, str]] = {"films": ("partwise.domains.films", "films.ttl")}
"""Domain -> the package and the file of its graph."""


@contextmanager
def shipped_store(domain: str, timeout: float = 10.0) -> Iterator[LocalStore]:
    """The graph of a domain, loaded; its process ends with the context.

    Args:
        timeout: seconds for a query.

    Raises:
        DataError: for a domain whose graph does not come with the package.
        ExecutionError: if the file cannot be loaded.
    """
    if domain not in TURTLE:
        raise DataError(
            f"the knowledge graph of {domain} does not come with the package; there are "
            f"{', '.join(TURTLE)}"
        )
    package, name = TURTLE[domain]
    with as_file(files(package).joinpath(name)) as path, LocalStore(path, timeout) as store:
        yield store
