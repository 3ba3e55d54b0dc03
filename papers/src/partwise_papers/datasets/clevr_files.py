"""Where the files of CLEVR and CLOSURE stand, and which of their questions make up the parts.

Two layouts are read, each file as ``.json`` or ``.json.gz``::

    CLEVR_v1.0/questions/CLEVR_{train,val}_questions.json         (as released)
    CLEVR_v1.0/scenes/CLEVR_{train,val}_scenes.json
    CLEVR_v1.0/closure/and_mat_spa_val.json, ...                  (or closure/ beside it)

    clevr/regenerated/CLEVR_{train,val}_questions.json            (made again; see `is_regenerated`)
    clevr/regenerated/CLOSURE_and_sim_loc_val.json, ...
    clevr/CLEVR_{train,val}_scenes_*.json
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise_papers.domains.scenes.files import read_array

REGENERATED = "regenerated"
TRAIN, DEV = 10_000, 5_000
FAMILIES = (
    ("and_sim_loc", "and_mat_spa"),
    ("chain_loc_sim", "embed_spa_mat"),
    ("chain_sim_loc", "embed_mat_spa"),
    ("compare_sim", "compare_mat"),
    ("compare_sim_loc", "compare_mat_spa"),
    ("or_sim", "or_mat"),
    ("or_sim_loc", "or_mat_spa"),
)
"""The seven kinds of CLOSURE, by the names of its template files and of its released files."""
PLACES = (REGENERATED, "questions", "scenes", "", "closure", "CLOSURE", "..", "../closure")

Numbered = tuple[int, Any]
"""An entry of a question file, not yet checked, with its place in the file from 0."""


def is_regenerated(folder: str | Path) -> bool:
    """Whether the questions in a folder are not the released ones.

    Such questions are made by the official generator and templates on official scenes, and stand
    in a folder `REGENERATED`. Figures on them must say so.
    """
    return (Path(folder) / REGENERATED).is_dir()


def question_file(folder: Path, part: str) -> Path:
    """CLEVR's questions for "train" or "val".

    Raises:
        DataError: if there are none.
    """
    return _find(folder, [f"CLEVR_{part}_questions.json"])


def scene_file(folder: Path, part: str) -> Path:
    """CLEVR's scenes for "train" or "val".

    Raises:
        DataError: if there are none.
    """
    return _find(folder, [f"CLEVR_{part}_scenes.json", f"CLEVR_{part}_scenes_*.json"])


def closure_files(folder: Path) -> dict[str, Path]:
    """CLOSURE's questions by the name of their kind, as the files have it.

    Raises:
        DataError: if a kind is missing.
    """
    found = {}
    for names in FAMILIES:
        patterns = [f"{prefix}{name}_val.json" for name in names for prefix in ("CLOSURE_", "")]
        file = _find(folder, patterns)
        stem = plain_stem(file).removeprefix("CLOSURE_").removesuffix("_val")
        found[stem] = file
    return found


def plain_stem(file: Path) -> str:
    """A file's name without ``.json`` and ``.gz``."""
    return file.name.removesuffix(".gz").removesuffix(".json")


def _find(folder: Path, patterns: Iterable[str]) -> Path:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; expected the files of CLEVR there")
    names = [pattern + suffix for pattern in patterns for suffix in ("", ".gz")]
    for place in PLACES:
        for name in names:
            found = sorted((folder / place).glob(name))
            if found:
                return found[0]
    raise DataError(
        f"{folder}: has none of {', '.join(names)}, also not in "
        f"{', '.join(place for place in PLACES if place)}; unpack the release there"
    )


def train_and_dev(file: Path) -> tuple[list[Numbered], list[Numbered]]:
    """The first 10,000 questions of a file for training, and the last 5,000 for development.

    This is what Herzig and Berant (2021, section 4.1) do. Of a file with fewer than 15,000, the
    last tenth is for development and the rest for training. All entries are decoded, but only
    these are kept.

    Raises:
        DataError: as `read_array`; also for fewer than two questions.
    """
    entries = enumerate(read_array(file, "questions"))
    head = list(islice(entries, TRAIN))
    tail = deque(entries, maxlen=DEV)
    if tail and tail[-1][0] + 1 >= TRAIN + DEV:
        return head, list(tail)
    pool = head + list(tail)
    if len(pool) < 2:
        raise DataError(f"{file}: has {len(pool)} questions, too few for train and dev")
    dev = max(1, len(pool) // 10)
    return pool[:-dev], pool[-dev:]


def all_entries(file: Path) -> Iterator[Numbered]:
    """All questions of a file, one at a time.

    Raises:
        DataError: as `read_array`.
    """
    yield from enumerate(read_array(file, "questions"))
