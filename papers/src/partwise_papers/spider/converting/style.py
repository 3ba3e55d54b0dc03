"""Ways to say the same as a program, and the error of what cannot be said."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from partwise.errors import DataError


class UnsupportedSqlError(DataError):
    """SQL that no program says; the text names the construct."""


@dataclass(frozen=True)
class Style:
    """How a query is turned into a program, where there is a choice.

    Attributes:
        head: whether the rows are those of what is shown, and tables that only have conditions are
            asked for some row; else one row for each row of the join.
        related: whether ``IN`` becomes `Related` where the tables are linked; else `Among`.
        measures: whether groups of rows that belong to a table's row become figures of that row.
        merged: whether set operations become conditions on the rows of one listing.
        linked: whether rows without a linked row are left out, as an inner join does.
    """

    head: bool = True
    related: bool = True
    measures: bool = False
    merged: bool = True
    linked: bool = False


STYLES = tuple(
    Style(head, related, measures, merged, linked)
    for linked, measures, head, related, merged in product(
        (False, True), (False, True), (True, False), (True, False), (True, False)
    )
)
"""All of them, those that the words of a question suggest first."""
