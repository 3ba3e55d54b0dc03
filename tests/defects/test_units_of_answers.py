"""Answers of geography say their units, and no more digits than the tables give."""

from __future__ import annotations

import pytest

from partwise.domains.geography.domain import Geography
from partwise.language.program import parse_program

DOMAIN = Geography()


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("density_1(stateid('montana'))", "5.352 people per square mile"),
        ("density_1(stateid('ohio'))", "261.5 people per square mile"),
        ("density_1(stateid('district of columbia'))", "580 people per square mile"),
        ("population_1(stateid('ohio'))", "10,800,000 people"),
        ("area_1(stateid('hawaii'))", "6,471 square miles"),
        ("len(riverid('ohio'))", "1,569 km"),
        ("elevation_1(placeid('death valley'))", "-85 m"),
        ("size(stateid('hawaii'))", "6,471 square miles"),
        ("size(cityid('salem', _))", "89,233 people"),
        ("size(riverid('ohio'))", "1,569 km"),
        ("sum(population_1(state(loc_1(riverid('ohio')))))", "55,267,000 people"),
        ("smallest(area_1(state(all)))", "1,212 square miles"),
        ("count(state(all))", "50"),
        ("capital_1(stateid('texas'))", "austin, texas"),
    ],
)
def test_answers_have_units_and_sensible_digits(program: str, shown: str) -> None:
    value = DOMAIN.run(parse_program(f"answer({program})"))
    assert DOMAIN.show(value) == [shown]


def test_what_answers_are_compared_by_is_exact() -> None:
    value = DOMAIN.run(parse_program("answer(density_1(stateid('montana')))"))
    assert DOMAIN.denotation(value) == frozenset({5.351701})
    assert value.items == (786_700 / 147_000,)
