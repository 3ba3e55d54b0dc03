"""The commas of lists, as the data sets write them: ``A and B``, ``A , B , and C``."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.language.query.graph import ENTITY

COMMA, AND = ",", "and"


def listed(words: Sequence[str]) -> list[str]:
    """The words with a comma before the ``and`` that ends a list of three or more.

    The ``and`` that ends a list is the first after its last comma whose last item starts as the
    item before does: both with an entity, or neither ("edit M0 , direct M1 and M2 , and write
    M3"). Where a comma stands before a later ``and``, the list may as well end there, so none is
    added, unless it is a plain list of words or of entities ("M0 , M1 and M2"). The comma of
    ``A , and B`` goes, if it is the first, and commas at the end do.
    """
    while words and words[-1] == COMMA:
        words = words[:-1]
    commas = [i for i, word in enumerate(words) if word == COMMA]
    closing = {i for i in commas if _is_and(words, i + 1)}
    last = max(closing, default=-1)
    written: list[str] = []
    opened: int | None = None
    for i, word in enumerate(words):
        if word == COMMA:
            if i == commas[0] and i in closing:
                continue
            opened = None if i in closing else i
        elif opened is not None and _ends(words, opened, i, last > i):
            written.append(COMMA)
            opened = None
        written.append(word)
    return written


def _ends(words: Sequence[str], comma: int, at: int, later: bool) -> bool:
    """Whether a list with its last comma at `comma` ends with an ``and`` at `at` without one."""
    if not _is_and(words, at) or at - comma < 2 or at + 1 == len(words):
        return False
    alike = _is_entity(words[comma + 1]) == _is_entity(words[at + 1])
    plain = at - comma == 2 and _is_entity(words[comma - 1]) == _is_entity(words[comma + 1])
    return alike and (plain or not later)


def _is_and(words: Sequence[str], i: int) -> bool:
    return i < len(words) and words[i].lower() == AND


def _is_entity(word: str) -> bool:
    return ENTITY.fullmatch(word) is not None
