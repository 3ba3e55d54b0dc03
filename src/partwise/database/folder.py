"""The folder of a database's domain: its semantic layer as a file, and the index of its values."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from partwise.database.checking import check_layer
from partwise.database.domain import DatabaseDomain, hide, open_layer
from partwise.database.layer.files import LayerFile, read_layer, write_layer
from partwise.database.layer.foreign import apply
from partwise.database.layer.foreign_files import read_foreign
from partwise.database.layer.merging import merge
from partwise.database.layer.model import SemanticLayer
from partwise.database.layer.python import read_python, write_python
from partwise.database.source.connections import IN_FILES, QueryLimits, Source, connect, savable
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex, same_as_private
from partwise.errors import DataError, PartwiseError
from partwise.interface.domain import Issue
from partwise.interface.files import write_whole

INDEX = "values"
"""Folder with what finds stored values in questions, in the folder of a domain."""
COPY = "copy"
"""Folder with the copy of CSV or Parquet files that is asked, in the folder of a domain."""
MARK = "values.sha256"
"""File beside it, with the digest of what the layer said when it was made."""
MODULE = "layer.py"
"""The layer as a Python module, in place of the YAML file."""


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
    index, hidden = _indexed(folder, source, layer)
    domain = DatabaseDomain(hidden, source, index)
    example = next(iter(domain.examples), "how many are there?")
    text = files("partwise.database").joinpath("folder_readme.md").read_text("utf-8")
    text = text.format(name=layer.name, index=INDEX, copy=COPY, example=example)
    (folder / "README.md").write_text(text, encoding="utf-8")
    return NewDomain(folder, domain, len(index))


def open_domain(folder: str | Path, limits: QueryLimits | None = None) -> DatabaseDomain:
    """The domain of a folder that ``partwise new NAME --from ...`` has made.

    If other columns are private than when its values were indexed, they are indexed again.

    Args:
        limits: of each query.

    Raises:
        DataError: if its file cannot be read.
        DomainError: if the database cannot be opened.
    """
    place = Path(folder)
    read = _read(place)
    source = connect(_moved(read.source, place.resolve().parent), limits, place / COPY)
    index, layer = _known_index(place, read.layer) or _indexed(place, source, read.layer)
    return DatabaseDomain(layer, source, index, read.today, _rereading(place))


def _known_index(folder: Path, layer: SemanticLayer) -> tuple[ValueIndex, SemanticLayer] | None:
    """The index that is there, and the layer with what holds private values hidden; None where
    there is none for what the layer says."""
    with suppress(OSError):
        digest, *columns = (folder / MARK).read_text("utf-8").splitlines()
        if digest == _digest(layer):
            places = {tuple(json.loads(one)) for one in columns}
            return ValueIndex.load(folder / INDEX), hide(layer, places)
    return None


def _rereading(folder: Path) -> Callable[[], SemanticLayer | None]:
    """What gives the layer of a folder where its file is another one than before."""
    file = layer_file(folder)

    def state() -> tuple[int, ...]:
        try:
            found = file.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size

    last = state()

    def reread() -> SemanticLayer | None:
        nonlocal last
        if (now := state()) == last:
            return None
        try:
            layer = _read(folder).layer
        except PartwiseError:
            # Somebody is writing it.
            return None
        last = now
        return layer

    return reread


def check_domain(folder: str | Path) -> list[Issue]:
    """What is wrong or worth knowing of a domain's file, held against its database.

    Raises:
        DataError: if the file cannot be read; says each line.
        DomainError: if the database cannot be opened.
    """
    place = Path(folder)
    read = _read(place)
    where = _moved(read.source, place.resolve().parent)
    return check_layer(read, connect(where, keep=place / COPY))


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
    _indexed(place, domain.source, read_layer(file).layer)
    return merged.changes


def _indexed(
    folder: Path, source: Source, layer: SemanticLayer
) -> tuple[ValueIndex, SemanticLayer]:
    """The index of a source's values, made and saved, and the layer with what holds private values
    hidden."""
    # Until it is done there is none, so that no value stays that became private.
    (folder / MARK).unlink(missing_ok=True)
    same = same_as_private(source, open_layer(layer))
    hidden = hide(layer, same)
    ValueIndex.build(source, open_layer(hidden)).save(folder / INDEX)
    lines = [_digest(layer), *(json.dumps(one) for one in sorted(same))]
    write_whole(folder / MARK, lambda part: part.write_text("\n".join(lines), "utf-8"))
    return ValueIndex.load(folder / INDEX), hidden


def _digest(layer: SemanticLayer) -> str:
    """Of what decides which values are in the index."""
    layer = open_layer(layer)
    columns = [
        (
            *(table.name, one.name, one.kind, table.private or one.private),
            *(one.name in table.display, one.in_full, tuple(one.value_names.items())),
        )
        for table in layer.tables
        for one in table.columns
    ]
    return sha256(repr(columns).encode()).hexdigest()


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
    file, read = layer_file(place), _read(place)
    if file.name == MODULE:
        made = _yaml_file(place)
        write_layer(read.layer, made, read.source, read.today)
    else:
        made = place / MODULE
        text = write_python(read.layer, read.source, read.today)
        made.write_text(text, "utf-8")
    file.replace(file.with_name(f"{file.name}.old"))
    return made


def layer_file(folder: Path) -> Path:
    """The file of the semantic layer in a domain's folder: YAML, or else a Python module."""
    yaml, module = _yaml_file(folder), folder / MODULE
    return module if module.is_file() and not yaml.is_file() else yaml


def _yaml_file(folder: Path) -> Path:
    return folder / f"{folder.resolve().name}.yaml"


def _read(folder: Path) -> LayerFile:
    file = layer_file(folder)
    if file.name != MODULE:
        return read_layer(file)
    # The folder is a package in its parent, as a domain of programs is.
    parent, module = str(folder.resolve().parent), f"{folder.resolve().name}.{file.stem}"
    sys.path.insert(0, parent)
    try:
        sys.modules.pop(module, None)
        return read_python(module)
    finally:
        sys.path.remove(parent)


def _relative(place: str, base: Path) -> str:
    """A connection with the path of a file as seen from a folder, if the path is relative."""
    return _with_path(place, lambda path: Path(os.path.relpath(path, base)))


def _moved(place: str, base: Path) -> str:
    """A connection with the path of a file, which is relative to a folder, made absolute."""
    return _with_path(place, lambda path: base / path)


def _with_path(place: str, change: Callable[[Path], Path]) -> str:
    """A connection whose path is changed, if it has a relative one."""
    if "${" in place or place.startswith("env:"):
        return place
    if "://" not in place:
        path = Path(place)
        return place if path.is_absolute() else str(change(path))
    parts = urlsplit(place)
    path = Path(unquote(parts.path).removeprefix("/"))
    if parts.scheme not in IN_FILES or path.is_absolute():
        return place
    return f"{parts.scheme}:///{quote(str(change(path)))}"
