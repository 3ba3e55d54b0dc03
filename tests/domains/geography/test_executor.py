"""Programs run on the packaged facts give the answers that the tables show."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from partwise.domains.geography.domain import ALL, Geography
from partwise.domains.geography.facts import load_relations
from partwise.domains.geography.values import Bag, Measures, NamedThing, denotation
from partwise.errors import ExecutionError
from partwise.language.program import Term, parse_program
from partwise_papers.domains.geoquery import GeoQuery, read_denotation

ROOT = Path(__file__).parents[3]
GOLD = (
    Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data"))
    / "geoquery"
    / "denotations.jsonl"
)


DOMAIN: Any = GeoQuery()
STATE_CODES = load_relations(True).state_codes


def evaluate(term: Term) -> Any:
    """Bottom-up, whatever the types say: quoted names and numbers as they are."""
    if term.symbol == "cityid" and term.args is not None and term.args[1].quoted:
        name, code = (one.symbol for one in term.args)
        (state,) = (full for full, short in STATE_CODES.items() if short == code)
        return DOMAIN.cityid(name, DOMAIN.stateid(state))
    if term.args is not None:
        return getattr(DOMAIN, term.symbol)(*map(evaluate, term.args))
    if term.quoted:
        return term.symbol
    return ALL if term.symbol in ("all", "_") else float(term.symbol)


def answer(program: str) -> frozenset[str | float]:
    return denotation(evaluate(parse_program(program)))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("capital_1(stateid('texas'))", {"cityid('austin','tx')"}),
        ("capital(loc_2(stateid('texas')))", {"cityid('austin','tx')"}),
        # Montpelier is a capital but not in the table of cities.
        ("capital(loc_2(stateid('vermont')))", set()),
        ("state(next_to_2(stateid('maine')))", {"stateid('new hampshire')"}),
        ("state(next_to_1(stateid('alaska')))", set()),
        ("exclude(state(all), next_to_2(state(all)))", {"stateid('alaska')", "stateid('hawaii')"}),
        ("count(city(loc_2(stateid('montana'))))", {2.0}),
        ("population_1(stateid('montana'))", {786.7}),
        ("density_1(stateid('hawaii'))", {round(964000 / 6471, 6)}),
        ("area_1(cityid('seattle', _))", set()),
        ("major(cityid('boulder', _))", set()),
        ("longest(river(all))", {"riverid('missouri')"}),
        # 2333 km twice: the river that is listed first wins.
        ("longest(traverse_2(stateid('colorado')))", {"riverid('rio grande')"}),
        (
            "largest(exclude(traverse_2(stateid('colorado')), riverid('rio grande')))",
            {"riverid('colorado')"},
        ),
        ("longer(riverid('rio grande'))", {"riverid('mississippi')", "riverid('missouri')"}),
        ("elevation_1(highest(place(all)))", {6194.0}),
        ("lowest(place(loc_2(countryid('usa'))))", {"placeid('death valley')"}),
        ("high_point_2(placeid('mount mckinley'))", {"countryid('usa')", "stateid('alaska')"}),
        ("higher_2(placeid('mount whitney'))", {"placeid('mount mckinley')"}),
        ("lower_2(placeid('new orleans'))", {"placeid('death valley')"}),
        ("count(lake(all))", {22.0}),
        ("lake(loc_2(stateid('utah')))", set()),
        ("most(state(next_to_2(state(all))))", {"stateid('missouri')"}),
        ("fewest(state(next_to_2(state(all))))", {"stateid('alaska')"}),
        ("largest_one(population_1(state(all)))", {"stateid('california')"}),
        ("smallest_one(density_1(state(all)))", {"stateid('montana')"}),
        ("sum(len(loc_2(stateid('california'))))", {2333.0}),
        ("elevation_2(elevation_1(placeid('harney peak')))", {"placeid('harney peak')"}),
        ("elevation_2(0)", set()),
        # `most` needs a relation to count per input.
        ("most(state(all))", set()),
        ("largest_one(state(next_to_2(state(all))))", set()),
        ("largest_one(next_to_2(stateid('texas')))", {"stateid('texas')"}),
        ("largest(population_1(state(next_to_2(stateid('maine')))))", {920600.0}),
    ],
)
def test_small_programs(program: str, expected: set[str | float]) -> None:
    assert answer(program) == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("cityid('springfield', _)", {"cityid('springfield',_)"}),
        ("most(loc_1(cityid('springfield', _)))", {"cityid('springfield',_)"}),
        ("city(cityid('springfield', _))", {"cityid('springfield','il')"}),
        ("major(cityid('springfield', _))", {"cityid('springfield','ma')"}),
        ("largest(cityid('springfield', _))", {"cityid('springfield','il')"}),
        ("population_1(cityid('springfield', _))", {100054.0}),
        ("capital(cityid('salem', _))", {"cityid('salem','or')"}),
        ("state(loc_1(cityid('portland', _)))", {"stateid('maine')", "stateid('oregon')"}),
        ("state(loc_1(cityid('portland', stateid('maine'))))", {"stateid('maine')"}),
        ("cityid('portland', stateid('atlantis'))", set()),
        ("intersection(cityid('austin', _), loc_2(stateid('texas')))", {"cityid('austin','tx')"}),
        ("intersection(city(all), cityid('springfield', _))", {"cityid('springfield','il')"}),
        ("count(exclude(city(all), cityid('springfield', _)))", {386.0 - 4}),
        ("exclude(cityid('austin', _), city(all))", set()),
    ],
)
def test_city_of_no_given_state(program: str, expected: set[str | float]) -> None:
    assert answer(program) == expected


def test_duplicates_and_groups_are_kept() -> None:
    ohio = DOMAIN.traverse_1(DOMAIN.riverid("ohio"))
    assert [item.name for item in ohio.items if isinstance(item, NamedThing)].count("illinois") == 2
    assert ohio.groups == ((NamedThing("riverid", "ohio"), ohio.items),)
    assert DOMAIN.state(DOMAIN.state()).groups is None
    kept = DOMAIN.city(DOMAIN.loc_2(DOMAIN.stateid("maine")))
    assert kept.groups == (
        (NamedThing("stateid", "maine"), (NamedThing("cityid", "portland", "me"),)),
    )


def test_country_holds_cities_then_states_then_rivers_then_places() -> None:
    sorts = [
        item.sort
        for item in DOMAIN.loc_2(DOMAIN.countryid("usa")).items
        if isinstance(item, NamedThing)
    ]
    expected = ["cityid"] * 386 + ["stateid"] * 51 + ["riverid"] * 46 + ["placeid"] * 102
    assert sorts == expected


def test_runaway_relations_are_stopped() -> None:
    with pytest.raises(ExecutionError, match="higher_2 leads to more than"):
        answer("higher_2(higher_2(higher_2(place(all))))")


def test_measures_keep_their_owners() -> None:
    measures = DOMAIN.population_1(DOMAIN.cityid("salem"))
    assert measures == Measures(((89233, NamedThing("cityid", "salem", "or")),))
    assert measures.items == (89233,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", set()),
        ("[cityid('newport news',va)]", {"cityid('newport news','va')"}),
        ("[cityid(austin,_123), stateid(texas)]", {"cityid('austin',_)", "stateid('texas')"}),
        ("[1,2.50000000001,-85]", {1.0, 2.5, -85.0}),
        ("['great salt lake',erie]", {"'great salt lake'", "erie"}),
    ],
)
def test_read_denotation(text: str, expected: set[str | float]) -> None:
    assert read_denotation(text) == expected


@pytest.mark.parametrize("text", ["", "stateid(texas)", "[stateid(texas)", "[a b]", "[a,]", "[?]"])
def test_read_denotation_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r"answer|list|comma"):
        read_denotation(text)


def test_printed_answers_read_back() -> None:
    for value in (DOMAIN.lake(), DOMAIN.loc_2(DOMAIN.countryid("usa"))):
        printed = denotation(value)
        assert read_denotation(f"[{','.join(map(str, printed))}]") == printed
    odd = Bag((NamedThing("lake", "coeur d'alene"), NamedThing("placeid", "a\\b")))
    assert read_denotation(f"[{','.join(map(str, denotation(odd)))}]") == denotation(odd)


@pytest.mark.skipif(not GOLD.exists(), reason="the GeoQuery answers are not here")
def test_all_published_answers() -> None:
    wrong = []
    lines = GOLD.read_text("utf-8").splitlines()
    for line in lines:
        record = json.loads(line)
        value = evaluate(parse_program(record["program"]))
        if denotation(value) != read_denotation(record["denotation"]):
            wrong.append(record["program"])
    assert len(lines) == 880
    assert wrong == []


def test_counting_picks_what_was_asked_for_unless_as_published() -> None:
    program = parse_program("answer(most(river(traverse_2(state(all)))))")
    ours, published = Geography(), GeoQuery()
    assert ours.show(ours.run(program)) == ["mississippi"]
    # The published evaluator counts the other way round.
    assert published.show(published.run(program)) == ["colorado"]
