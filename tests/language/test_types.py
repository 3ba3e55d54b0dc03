"""Subtyping, parameters, unions and type variables."""

from __future__ import annotations

from typing import Generic, TypeVar

import pytest

from cases import cases
from partwise.errors import DomainError
from partwise.language.types import (
    After,
    AnyOf,
    Before,
    Type,
    Var,
    ancestors,
    from_hint,
    is_concrete,
    match,
    stands,
    substitute,
)

T = TypeVar("T")
S = TypeVar("S")


class Animal: ...


class Dog(Animal): ...


class Puppy(Dog): ...


class Cat(Animal): ...


class Many(Generic[T]): ...


class Pack(Many[T]): ...


class Kennel(Pack[Dog]): ...


class Pair(Generic[T, S]): ...


class Swapped(Pair[S, T], Generic[T, S]): ...


Pet = TypeVar("Pet", bound=Animal)
Either = TypeVar("Either", Dog, Cat)
Group = TypeVar("Group", bound=Many[Dog] | Cat)


def fits(pattern: object, actual: object) -> bool:
    return match(from_hint(pattern), from_hint(actual)) is not None


@cases("pattern, actual, expected")
def test_subtyping(pattern: object, actual: object, expected: bool) -> None:
    assert fits(pattern, actual) is expected


@cases("pattern, actual, expected")
def test_type_variables(pattern: object, actual: object, expected: dict[str, Type] | None) -> None:
    assert match(from_hint(pattern), from_hint(actual)) == expected


def test_bindings_hold_across_arguments() -> None:
    known = {"T": Type(Dog)}
    assert match(Var("T"), Type(Dog), known) == known
    assert match(Var("T"), Type(Cat), known) is None


def test_hints_are_read() -> None:
    assert from_hint(Dog) == Type(Dog)
    assert from_hint(Many[Dog]) == Type(Many, (Type(Dog),))
    assert from_hint(Dog | None) == AnyOf((Type(Dog), Type(type(None))))
    assert from_hint(Either) == Var("Either", (Type(Dog), Type(Cat)))
    assert from_hint(Pet) == Var("Pet", (Type(Animal),))
    assert from_hint(T) == Var("T")
    assert from_hint(Before[Many[Dog]]) == from_hint(Many[Dog])
    assert stands(After[Dog], "after")
    assert not stands(After[Dog], "before")


@pytest.mark.parametrize("hint", ["Dog", 3, None, [Dog]])
def test_what_is_no_hint(hint: object) -> None:
    with pytest.raises(DomainError, match="as a type"):
        from_hint(hint)


def test_substitute_and_concreteness() -> None:
    pattern = from_hint(Pair[Many[T], S])
    assert not is_concrete(pattern)
    half = substitute(pattern, {"T": Type(Dog)})
    assert str(half) == "Pair[Many[Dog], S]"
    assert not is_concrete(half)
    whole = substitute(half, {"S": AnyOf((Type(Dog), Type(Cat)))})
    assert is_concrete(whole)
    assert str(whole) == "Pair[Many[Dog], Dog | Cat]"
    assert not is_concrete(AnyOf((Type(Dog), Var("T"))))


def test_ancestors_carry_parameters() -> None:
    names = [str(kind) for kind in ancestors(Type(Kennel))]
    assert names == ["Kennel", "Pack[Dog]", "Many[Dog]"]
