"""Conjunctions without a word, and type shifts of phrases: which sentences can mean what."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from brute import Enumerator, TooMany, score_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trips import Trips

from partwise.chart import compiled, readable
from partwise.chart.scores import SpanScores
from partwise.chart.semantics import program
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DomainError, ProgramTypeError
from partwise.language.domain import Domain, predicate, type_shift
from partwise.language.open_types import MAX_PARTS
from partwise.language.program import parse_program
from partwise.language.values import Many, Number

TYPES = TypeAlgebra(Trips())


def programs(sentence: str, over: TargetAlgebra | None = None) -> list[str]:
    """Programs of all trees over a sentence of which each word is one constant."""
    words = sentence.split()
    n = len(words)
    constants = np.full((n + 1, n + 1, len(TYPES.domain.constants)), -np.inf)
    for place, word in enumerate(words):
        constants[place, place + 1, TYPES.domain.categories[word]] = 0.0
    join, gap = np.zeros((n + 1, n + 1)), np.full((n + 1, n + 1), -np.inf)
    listed = readable.kbest(SpanScores.of(constants, join, gap), over or TYPES, 3000)
    return sorted(program(one.tree, TYPES).text() for one in listed)


def target(text: str) -> TargetAlgebra:
    return TargetAlgebra(TYPES, TYPES.check(parse_program(text)))


PARTS = ("flight", "from boston", "to denver", "day monday")
WHOLE = "and(day(monday), flight(), from(boston), to(denver))"


def test_a_conjunction_has_one_tree_in_any_order() -> None:
    for order in itertools.permutations(PARTS):
        assert programs(" ".join(order)).count(WHOLE) == 1
        assert programs(" ".join(order), target(WHOLE)) == [WHOLE]


def test_order_and_nesting_do_not_matter() -> None:
    nested = parse_program("and(to(denver), and(flight(), from(boston)), day(monday))")
    assert TYPES.domain.canonical(nested).text() == WHOLE
    assert TYPES.check(nested).term().text() == WHOLE
    assert TYPES.domain.canonical(parse_program("and(flight())")).text() == "flight()"


def test_what_applies_applies() -> None:
    assert programs("cheapest flight to denver") == [
        "and(cheapest(flight()), to(denver))",
        "cheapest(and(flight(), to(denver)))",
    ]
    assert programs("flight to denver fare") == ["fare(and(flight(), to(denver)))"]


def test_a_part_may_stand_twice() -> None:
    assert programs("to denver to denver") == ["and(to(denver), to(denver))"]
    assert programs("to denver to denver", target("and(to(denver), to(denver))")) != []
    assert programs("to denver to denver", target("and(to(boston), to(denver))")) == []
    assert programs("to denver", target("and(to(denver), to(denver))")) == []


def test_a_phrase_within_a_type_shift() -> None:
    shifted = "and(flight(), serves(capital(boston)))"
    assert shifted in programs("flight capital boston")
    assert shifted in programs("capital boston flight")
    assert programs("capital boston flight", target(shifted)) == [shifted]
    # A whole question may be such a phrase, too.
    assert programs("capital boston") == ["serves(capital(boston))"]
    assert programs("boston", target("serves(boston)")) == ["serves(boston)"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("and(boston, flight())", r"and takes \(Many\[Flight\]\) -> Many\[Flight\], not One"),
        ("and()", "not nothing"),
        (f"and({', '.join(['flight()'] * (MAX_PARTS + 1))})", "more than 12 parts"),
    ],
)
def test_conjunctions_that_do_not_type(text: str, why: str) -> None:
    with pytest.raises(ProgramTypeError, match=why):
        TYPES.check(parse_program(text))


def test_any_number_of_arguments_is_for_type_shifts() -> None:
    class Worded(Domain):
        @predicate("and")
        def both(self, *parts: Many[Number]) -> Many[Number]: ...  # type: ignore[empty-body]

    class Mixed(Domain):
        @type_shift
        def both(self, one: Number, *parts: Number) -> Number: ...  # type: ignore[empty-body]

    for cls in (Worded, Mixed):
        with pytest.raises(DomainError, match=r"\*parts is for a @type_shift without other"):
            TypeAlgebra(cls())


def test_a_conjunction_runs() -> None:
    class Sums(Domain):
        @type_shift
        def plus(self, *parts: Number) -> Number:
            return Number(sum(part.value for part in parts))

        @predicate("one")
        def one(self) -> Number:
            return Number(1)

    assert Sums().run(parse_program("plus(one(), plus(one(), one()))")).value == 3


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
def test_charts_agree_with_the_list_of_all_trees(seed: int, n: int, of_program: bool) -> None:
    rng = np.random.default_rng(seed)
    algebra = target("fare(and(serves(capital(boston)), flight(), to(denver)))")
    over = algebra if of_program else TYPES
    columns = algebra.used if of_program else np.arange(len(TYPES.domain.constants))
    constants = rng.normal(0, 1, (n + 1, n + 1, len(columns)))
    constants[rng.random(constants.shape) < (0.2 if of_program else 0.7)] = -np.inf
    scores = SpanScores.of(constants, rng.normal(0, 1, (n + 1, n + 1)), columns=columns)
    try:
        trees = Enumerator(scores, over, 1500).complete()
    except TooMany:
        return
    wanted = sorted((score_of(tree, scores) for tree in trees), reverse=True)
    for chart in (compiled, readable):
        listed = chart.kbest(scores, over, 8)
        assert [one.score for one in listed] == pytest.approx(wanted[:8], abs=1e-9)
    for tree in trees:
        spelled = program(tree, TYPES)
        assert TYPES.check(spelled).term() == spelled
        if of_program:
            assert spelled.text() == "fare(and(flight(), serves(capital(boston)), to(denver)))"
