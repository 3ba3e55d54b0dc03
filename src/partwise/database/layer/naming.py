"""Readable names from stored ones: ``invoice line`` for ``InvoiceLine`` or ``invoice_lines``."""

from __future__ import annotations

import re

_BORDER = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")
_PLURALS = (
    (re.compile(r"(?<=\w[^aeiou])ies$"), "y"),
    (re.compile(r"(?<=ss|sh|ch)es$|(?<=x)es$"), ""),
    (re.compile(r"(?<![sui])s$"), ""),
)


def readable(name: str) -> str:
    """The words of a stored name, in lower case; the name itself where it has none."""
    return " ".join(part.lower() for part in _BORDER.split(name) if part) or name


def singular(name: str) -> str:
    """The same with its last word in the singular, as one row of a table is called.

    By rule, since what a file leaves out follows from it: the file's meaning must not change with a
    dictionary. Imports use `source.words.singular`, which has one.
    """
    *first, last = readable(name).split(" ")
    for ending, instead in _PLURALS:
        if len(last) > 3 and ending.search(last):
            return " ".join([*first, ending.sub(instead, last)])
    return " ".join([*first, last])
