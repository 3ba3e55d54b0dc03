"""Regular expressions as GBNF, as far as a context-free grammar can say them.

What stands around a match (``\\b``, look-ahead and look-behind) is left out, so that the grammar
may take more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_parser: Any = vars(re)["_parser"]
_CATEGORIES = {"DIGIT": "0-9", "WORD": "0-9A-Za-z_", "SPACE": " "}
_OPEN = 4294967295
"""What `re` has for no upper bound of a repetition."""


def quoted(text: str) -> str:
    """A text as a terminal of GBNF."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


def pattern_text(pattern: re.Pattern[str]) -> str | None:
    """The right-hand side for a pattern; None for one that uses what GBNF lacks."""
    try:
        return _sequence(_parser.parse(pattern.pattern))
    except KeyError:
        return None


def _sequence(nodes: Iterable[tuple[Any, Any]]) -> str:
    return " ".join(filter(None, (_node(str(name), value) for name, value in nodes))) or '""'


def _node(name: str, value: Any) -> str:
    match name:
        case "LITERAL":
            return quoted(chr(value))
        case "NOT_LITERAL":
            return f"[^{_character(value)}]"
        case "ANY":
            return "[^\\n]"
        case "IN":
            return _class(value)
        case "BRANCH":
            return f"({' | '.join(map(_sequence, value[1]))})"
        case "SUBPATTERN":
            return f"({_sequence(value[3])})"
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, part = value
            return f"({_sequence(part)}){{{low},{'' if int(high) >= _OPEN else int(high)}}}"
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return ""
    raise KeyError(name)


def _class(members: Iterable[tuple[Any, Any]]) -> str:
    """A set of characters."""
    shown = ""
    for name, value in members:
        match str(name):
            case "NEGATE":
                shown += "^"
            case "LITERAL":
                shown += _character(value)
            case "RANGE":
                shown += f"{_character(value[0])}-{_character(value[1])}"
            case _:
                shown += _CATEGORIES[str(value).removeprefix("CATEGORY_")]
    return f"[{shown}]"


def _character(code: int) -> str:
    """A character within a set."""
    if chr(code).isalnum():
        return chr(code)
    return f"\\x{code:02X}" if code < 256 else f"\\U{code:08X}"
