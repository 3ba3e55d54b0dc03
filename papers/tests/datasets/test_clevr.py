"""CLEVR and CLOSURE in both layouts, real and made up, and the shipped questions on scenes."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scene_files import scene_fields, to_functional

from cases import cases
from partwise.authoring.validation import Reach
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.evaluation.metrics import Runner, score
from partwise.interface.data import Dataset
from partwise.language.program import Term
from partwise_papers.datasets.clevr import SPLITS, has_own_questions, read_clevr, train_and_dev
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.functional import from_functional
from partwise_papers.domains.scenes.generate import BASE, COMBINED, generate
from partwise_papers.domains.scenes.scene import (
    random_scene,
    read_array,
    read_scenes,
    scene_from_json,
)

SCENES = [
    scene_from_json(scene_fields(random_scene(n)) | {"image_filename": f"made_{n:06}.png"}, "made")
    for n in range(30)
]
KINDS = "and_mat_spa or_mat or_mat_spa compare_mat compare_mat_spa embed_spa_mat embed_mat_spa"
KINDS = KINDS.split()
TEMPLATE_KINDS = "and_sim_loc or_sim or_sim_loc compare_sim compare_sim_loc chain_loc_sim"
TEMPLATE_KINDS = [*TEMPLATE_KINDS.split(), "chain_sim_loc"]


def entries(families: Sequence[str], count: int, seed: int) -> list[dict[str, Any]]:
    """Questions as the released files have them."""
    return [
        {
            "question": question.text,
            "program": to_functional(question.program),
            "answer": question.answer,
            "image_index": question.scene.index,
            "question_index": number,
        }
        for number, question in enumerate(generate(families, count, SCENES, random.Random(seed)))
    ]


def as_generated(entry: dict[str, Any], template: str) -> dict[str, Any]:
    """An entry as the official generator writes it: other types, and "type" for "function"."""
    answer: Any = entry["answer"]
    answer = {"yes": True, "no": False}.get(answer, answer)
    answer = int(answer) if isinstance(answer, str) and answer.isdecimal() else answer
    nodes = [{"type": n["function"], "_output": 0, **n} for n in entry["program"]]
    for node in nodes:
        del node["function"]
    return {**entry, "answer": answer, "program": nodes, "template_filename": template}


def write(file: Path, key: str, found: list[Any]) -> None:
    """A file of questions or scenes; zipped if its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps({"info": {"version": "1.0"}, key: found}).encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def released(folder: Path) -> Path:
    """100 train, 30 val and 7 times 4 CLOSURE questions, as released."""
    place = folder / "CLEVR_v1.0"
    scenes = [scene_fields(scene) for scene in SCENES]
    for part, seed, count in (("train", 1, 100), ("val", 2, 30)):
        write(place / "scenes" / f"CLEVR_{part}_scenes.json", "scenes", scenes)
        found = entries(tuple(BASE), count, seed)
        write(place / "questions" / f"CLEVR_{part}_questions.json", "questions", found)
    for seed, kind in enumerate(KINDS):
        found = entries(tuple(COMBINED), 4, seed)
        write(folder / "closure" / f"{kind}_val.json", "questions", found)
    return place


def regenerated(folder: Path) -> Path:
    """The same questions as `released`, in the layout of regenerated ones."""
    place = folder / "clevr"
    scenes = [scene_fields(scene) for scene in SCENES]
    for part, seed, count in (("train", 1, 100), ("val", 2, 30)):
        write(place / f"CLEVR_{part}_scenes_30.json.gz", "scenes", scenes)
        found = [as_generated(e, "one_hop.json") for e in entries(tuple(BASE), count, seed)]
        write(place / "regenerated" / f"CLEVR_{part}_questions.json.gz", "questions", found)
    for seed, kind in zip(map(KINDS.index, KINDS), TEMPLATE_KINDS, strict=True):
        found = [
            as_generated(e, f"/templates/{kind}.json") for e in entries(tuple(COMBINED), 4, seed)
        ]
        write(place / "regenerated" / f"CLOSURE_{kind}_val.json.gz", "questions", found)
    return place


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="module")
def made_anew(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return regenerated(tmp_path_factory.mktemp("anew"))


@pytest.mark.parametrize("split", SPLITS)
def test_both_layouts_hold_the_same(release: Path, made_anew: Path, split: str) -> None:
    first, second = read_clevr(release, split), read_clevr(made_anew, split)
    assert [len(part) for part in first.parts().values()] == [90, 10, 30 if split == "iid" else 28]
    for mine, theirs in zip(first.parts().values(), second.parts().values(), strict=True):
        assert [(e.question, e.meaning, e.answer) for e in mine] == [
            (e.question, e.meaning, e.answer) for e in theirs
        ]
        assert score(Scenes(), mine, [e.meaning for e in mine]).exact_match == 1
        runner = Runner(Scenes())
        assert all(runner.denotation(e.meaning, e.context) == e.answer for e in mine)
    assert not has_own_questions(release)
    assert has_own_questions(made_anew)


def test_examples_say_where_they_are_from(release: Path, made_anew: Path) -> None:
    dataset = read_clevr(release, "iid")
    assert dataset.train[3].source == dataset.train[3].id == "CLEVR_train_questions:3"
    assert dataset.dev[0].source == "CLEVR_train_questions:90"
    assert dataset.test[29].source == "CLEVR_val_questions:29"
    assert dataset.test[5].context in SCENES
    closure = read_clevr(release, "closure")
    assert closure.train == dataset.train
    assert Counter(e.group for e in closure.test) == dict.fromkeys(KINDS, 4)
    assert {e.source for e in closure.test} >= {"or_mat_val:0", "or_mat_val:3"}
    other = read_clevr(made_anew, "closure")
    assert {e.group for e in other.train} == {"one_hop"}
    assert Counter(e.group for e in other.test) == dict.fromkeys(TEMPLATE_KINDS, 4)


def test_released_questions_are_grouped_by_what_they_ask(release: Path) -> None:
    kinds = {"count": "count", "exist": "exist", "query": "query_attribute"}
    kinds |= {"query_attribute_equal": "compare_attribute"}
    dataset = read_clevr(release, "iid")
    for example in dataset.train:
        assert example.group == kinds.get(example.meaning.symbol, "compare_integer")
    assert len({example.group for example in dataset.train}) == 5


def test_long_files_give_their_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("partwise_papers.datasets.clevr.TRAIN", 6)
    monkeypatch.setattr("partwise_papers.datasets.clevr.DEV", 4)

    def parts(count: int) -> tuple[list[int], list[int]]:
        write(tmp_path / "some.json", "questions", list(range(count)))
        train, dev = train_and_dev(tmp_path / "some.json")
        assert all(number == entry for number, entry in train + dev)
        return [entry for _, entry in train], [entry for _, entry in dev]

    assert parts(25) == ([0, 1, 2, 3, 4, 5], [21, 22, 23, 24])
    assert parts(10) == ([0, 1, 2, 3, 4, 5], [6, 7, 8, 9])
    assert parts(9) == ([0, 1, 2, 3, 4, 5, 6, 7], [8])
    assert parts(2) == ([0], [1])
    with pytest.raises(DataError, match="has 1 questions, too few"):
        parts(1)


def change(folder: Path, number: int, key: str, value: Any) -> None:
    file = folder / "questions" / "CLEVR_val_questions.json"
    found = json.loads(file.read_text())["questions"]
    if value is None:
        del found[number][key]
    else:
        found[number][key] = value
    write(file, "questions", found)


@cases("key, value, message")
def test_bad_questions(tmp_path: Path, key: str, value: Any, message: str) -> None:
    folder = released(tmp_path)
    change(folder, 7, key, value)
    with pytest.raises(DataError, match=rf"CLEVR_val_questions(\.json: question |:)7: .*{message}"):
        read_clevr(folder, "iid")
    dataset = read_clevr(folder, "iid", skip_bad=True)
    assert len(dataset.test) == 29
    assert len(dataset.skipped) == 1
    assert len(read_clevr(folder, "closure").test) == 28


def test_answers_may_be_missing(tmp_path: Path) -> None:
    folder = released(tmp_path)
    change(folder, 7, "answer", None)
    assert read_clevr(folder, "iid").test[7].answer is None


def test_bad_scenes_take_their_questions_along(tmp_path: Path) -> None:
    folder = released(tmp_path)
    scenes = [scene_fields(scene) for scene in SCENES]
    wrong = read_clevr(folder, "iid").test[0].context
    number = SCENES.index(wrong)  # type: ignore[arg-type]
    scenes[number]["objects"][0]["color"] = "pink"
    write(folder / "scenes" / "CLEVR_val_scenes.json", "scenes", scenes)
    with pytest.raises(DataError, match=f"scene {number}: object 0: its color is 'pink'"):
        read_clevr(folder, "iid")
    dataset = read_clevr(folder, "iid", skip_bad=True)
    gone = 30 - len(dataset.test)
    assert gone > 0
    assert len(dataset.skipped) == 1 + gone
    assert all(example.context != wrong for example in dataset.test)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    folder = released(tmp_path)
    with pytest.raises(DataError, match="it has iid, closure"):
        read_clevr(folder, "test")
    with pytest.raises(DataError, match="no such folder"):
        read_clevr(tmp_path / "nowhere", "iid")
    (tmp_path / "closure" / "or_mat_val.json").unlink()
    with pytest.raises(
        DataError, match=r"has none of CLOSURE_or_sim_val\.json, .*or_mat_val\.json"
    ):
        read_clevr(folder, "closure")
    (folder / "scenes" / "CLEVR_val_scenes.json").unlink()
    with pytest.raises(DataError, match=r"has none of CLEVR_val_scenes\.json"):
        read_clevr(folder, "iid")


def test_closure_may_stand_in_the_folder(tmp_path: Path) -> None:
    folder = released(tmp_path)
    before = read_clevr(folder, "closure")
    (tmp_path / "closure").rename(folder / "closure")
    assert read_clevr(folder, "closure") == before


ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "clevr"
REAL_SCENES = REAL / "CLEVR_val_scenes_500.json.gz"

published = pytest.mark.skipif(not has_own_questions(REAL), reason="these CLEVR files are not here")


@pytest.fixture(scope="module")
def sets() -> dict[str, Dataset[Term]]:
    return {split: read_clevr(REAL, split) for split in SPLITS}


@published
def test_programs_type_and_run_to_the_given_answers(sets: dict[str, Dataset[Term]]) -> None:
    types, runner = TypeAlgebra(Scenes()), Runner(Scenes())
    for example in sets["iid"].train[::90] + sets["iid"].test[::90] + sets["closure"].test[::24]:
        types.check(example.meaning)
        assert runner.denotation(example.meaning, example.context) == example.answer, example


@published
def test_trees_reach_programs_of_every_template(sets: dict[str, Dataset[Term]]) -> None:
    reach = Reach(TypeAlgebra(Scenes()))
    for group in {example.group for example in sets["iid"].test + sets["closure"].test}:
        some = [e for e in sets["iid"].test + sets["closure"].test if e.group == group][::60]
        assert all(reach.reachable(example, by_phrase=True) for example in some), group


@published
def test_programs_and_sizes_are_as_published(sets: dict[str, Dataset[Term]]) -> None:
    sizes = {split: tuple(map(len, found.parts().values())) for split, found in sets.items()}
    assert sizes == {"iid": (9000, 1000, 5000), "closure": (9000, 1000, 2431)}
    domain = Scenes()
    for program in {e.meaning for e in sets["iid"].train + sets["iid"].test + sets["closure"].test}:
        assert domain.canonical(from_functional(to_functional(program))) == program


@published
def test_relations_follow_from_coordinates() -> None:
    scenes = read_scenes(REAL_SCENES)
    for number, fields in enumerate(read_array(REAL_SCENES, "scenes")):
        relations = fields.pop("relationships")
        assert scene_fields(scenes[number])["relationships"] == {
            name: list(map(sorted, lists)) for name, lists in relations.items()
        }
        assert scene_from_json(fields, "here") == scenes[number]
    assert Scenes().read_context(f"{REAL_SCENES}:17") == scenes[17]
