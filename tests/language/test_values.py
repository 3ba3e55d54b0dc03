"""The ready-made values of a domain of one's own."""

from __future__ import annotations

import pytest

from partwise.language.domain import Domain
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
