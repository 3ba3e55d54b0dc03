"""Word classes that are categories of their own inside noun phrases."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from partwise.graph.induction.patterns import THING, Pattern, Patterns, places_of, put

SUPPORT = 2
"""So many strings of a word class must be seen outside of noun phrases, to be a category."""


def nested(things: Sequence[Pattern], patterns: Patterns) -> dict[str, list[Pattern]]:
    """The strings of word classes that are categories of their own inside noun phrases.

    Where "a film" is a phrase, so is "a film that M0 directed"; and "which film that M0 directed"
    is found where "which film" is. So what stands after "a" is a category.
    """
    plain = set(patterns.plain())
    categories: dict[str, list[Pattern]] = {}
    for name in sorted(patterns.classes):
        strings: dict[Pattern, set[Pattern]] = {}
        for thing in things:
            for at in places_of((name,), thing):
                before, after = thing[:at], thing[at + 1 :]
                for other in things:
                    string = other[at : len(other) - len(after)]
                    same = other == (*before, *string, *after)
                    if same and len(string) > 1 and THING in string:
                        strings.setdefault(string, set()).add(before)
        outside = [s for s, before in strings.items() if _stands(s, name, before, plain)]
        if len(outside) >= SUPPORT:
            categories[name] = sorted(strings)
    return categories


def _stands(string: Pattern, name: str, inside: set[Pattern], plain: set[Pattern]) -> bool:
    """Whether a string stands where its class could, after other words than in noun phrases."""
    return any(
        put(pattern, at, at + len(string), name) in plain
        and not any(one and pattern[:at][-len(one) :] == one for one in inside)
        for pattern in plain
        for at in places_of(string, pattern)
    )


def made_of(
    string: Pattern, name: str, strings: Sequence[Pattern], things: Collection[Pattern]
) -> bool:
    """Whether a string is another one with a string of a category in the place of its class."""
    return any(
        put(string, at, at + len(one), name) in things
        for one in strings
        for at in places_of(one, string)
    )
