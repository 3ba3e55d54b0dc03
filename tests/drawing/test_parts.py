"""What the drawings share: parts without unary nodes, and cut programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partwise.chart.semantics import TreeDerivation
from partwise.drawing.render import clean, cut, shorten
from partwise.drawing.trees import TreePart, parts

PROGRAM = "exclude(state(next_to_2(stateid('a (b)'))), loc_2(cityid('it\\'s', _)))"


def walk(part: TreePart) -> Iterator[TreePart]:
    yield part
    for child in part.children:
        yield from walk(child)


def test_unary_nodes_are_drawn_with_what_they_stand_over(rivers: TreeDerivation) -> None:
    root = parts(rivers.node)
    assert (root.start, root.end, len(root.around)) == (0, 9, 1)
    assert [(c.start, c.end, c.node is None) for c in root.children] == [
        (0, 1, True),
        (1, 2, False),
        (2, 9, False),
    ]
    run = root.children[2].children[0]
    assert (run.start, run.end) == (2, 5)
    assert run.node is not None
    assert (run.node.start, run.node.end) == (2, 4)
    assert not run.children


def test_parts_cover_every_word_once(long: TreeDerivation) -> None:
    leaves = [part for part in walk(parts(long.node)) if not part.children]
    assert [i for leaf in leaves for i in range(leaf.start, leaf.end)] == list(range(18))


def test_the_infix_operator_is_marked(people: TreeDerivation) -> None:
    assert [part.start for part in walk(parts(people.node)) if part.infix] == [6]


@pytest.mark.parametrize(
    ("width", "short"),
    [
        (99, PROGRAM),
        (60, "exclude(state(next_to_2('a (b)')), loc_2('it\\'s'))"),
        (45, "exclude(state(next_to_2(…)), loc_2('it\\'s'))"),
        (30, "exclude(state(…), loc_2(…))"),
        (10, "exclude(…)"),
        (4, "exc…"),
        (0, "…"),
    ],
)
def test_programs_are_cut_from_within(width: int, short: str) -> None:
    assert shorten(PROGRAM, width) == short


def test_programs_without_arguments() -> None:
    assert shorten("scene()", 7) == "scene()"
    assert shorten("scene()", 6) == "scene…"


def test_texts() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
    assert clean("a\x1b[31m\nb\u202ec") == "a�[31m�b�c"
