"""The package's own geography has no holes where GeoQuery's evaluator has them."""

from __future__ import annotations

import pytest

from partwise.domains.geography.domain import Geography
from partwise.language.program import parse_program
from partwise_papers.domains.geoquery import GeoQuery

GREAT_LAKES = ["superior", "huron", "michigan", "erie", "st. clair"]


@pytest.mark.parametrize(
    ("program", "own", "published"),
    [
        ("capital(loc_2(stateid('vermont')))", ["montpelier, vermont"], []),
        ("state(loc_1(capital(cityid('helena', _))))", ["montana"], []),
        ("lake(loc_2(stateid('michigan')))", GREAT_LAKES, []),
        (
            "mountain(loc_2(stateid('california')))",
            ["mount whitney"],
            ["mount whitney", "death valley"],
        ),
    ],
)
def test_what_the_tables_say_is_found(program: str, own: list[str], published: list[str]) -> None:
    term = parse_program(f"answer({program})")
    for domain, expected in ((Geography(), own), (GeoQuery(), published)):
        assert domain.show(domain.run(term)) == expected


def test_no_capital_lies_in_two_places() -> None:
    domain = Geography()
    found = domain.show(domain.run(parse_program("answer(count(capital(loc_2(state(all)))))")))
    assert found == ["50"]


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("answer(count(state(all)))", ["50"]),
        ("answer(smallest_one(population_1(state(all))))", ["alaska"]),
        ("answer(intersection(state(stateid('ohio')), next_to_2(stateid('iowa'))))", ["no"]),
        ("answer(intersection(state(stateid('ohio')), next_to_2(stateid('indiana'))))", ["yes"]),
        ("answer(state(loc_1(capital(cityid('boise', _)))))", ["idaho"]),
        ("answer(population_1(stateid('district of columbia')))", ["638,000 people"]),
        ("answer(area_1(countryid('usa')))", ["3,670,038 square miles"]),
    ],
)
def test_states_the_country_and_yes_or_no(program: str, lines: list[str]) -> None:
    domain = Geography()
    assert domain.show(domain.run(parse_program(program))) == lines
