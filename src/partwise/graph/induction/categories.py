"""Word classes that are categories of their own inside noun phrases."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from partwise.graph.induction.patterns import THING, Pattern, Patterns

SUPPORT = 2
"""So many strings of a word class must be seen outside of noun phrases, to be a category."""


def nested(things: Sequence[Pattern], patterns: Patterns) -> dict[str, list[Pattern]]:
    """Word classes that are categories of their own inside noun phrases.

    Where "a film" is a phrase, so is "a film that M0 directed"; and "which film that M0 directed"
    is found where "which film" is. So what stands after "a" is a category.
    """
    plain = set(patterns.plain())
    found: dict[str, list[Pattern]] = {}
    for name in sorted(patterns.classes):
        strings: dict[Pattern, set[Pattern]] = {}
        for thing in things:
            for at in (at for at, one in enumerate(thing) if one == name):
                before, after = thing[:at], thing[at + 1 :]
                for other in things:
                    string = other[at : len(other) - len(after)]
                    same = other[:at] == before and other[len(other) - len(after) :] == after
                    if same and len(string) > 1 and THING in string:
                        strings.setdefault(string, set()).add(before)
        outside = [
            string for string, before in strings.items() if _stands(string, name, before, plain)
        ]
        if len(outside) >= SUPPORT:
            found[name] = sorted(strings)
    return found


def _stands(string: Pattern, name: str, inside: set[Pattern], plain: set[Pattern]) -> bool:
    """Whether a string stands where its class could, after other words than in noun phrases."""
    size = len(string)
    for pattern in plain:
        for at in range(len(pattern) - size + 1):
            before, after = pattern[:at], pattern[at + size :]
            if (
                pattern[at : at + size] == string
                and (*before, name, *after) in plain
                and not any(one and before[-len(one) :] == one for one in inside)
            ):
                return True
    return False


def made_of(
    string: Pattern, name: str, strings: Sequence[Pattern], things: Collection[Pattern]
) -> bool:
    """Whether a string is another one with a string of a category in the place of its class."""
    return any(
        string[at : at + len(one)] == one
        and (*string[:at], name, *string[at + len(one) :]) in things
        for one in strings
        for at in range(len(string) - len(one) + 1)
    )
