"""Checks of CLEVR and CLOSURE: programs both ways, relations from coordinates, and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset
from partwise.language.program import Term
from partwise_papers.datasets.clevr import question_fields
from partwise_papers.datasets.clevr_files import (
    all_entries,
    closure_files,
    is_regenerated,
    plain_stem,
    question_file,
    train_and_dev,
)
from partwise_papers.domains.scenes.functional import expanded, from_functional
from partwise_papers.domains.scenes.functional_writer import to_functional
from partwise_papers.domains.scenes.scene import RELATIONS, Scene
from partwise_papers.validation.findings import Failure, Finding, every, sizes

RELEASED_SIZES = {"iid": (10_000, 5_000, 149_991), "closure": (10_000, 5_000, 25_200)}
"""Train, dev and test as in Herzig and Berant (2021), table 1, with their 10,000 for training."""
REGENERATED_SIZES = {"iid": (9_000, 1_000, 5_000), "closure": (9_000, 1_000, 2_431)}


def check_published(
    folder: Path, sets: Mapping[str, Dataset[Term]], runner: Runner
) -> list[Finding]:
    """What holds of the files themselves, released or made again."""
    released, wanted = "released", RELEASED_SIZES
    if is_regenerated(folder):
        released, wanted = "regenerated", REGENERATED_SIZES
    counted = sizes(f"parts of the {released} size", sets, wanted)
    return [_programs(folder, sets, runner), _relations(sets), counted]


def _programs(folder: Path, sets: Mapping[str, Dataset[Term]], runner: Runner) -> Finding:
    """Functional programs that become terms, and these the same functional programs again."""
    finding = Finding("functional programs equal to what is written from their terms")
    # Both splits have the same training questions.
    known: dict[str, str | None] = {}
    for split in sets:
        total, failures = 0, []
        for source, fields in _entries(folder, split):
            total += 1
            if source not in known:
                known[source] = _unlike(fields, runner)
            why = known[source]
            if why is not None:
                failures.append(Failure(source, "", "", why))
        finding.add(split, total, failures)
    return finding


def _entries(folder: Path, split: str) -> Iterator[tuple[str, Any]]:
    """All entries of a split with their sources."""
    train = question_file(folder, "train")
    for part in train_and_dev(train):
        yield from ((f"{plain_stem(train)}:{number}", fields) for number, fields in part)
    files = [question_file(folder, "val")] if split == "iid" else closure_files(folder).values()
    for file in files:
        for number, fields in all_entries(file):
            yield f"{plain_stem(file)}:{number}", fields


def _unlike(fields: Any, runner: Runner) -> str | None:
    try:
        nodes = question_fields(fields)[1]
        term = from_functional(nodes)
        written = to_functional(term)
        if expanded(written) != expanded(nodes):
            return f"{term} becomes another functional program"
        canonical = runner.domain.canonical(term)
        if canonical == term:
            return None
        again = runner.domain.canonical(from_functional(to_functional(canonical)))
        return None if again == canonical else f"{canonical} becomes {again}"
    except PartwiseError as error:
        return str(error)


def _relations(sets: Mapping[str, Dataset[Term]]) -> Finding:
    finding = Finding("scenes whose relations follow from their coordinates")
    for split, dataset in sets.items():
        contexts = {example.context for example in every(dataset)}
        scenes = sorted((s for s in contexts if isinstance(s, Scene)), key=str)
        looked = ((scene, _unlike_coordinates(scene)) for scene in scenes)
        failures = [Failure(scene.name, "", "", why) for scene, why in looked if why]
        finding.add(split, len(scenes), failures)
    return finding


def _unlike_coordinates(scene: Scene) -> str | None:
    try:
        computed = scene.from_coordinates()
    except DataError as error:
        return str(error)
    wrong = [r for r in RELATIONS if computed[r] != getattr(scene, r)]
    return f"the lists of {', '.join(wrong)} are others" if wrong else None
