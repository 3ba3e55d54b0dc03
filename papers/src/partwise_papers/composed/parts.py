"""What composed questions are made of: what is asked of rows, and conditions on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from partwise.database.reading.comparing import all_of
from partwise.execution.relational.program import And, Condition, Program, Rows


class Part(NamedTuple):
    """A condition on rows.

    Attributes:
        kind: only one of a kind is in a question.
        text: what is said behind the rows, or before them.
        last: whether it ends with other rows, of which all behind it would be said.
    """

    kind: str
    text: str
    condition: Condition
    before: bool = False
    last: bool = False


class Asked(NamedTuple):
    """What is asked of rows.

    Attributes:
        say: the question, of the rows in words.
        make: the programs, of the rows; the answer of each is right.
        behind: whether conditions may stand behind the whole, too.
        without: kinds of conditions that may not stand beside it.
        single: whether one row is spoken of.
    """

    say: Callable[[str], str]
    make: Callable[[Rows], Sequence[Program]]
    behind: bool = False
    without: frozenset[str] = frozenset()
    single: bool = False


def together(parts: Sequence[Condition | None]) -> Condition | None:
    """All conditions as one; None if there is none."""
    return all_of([one for one in parts if one is not None])


def and_also(rows: Rows, condition: Condition) -> Rows:
    """Those rows for which a condition holds, too."""
    before = rows.where.parts if isinstance(rows.where, And) else (rows.where,)
    return Rows(rows.table, together([*before, condition]))
