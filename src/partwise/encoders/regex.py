"""Which regular expressions of a tokenizer are run: those that cannot take long on any text.

The library that runs them goes back and tries again. At most one part of a way through the
expression may be of any length and followed by what can fail; so the steps grow with the square
of the text at most, and the tokenizer never hangs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from re import _constants as parts  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from partwise.errors import PartwiseError

LONGEST, WAYS, SHORT = 512, 32, 16
"""Characters, ways that a choice may go at one place, and the most times of a bounded repeat."""
ONE = (parts.LITERAL, parts.NOT_LITERAL, parts.ANY, parts.IN)
LOOK = (parts.ASSERT, parts.ASSERT_NOT)
# Python does not know classes such as \p{L}; what they hold makes no difference here.
PROPERTY = re.compile(r"\\[pP]\{\^?\w+\}")
ELSEWHERE = re.compile(r"\[\^?\]|&&|\(\?#|\(\?[^:=!i]|\(\?i[^:)]|\[(?:[^\]\\]|\\.)*\[")
"""What the two libraries may read in two ways: odd classes, classes inside classes, flags."""


class _Refused(Exception):
    pass


def check_regex(pattern: str) -> None:
    """Check that an expression takes at most quadratic time.

    Raises:
        PartwiseError: if it may take more, or is not understood.
    """
    plain = PROPERTY.sub(r"\\w", pattern)
    try:
        if len(pattern) > LONGEST or ELSEWHERE.search(plain):
            raise _Refused
        for way in _alternatives(parser.parse(plain)):
            _check_way(way)
    except (_Refused, re.error, ValueError, RecursionError, OverflowError) as error:
        raise PartwiseError(
            f"the regular expression {pattern!r:.60} is not one that is run: it may take too long. "
            "Choose an encoder with a simpler tokenizer"
        ) from error


def _alternatives(tree: Any) -> list[Sequence[Any]]:
    """The ways at the top of an expression."""
    items = list(tree)
    if len(items) == 1 and items[0][0] is parts.SUBPATTERN:
        return _alternatives(items[0][1][3])
    if len(items) == 1 and items[0][0] is parts.BRANCH:
        return [way for one in items[0][1][1] for way in _alternatives(one)]
    return [items]


def _check_way(items: Sequence[Any]) -> None:
    """Parts of any length: one, and a second one if nothing after it can fail."""
    ways, endless = 1, 0
    for kind, value in items:
        if endless == 2 and not (kind is parts.MAX_REPEAT and value[0] == 0):
            raise _Refused
        if kind is parts.MAX_REPEAT and value[1] is parts.MAXREPEAT:
            (one,) = value[2]
            if one[0] not in ONE or value[0] > SHORT or endless == 2:
                raise _Refused
            endless += 1
        else:
            ways *= _ways(kind, value)
    if ways > WAYS:
        raise _Refused


def _ways(kind: Any, value: Any) -> int:
    """In how many ways a part of bounded length can match at one place."""
    if kind in ONE or kind is parts.AT:
        return 1
    if kind in LOOK:
        return _product(value[1])
    if kind is parts.SUBPATTERN:
        return _product(value[3])
    if kind is parts.BRANCH:
        return sum(_product(one) for one in value[1])
    if kind is parts.MAX_REPEAT and value[1] is not parts.MAXREPEAT and value[1] <= SHORT:
        inside = _product(value[2])
        if value[1] > 1 and (len(value[2]) != 1 or value[2][0][0] not in ONE):
            raise _Refused
        return int(inside + value[1] - value[0])
    raise _Refused


def _product(items: Any) -> int:
    ways = 1
    for kind, value in items:
        ways *= _ways(kind, value)
    return ways
