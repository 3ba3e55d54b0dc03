"""Words that count people without naming their table: "headcount", "workforce"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.text import Word

HEADCOUNTS = {"headcount", "head-count", "workforce", "headcounts", "manpower"}
_STAFF = {"salary", "wage", "hired", "hire", "job", "position", "employed", "manager", "pay"}
"""Words of columns that people have who work here."""
_WORKERS = {"employee", "staff", "worker", "personnel", "colleague", "employees"}


def headcounts(layer: SemanticLayer, words: Sequence[Word]) -> Iterator[tuple[int, int, str]]:
    """Where the number of people who work here is asked for, and their table."""
    for at, word in enumerate(words):
        pair = at + 1 < len(words) and (word.plain, words[at + 1].plain)
        two = pair in {("head", "count"), ("staff", "count"), ("staff", "numbers")}
        if not two and word.plain not in HEADCOUNTS:
            continue
        for table in layer.tables:
            said = {one for column in table.columns for one in column.label.split()}
            works = _WORKERS & set(table.label.split()) or (table.person and _STAFF & said)
            if works and not table.private:
                yield at, at + 1 + two, table.name
