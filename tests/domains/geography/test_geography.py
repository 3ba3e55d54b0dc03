"""Programs run on the packaged facts give the answers that the tables show."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from partwise.domains.geography.domain import ALL, Geography
from partwise.domains.geography.facts import (
    BorderRow,
    StateRow,
    load_facts,
    load_relations,
    read_table,
)
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


@cases("program, expected")
def test_small_programs(program: str, expected: set[str | float]) -> None:
    assert answer(program) == expected


@cases("program, expected")
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


@cases("text, expected")
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


# The package's own geography has no holes where GeoQuery's evaluator has them.


GREAT_LAKES = ["superior", "huron", "michigan", "erie", "st. clair"]


@cases("program, own, published")
def test_what_the_tables_say_is_found(program: str, own: list[str], published: list[str]) -> None:
    term = parse_program(f"answer({program})")
    for domain, expected in ((Geography(), own), (GeoQuery(), published)):
        assert domain.show(domain.run(term)) == expected


def test_no_capital_lies_in_two_places() -> None:
    domain = Geography()
    found = domain.show(domain.run(parse_program("answer(count(capital(loc_2(state(all)))))")))
    assert found == ["50"]


@cases("program, lines")
def test_states_the_country_and_yes_or_no(program: str, lines: list[str]) -> None:
    domain = Geography()
    assert domain.show(domain.run(parse_program(program))) == lines


# The packaged tables load and hold together.


def test_tables_are_whole() -> None:
    facts = load_facts()
    assert len(facts.states) == len(facts.borders) == len(facts.extremes) == 51
    assert (len(facts.cities), len(facts.rivers)) == (386, 46)
    assert len(facts.lakes) == 22
    assert load_facts() is facts


def test_borders_hold_both_ways_except_where_known() -> None:
    touching = {border.state: set(border.neighbours) for border in load_facts().borders}
    one_way = {(a, b) for a, others in touching.items() for b in others if a not in touching[b]}
    assert one_way == set()


def test_columns_of_states_name_states() -> None:
    facts = load_facts()
    known = {row.name for row in facts.states}
    assert {row.state for row in (*facts.cities, *facts.borders, *facts.extremes)} == known
    shared = [name for row in (*facts.rivers, *facts.lakes) for name in row.states]
    assert known.issuperset([*shared, *(n for row in facts.borders for n in row.neighbours)])


def test_cells_are_read_by_the_hints_of_their_columns() -> None:
    first = read_table("states.csv", StateRow)[0]
    assert first == ("alabama", "al", "montgomery", 3_894_000.0, 51_700.0)
    assert isinstance(first.population_people, float)
    alaska = read_table("borders.csv", BorderRow)[1]
    assert alaska == BorderRow("alaska", ())
