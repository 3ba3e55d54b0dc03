"""What the comments of a schema say: other names of columns, and what stored codes mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MOST_WORDS = 4
"""The most words of a comment that is a name."""
LONGEST_CODE = 4
"""The most characters of a stored code."""
_COLUMN = re.compile(r"\s*(?:[\"`\[]([^\"`\]]+)[\"`\]]|(\w+))")
_TEXT = re.compile(r"'[^']*'")
_MEANT = r"(?<![\w'])['\"]?{code}['\"]?\s*(?:=|:|-|–|->|→|means\b|for\b|is\b)?\s*"
_MEANT += r"([a-z][a-z' -]*?)\s*(?=[,;/.|()]|$|\bor\b|\band\b)"
_OTHERWISE = {"if", "null", "see", "not", "never", "note", "todo", "unused"}
"""Words of comments that say something else than a name."""

_INSIDE = {"of", "for", "in", "at", "on", "from", "with", "to", "as", "per", "the", "a", "an"}
"""Words that no name begins with."""


def of_statement(sql: str) -> Mapping[str, str]:
    """Column -> the comment behind it, of a statement that creates a table.

    SQLite has no comments of its own; it keeps the statements as they were typed.
    """
    made: dict[str, str] = {}
    for line in sql.splitlines():
        named = _COLUMN.match(line)
        at = _TEXT.sub(lambda one: "_" * len(one[0]), line).find("--")
        if named and named.end() <= at and (said := line[at + 2 :].strip()):
            made.setdefault(named[1] or named[2], said)
    return made


def names_in(comment: str, label: str) -> tuple[str, ...]:
    """The name that a short comment gives a column; none if it says more, or something else.

    Args:
        label: the column's own name.
    """
    said = re.sub(r"^(?:1|y|yes)\s*=\s*", "", comment.lower()).strip(" .")
    words = said.split()
    plain = all(re.fullmatch(r"[a-z][a-z'-]*", one) for one in words)
    if not words or len(words) > MOST_WORDS or not plain or said == label:
        return ()
    return () if _OTHERWISE & set(words) or words[0] in _INSIDE else (said,)


def meanings_in(comment: str, values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What a comment says of stored codes: "A active, B blocked"."""
    made: dict[str, tuple[str, ...]] = {}
    for one in values:
        if 0 < len(one) <= LONGEST_CODE and one.isalnum():
            found = re.search(_MEANT.format(code=re.escape(one)), comment, re.IGNORECASE)
            if found and found[1].lower() != one.lower():
                made[one] = (found[1].strip().lower(),)
    # One alone may be a word of a sentence.
    return made if len(made) > 1 or "=" in comment else {}
