"""What programs about scenes denote, which of them type, and their canonical form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scenes_helpers import scene_json

from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError, ExecutionError, ProgramTypeError, UnknownConstantError
from partwise.language.program import parse_program
from partwise_papers.domains.scenes.domain import IllPosedError, Scenes
from partwise_papers.domains.scenes.generate import shipped_scene
from partwise_papers.domains.scenes.scene import scene_from_json

SCENES = Scenes()
TYPES = TypeAlgebra(SCENES)
SCENE = scene_from_json(scene_json(), "here")
CUBE = "filter(large, cube, scene())"


def run(text: str) -> object:
    return SCENES.denotation(SCENES.run(parse_program(text), SCENE))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("count(scene())", "5"),
        ("count(filter(red, scene()))", "2"),
        ("count(filter(small, blue, rubber, sphere, scene()))", "1"),
        ("count(filter(small, blue, rubber, cube, scene()))", "0"),
        ("exist(filter(yellow, scene()))", "no"),
        ("exist(filter(metal, sphere, scene()))", "yes"),
        (f"count(relate(left, {CUBE}))", "1"),
        (f"count(relate(right, {CUBE}))", "2"),
        (f"count(relate(front, {CUBE}))", "1"),
        (f"count(relate(behind, {CUBE}))", "2"),
        (f"count(filter(small, relate(behind, {CUBE})))", "1"),
        (f"query(color, relate(left, {CUBE}))", "blue"),
        (f"query(size, {CUBE})", "large"),
        (f"query(material, {CUBE})", "metal"),
        (f"query(shape, relate_attribute_equal(color, {CUBE}))", "cube"),
        (f"count(relate_attribute_equal(material, {CUBE}))", "2"),
        (f"count(union(relate(left, {CUBE}), filter(blue, scene())))", "2"),
        (f"count(intersect(relate(right, {CUBE}), relate(front, {CUBE})))", "1"),
        (f"query_attribute_equal(color, {CUBE}, filter(small, cube, scene()))", "yes"),
        (f"query_attribute_equal(size, {CUBE}, filter(small, cube, scene()))", "no"),
        ("count_equal(filter(red, scene()), filter(blue, scene()))", "yes"),
        ("count_less(filter(red, scene()), filter(metal, scene()))", "yes"),
        ("count_less(filter(red, scene()), filter(blue, scene()))", "no"),
        ("count_greater(filter(metal, scene()), filter(red, scene()))", "yes"),
        ("count_greater(filter(blue, scene()), filter(red, scene()))", "no"),
    ],
)
def test_programs_type_and_denote(text: str, answer: str) -> None:
    assert run(text) == answer
    TYPES.check(parse_program(text))


@pytest.mark.parametrize("count", ["2", "no"])
@pytest.mark.parametrize(
    "form",
    [
        "query(shape, {})",
        "count(relate(left, {}))",
        "count(relate_attribute_equal(size, {}))",
        f"query_attribute_equal(size, {{}}, {CUBE})",
        f"query_attribute_equal(size, {CUBE}, {{}})",
    ],
)
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


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("filter(cube, filter(red, scene()))", "filter(red, cube, scene())"),
        ("filter(cube, metal, large, red)", "filter(large, red, metal, cube, scene())"),
        ("filter(red, filter(red, scene()))", "filter(red, scene())"),
        ("filter(red, filter(blue, scene()))", "filter(red, filter(blue, scene()))"),
        ("count(filter(scene()))", "count(scene())"),
        (
            "filter(cube, filter(red, relate(left, filter(ball, scene()))))",
            "filter(red, cube, relate(left, filter(ball, scene())))",
        ),
        (
            "union(relate(left, scene()), filter(red, scene()))",
            "union(filter(red, scene()), relate(left, scene()))",
        ),
        (
            "query_attribute_equal(size, filter(red, scene()), filter(blue, scene()))",
            "query_attribute_equal(size, filter(blue, scene()), filter(red, scene()))",
        ),
        (
            "count_less(filter(red, scene()), filter(blue, scene()))",
            "count_less(filter(red, scene()), filter(blue, scene()))",
        ),
        ("filter('red', scene())", "filter('red', scene())"),
        ("filter", "filter"),
    ],
)
def test_the_canonical_form(text: str, canonical: str) -> None:
    found = SCENES.canonical(parse_program(text))
    assert str(found) == canonical
    assert SCENES.canonical(found) == found


def test_the_canonical_form_denotes_the_same() -> None:
    before = "filter(cube, filter(red, relate(right, filter(rubber, sphere, scene()))))"
    assert run(before) == frozenset({0, 2})
    assert str(SCENES.canonical(parse_program(before))).startswith("filter(red, cube, relate(")


@pytest.mark.parametrize(
    "text",
    [
        "filter(red, scene())",
        "red",
        "query(left, filter(red, scene()))",
        "query(color, scene())",
        "count(relate(left, union(filter(red, scene()), filter(blue, scene()))))",
        "count(relate(red, filter(red, scene())))",
        "count(intersect(filter(red, scene()), filter(cube, scene())))",
        "count(filter(red, filter(blue, scene())))",
        "count(count(scene()))",
        "exist(query(color, filter(red, scene())))",
    ],
)
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
    assert SCENES.read_context("shipped:17") == shipped_scene(17)
    assert shipped_scene(17).name == "shipped:17"
    for wrong in ("shipped:500", "shipped:", "shipped:-1"):
        with pytest.raises(DataError, match="numbered from 0 to 499"):
            SCENES.read_context(wrong)
