"""Scenes as files have them, what programs about them denote, and CLEVR's functional programs."""

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
from scene_files import scene_fields, to_functional

from cases import cases, rows
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError, ExecutionError, ProgramTypeError, UnknownConstantError
from partwise.language.program import parse_program
from partwise_papers.datasets import json_stream
from partwise_papers.domains.scenes.domain import IllPosedError, Scenes
from partwise_papers.domains.scenes.functional import from_functional
from partwise_papers.domains.scenes.generate import read_shipped_scene
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

SOLIDS = tuple(rows(globals(), "SOLIDS"))
DIRECTIONS = dict(rows(globals(), "DIRECTIONS"))
LISTS = dict(rows(globals(), "LISTS"))


def scene_json() -> dict[str, Any]:
    """A fresh copy, with coordinates, directions and lists."""
    return {
        "image_index": 0,
        "image_filename": "made_000000.png",
        "split": "made",
        "objects": [
            {"size": s, "color": c, "material": m, "shape": f, "3d_coords": [x, y, 0.5]}
            for s, c, m, f, x, y in SOLIDS
        ],
        "relationships": {name: [list(one) for one in lists] for name, lists in LISTS.items()},
        "directions": {name: list(vector) for name, vector in DIRECTIONS.items()},
    }


OPPOSITE = {"left": "right", "right": "left", "front": "behind", "behind": "front"}


def test_a_scene_comes_back_from_json_as_it_was() -> None:
    scene = scene_from_json(scene_json(), "here")
    assert scene_fields(scene).items() <= scene_json().items()
    assert scene.name == "made_000000"
    assert str(scene.objects[2]) == "small red rubber cube"
    again = scene_from_json(scene_fields(scene), "there", scene.name)
    assert again == scene
    assert hash(again) == hash(scene)


def test_relations_follow_from_coordinates() -> None:
    raw = scene_json()
    del raw["relationships"]
    scene = scene_from_json(raw, "here")
    assert scene_fields(scene)["relationships"] == LISTS
    raw["objects"][1]["3d_coords"][1] = EPSILON / 2
    assert scene_from_json(raw, "here").behind == scene.behind
    raw["objects"][1]["3d_coords"][1] = EPSILON * 2
    assert 1 in scene_from_json(raw, "here").related("behind", 0)


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
    assert bare.items() <= scene_fields(scene).items()
    del bare["relationships"]
    with pytest.raises(DataError, match=r"nameless\.json: lacks directions for left, right"):
        scene_from_json(bare, "nameless.json")


def put(value: Any, *keys: str | int) -> Callable[[dict[str, Any]], None]:
    def change(raw: Any) -> None:
        for key in keys[:-1]:
            raw = raw[key]
        if value is None:
            del raw[keys[-1]]
        else:
            raw[keys[-1]] = value

    return change


@cases("change, message")
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
    assert scene_from_json(scene_fields(scene), "again", scene.name) == scene
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


@cases("text, message")
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
    assert find_scene(str(file)) == SCENE
    file.write_text(json.dumps({"scenes": [scene_json()]}))
    assert find_scene(str(file)) == find_scene(f"{file}:0")
    file.write_text("{")
    with pytest.raises(DataError, match="not usable JSON"):
        find_scene(str(file))
    file.write_text("3")
    with pytest.raises(DataError, match="not a scene"):
        find_scene(str(file))


SCENES = Scenes()
TYPES = TypeAlgebra(SCENES)
SCENE = scene_from_json(scene_json(), "here")
CUBE = "filter(large, cube, scene())"


def run(text: str) -> object:
    return SCENES.denotation(SCENES.run(parse_program(text), SCENE))


@cases("text, answer")
def test_programs_type_and_denote(text: str, answer: str) -> None:
    assert run(text) == answer
    TYPES.check(parse_program(text))


@pytest.mark.parametrize("count", ["2", "no"])
@cases("form")
def test_one_object_is_not_guessed(form: str, count: str) -> None:
    things = {"2": "filter(red, scene())", "no": "filter(brown, scene())"}[count]
    with pytest.raises(IllPosedError, match=f"ill-posed: {count} objects of made_000000, expected"):
        run(form.format(things))


def test_a_program_needs_a_scene() -> None:
    program = parse_program("count(scene())")
    with pytest.raises(ExecutionError, match="give a Scene as context"):
        SCENES.run(program)
    with pytest.raises(ExecutionError, match="a context of scenes is a Scene, not str"):
        SCENES.run(program, "CLEVR_val_000000")
    assert SCENES.run(program, SCENE) == 5
    with pytest.raises(ExecutionError, match="give a Scene"):
        SCENES.run(program)


@cases("text, canonical")
def test_the_canonical_form(text: str, canonical: str) -> None:
    found = SCENES.canonical(parse_program(text))
    assert str(found) == canonical
    assert SCENES.canonical(found) == found


def test_the_canonical_form_denotes_the_same() -> None:
    before = "filter(cube, filter(red, relate(right, filter(rubber, sphere, scene()))))"
    assert run(before) == frozenset({0, 2})
    assert str(SCENES.canonical(parse_program(before))).startswith("filter(red, cube, relate(")


@cases("text")
def test_what_does_not_type(text: str) -> None:
    with pytest.raises(ProgramTypeError):
        TYPES.check(parse_program(text))


def test_unknown_names() -> None:
    for text in ("count(filter(pink, scene()))", "amount(scene())"):
        with pytest.raises(UnknownConstantError, match="scenes has no"):
            TYPES.check(parse_program(text))


def test_ill_typed_filters_are_refused_not_guessed() -> None:
    with pytest.raises(ExecutionError, match="filter takes one value of each attribute"):
        run("count(filter(red, filter(blue, scene())))")


def test_answers_for_people_and_for_comparison() -> None:
    found = SCENES.run(parse_program("filter(blue, scene())"), SCENE)
    assert SCENES.show(found) == ["small blue rubber sphere", "small blue metal sphere"]
    assert SCENES.denotation(found) == frozenset({1, 4})
    nothing = SCENES.run(parse_program("filter(brown, scene())"), SCENE)
    assert SCENES.is_empty(nothing)
    assert not SCENES.is_empty(found)
    assert not SCENES.is_empty(0)
    assert not SCENES.is_empty(False)
    assert (SCENES.show(False), SCENES.show(0), SCENES.show("red")) == (["no"], ["0"], ["red"])


def test_contexts_by_text(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps(scene_json()))
    assert SCENES.read_context(str(file)) == SCENE
    assert SCENES.read_context("shipped:17") == read_shipped_scene(17)
    assert read_shipped_scene(17).name == "shipped:17"
    for wrong in ("shipped:500", "shipped:", "shipped:-1"):
        with pytest.raises(DataError, match="numbered from 0 to 499"):
            SCENES.read_context(wrong)


Nodes = list[dict[str, Any]]


def nodes(*steps: tuple[str, list[int]] | tuple[str, list[int], str]) -> Nodes:
    return [
        {"function": name, "inputs": inputs, "value_inputs": list(values)}
        for name, inputs, *values in steps
    ]


SPHERE = (("scene", []), ("filter_shape", [0], "sphere"), ("unique", [1]))
LARGE_LEFT = nodes(
    *SPHERE,
    ("relate", [2], "left"),
    ("filter_size", [3], "large"),
    ("filter_color", [4], "red"),
    ("count", [5]),
)


@cases("functional, text")
def test_both_ways(functional: Nodes, text: str) -> None:
    term = from_functional(functional)
    assert str(term) == text
    assert to_functional(term) == functional
    assert from_functional(to_functional(term)) == term


def test_the_official_generator_says_type_for_function() -> None:
    renamed = [{"type": n["function"], **n} for n in LARGE_LEFT]
    for node in renamed:
        del node["function"]
    assert from_functional(renamed) == from_functional(LARGE_LEFT)


def test_shared_idle_and_unordered_nodes_change_nothing() -> None:
    apart = nodes(("scene", []), ("scene", []), ("filter_color", [1], "red"), ("union", [0, 2]))
    shared = nodes(("scene", []), ("count", [0]), ("filter_color", [0], "red"), ("union", [0, 2]))
    later = nodes(("filter_color", [2], "red"), ("scene", []), ("scene", []), ("union", [1, 0]))
    assert from_functional(apart) == from_functional(shared) == from_functional(later)


def test_filters_that_cannot_be_one_are_kept() -> None:
    twice = nodes(("scene", []), ("filter_color", [0], "red"), ("filter_color", [1], "blue"))
    twice += nodes(("count", [2]))
    assert str(from_functional(twice)) == "count(filter(blue, filter(red, scene())))"
    assert to_functional(from_functional(twice)) == twice
    turned = nodes(("scene", []), ("filter_shape", [0], "cube"), ("filter_size", [1], "large"))
    turned += nodes(("count", [2]))
    assert to_functional(from_functional(turned)) == turned
    canonical = Scenes().canonical(from_functional(turned))
    assert str(canonical) == "count(filter(large, cube, scene()))"


@cases("functional, message")
def test_what_is_wrong_with_functional_programs(functional: Nodes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_functional(functional)


def test_a_program_nested_too_deep_is_refused() -> None:
    deep = nodes(("scene", []), *(("union", [i, i]) for i in range(500)))
    with pytest.raises(DataError, match="nested deeper than"):
        from_functional(deep)
