"""Scenes: read from JSON and written to it, relations by coordinates, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes_helpers import LISTS, scene_json

from partwise.errors import DataError
from partwise_papers.domains.scenes.random_scenes import GAP, RADIUS, random_scene
from partwise_papers.domains.scenes.scene import ATTRIBUTES, EPSILON, RELATIONS
from partwise_papers.domains.scenes.scene_json import scene_from_json

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
