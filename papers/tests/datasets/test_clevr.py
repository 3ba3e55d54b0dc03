"""CLEVR and CLOSURE: both layouts, the parts, groups and answers, damage, and the checks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from clevr_helpers import KINDS, SCENES, TEMPLATE_KINDS, entries, regenerated, released, write

from partwise.errors import DataError
from partwise.evaluation.metrics import Runner, score
from partwise.interface.data import Dataset
from partwise_papers.datasets import clevr_files
from partwise_papers.datasets.clevr import SPLITS, is_regenerated, read_clevr
from partwise_papers.datasets.clevr_files import train_and_dev
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.generate import BASE
from partwise_papers.validation.clevr import check_published


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
    assert not is_regenerated(release)
    assert is_regenerated(made_anew)


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
    monkeypatch.setattr(clevr_files, "TRAIN", 6)
    monkeypatch.setattr(clevr_files, "DEV", 4)

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


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("question", " ", "'question' must be a text that is not empty"),
        ("question", None, "'question' must be a text"),
        ("program", "count", "'program' must be a list of nodes"),
        ("program", [], "has no nodes"),
        ("program", [{"function": "paint"}], "node 0: unknown function 'paint'"),
        ("image_index", "3", "'image_index' must be a number"),
        ("image_index", 30, r"CLEVR_val_scenes\.json has no usable scene 30"),
        ("answer", [3], r"'answer' must be a text, a number or a truth value"),
    ],
)
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
    scenes = [scene.to_json() for scene in SCENES]
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


def test_the_checks_find_what_is_wrong(tmp_path: Path) -> None:
    folder = released(tmp_path)
    sets = {split: read_clevr(folder, split) for split in SPLITS}
    programs, relations, sizes = check_published(folder, sets, Runner(Scenes()))
    assert programs.ok
    assert programs.total == {"iid": 130, "closure": 128}
    assert relations.ok
    assert relations.total["iid"] > 20
    assert "released" in sizes.what
    assert [sizes.passed(split) for split in SPLITS] == [0, 0]
    scenes = [scene.to_json() for scene in SCENES]
    used = scenes[SCENES.index(sets["iid"].test[0].context)]  # type: ignore[arg-type]
    used["relationships"]["front"] = [[] for _ in used["objects"]]
    write(folder / "scenes" / "CLEVR_val_scenes.json", "scenes", scenes)
    change(folder, 2, "program", [{"function": "scene", "inputs": [], "value_inputs": []}])
    spoilt = {"iid": Dataset("clevr", "iid", [], [], read_clevr(folder, "iid").test)}
    programs, relations, _ = check_published(folder, spoilt, Runner(Scenes()))
    assert [f.where for f in programs.failures["iid"]] == ["CLEVR_val_questions:2"]
    assert [f.reason for f in relations.failures["iid"]] == ["the lists of front are others"]


def test_own_questions_fill_the_files() -> None:
    assert len(entries(tuple(BASE), 9, 0)) == 9
