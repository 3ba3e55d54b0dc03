"""The packaged tables load, hold together, and bad rows are reported with their place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from partwise.domains.geography.facts import load_facts, read_table


@dataclass
class Town:
    name: str
    people: int


@dataclass
class Course:
    states: tuple[str, ...]


def test_tables_are_whole() -> None:
    facts = load_facts()
    assert len(facts.states) == len(facts.borders) == len(facts.extremes) == 51
    assert (len(facts.cities), len(facts.rivers)) == (386, 46)
    assert len(facts.lakes) == 22
    assert load_facts() is facts


def test_borders_hold_both_ways_except_where_known() -> None:
    touching = {border.state: set(border.neighbours) for border in load_facts().borders}
    one_way = {(a, b) for a, found in touching.items() for b in found if a not in touching[b]}
    assert one_way == set()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,people\na,1\nb,many\n", "x.csv, line 3, column people: not a number: 'many'"),
        ("name,people\n,1\n", "x.csv, line 2, column name: empty"),
        ("name,people\na\n", "x.csv, line 2, column people: missing"),
        ("name\na\n", "x.csv, line 2, column people: missing"),
        ("name,people\na,1,2\n", "x.csv, line 2, column past the last: extra cells"),
    ],
)
def test_bad_row_names_file_line_and_column(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.") + "$"):
        read_table("x.csv", text, Town)


def test_unknown_state_is_reported() -> None:
    with pytest.raises(ValueError, match="line 2, column states: unknown name 'b'"):
        read_table("x.csv", "states\na;b\n", Course, frozenset({"a"}))
