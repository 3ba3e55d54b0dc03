"""Answers as GeoQuery's published evaluator prints them: lists of Prolog terms."""

from __future__ import annotations

import re

from partwise.domains.geography.values import NamedThing, Value, canonical

_QUOTED = r"'(?:[^'\\]|\\.|'')*'"
_ATOM = rf"(?:{_QUOTED}|[a-z]\w*)"
_ITEM = re.compile(
    rf"\s*(?:(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    rf"|(?P<sort>[a-z]\w*)\(\s*(?P<name>{_ATOM})\s*(?:,\s*(?P<code>{_ATOM}|_\w*)\s*)?\)"
    rf"|(?P<atom>{_ATOM}))\s*"
)


def read_denotation(text: str) -> frozenset[str | float]:
    """Read an answer printed as a list, such as `[cityid(austin,tx),2.5]`.

    Quotes around plain names may be left out. Raises ValueError at the first bad character.
    """
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        raise ValueError(f"not a list: {text!r}")
    body = stripped[1:-1]
    answer: set[str | float] = set()
    position = 0
    while body.strip():
        match = _ITEM.match(body, position)
        if match is None:
            raise ValueError(f"cannot read the answer at {body[position : position + 20]!r}")
        answer.add(canonical(_item(match)))
        position = match.end()
        if position == len(body):
            break
        if body[position] != ",":
            raise ValueError(f"expected a comma at {body[position : position + 20]!r}")
        position += 1
    return frozenset(answer)


def _item(match: re.Match[str]) -> Value:
    if match["number"] is not None:
        return float(match["number"])
    if match["atom"] is not None:
        return NamedThing("lake", _unquoted(match["atom"]))
    code = match["code"]
    known = code is not None and not code.startswith("_")
    return NamedThing(match["sort"], _unquoted(match["name"]), _unquoted(code) if known else None)


def _unquoted(atom: str) -> str:
    if not atom.startswith("'"):
        return atom
    return re.sub(r"\\(.)|'(')", lambda match: match[1] or match[2], atom[1:-1])
