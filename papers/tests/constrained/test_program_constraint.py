"""Programs token by token: all that is complete is well-typed, and nothing well-typed is lost."""

from __future__ import annotations

import random
from functools import cache
from typing import NewType

import pytest
from derivation import Derivation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from walks import accepts, is_well_typed, random_domain, random_programs, walk

from partwise.domains.geography.domain import Geography
from partwise.errors import DomainError, ProgramTypeError
from partwise.language.domain import Domain, type_shift
from partwise.language.program import parse_program
from partwise_papers.constrained.gbnf import to_gbnf
from partwise_papers.constrained.programs import ProgramConstraint
from partwise_papers.constrained.tokens import join_program

SEEDS = st.integers(0, 2**32 - 1)
Act = NewType("Act", object)


@cache
def geography(deepest: int = 8) -> ProgramConstraint:
    return ProgramConstraint(Geography(), deepest)


@settings(max_examples=40)
@given(SEEDS)
def test_walks_through_geography_are_well_typed(seed: int) -> None:
    constraint = geography()
    tokens = walk(constraint, random.Random(seed))
    program = constraint.join(tokens)
    assert is_well_typed(constraint.domain, program)
    assert program.depth <= 9
    assert str(program) == join_program(tokens)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(SEEDS)
def test_any_domain_is_constrained_to_what_is_well_typed(seed: int) -> None:
    rng = random.Random(seed)
    try:
        domain = random_domain(rng)
        constraint = ProgramConstraint(domain, deepest=6)
    except DomainError:
        return
    for _ in range(8):
        tokens = walk(constraint, rng)
        assert is_well_typed(domain, constraint.join(tokens)), tokens
    grammar = to_gbnf(domain)
    assert grammar is not None
    for program in random_programs(domain, rng):
        assert accepts(ProgramConstraint(domain), constraint.split(program)), program
        assert Derivation(grammar).derives(str(program)), program


def test_only_what_can_be_completed_is_allowed() -> None:
    constraint = geography()
    state = constraint.start()
    for token in ("answer", "(", "capital_1", "("):
        state = constraint.advance(state, token)
    allowed = constraint.allowed(state)
    assert "stateid" in allowed
    assert "cityid" not in allowed
    assert ")" not in allowed
    assert not allowed.end
    with pytest.raises(ProgramTypeError, match="'river' may not stand here"):
        constraint.advance(state, "river")


def test_names_are_followed_word_by_word() -> None:
    constraint = geography()
    state = constraint.start()
    for token in ("answer", "(", "capital_1", "(", "stateid", "(", "'", "new"):
        state = constraint.advance(state, token)
    assert constraint.allowed(state).tokens == {"mexico", "york", "jersey", "hampshire"}
    assert constraint.allowed(constraint.advance(state, "york")).tokens == {"'"}


def test_the_depth_of_programs_is_limited() -> None:
    constraint = geography(4)
    assert accepts(constraint, constraint.split(parse_program("answer(count(state(all)))")))
    deep = "answer(count(state(next_to_2(state(all)))))"
    assert not accepts(constraint, constraint.split(parse_program(deep)))
    assert accepts(geography(), constraint.split(parse_program(deep)))


def test_states_are_equal_where_texts_are() -> None:
    constraint = geography()
    first, second = constraint.start(), constraint.start()
    for token in ("answer", "(", "state", "("):
        first, second = constraint.advance(first, token), constraint.advance(second, token)
    assert first == second
    assert hash(first) == hash(second)
    assert first != constraint.advance(first, "all")


def test_what_is_no_language_has_no_grammar() -> None:
    assert to_gbnf(object()) is None


def test_a_domain_beyond_the_grammar_says_so() -> None:
    class Joined(Domain):
        """A conjunction of any number of parts."""

        @type_shift
        def both(self, *parts: Act) -> Act: ...  # type: ignore[empty-body]

    with pytest.raises(DomainError, match="both takes any number of parts"):
        ProgramConstraint(Joined())
