"""Trees of questions about scenes."""

from __future__ import annotations

import pytest

from library import mismatch
from partwise.chart.scores import SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.interface.data import Example
from partwise.language.program import parse_program
from partwise.language.text import tokenize
from partwise.span.annotation import Annotator
from partwise_papers.datasets.scenes import make
from partwise_papers.domains.scenes.domain import PHRASES, Scenes
from partwise_papers.trees.metrics import annotate_all

TYPES = TypeAlgebra(Scenes())


@pytest.mark.parametrize(
    ("question", "program", "tree"),
    [
        (
            "what is the color of the large shiny cube left of the ball ?",
            "query(color, filter(large, metal, cube, relate(left, filter(sphere, scene()))))",
            "[[[what_is] [color]] [[large [shiny cube]] [[left_of] [ball]]]]",
        ),
        # What a relation is to stands in front.
        (
            "there is a ball ; are there any big red things behind it ?",
            "exist(filter(large, red, relate(behind, filter(sphere, scene()))))",
            "[[[ball] [[are_there] [[big [red]] [behind]]]]]",
        ),
        (
            "do the cube and the ball have the same size ?",
            "query_attribute_equal(size, filter(cube, scene()), filter(sphere, scene()))",
            "[[[[cube] [[ball] the_same]] [size]]]",
        ),
    ],
)
def test_questions(question: str, program: str, tree: str) -> None:
    words = tokenize(question).words

    def text(node: SpanTree) -> str:
        if not node.children:
            return "_".join(words[node.start : node.end])
        return f"[{' '.join(map(text, node.children))}]"

    example = Example(question, parse_program(program))
    assert text(Annotator(TYPES, PHRASES).annotate(example)) == tree


@pytest.mark.parametrize("split", ["iid", "compositional"])
def test_shipped_questions_have_trees_of_their_programs(split: str) -> None:
    examples = make(split).test[::36]
    done, left = annotate_all(examples, TYPES, PHRASES)
    assert len(left) <= 1
    assert all(mismatch(example, TYPES) is None for example in done)
