"""Predicates whose names are no Python identifiers, and arguments with names."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest

from partwise.errors import DomainError, UnknownConstantError
from partwise.language.domain import Default, Domain, default, entities, predicate
from partwise.language.program import parse_program
from partwise.language.values import Number, One, Truth


class Book: ...


class Odd(Domain):
    """Predicates whose names are no identifiers, and arguments with names."""

    name = "odd"
    directional: ClassVar = {"_<=": ["most"]}

    @entities(("x", "y"), name="jobs.id")
    def job(self, name: str) -> One[Book]:
        return One([name])

    @entities(pattern=r"\d+", bare=True)
    def number(self, name: str) -> Number:
        return Number(int(name))

    @predicate("at most", name="_<=")
    def at_most(self, job: One[Book], most: Number) -> One[Book]:
        return One([(*job, most.value)])

    @predicate("pays", commutes=("low", "high"))
    def pays(self, *, job: One[Book], low: Number = default(), high: Number = default()) -> Truth:
        return (list(job), low, high)  # type: ignore[return-value]


def test_names_that_are_no_identifiers() -> None:
    domain = Odd()
    program = parse_program("_<=(jobs.id('x'), 3)")
    assert domain.interpret(program).term() == program
    assert domain.run(program).items == (("x", 3),)
    assert domain.categories == {"_<=": 0, "pays": 1, "jobs.id('x')": 2, "jobs.id('y')": 3}
    with pytest.raises(UnknownConstantError, match="no predicate at_most"):
        domain.interpret(parse_program("at_most(jobs.id('x'), 3)"))


@pytest.mark.parametrize("name", ["a b", "f(", "3", "x=", "'", "a,b"])
def test_names_that_programs_cannot_have(name: str) -> None:
    class Bad(Domain):
        @predicate(name=name)
        def same(self) -> Number:
            return Number(1)

    with pytest.raises(DomainError, match="cannot be a name in programs"):
        Bad().vocabulary  # noqa: B018


def test_arguments_with_names_come_in_any_order() -> None:
    domain = Odd()
    one = domain.canonical(parse_program("pays(low=7, high=3, job=jobs.id('x'))"))
    assert str(one) == "pays(job=jobs.id('x'), low=3, high=7)"
    assert domain.canonical(parse_program("pays(job=jobs.id('x'), high=7, low=3)")) == one
    assert domain.interpret(one).term() == one
    items, low, high = domain.run(one)
    assert (items, low.value, high.value) == (["x"], 3, 7)
    only = parse_program("pays(job=jobs.id('y'), high=3)")
    assert domain.interpret(only).term() == only
    items, low, high = domain.run(only)
    assert (items, low, high.value) == (["y"], Default(""), 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pays(jobs.id('x'))", "takes 0 argument(s), and by name job, and by name low"),
        ("pays(to=jobs.id('x'))", "has no argument that is called to; there are: job, low, high"),
        ("_<=(most=3)", "has no argument that is called most; there are: none"),
    ],
)
def test_arguments_with_wrong_names(text: str, message: str) -> None:
    with pytest.raises(UnknownConstantError, match=re.escape(message)):
        Odd().interpret(parse_program(text))
