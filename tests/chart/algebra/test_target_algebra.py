"""The automaton of one program: its trees, and no others, lead to the goal."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from toy import Pets

from partwise.chart.readable import kbest
from partwise.chart.scores import SpanScores
from partwise.chart.semantics import program
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.language.program import parse_program

TYPES = TypeAlgebra(Pets())


def target(text: str) -> TargetAlgebra:
    return TargetAlgebra(TYPES, TYPES.check(parse_program(text)))


def trees_over(words: list[str], algebra: TargetAlgebra | TypeAlgebra) -> list[str]:
    """Programs of the trees over a sentence in which each word is one constant and none is φ."""
    n, categories = len(words), TYPES.domain.categories
    constants = np.full((n + 1, n + 1, len(categories)), -np.inf)
    for place, word in enumerate(words):
        constants[place, place + 1, categories[word]] = 0.0
    join, gap = np.zeros((n + 1, n + 1)), np.full((n + 1, n + 1), -np.inf)
    found = kbest(SpanScores.of(constants, join, gap), algebra, 1000)
    return [program(one.tree, TYPES).text() for one in found]


PROGRAMS = {
    "tell(pets())": ["pets"],
    "tell(dogs(all))": ["dogs"],
    "tell(count(pets()))": ["count", "pets"],
    "tell(friends(dog('rex')))": ["friends", "dog('rex')"],
    "tell(dogs(chases(dog('rex'))))": ["dogs", "chases", "dog('rex')"],
    "tell(dogs(chases(dogs(all))))": ["dogs", "chases", "dogs"],
    "tell(dogs(chases(dogs(chases(dogs(all))))))": ["dogs", "chases", "dogs", "chases", "dogs"],
    "tell(gift(dog('rex'), toy('ball')))": ["gift", "dog('rex')", "toy('ball')"],
    "tell(friends(cat('tom', _)))": ["friends", "cat('tom', _)"],
    "tell(friends(cat('tom', dog('rex'))))": ["friends", "cat('tom', _)", "dog('rex')"],
    "tell(without(dogs(all), dogs(all)))": ["without", "dogs", "dogs"],
    "tell(without(dogs(all), friends(dog('rex'))))": ["without", "dogs", "friends", "dog('rex')"],
    "tell(most(dogs(chases(dog('rex')))))": ["dogs", "most", "chases", "dog('rex')"],
    "tell(most(dogs(kin(dog('rex')))))": ["dogs", "most", "kin", "dog('rex')"],
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_every_order_of_words_gives_the_trees_of_the_types_that_spell_it(text: str) -> None:
    algebra = target(text)
    total = 0
    for words in set(itertools.permutations(PROGRAMS[text])):
        wanted = [found for found in trees_over(list(words), TYPES) if found == text]
        assert trees_over(list(words), algebra) == wanted
        total += len(wanted)
    assert total > 0


@pytest.mark.parametrize("text", PROGRAMS)
def test_only_the_programs_own_constants_are_usable(text: str) -> None:
    algebra = target(text)
    usable = algebra.used
    assert {TYPES.domain.constants[number].category for number in usable} == set(PROGRAMS[text])
    others = [[word] for word in TYPES.domain.categories if word not in PROGRAMS[text]]
    assert all(not trees_over(words, algebra) for words in others)


def test_equal_subterms_are_shared() -> None:
    small = target("tell(without(dogs(all), dogs(all)))")
    assert [meaning.constant for meaning in small.meanings].count(
        TYPES.domain.categories["dogs"]
    ) == 1
    assert len(small.meanings) == len(set(small.meanings))


def test_an_argument_left_out_stays_out() -> None:
    words = ["friends", "cat('tom', _)", "dog('rex')"]
    assert trees_over(words, target("tell(friends(cat('tom', _)))")) == []
    # Nor may it be left out where the program has it.
    full = target("tell(friends(cat('tom', dog('rex'))))")
    assert trees_over(words[:2], full) == []
    assert trees_over(words, full) != []


def test_a_repeated_constant_may_not_pile_up() -> None:
    algebra = target("tell(dogs(chases(dog('rex'))))")
    assert trees_over(["dogs", "chases", "dogs", "chases", "dog('rex')"], algebra) == []


def test_a_part_of_the_program_is_not_the_whole() -> None:
    algebra = target("tell(count(friends(dog('rex'))))")
    assert trees_over(["friends", "dog('rex')"], algebra) == []
    assert trees_over(["count", "friends", "dog('rex')"], algebra) != []
