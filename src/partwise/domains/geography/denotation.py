"""Answers as sets that compare equal when they hold the same entities and numbers."""

from __future__ import annotations

import re

from partwise.domains.geography.values import NamedThing, Value, Values

NUMBER_DECIMALS = 6
"""Numbers of an answer are compared after rounding to this many decimal places."""


def denotation(value: Values) -> frozenset[str | float]:
    """The answer a value stands for: its distinct entities as text, its numbers rounded."""
    return frozenset(canonical(item) for item in value.items)


def canonical(value: Value) -> str | float:
    """A named thing as text, a number rounded."""
    if not isinstance(value, NamedThing):
        return round(float(value), NUMBER_DECIMALS)
    if value.sort == "lake":
        # Lakes have no constructor in the language: they are printed as plain names.
        plain = re.fullmatch(r"[a-z]\w*", value.name)
        return value.name if plain else _quoted(value.name)
    if value.sort == "cityid":
        code = "_" if value.state_code is None else _quoted(value.state_code)
        return f"cityid({_quoted(value.name)},{code})"
    return f"{value.sort}({_quoted(value.name)})"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
