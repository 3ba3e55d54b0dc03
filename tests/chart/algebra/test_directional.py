"""Arguments that only follow their predicate: which sentences can mean what."""

from __future__ import annotations

import itertools
from typing import ClassVar

import numpy as np
import pytest
from blocks import Blocks

from partwise.chart.readable import kbest
from partwise.chart.scores import SpanScores
from partwise.chart.semantics import program
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DomainError
from partwise.language.program import parse_program


class Ordered(Blocks):
    """Blocks whose descriptions stand before the places that they are at."""

    directional: ClassVar = {"filter": ("things",), "count": ("things",)}


FREE, ORDERED = TypeAlgebra(Blocks()), TypeAlgebra(Ordered())
WORDS = {"many": "count", "same": "like", "or": "union"}


def programs(sentence: str, types: TypeAlgebra, over: TargetAlgebra | None = None) -> list[str]:
    """Programs of all trees over a sentence of which each word is one constant."""
    words = sentence.split()
    n = len(words)
    constants = np.full((n + 1, n + 1, len(types.domain.constants)), -np.inf)
    for place, word in enumerate(words):
        constants[place, place + 1, types.domain.categories[WORDS.get(word, word)]] = 0.0
    join, gap = np.zeros((n + 1, n + 1)), np.full((n + 1, n + 1), -np.inf)
    found = kbest(SpanScores.of(constants, join, gap), over or types, 3000)
    return sorted(program(one.tree, types).text() for one in found)


BESIDE = "count(filter(ball, beside(left, filter(red, world()))))"


def test_an_argument_that_follows_does_not_stand_before() -> None:
    assert BESIDE in programs("many ball left red", ORDERED)
    assert BESIDE in programs("many left red ball", FREE)
    assert BESIDE not in programs("many left red ball", ORDERED)


def test_other_arguments_stand_on_either_side() -> None:
    for sentence in ("many red ball", "many ball red"):
        assert "count(filter(red, ball, world()))" in programs(sentence, ORDERED)


def test_what_stands_in_front_of_the_whole_still_may() -> None:
    text = "count(filter(ball, beside(left, filter(red, world()))))"
    assert text in programs("red many ball left", ORDERED)


def test_a_direction_only_takes_readings_away() -> None:
    fewer = 0
    for words in itertools.permutations(["many", "ball", "left", "red"]):
        sentence = " ".join(words)
        free, ordered = programs(sentence, FREE), programs(sentence, ORDERED)
        assert set(ordered) <= set(free)
        fewer += len(ordered) < len(free)
    assert fewer > 0


def test_trees_of_a_program_are_those_of_the_types_that_spell_it() -> None:
    target = TargetAlgebra(ORDERED, ORDERED.check(parse_program(BESIDE)))
    total = 0
    for words in itertools.permutations(["many", "ball", "left", "red"]):
        sentence = " ".join(words)
        wanted = [found for found in programs(sentence, ORDERED) if found == BESIDE]
        assert programs(sentence, ORDERED, target) == wanted
        total += len(wanted)
    assert total > 0


def test_an_unknown_parameter_is_named() -> None:
    class Wrong(Blocks):
        directional: ClassVar = {"filter": ("stuff",)}

    with pytest.raises(DomainError, match="no parameter 'stuff'; there are color, shape, things"):
        TypeAlgebra(Wrong())


def test_an_unknown_predicate_is_named() -> None:
    class Wrong(Blocks):
        directional: ClassVar = {"filters": ("things",)}

    with pytest.raises(DomainError, match=r"directional: unknown predicates: \['filters'\]"):
        TypeAlgebra(Wrong())

    class Fronted(Blocks):
        extraction: ClassVar = ("filters",)

    with pytest.raises(DomainError, match=r"extraction: unknown predicates: \['filters'\]"):
        TypeAlgebra(Fronted())
