"""Places in an order, further groups, and two periods or values side by side."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from bakery import (
    TODAY,
    bakery_labeller,
    bakery_layer,
    called,
    labels_of,
)

from partwise.database.layer.model import Measure
from partwise.database.reading.frame import Cond, Fig, Frame, FrameOrder, Ref
from partwise.database.reading.label import Label, Quantity
from partwise.database.reading.places import places_in
from partwise.database.reading.programs import programs
from partwise.database.reading.rated import amount_ordered
from partwise.database.reading.steps import steps
from partwise.database.reading.stored import guessed
from partwise.database.reading.totals import sold_in
from partwise.database.spans.periods import Period
from partwise.database.spans.text import words_of
from partwise.execution.relational.program import Field
from partwise.execution.relational.writing import write


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("the second most expensive bread", {1: 2}),
        ("who has the 3rd highest wage", {3: 3}),
        ("second floor", {}),
        ("the second last sale", {}),
        ("the 2 cheapest breads", {}),
        ("the first sale", {}),
    ],
)
def test_an_ordinal_before_a_superlative_is_a_place(question: str, places: dict[int, int]) -> None:
    assert places_in(words_of(question)) == places


def test_nothing_else_is_read_in_a_place() -> None:
    found = [called(one) for one in labels_of("second highest wage") if one.start == 0]
    assert found == ["place"]


@pytest.mark.parametrize(
    ("typed", "stored", "guess"),
    [
        ("longest", "The Longest Day", True),
        ("compare", "Compadre", True),
        ("complete", "completed", False),
        ("us", "United States", False),
        ("mixed rye", "mixed rye", False),
    ],
)
def test_words_of_operations_are_no_part_of_a_value(typed: str, stored: str, guess: bool) -> None:
    assert guessed(words_of(typed), stored) == guess


def test_more_of_two_is_no_comparison_with_a_number() -> None:
    labels = bakery_labeller().labels(words_of("did we sell more in 2023 or 2024"), TODAY)
    assert [one.op for one in labels[3] if one.kind == "op"] == ["either:desc"]


@pytest.mark.parametrize("person", [True, False])
def test_nothing_happens_on_the_birthday_of_somebody_else(person: bool) -> None:
    layer = bakery_layer()
    baker = replace(layer.table("baker"), date="born", person=person)
    tables = tuple(baker if one.name == "baker" else one for one in layer.tables)
    year = Period(date(2024, 1, 1), date(2025, 1, 1), True)
    frame = Frame(head="bread", conds=(Cond(None, "in", year),))
    # Who did something in a year need not be born then, nor what a figure is not over.
    own = frame._replace(head="baker")
    selling = own._replace(order=FrameOrder(Fig("count", "sale"), True))
    for one, sold in ((frame, person), (own, person), (selling, True)):
        first = write(programs(one, replace(layer, tables=tables))[0].program)
        assert ("day" in first, "born" in first) == (sold, not sold)


def test_the_most_expensive_of_each_is_not_one_group() -> None:
    labels = ["dir:desc", "sale", "per", "store"]
    cut = set()
    for word in ("each", "by"):
        question = f"most sales {word} store"
        frames = {Frame()}
        for name, label in zip(labels, _first_of(question, labels), strict=True):
            assert called(label) == name
            frames = {one.frame for frame in frames for one in steps(frame, label, bakery_layer())}
        shifts = {
            n for frame in frames for one in programs(frame, bakery_layer()) for n in one.shifts
        }
        cut |= {word} if "each_cut" in shifts else set()
    assert cut == {"each"}


def _first_of(question: str, names: list[str]) -> list[Label]:
    found = labels_of(question)
    return [next(one for one in found if called(one) == name) for name in names]


def test_rows_without_a_name_are_ordered_by_their_money() -> None:
    layer = bakery_layer()
    sale = layer.table("sale")
    paid = replace(sale.columns[0], name="paid", label="paid", kind="number", unit="eur")
    columns = (*(one for one in sale.columns if one.name != "quantity"), paid)
    tables = (replace(sale, columns=columns), *(one for one in layer.tables if one != sale))
    made = amount_ordered(Frame(way="desc"), "sale", replace(layer, tables=tables))
    assert [one.frame.order for one in made] == [FrameOrder(Ref("sale", "paid"), True)]
    assert not amount_ordered(Frame(way="desc"), "bread", layer)


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("how many breads were sold", [2]),
        ("number of breads sold per store", [2]),
        ("breads sold in Jena", []),
        ("how many bakers sell bread", []),
        ("how many breads are there", []),
    ],
)
def test_what_is_counted_of_sales_is_how_many_were_sold(question: str, at: list[int]) -> None:
    layer = bakery_layer()
    sold = Measure("sold", "number sold", "sale", "sum", Field((), "quantity"))
    selling = replace(layer, measures=(*layer.measures, sold))
    assert [place for place, _ in sold_in(selling, words_of(question))] == at


def test_a_number_is_not_read_without_its_unit() -> None:
    numbers = [one.value for one in labels_of("bread over 500 grams") if one.kind == "number"]
    assert numbers == [Quantity(500, "g")]
    assert not [one for one in labels_of("bread over 500 grams") if one.kind == "unit"]
    bare = [one.value for one in labels_of("bread over 500 loaves") if one.kind == "number"]
    assert bare == [500]
