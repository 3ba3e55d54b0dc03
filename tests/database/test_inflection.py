"""Forms of nouns, and what is done."""

from __future__ import annotations

from cases import cases
from partwise.database.inflection import done_to, inflected, plural, singular
from partwise.database.layer.entries import singular as regular


@cases("word, form")
def test_forms_of_a_word(word: str, form: str) -> None:
    assert form in inflected(word)
    assert word not in inflected(word)


def test_what_is_done() -> None:
    assert done_to("carried") == ("carry", "carri", "carrie")
    assert done_to("ring") == done_to("b12") == ()


@cases("one, several")
def test_a_noun_for_one_and_for_several(one: str, several: str) -> None:
    assert plural(one) == plural(several) == several
    *first, last = several.split(" ")
    assert " ".join([*first, singular(last)]) == one


def test_what_stands_behind_a_noun_stays() -> None:
    assert plural("date of birth") == "dates of birth"
    assert plural("price per kilo") == "prices per kilo"
    assert plural("") == ""
    assert plural("units in stock") == "units in stock"


def test_rules_of_a_file_know_no_irregular_noun() -> None:
    assert regular("Movies") == "movy"
    assert singular("movies") == "movie"
