"""Trees of SCAN commands, and that they are the published ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from partwise.chart.type_algebra import TypeAlgebra
from partwise.interface.data import Example
from partwise.language.program import parse_program
from partwise.span.annotation import Annotator, spans_of
from partwise_papers.datasets.scan import read_trees
from partwise_papers.domains.scan.domain import Scan
from partwise_papers.trees.metrics import annotate_all

ROOT = Path(__file__).parents[2]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "scan_sp"
TYPES = TypeAlgebra(Scan())


def test_a_command() -> None:
    program = parse_program("i_after(i_jump(i_left), i_twice(i_run(i_right, i_around)))")
    tree = Annotator(TYPES).annotate(Example("jump left after run around right twice", program))
    assert spans_of(tree, TYPES.domain) == (
        *((0, 7, "join"), (0, 3, "join"), (0, 2, "join"), (0, 1, "i_jump"), (1, 2, "i_left")),
        *((2, 3, "i_after"), (3, 7, "join"), (3, 6, "join"), (3, 5, "join"), (3, 4, "i_run")),
        *((4, 5, "i_around"), (5, 6, "i_right"), (6, 7, "i_twice")),
    )


def test_a_lone_word_is_a_tree() -> None:
    tree = Annotator(TYPES).annotate(Example("jump", parse_program("i_jump()")))
    assert spans_of(tree, TYPES.domain) == ((0, 1, "i_jump"),)


@pytest.mark.skipif(not REAL.is_dir(), reason="the published SCAN-SP files are not here")
@pytest.mark.parametrize("split", ["simple", "right", "around_right"])
def test_published_trees_are_those_that_are_built(split: str) -> None:
    given = read_trees(REAL, split, "test")[::12]
    built, left = annotate_all(given, TYPES)
    assert not left
    assert [set(e.spans or ()) for e in built] == [set(e.spans or ()) for e in given]
