"""Labels of questions about the bakery become frames, and these programs with the rows that are
asked for; a case is a question, its labels with blanks between them, and SQL for its rows."""

from __future__ import annotations

import pytest
from bakery import check_reading, database, interpreter, read_as, rows_by_sql, rows_of, rows_wanted

from cases import cases, rows
from partwise.execution.relational.program import And, Compare, Program, walk

SEEDS = (0, 1, 2)
"""Several contents, so that no wrong program gives the wanted rows by chance."""
JOINED = "FROM sale s JOIN bread b ON b.id = s.bread_id JOIN store t ON t.id = s.store_id"
SOLD_OF = "(SELECT 1 FROM sale s WHERE s.bread_id = b.id)"
MADE_BY = "(SELECT 1 FROM bread b WHERE b.baker_id = a.id"
SOLD = "sale JOIN bread ON bread.id = bread_id"
SALES = f"{SOLD} JOIN store ON store.id = store_id"
EACH = f"SELECT AVG(t) FROM (SELECT SUM(quantity * price) AS t FROM {SOLD} GROUP BY store_id)"
YEAR = "CAST(strftime('%Y', day) AS INTEGER)"
CASES = rows(globals(), "CASES")


def made_of(question: str, labels: str) -> list[Program]:
    """All programs of labels; a blank in a value is written as a low line."""
    names = [one.replace("_", " ") if ".name=" in one else one for one in labels.split()]
    return read_as(question, names)


@pytest.mark.parametrize(("question", "labels", "sql"), CASES)
def test_the_right_program_is_among_those_of_the_labels(
    question: str, labels: str, sql: str
) -> None:
    wanted = {seed: rows_wanted(sql, seed) for seed in SEEDS}
    made = made_of(question, labels)
    assert any(all(rows_of(one, seed) == wanted[seed] for seed in SEEDS) for one in made)


@pytest.mark.parametrize(("question", "labels", "sql"), CASES)
def test_every_program_runs_on_sqlite_as_in_the_interpreter(
    question: str, labels: str, sql: str
) -> None:
    made = made_of(question, labels)
    assert not [one for one in made if rows_by_sql(one, 0) != rows_of(one, 0)]


@cases("question, labels, sql")
def test_sql_and_interpreter_agree_on_all_contents(question: str, labels: str, sql: str) -> None:
    check_reading(question, labels, sql)


@cases("question, labels, sql")
def test_rows_come_in_the_order_that_is_asked_for(question: str, labels: str, sql: str) -> None:
    made = made_of(question, labels)
    for seed in SEEDS:
        wanted = list(database(seed).execute(sql))
        assert wanted in [interpreter(seed).run(one) for one in made]


@pytest.mark.parametrize("thing", ["bread", "baker"])
def test_no_row_must_have_two_values_of_a_column(thing: str) -> None:
    programs = made_of(f"{thing} of rye and of wheat", f"{thing} bread.kind=rye bread.kind=wheat")
    assert programs
    for one in programs:
        for condition in walk(one):
            if isinstance(condition, And):
                equal = [
                    part.left
                    for part in condition.parts
                    if isinstance(part, Compare) and part.sign == "="
                ]
                assert len(equal) == len(set(equal)), one
