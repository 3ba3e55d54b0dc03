"""What questions about the bakery have to give, for the tests of frames and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from bakery import read_as, rows_by_sql, rows_of, rows_wanted

from partwise.execution.relational.program import Program

Case = tuple[str, str, str]
"""A question, its labels with blanks between them, and the SQL of the rows that it asks for."""
SEEDS = (0, 1, 2)
"""Several contents, so that no wrong program gives the wanted rows by chance."""
JOINED = "FROM sale s JOIN bread b ON b.id = s.bread_id JOIN store t ON t.id = s.store_id"
SOLD_OF = "(SELECT 1 FROM sale s WHERE s.bread_id = b.id)"
MADE_BY = "(SELECT 1 FROM bread b WHERE b.baker_id = a.id"


def cases(of_kinds: Mapping[str, Sequence[Case]]) -> list[Any]:
    """All cases of a test, under their kinds."""
    return [
        pytest.param(*case, id=f"{kind}: {case[0]}")
        for kind, some in of_kinds.items()
        for case in some
    ]


def made_of(question: str, labels: str) -> list[Program]:
    """All programs of labels; a blank in a value is written as a low line."""
    names = [one.replace("_", " ") if ".name=" in one else one for one in labels.split()]
    return read_as(question, names)


def gives_rows(made: Sequence[Program], sql: str) -> bool:
    """Whether one of some programs gives the rows of a SQL statement, whatever is stored."""
    wanted = {seed: rows_wanted(sql, seed) for seed in SEEDS}
    return any(all(rows_of(one, seed) == wanted[seed] for seed in SEEDS) for one in made)


def runs_on_sqlite(program: Program) -> bool:
    """Whether a program's rows are the same on SQLite as in the interpreter."""
    return rows_by_sql(program, 0) == rows_of(program, 0)
