"""Readable names from stored ones: ``invoice line`` for ``InvoiceLine`` or ``invoice_lines``."""

from __future__ import annotations

import re

from partwise.database.inflection import regular_singular

_BORDER = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")


def readable(name: str) -> str:
    """The words of a stored name, in lower case; the name itself where it has none."""
    return " ".join(part.lower() for part in _BORDER.split(name) if part) or name


def singular(name: str) -> str:
    """The same with its last word in the singular, as one row of a table is called; what a file
    leaves out follows from it, so an import's list of irregular nouns has no part in it."""
    *first, last = readable(name).split(" ")
    return " ".join([*first, regular_singular(last)])
