"""Amounts in answers: each counts, and has its unit and no more digits than the tables give."""

from __future__ import annotations

from decimal import Decimal

from cases import cases
from partwise.domains.geography.domain import Geography
from partwise.language.domain import predicate
from partwise.language.program import parse_program
from partwise.language.values import Amounts, Many, Number, One, SetDomain, Some

BOOKS = {
    "emma": ("austen", 8.5, 300),
    "persuasion": ("austen", 8.5, 300),
    "dracula": ("stoker", 4.0, 400),
}


class Book: ...


class Author: ...


class Price: ...


class Pages: ...


class Shop(SetDomain):
    @predicate("books")
    def books(self) -> Many[Book]:
        return Many(BOOKS)

    @predicate("author")
    def author(self, of: Some[Book]) -> Many[Author]:
        return Many(BOOKS[title][0] for title in of)

    @predicate("price")
    def price(self, of: Some[Book]) -> Many[Price]:
        return Many(BOOKS[title][1] for title in of)

    @predicate("pages")
    def pages(self, of: Some[Book]) -> Amounts[Pages]:
        return Amounts(BOOKS[title][2] for title in of)

    @predicate("total")
    def total(self, of: Many[Price] | Many[Pages]) -> Number:
        return Number(sum(of))

    @predicate("average")
    def average(self, of: Many[Price] | Many[Pages]) -> Number:
        return Number(sum(of) / len(of))

    @predicate("how many")
    def how_many(self, of: Many[object]) -> Number:
        return Number(len(of))


@cases("program, value")
def test_each_amount_counts_and_each_thing_once(program: str, value: float) -> None:
    assert Shop().run(parse_program(program)) == Number(value)


def test_which_values_are_amounts() -> None:
    assert list(Many([2.5, 2.5])) == [2.5, 2.5]
    assert len(Many([Decimal(1), Decimal(1)])) == len(Many([Number(1), Number(1)])) == 2
    assert list(Many([1815, 1815])) == [1815]
    assert list(Amounts([1815, 1815])) == [1815, 1815]
    assert list(One([2.5, 2.5])) == [2.5]


def test_amounts_are_equal_in_any_order_and_as_often() -> None:
    assert Amounts([1, 2, 2]) == Amounts([2, 1, 2])
    assert Amounts([1, 2, 2]) != Amounts([1, 2])
    assert hash(Amounts([1, 2, 2])) == hash(Amounts([2, 1, 2]))


DOMAIN = Geography()


@cases("program, shown")
def test_answers_have_units_and_sensible_digits(program: str, shown: str) -> None:
    value = DOMAIN.run(parse_program(f"answer({program})"))
    assert DOMAIN.show(value) == [shown]


def test_what_answers_are_compared_by_is_exact() -> None:
    value = DOMAIN.run(parse_program("answer(density_1(stateid('montana')))"))
    assert DOMAIN.denotation(value) == frozenset({5.351701})
    assert value.items == (786_700 / 147_000,)
