"""Functional programs to terms and back."""

from __future__ import annotations

from typing import Any

import pytest

from partwise.errors import DataError
from partwise.language.program import parse_program
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.functional import expanded, from_functional, to_functional

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


@pytest.mark.parametrize(
    ("functional", "text"),
    [
        (LARGE_LEFT, "count(filter(large, red, relate(left, filter(sphere, scene()))))"),
        (nodes(("scene", []), ("exist", [0])), "exist(scene())"),
        (nodes(*SPHERE, ("query_color", [2])), "query(color, filter(sphere, scene()))"),
        (
            nodes(*SPHERE, ("same_size", [2]), ("count", [3])),
            "count(relate_attribute_equal(size, filter(sphere, scene())))",
        ),
        (
            nodes(*SPHERE, ("query_size", [2]), ("scene", []), ("filter_color", [4], "red"))
            + nodes(("unique", [5]), ("query_size", [6]), ("equal_size", [3, 7])),
            "query_attribute_equal(size, filter(sphere, scene()), filter(red, scene()))",
        ),
        (
            nodes(("scene", []), ("count", [0]), ("scene", []), ("filter_color", [2], "red"))
            + nodes(("count", [3]), ("less_than", [1, 4])),
            "count_less(scene(), filter(red, scene()))",
        ),
        (
            nodes(("scene", []), ("filter_color", [0], "red"), ("scene", []))
            + nodes(("union", [1, 2]), ("filter_size", [3], "small"), ("exist", [4])),
            "exist(filter(small, union(filter(red, scene()), scene())))",
        ),
    ],
)
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
    assert expanded(renamed) == expanded(LARGE_LEFT)


def test_shared_idle_and_unordered_nodes_change_nothing() -> None:
    apart = nodes(("scene", []), ("scene", []), ("filter_color", [1], "red"), ("union", [0, 2]))
    shared = nodes(("scene", []), ("count", [0]), ("filter_color", [0], "red"), ("union", [0, 2]))
    later = nodes(("filter_color", [2], "red"), ("scene", []), ("scene", []), ("union", [1, 0]))
    assert expanded(apart) == expanded(shared) == expanded(later)
    assert from_functional(apart) == from_functional(shared) == from_functional(later)
    assert expanded(apart) != expanded(nodes(("scene", []), ("union", [0, 0])))


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


@pytest.mark.parametrize(
    ("functional", "message"),
    [
        ([], "has no nodes"),
        (nodes(("scene", []), ("paint", [0])), "node 1: unknown function 'paint'"),
        ([{"inputs": []}], "node 0: unknown function None"),
        (["scene"], "node 0: unknown function None"),
        (nodes(("scene", []), ("count", [0, 0])), r"count takes 1 inputs, not \[0, 0\]"),
        (nodes(("scene", []), ("count", [])), r"count takes 1 inputs, not \[\]"),
        (nodes(("scene", []), ("filter_color", [0])), "filter_color takes 1 value_inputs"),
        (nodes(("scene", []), ("count", [0], "red")), "count takes 0 value_inputs"),
        (nodes(("scene", []), ("filter_color", [0], "pink")), "takes one of gray, .* not 'pink'"),
        (nodes(*SPHERE, ("relate", [2], "above")), "takes one of left, .* not 'above'"),
        (nodes(("scene", []), ("count", [7])), "its input 7 is no node from 0 to 1"),
        (nodes(("scene", []), ("count", [-1])), "its input -1 is no node"),
        (
            nodes(("scene", []), ("relate", [0], "left")),
            "relate takes one object, but node 0, scene, gives objects",
        ),
        (
            nodes(*SPHERE, ("query_color", [2]), ("query_size", [2]), ("equal_size", [3, 4])),
            "equal_size takes a size, but node 3, query_color, gives a color",
        ),
        (nodes(("union", [0, 0])), "in a circle: 0 -> 0"),
        (nodes(("union", [1, 1]), ("union", [0, 0])), "in a circle: 1 -> 0 -> 1"),
        ([{"function": "count", "inputs": 3}], "takes 1 inputs, not 3"),
    ],
)
def test_what_is_wrong_with_functional_programs(functional: Nodes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_functional(functional)
    with pytest.raises(DataError, match=message):
        expanded(functional)


def test_a_program_nested_too_deep_is_refused() -> None:
    deep = nodes(("scene", []), *(("union", [i, i]) for i in range(500)))
    with pytest.raises(DataError, match="nested deeper than"):
        from_functional(deep)


@pytest.mark.parametrize(
    "text",
    [
        "scene()",
        "filter(red, scene())",
        "count(red)",
        "count(filter(scene()))",
        "count(filter(left, scene()))",
        "count(relate(red, scene()))",
        "query(left, scene())",
        "query(color, scene(), scene())",
        "count_equal(scene())",
        "count(union(scene()))",
        "frobnicate(scene())",
        "exist(query(color, scene()))",
    ],
)
def test_terms_that_are_no_programs(text: str) -> None:
    with pytest.raises(DataError, match=r"no functional program|is not one of"):
        to_functional(parse_program(text))
