"""Scenes: their JSON, their files, what is related, and random ones."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes_helpers import LISTS, scene_json

from partwise.errors import DataError
from partwise_papers.datasets import json_stream
from partwise_papers.domains.scenes.scene import (
    ATTRIBUTES,
    EPSILON,
    GAP,
    RADIUS,
    RELATIONS,
    find_scene,
    random_scene,
    read_array,
    read_scenes,
    scene_from_json,
)

OPPOSITE = {"left": "right", "right": "left", "front": "behind", "behind": "front"}


def test_a_scene_comes_back_from_json_as_it_was() -> None:
    scene = scene_from_json(scene_json(), "here")
    assert scene.to_json() == scene_json()
    assert scene.name == "made_000000"
    assert str(scene.objects[2]) == "small red rubber cube"
    assert scene_from_json(scene.to_json(), "there") == scene
    assert hash(scene_from_json(scene.to_json(), "there")) == hash(scene)


def test_relations_follow_from_coordinates() -> None:
    raw = scene_json()
    del raw["relationships"]
    scene = scene_from_json(raw, "here")
    assert scene.to_json()["relationships"] == LISTS
    raw["objects"][1]["3d_coords"][1] = EPSILON / 2
    assert scene_from_json(raw, "here").behind == scene.behind
    raw["objects"][1]["3d_coords"][1] = EPSILON * 2
    assert 1 in scene_from_json(raw, "here").related("behind", 0)


def test_given_lists_hold_even_where_coordinates_say_otherwise() -> None:
    raw = scene_json()
    raw["relationships"]["left"][1] = [4]
    scene = scene_from_json(raw, "here")
    assert scene.related("left", 1) == {4}
    assert 1 in scene.related("left", 4)
    assert scene.from_coordinates()["left"][1] == frozenset()


def test_likeness_leaves_the_object_out() -> None:
    scene = scene_from_json(scene_json(), "here")
    assert scene.having("red") == {0, 2}
    assert scene.having("yellow") == frozenset()
    assert scene.like("color", 0) == {2}
    assert scene.like("size", 1) == {2, 4}


def test_unknown_facts_are_left_out() -> None:
    raw = scene_json()
    bare = {"relationships": raw["relationships"]}
    bare["objects"] = [{kind: one[kind] for kind in ATTRIBUTES} for one in raw["objects"]]
    scene = scene_from_json(bare, "nameless.json")
    assert scene.name == "nameless.json"
    assert scene.to_json() == bare
    with pytest.raises(DataError, match=r"nameless\.json: lacks directions for left, right"):
        scene.from_coordinates()


def put(value: Any, *keys: str | int) -> Callable[[dict[str, Any]], None]:
    def change(raw: Any) -> None:
        for key in keys[:-1]:
            raw = raw[key]
        if value is None:
            del raw[keys[-1]]
        else:
            raw[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(None, "objects"), "here: not a scene"),
        (put([], "objects"), "has no objects"),
        (put("red", "objects", 3), "object 3: not an object with size, color"),
        (put("pink", "objects", 3, "color"), "object 3: its color is 'pink', not one of gray"),
        (put(None, "objects", 0, "shape"), "object 0: its shape is None"),
        (put([1, 2], "objects", 0, "3d_coords"), "3d_coords: .* not a list of three numbers"),
        (put(math.nan, "objects", 0, "3d_coords", 1), "3d_coords: nan is not a finite number"),
        (put(True, "objects", 0, "rotation"), "rotation: True is not a finite number"),
        (put(None, "relationships", "front"), "'relationships' lacks front"),
        (put(LISTS["left"][1:], "relationships", "left"), "'left' has 4 lists, but .* 5 objects"),
        (put("0", "relationships", "left"), "'left' has no lists"),
        (put(0, "relationships", "left", 2), "the entry of object 2 is not a list"),
        (put([5], "relationships", "left", 2), "list of object 2 holds 5; .* from 0 to 4"),
        (put([2], "relationships", "left", 2), "list of object 2 holds 2"),
        (put([True], "relationships", "left", 2), "list of object 2 holds True"),
        (put([[0]], "relationships"), "'relationships' is not a mapping"),
        (put([1], "directions"), "'directions' is not a mapping"),
        (put([1, 2, "x"], "directions", "left"), "direction left: 'x' is not a finite number"),
    ],
)
def test_what_is_wrong_is_said(change: Callable[[dict[str, Any]], None], message: str) -> None:
    raw = scene_json()
    change(raw)
    with pytest.raises(DataError, match=f"^here: .*{message.removeprefix('here: ')}"):
        scene_from_json(raw, "here")


def test_without_lists_and_coordinates_there_are_no_relations() -> None:
    raw = scene_json()
    del raw["relationships"], raw["objects"][0]["3d_coords"]
    with pytest.raises(DataError, match="lacks 3d_coords of every object"):
        scene_from_json(raw, "here")


@given(st.integers(0, 10**6))
def test_random_scenes_hold_together(number: int) -> None:
    scene = random_scene(number)
    assert 3 <= len(scene.objects) <= 10
    assert scene == random_scene.__wrapped__(number)
    assert scene_from_json(scene.to_json(), "again", scene.name) == scene
    for i, one in enumerate(scene.objects):
        for relation in RELATIONS:
            for j in scene.related(relation, i):
                assert i in scene.related(OPPOSITE[relation], j)
        for other in scene.objects[:i]:
            assert one.coords is not None
            assert other.coords is not None
            least = RADIUS[one.size] + RADIUS[other.size] + GAP
            assert math.dist(one.coords[:2], other.coords[:2]) >= least


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5), JSON, st.sampled_from([None, 0, 3]), st.integers(1, 40))
def test_the_list_is_what_json_says(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[Any],
    info: Any,
    indent: int | None,
    chunk: int,
) -> None:
    file = tmp_path_factory.getbasetemp() / "list.json"
    file.write_text(json.dumps({"info": info, "scenes": entries, "more": 1}, indent=indent))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        assert list(read_array(file, "scenes")) == entries


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected '{', found 'the end of the file' at character 1"),
        ("[1]", "expected '{', found '\\['"),
        ("{}", "has no list 'scenes'"),
        ('{"info": {}}', "has no list 'scenes'"),
        ('{"info" 1}', "expected ':', found '1'"),
        ('{"scenes": 1}', "expected '\\[', found '1'"),
        ('{"scenes": [1 2]}', "expected ',' or '\\]', found '2' at character 15"),
        ('{"scenes": [1, {"a": ', "not JSON: Expecting value at character 22"),
        ('{"scenes": [1, "a', "not JSON: Unterminated string"),
        ('{"scenes": [1', "found 'the end of the file'"),
    ],
)
def test_damage_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "scenes.json"
    file.write_text(text)
    with pytest.raises(DataError, match=f"scenes.json: .*{message}"):
        list(read_array(file, "scenes"))


def test_an_endless_entry_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", 4)
    monkeypatch.setattr(json_stream, "MAX_ENTRY", 20)
    file = tmp_path / "scenes.json"
    file.write_text('{"scenes": ["' + 1000 * "a" + '"]}')
    with pytest.raises(DataError, match="Unterminated string"):
        list(read_array(file, "scenes"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        list(read_array(tmp_path / "none.json", "scenes"))
    zipped = tmp_path / "cut.json.gz"
    zipped.write_bytes(gzip.compress(b'{"scenes": [1, 2, 3]}')[:-9])
    with pytest.raises(DataError, match=r"cut\.json\.gz: cannot be read"):
        list(read_array(zipped, "scenes"))
    zipped.write_text("not zipped")
    with pytest.raises(DataError, match="cannot be read"):
        list(read_array(zipped, "scenes"))
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"scenes": ["é"]}'.encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        list(read_array(latin, "scenes"))


@pytest.fixture
def scene_list(tmp_path: Path) -> Path:
    """Scenes 0, 5 and, without a number of its own, 2; the last one has a bad colour."""
    second, third = scene_json(), scene_json()
    second["image_index"], second["image_filename"] = 5, "made_000005.png"
    del third["image_index"]
    third["objects"][0]["color"] = "pink"
    file = tmp_path / "scenes.json.gz"
    content = {"info": {}, "scenes": [scene_json(), second, third]}
    file.write_bytes(gzip.compress(json.dumps(content).encode()))
    return file


def test_scenes_by_number(scene_list: Path) -> None:
    assert set(read_scenes(scene_list, {0, 5})) == {0, 5}
    with pytest.raises(DataError, match="scene 2: object 0: its color is 'pink'"):
        read_scenes(scene_list)
    bad: list[str] = []
    assert set(read_scenes(scene_list, bad=bad)) == {0, 5}
    assert len(bad) == 1


def test_one_scene_by_text(scene_list: Path, tmp_path: Path) -> None:
    assert find_scene(f"{scene_list}:5").name == "made_000005"
    with pytest.raises(DataError, match="has no scene 1"):
        find_scene(f"{scene_list}:1")
    with pytest.raises(DataError, match=r"has 3 scenes; choose one with .*:NUMBER"):
        find_scene(str(scene_list))
    with pytest.raises(DataError, match="no such file; expected a scene"):
        find_scene(str(tmp_path / "none.json"))
    file = tmp_path / "one.json"
    file.write_text(json.dumps(scene_json()))
    assert find_scene(str(file)).to_json() == scene_json()
    file.write_text(json.dumps({"scenes": [scene_json()]}))
    assert find_scene(str(file)) == find_scene(f"{file}:0")
    file.write_text("{")
    with pytest.raises(DataError, match="not usable JSON"):
        find_scene(str(file))
    file.write_text("3")
    with pytest.raises(DataError, match="not a scene"):
        find_scene(str(file))
