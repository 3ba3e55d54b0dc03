"""Names of the domain's entities, other names for them, and how answers are written."""

from __future__ import annotations

from functools import cache

from partwise.domains.geography.facts import load_facts
from partwise.domains.geography.values import Bag, NamedThing, Values
from partwise.language.program import Term

COUNTRY = ("us", "u.s.", "united states", "america", "the country", "the nation", "the states")

DIGITS = 4
"""Significant digits of numbers that are no whole ones, as populations per square mile."""


@cache
def codes() -> dict[str, str]:
    """Two-letter code -> state."""
    return {state.code: state.name for state in load_facts().states}


def state_of_code(term: Term) -> Term:
    """A city term with its state's code turned into the state; other terms unchanged."""
    if term.symbol != "cityid" or term.args is None or len(term.args) != 2:
        return term
    city, state = term.args
    if not state.quoted or state.symbol not in codes():
        return term
    named = Term("stateid", (Term(codes()[state.symbol], quoted=True),))
    return Term("cityid", (city, named))


def states(_: object) -> list[str]:
    """All states, the District of Columbia among them."""
    return [state.name for state in load_facts().states]


def state_aliases(_: object) -> dict[str, list[str]]:
    """The two-letter codes that are not English words, and other names."""
    words = {"in", "or", "me", "hi", "ok", "oh", "de", "la", "pa", "ma", "id"}
    names = {name: [code] for code, name in codes().items() if code not in words}
    names["district of columbia"] = ["dc", "d.c."]
    return names


def cities(_: object) -> list[str]:
    """All cities and capitals, each name once."""
    facts = load_facts()
    names = [city.name for city in facts.cities] + [state.capital for state in facts.states]
    return list(dict.fromkeys(names))


def city_aliases(_: object) -> dict[str, list[str]]:
    """Other names of cities."""
    aliases = {name: [name.replace("st. ", "saint ")] for name in cities(_) if "st. " in name}
    aliases.setdefault("new york", []).append("new york city")
    return aliases


def rivers(_: object) -> list[str]:
    """All rivers."""
    return [river.name for river in load_facts().rivers]


def places(_: object) -> list[str]:
    """All highest and lowest points, each name once."""
    facts = load_facts()
    names = [name for row in facts.extremes for name in (row.highest_point, row.lowest_point)]
    return list(dict.fromkeys([*names, "death valley", "mount mckinley"]))


def place_aliases(_: object) -> dict[str, list[str]]:
    """Mountains without and with the word mount."""
    return {
        name: [name.replace("mount ", "mt. "), name.replace("mount ", "mt ")]
        for name in places(_)
        if name.startswith("mount ")
    }


def lines(value: Values) -> list[str]:
    """An answer for a person: each distinct thing or number once, in order, with its unit. Yes or
    no, where it is about a thing that the question names."""
    if isinstance(value, Bag) and value.whether:
        return ["yes" if value.items else "no"]
    return list(dict.fromkeys(_show(item, value.unit) for item in value.items))


def _show(item: NamedThing | float, unit: str) -> str:
    if isinstance(item, NamedThing):
        place = codes().get(item.state_code or "")
        return f"{item.name}, {place}" if place else item.name
    # What was counted or measured is whole; a quotient has no more digits than its figures.
    exact = item if item % 1 == 0 else float(f"{item:.{DIGITS}g}")
    return f"{exact:,.10g} {unit}".rstrip()
