"""The folder of a database's domain: its semantic layer as a file, and the index of its values.

What makes and changes one is in `partwise.database.editing`, which questions need not import.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from partwise.database.cache import Cache
from partwise.database.confirmed import ConfirmedQuestions
from partwise.database.domain import DatabaseDomain, hide, open_layer
from partwise.database.layer.files import LayerFile, read_layer
from partwise.database.layer.model import SemanticLayer
from partwise.database.layer.python import read_python
from partwise.database.source.connections import IN_FILES, QueryLimits, Source, connect
from partwise.database.source.values import ValueIndex, same_as_private
from partwise.errors import PartwiseError
from partwise.interface.files import file_state, write_whole

INDEX = "values"
"""Folder with what finds stored values in questions, in the folder of a domain."""
COPY = "copy"
"""Folder with the copy of CSV or Parquet files that is asked, in the folder of a domain."""
CACHE = "cache"
"""Folder with what takes long to make of the layer's file, in the folder of a domain."""
MARK = "values.sha256"
"""File beside it, with the digest of what the layer said when it was made."""
MODULE = "layer.py"
"""The layer as a Python module, in place of the YAML file."""


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
    cache = Cache(place / CACHE)
    read = read_folder(place, cache)
    source = connect(moved(read.source, place.resolve().parent), limits, place / COPY)
    index, layer = _known_index(place, read.layer) or index_values(place, source, read.layer)
    known = ConfirmedQuestions(place)
    return DatabaseDomain(layer, source, index, read.today, _rereading(place), cache, known)


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

    last = file_state(file)

    def reread() -> SemanticLayer | None:
        nonlocal last
        if (now := file_state(file)) == last:
            return None
        try:
            layer = read_folder(folder).layer
        except PartwiseError:
            # Somebody is writing it.
            return None
        last = now
        return layer

    return reread


def index_values(
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


def layer_file(folder: Path) -> Path:
    """The file of the semantic layer in a domain's folder: YAML, or else a Python module."""
    yaml, module = yaml_file(folder), folder / MODULE
    return module if module.is_file() and not yaml.is_file() else yaml


def yaml_file(folder: Path) -> Path:
    return folder / f"{folder.resolve().name}.yaml"


def read_folder(folder: Path, cache: Cache | None = None) -> LayerFile:
    file = layer_file(folder)
    if file.name != MODULE:
        return read_layer(file, cache)
    # The folder is a package in its parent, as a domain of programs is.
    parent, module = str(folder.resolve().parent), f"{folder.resolve().name}.{file.stem}"
    sys.path.insert(0, parent)
    try:
        sys.modules.pop(module, None)
        return read_python(module)
    finally:
        sys.path.remove(parent)


def moved(place: str, base: Path) -> str:
    """A connection with the path of a file, which is relative to a folder, made absolute."""
    return with_path(place, lambda path: base / path)


def with_path(place: str, change: Callable[[Path], Path]) -> str:
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
