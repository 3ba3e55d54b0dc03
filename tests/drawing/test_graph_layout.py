"""Where nodes, edges and labels of a graph lie."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.drawing.canvas import Box
from partwise.drawing.graph_layout import HEIGHT, GraphLink, _apart, extent, lay_out

SIZE = (50.0, 30.0)


def meets(one: Box, other: Box) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    )


@settings(max_examples=200)
@given(st.lists(st.floats(-500, 500), max_size=12).map(sorted), st.floats(0, 50))
def test_places_are_apart_and_as_near_as_can_be(wanted: list[float], least: float) -> None:
    places = _apart(wanted, least)
    assert len(places) == len(wanted)
    assert all(two - one >= least - 1e-6 for one, two in itertools.pairwise(places))
    # No group of neighbours would be nearer if it were moved as a whole.
    assert sum(places) == pytest.approx(sum(wanted), abs=1e-6)
    if all(two - one >= least for one, two in itertools.pairwise(wanted)):
        assert places == pytest.approx(wanted)


def test_what_is_asked_for_is_on_the_left() -> None:
    links = [GraphLink("a", "b", 40), GraphLink("b", "c", 40)]
    boxes = lay_out({"a": SIZE, "b": SIZE, "c": SIZE}, links, first="b")
    assert boxes["b"].x < boxes["a"].x == boxes["c"].x
    chain = lay_out({"a": SIZE, "b": SIZE, "c": SIZE}, links)
    assert chain["a"].x < chain["b"].x < chain["c"].x


def test_an_edge_passes_through_its_label() -> None:
    links = [GraphLink("a", "b", 60), GraphLink("a", "b", 60), GraphLink("b", "a", 60)]
    lay_out({"a": SIZE, "b": SIZE}, links)
    for link in links:
        assert link.at(0.5) == pytest.approx((link.label.x, link.label.y))
        assert link.at(0) == link.curve[0]
        assert link.at(1) == link.curve[3]


def test_an_arc_within_a_column_hangs_to_the_right() -> None:
    links = [GraphLink("a", "b", 20), GraphLink("a", "c", 20), GraphLink("b", "c", 80)]
    boxes = lay_out({"a": SIZE, "b": SIZE, "c": SIZE}, links, first="a")
    arc = links[2]
    assert boxes["b"].x == boxes["c"].x
    assert arc.at(0.5)[0] > boxes["b"].x + boxes["b"].width / 2
    assert arc.label.x - arc.label.width / 2 < arc.at(0.5)[0] < arc.label.x


def test_a_loop_returns_to_its_node() -> None:
    (loop,) = links = [GraphLink("a", "a", 40)]
    box = lay_out({"a": SIZE}, links)["a"]
    (x, up), _, _, (other, down) = loop.curve
    assert x == other == box.x + box.width / 2
    assert up < down


def test_components_are_below_one_another() -> None:
    links = [GraphLink("a", "b", 40), GraphLink("c", "d", 40)]
    boxes = lay_out(dict.fromkeys("abcde", SIZE), links)
    assert boxes["b"].y < boxes["d"].y < boxes["e"].y
    left, up, right, down = extent(boxes, links)
    assert (left, up) == pytest.approx((0, 0))
    assert right > boxes["b"].x
    assert down == pytest.approx(boxes["e"].y + boxes["e"].height / 2)


def test_nothing_has_no_extent() -> None:
    assert lay_out({}, []) == {}
    assert extent({}, []) == (0, 0, 0, 0)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14))
def test_labels_never_meet_each_other_or_a_node(pairs: list[tuple[int, int]]) -> None:
    links = [GraphLink(f"n{a}", f"n{b}", 30.0 + 20 * (a % 3)) for a, b in pairs]
    boxes = lay_out({f"n{i}": SIZE for i in range(6)}, links)
    labels = [link.label for link in links]
    assert all(label.height == HEIGHT for label in labels)
    assert not any(meets(a, b) for a, b in itertools.combinations(labels, 2))
    assert not any(meets(label, box) for label in labels for box in boxes.values())
