"""The real scenes of CLEVR, and questions regenerated with its official generator."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from partwise.authoring.examples import Reach
from partwise.chart.type_algebra import TypeAlgebra
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset
from partwise.language.program import Term
from partwise_papers.datasets.clevr import SPLITS, is_regenerated, read_clevr
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.files import read_array, read_scenes
from partwise_papers.validation.clevr import check_published

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "clevr"
SCENES = REAL / "CLEVR_val_scenes_500.json.gz"

pytestmark = pytest.mark.skipif(not is_regenerated(REAL), reason="these CLEVR files are not here")


@pytest.fixture(scope="module")
def sets() -> dict[str, Dataset[Term]]:
    return {split: read_clevr(REAL, split) for split in SPLITS}


def test_programs_relations_and_sizes_are_as_published(sets: dict[str, Dataset[Term]]) -> None:
    found = check_published(REAL, sets, Runner(Scenes()))
    assert [finding.counts() for finding in found] == [
        "iid 15000/15000, closure 12431/12431",
        "iid 1500/1500, closure 1120/1120",
        "iid 3/3, closure 3/3",
    ]


def test_programs_type_and_run_to_the_given_answers(sets: dict[str, Dataset[Term]]) -> None:
    types, runner = TypeAlgebra(Scenes()), Runner(Scenes())
    for example in sets["iid"].train[::30] + sets["iid"].test[::30] + sets["closure"].test[::8]:
        types.check(example.meaning)
        assert runner.denotation(example.meaning, example.context) == example.answer, example


def test_trees_reach_programs_of_every_template(sets: dict[str, Dataset[Term]]) -> None:
    reach = Reach(TypeAlgebra(Scenes()))
    for group in {example.group for example in sets["iid"].test + sets["closure"].test}:
        some = [e for e in sets["iid"].test + sets["closure"].test if e.group == group][::60]
        assert all(reach.reachable(example, by_phrase=True) for example in some), group


def test_scenes_are_written_as_they_were() -> None:
    scenes = read_scenes(SCENES)
    for number, fields in enumerate(read_array(SCENES, "scenes")):
        assert scenes[number].to_json() == fields
    assert Scenes().read_context(f"{SCENES}:17") == scenes[17]
