"""Subtyping, parameters, unions and type variables."""

from __future__ import annotations

from typing import Generic, TypeVar

import pytest

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


@pytest.mark.parametrize(
    ("pattern", "actual", "expected"),
    [
        (Animal, Dog, True),
        (Animal, Puppy, True),
        (Dog, Dog, True),
        (Dog, Animal, False),
        (Dog, Cat, False),
        (object, Dog, True),
        (object, Many[Dog], True),
        (Many[Dog], Many[Dog], True),
        (Many[Animal], Many[Dog], True),
        (Many[Dog], Many[Animal], False),
        (Many[Dog], Pack[Puppy], True),
        (Pack[Dog], Many[Dog], False),
        (Many[Animal], Kennel, True),
        (Many[Cat], Kennel, False),
        (Many[Many[Animal]], Many[Pack[Dog]], True),
        (Many, Many[Dog], True),
        (Many[object], Kennel, True),
        (Pair[Dog, Cat], Swapped[Cat, Dog], True),
        (Pair[Dog, Cat], Swapped[Dog, Cat], False),
        (Dog | Cat, Puppy, True),
        (Dog | Cat, Animal, False),
        (Many[Dog | Cat], Many[Cat], True),
        (Animal, Dog | Cat, True),
        (Dog, Dog | Cat, False),
        (Dog | Cat, Cat | Dog, True),
        (Many[Animal], Many[Dog | Cat], True),
    ],
)
def test_subtyping(pattern: object, actual: object, expected: bool) -> None:
    assert fits(pattern, actual) is expected


@pytest.mark.parametrize(
    ("pattern", "actual", "expected"),
    [
        (Many[T], Many[Dog], {"T": Type(Dog)}),
        (Many[T], Kennel, {"T": Type(Dog)}),
        (T, Many[Dog], {"T": Type(Many, (Type(Dog),))}),
        (Pet, Puppy, {"Pet": Type(Puppy)}),
        (Pet, Many[Dog], None),
        (Either, Puppy, {"Either": Type(Puppy)}),
        (Either, Cat, {"Either": Type(Cat)}),
        (Either, Animal, None),
        (Many[Either], Pack[Cat], {"Either": Type(Cat)}),
        (Group, Kennel, {"Group": Type(Kennel)}),
        (Group, Cat, {"Group": Type(Cat)}),
        (Group, Dog, None),
        (Pair[T, T], Pair[Dog, Dog], {"T": Type(Dog)}),
        (Pair[T, T], Pair[Dog, Cat], None),
        (Pair[T, T], Pair[Dog, Puppy], None),
        (Pair[T, S], Swapped[Cat, Dog], {"T": Type(Dog), "S": Type(Cat)}),
        (Dog | Many[T], Many[Cat], {"T": Type(Cat)}),
        (Dog | Many[T], Puppy, {}),
        (T, Dog | Cat, None),
    ],
)
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
