"""The packaged tables load and hold together."""

from __future__ import annotations

from partwise.domains.geography.facts import BorderRow, StateRow, load_facts, read_table


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
