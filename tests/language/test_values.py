"""The ready-made values of a domain of one's own."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest

from cases import cases
from partwise.errors import DomainError, UnknownConstantError
from partwise.language.domain import Default, Domain, default, entities, predicate
from partwise.language.program import parse_program
from partwise.language.types import from_hint, match
from partwise.language.values import Many, Number, One, SetDomain, Some, Truth


class Book: ...


class Author: ...


def test_things_are_kept_once_and_in_order() -> None:
    assert list(Many(["b", "a", "b"])) == ["b", "a"]
    assert len(Many(x for x in "aab")) == 2


def test_sets_are_equal_whatever_their_order_and_class() -> None:
    assert Many(["a", "b"]) == Many(["b", "a"])
    assert One(["a"]) == Many(["a"])
    assert hash(One(["a"])) == hash(Many(["a"]))
    assert Many(["a"]) != Many(["b"])
    assert Many(["a"]) != ("a",)


@pytest.mark.parametrize("kind", [Some, Many, One])
def test_a_text_is_no_collection(kind: type[Some[Book]]) -> None:
    with pytest.raises(TypeError, match=r"takes a collection, as \['emma'\]"):
        kind("emma")


def test_one_is_a_single_thing_or_none() -> None:
    assert list(One([])) == []
    assert list(One(["a", "a"])) == ["a"]
    with pytest.raises(ValueError, match="not 2"):
        One(["a", "b"])


def test_some_takes_one_and_many_and_each_only_its_own() -> None:
    some, many, one = (from_hint(kind[Book]) for kind in (Some, Many, One))
    assert match(some, one) is not None
    assert match(some, many) is not None
    assert match(many, one) is None
    assert match(one, many) is None
    assert match(some, from_hint(Many[Author])) is None


def test_answers_are_shown_line_by_line() -> None:
    domain = SetDomain()
    assert isinstance(domain, Domain)
    assert domain.show(Many(["b", 1815])) == ["b", "1815"]
    assert domain.show(Number(3)) == ["3"]
    assert domain.show(Number(2.5)) == ["2.5"]
    assert domain.show(Truth(True)) + domain.show(Truth(False)) == ["yes", "no"]


def test_only_sets_are_empty() -> None:
    domain = SetDomain()
    assert domain.is_empty(Many([]))
    assert domain.is_empty(One([]))
    assert not domain.is_empty(Many(["a"]))
    assert not domain.is_empty(Number(0))
    assert not domain.is_empty(Truth(False))


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


@cases("text, message")
def test_arguments_with_wrong_names(text: str, message: str) -> None:
    with pytest.raises(UnknownConstantError, match=re.escape(message)):
        Odd().interpret(parse_program(text))
