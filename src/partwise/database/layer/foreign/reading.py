"""Files of other tools, found and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from partwise.database.layer.files import load
from partwise.database.layer.foreign.dbt import read_dbt
from partwise.database.layer.foreign.interchange import read_interchange
from partwise.database.layer.foreign.model import ForeignSemantics
from partwise.errors import DataError

MOST_FILES = 2000
"""Of a folder."""
_PASSED_OVER = {"dbt_packages", "dbt_modules", "target", "node_modules", "logs"}


def read_foreign(path: Path) -> ForeignSemantics:
    """What a file says, or the YAML files of a folder: a dbt project, or Open Semantic Interchange.

    Raises:
        DataError: if there is none, or if one cannot be read.
    """
    files = sorted(_files(path)) if path.is_dir() else [path]
    if len(files) > MOST_FILES:
        raise DataError(f"{path} holds more than {MOST_FILES} YAML files; name a folder within it")
    trees = [load(file) for file in files]
    semantics = ForeignSemantics()
    for tree in trees:
        if isinstance(tree.get("semantic_model"), list):
            read_interchange(tree, semantics)
    read_dbt([tree for tree in trees if "semantic_model" not in tree], semantics)
    if not (semantics.tables or semantics.metrics):
        raise DataError(
            f"{path} says nothing of tables or metrics; give a dbt project with semantic models, "
            "or a file of Open Semantic Interchange"
        )
    return semantics


def _files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*.y*ml"):
        parts = file.relative_to(folder).parts
        hidden = any(part.startswith(".") for part in parts)
        if file.suffix in (".yml", ".yaml") and not hidden and not _PASSED_OVER & set(parts):
            yield file
