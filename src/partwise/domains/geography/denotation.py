"""Answers as sets that compare equal when they hold the same entities and numbers."""

from __future__ import annotations

import re

from partwise.domains.geography.values import Entity, Value, Values

NUMBER_DECIMALS = 6
"""Numbers of an answer are compared after rounding to this many decimal places."""

_QUOTED = r"'(?:[^'\\]|\\.|'')*'"
_ATOM = rf"(?:{_QUOTED}|[a-z]\w*)"
_ITEM = re.compile(
    rf"\s*(?:(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    rf"|(?P<sort>[a-z]\w*)\(\s*(?P<name>{_ATOM})\s*(?:,\s*(?P<code>{_ATOM}|_\w*)\s*)?\)"
    rf"|(?P<atom>{_ATOM}))\s*"
)


def denotation(value: Values) -> frozenset[str | float]:
    """The answer a value stands for: its distinct entities as text, its numbers rounded."""
    return frozenset(_canonical(item) for item in value.items)


def read_denotation(text: str) -> frozenset[str | float]:
    """Read an answer printed as a list, such as `[cityid(austin,tx),2.5]`.

    Quotes around plain names may be left out. Raises ValueError at the first bad character.
    """
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        raise ValueError(f"not a list: {text!r}")
    body = stripped[1:-1]
    found: set[str | float] = set()
    position = 0
    while body.strip():
        match = _ITEM.match(body, position)
        if match is None:
            raise ValueError(f"cannot read the answer at {body[position : position + 20]!r}")
        found.add(_canonical(_item(match)))
        position = match.end()
        if position == len(body):
            break
        if body[position] != ",":
            raise ValueError(f"expected a comma at {body[position : position + 20]!r}")
        position += 1
    return frozenset(found)


def _item(match: re.Match[str]) -> Value:
    if match["number"] is not None:
        return float(match["number"])
    if match["atom"] is not None:
        return Entity("lake", _unquoted(match["atom"]))
    code = match["code"]
    known = code is not None and not code.startswith("_")
    return Entity(match["sort"], _unquoted(match["name"]), _unquoted(code) if known else None)


def _canonical(value: Value) -> str | float:
    if not isinstance(value, Entity):
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


def _unquoted(atom: str) -> str:
    if not atom.startswith("'"):
        return atom
    return re.sub(r"\\(.)|'(')", lambda match: match[1] or match[2], atom[1:-1])
