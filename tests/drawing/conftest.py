"""TreeDerivation trees over the geography domain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import TreeDerivation, read_tree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.language.text import tokenize

Spec = tuple[object, ...]


@pytest.fixture(scope="session")
def types() -> TypeAlgebra:
    return TypeAlgebra(Geography())


@pytest.fixture(scope="session")
def build(types: TypeAlgebra) -> Callable[[str, Spec], TreeDerivation]:
    """Makes an example of a text and (start, end, category | child, ...) all the way down."""

    def tree(spec: Spec) -> SpanTree:
        start, end, *rest = spec
        assert isinstance(start, int)
        assert isinstance(end, int)
        if isinstance(rest[0], str):
            return SpanTree(start, end, types.domain.categories[rest[0]])
        return SpanTree(start, end, JOIN, tuple(tree(s) for s in rest if isinstance(s, tuple)))

    def make(text: str, spec: Spec) -> TreeDerivation:
        words = tokenize(text)
        assert spec[1] == len(words)
        return TreeDerivation(read_tree(tree(spec), types), words)

    return make


@pytest.fixture(scope="session")
def rivers(build: Callable[[str, Spec], TreeDerivation]) -> TreeDerivation:
    """Binary joins, and φ in all its places."""
    texas = (7, 9, (7, 8, "stateid('texas')"))
    states = (5, 9, (5, 6, "state"), (6, 9, (6, 7, "next_to_2"), texas))
    run = (2, 9, (2, 5, (2, 4, "traverse_2")), states)
    text = "Which rivers run through the states bordering Texas?"
    return build(text, (0, 9, (1, 9, (1, 2, "river"), run)))


@pytest.fixture(scope="session")
def people(build: Callable[[str, Spec], TreeDerivation]) -> TreeDerivation:
    number, states = (2, 6, (2, 3, "population_1")), (7, 9, (7, 8, "state"))
    text = "How many people live in the smallest state?"
    return build(text, (0, 9, (2, 9, number, (6, 7, "smallest_one"), states)))


@pytest.fixture(scope="session")
def long(build: Callable[[str, Spec], TreeDerivation]) -> TreeDerivation:
    """Eighteen words, deep, with a ternary join at the top."""
    run = (13, 18, (13, 15, "riverid('mississippi')"), (15, 18, (15, 17, "traverse_1")))
    inside = (8, 18, (8, 10, (8, 9, "loc_2")), (10, 18, (10, 13, (10, 11, "state")), run))
    city = (7, 18, (7, 8, "city"), inside)
    whole = (2, 18, (2, 6, (2, 3, "population_1")), (6, 7, "largest_one"), city)
    text = (
        "how many people live in the largest city of the states that the "
        "mississippi river runs through ?"
    )
    return build(text, (0, 18, whole))


@pytest.fixture(scope="session")
def odd(build: Callable[[str, Spec], TreeDerivation]) -> TreeDerivation:
    """Words that need escaping, are wide, or must not reach a terminal."""
    count = (1, 13, (1, 7, "population_1"))
    text = 'a<b> 🦜🦜 & "q" \'川川 \x1b\u202e state'
    return build(text, (0, 15, (1, 15, (1, 14, count), (14, 15, "state"))))
