"""Databases: what ``partwise new --from`` does, ``partwise refresh`` and ``partwise convert``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Console

from partwise.cli.domains import is_database
from partwise.drawing import clean
from partwise.errors import DataError

if TYPE_CHECKING:
    from partwise.database.folder import NewDomain

NOTES = 12
"""Inferences that are shown; all of them are in the domain's file."""


def new_database(name: str, place: str, into: Path, semantics: Path | None) -> None:
    """Make a domain of a database and tell what was read, inferred, and comes next.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    try:
        from partwise.database.folder import layer_file, new_domain
    except ImportError as error:
        raise DataError(f"{error}; install it with: pip install 'partwise[database]'") from error
    made = new_domain(name, place, into, semantics)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for line in _told(made, layer_file(made.folder)):
        console.print(line)


DatabaseFolder = Annotated[
    str, Parameter(help="The folder of a database, as `partwise new` made it.")
]


def refresh(domain: DatabaseFolder, /) -> None:
    """Read a database again that has changed: its tables, columns and stored names.

    What you wrote in the domain's file stays. No training is needed.
    """
    _check_folder(domain)
    from partwise.database.folder import layer_file, refresh_domain

    changes = refresh_domain(domain)
    for change in changes:
        print(clean(change))
    print(f"read   {layer_file(Path(domain))}: {len(changes) or 'no'} changes")


def convert(domain: DatabaseFolder, /) -> None:
    """Write the file of a database as a Python module in place of YAML, or the other way round.

    The file that was there is kept, with the ending .old.
    """
    _check_folder(domain)
    from partwise.database.folder import convert_domain

    print(f"made   {convert_domain(domain)}")


def _check_folder(name: str) -> None:
    if not is_database(name):
        raise DataError(f"{name} is no folder of a database; make one with: partwise new --from")


def _told(made: NewDomain, file: Path) -> Iterator[str]:
    layer, folder = made.domain.layer, made.folder
    names = [clean(one.name) for one in layer.tables]
    columns = sum(len(one.columns) for one in layer.tables)
    yield f"made   {folder}: {', '.join(sorted(one.name for one in folder.iterdir()))}"
    yield f"read   {len(names)} tables with {columns} columns: {', '.join(names)}"
    yield f"       {len(layer.schema.links)} links, {len(layer.measures)} measures"
    yield f"index  {made.values:,} stored values that questions can name"
    for number, note in enumerate(layer.notes[:NOTES]):
        yield f"{'       ' if number else 'found  '}{clean(note)}"
    if len(layer.notes) > NOTES:
        yield f"       ... and {len(layer.notes) - NOTES} more, in {file}"
    for number, thing in enumerate(made.left_out):
        yield f"{'       ' if number else 'omits  '}{clean(thing)}"
    if folder.parent != Path("."):
        yield f"first  cd {folder.parent}"
    for number, question in enumerate(list(made.domain.examples)[:2]):
        yield f'{"       " if number else "next   "}partwise ask --domain {layer.name} "{question}"'
    yield f"       partwise serve {layer.name}"
    yield f"edit   {file}, then: partwise check {layer.name}"
