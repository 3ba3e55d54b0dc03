"""Making the folder of a database's domain, and changing it: new, check, refresh, convert."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from partwise.database.checking import check_layer
from partwise.database.confirmed import ConfirmedQuestions
from partwise.database.domain import DatabaseDomain, hide, open_layer
from partwise.database.folder import (
    CACHE,
    COPY,
    INDEX,
    MODULE,
    index_values,
    layer_file,
    moved,
    open_domain,
    read_folder,
    with_path,
    yaml_file,
)
from partwise.database.layer.files import read_layer, write_layer
from partwise.database.layer.foreign import apply
from partwise.database.layer.foreign_files import read_foreign
from partwise.database.layer.merging import merge
from partwise.database.layer.model import SemanticLayer
from partwise.database.layer.python import write_python
from partwise.database.source.connections import Source, connect, savable
from partwise.database.source.importing import import_database
from partwise.database.source.values import Collected, ValueIndex, same_as_private
from partwise.errors import DataError
from partwise.interface.domain import Issue
from partwise.interface.files import write_whole


@dataclass(frozen=True)
class NewDomain:
    """A domain that was just made.

    Attributes:
        folder: where it is.
        values: how many stored values questions can name.
        left_out: what another tool's files say and a layer cannot hold.
    """

    folder: Path
    domain: DatabaseDomain
    values: int
    left_out: tuple[str, ...] = ()


def new_domain(
    name: str, place: str, into: Path = Path("."), semantics: Path | None = None
) -> NewDomain:
    """Make a domain of a database, in a new folder of that name.

    Args:
        place: a connection, a file or a folder, as for `connect`.
        into: the folder that is to hold the new one.
        semantics: a file or folder of dbt's semantic models or of Open Semantic Interchange, whose
            names and figures are taken where the database has their tables.

    Raises:
        DataError: if there is such a folder already, or the name is none.
        DomainError: if the data cannot be read, or the connection holds a secret.
    """
    if not name.isidentifier():
        raise DataError(f"{name!r} is no name for a domain: use letters, digits and _")
    folder = into / name
    if folder.exists():
        raise DataError(f"{folder} is there already; choose another name, or edit what is there")
    written = _relative(savable(place), into)
    source = connect(place)
    layer = _imported(source, name)
    left_out: tuple[str, ...] = ()
    if semantics is not None:
        layer, left_out = apply(layer, read_foreign(semantics))
    folder.mkdir(parents=True)
    try:
        return replace(_written(folder, layer, source, written), left_out=left_out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _imported(source: Source, name: str) -> SemanticLayer:
    """The layer of a source. What holds the texts of secrets is private, so it is not written."""
    layer = import_database(source, name)
    return hide(layer, same_as_private(source, open_layer(layer)))


def _written(folder: Path, layer: SemanticLayer, source: Source, written: str) -> NewDomain:
    write_layer(layer, layer_file(folder), written)
    index, hidden = index_values(folder, source, layer)
    domain = DatabaseDomain(hidden, source, index)
    example = next(iter(domain.examples), "how many are there?")
    text = files("partwise.database").joinpath("folder_readme.md").read_text("utf-8")
    text = text.format(name=layer.name, index=INDEX, copy=COPY, cache=CACHE, example=example)
    (folder / "README.md").write_text(text, encoding="utf-8")
    return NewDomain(folder, domain, len(index))


def check_domain(folder: str | Path) -> list[Issue]:
    """What is wrong or worth knowing of a domain's file, held against its database.

    Raises:
        DataError: if the file cannot be read; says each line.
        DomainError: if the database cannot be opened.
    """
    place = Path(folder)
    read = read_folder(place)
    where = moved(read.source, place.resolve().parent)
    source = connect(where, keep=place / COPY)
    reader = DatabaseDomain(read.layer, source, ValueIndex.of(Collected()))
    return [*check_layer(read, source), *ConfirmedQuestions(place).issues(reader)]


def refresh_domain(folder: str | Path) -> tuple[str, ...]:
    """Read a domain's database again: new tables and columns come into its file, where what a
    person wrote stays, and its values are indexed again.

    Returns:
        What has changed, a sentence each.

    Raises:
        DataError: if its file cannot be read.
        DomainError: if the database cannot be read.
    """
    place = Path(folder)
    file = layer_file(place)
    if file.name == MODULE:
        raise DataError(f"{file} is not rewritten; convert it to YAML first: partwise convert")
    domain = open_domain(place)
    merged = merge(file, _imported(domain.source, domain.name))
    write_whole(file, lambda part: part.write_text(merged.text, "utf-8"))
    index_values(place, domain.source, read_layer(file).layer)
    return merged.changes


def convert_domain(folder: str | Path) -> Path:
    """Write a domain's layer as a Python module in place of YAML, or the other way round.

    What was there before is kept beside it, with the ending ``.old``. A module has no comments.

    Returns:
        The new file.

    Raises:
        DataError: if it cannot be read.
        DomainError: if it cannot be written in the other form.
    """
    place = Path(folder)
    file, read = layer_file(place), read_folder(place)
    if file.name == MODULE:
        made = yaml_file(place)
        write_layer(read.layer, made, read.source, read.today)
    else:
        made = place / MODULE
        text = write_python(read.layer, read.source, read.today)
        made.write_text(text, "utf-8")
    file.replace(file.with_name(f"{file.name}.old"))
    return made


def _relative(place: str, base: Path) -> str:
    """A connection with the path of a file as seen from a folder, if the path is relative."""
    return with_path(place, lambda path: Path(os.path.relpath(path, base)))
