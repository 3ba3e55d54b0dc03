"""Questions that put known parts together, and the rows that answer them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest

from cases import rows
from partwise_papers.composed.questions import COMPOSED, compose_questions
from partwise_papers.databases.measuring import _sets
from partwise_papers.databases.options import MeasuredOn
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion, read_typed_database

SCRIPT = """
CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE booking (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    cabin TEXT, nights INTEGER, price_eur REAL, booked_on DATE, note TEXT);
"""
CLIENTS = [(n, f"Client {chr(65 + n)}", ("Oslo", "Kiel")[n % 2]) for n in range(9)]
BOOKINGS = [
    (
        *(n, n % 7, ("lake", "hill", "tree")[n % 3], 1 + n % 8, 100.0 + 10 * n),
        *(f"202{3 + n % 2}-0{1 + n % 9}-11", None if n % 4 else f"note {n}"),
    )
    for n in range(24)
]


@pytest.fixture(scope="module")
def camp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    home = tmp_path_factory.mktemp("home") / "camp"
    home.mkdir()
    rows = "".join(
        f"INSERT INTO {table} VALUES ({', '.join(map(_literal, row))});\n"
        for table, some in (("client", CLIENTS), ("booking", BOOKINGS))
        for row in some
    )
    (home / "schema.sql").write_text(SCRIPT + rows)
    (home / "questions.jsonl").write_text("")
    with closing(read_typed_database(home, tmp_path_factory.mktemp("work"))) as opened:
        yield opened


def _literal(value: object) -> str:
    return "NULL" if value is None else repr(value)


@pytest.fixture(scope="module")
def questions(camp: AskedDatabase) -> list[AskedQuestion]:
    return compose_questions(camp, 500)


def test_as_many_are_made_as_are_asked_for_and_the_seed_draws_them(
    camp: AskedDatabase, questions: list[AskedQuestion]
) -> None:
    assert len({one.text for one in questions}) == len(questions) == 500
    assert {one.kind for one in questions} == {COMPOSED}
    again = [one.text for one in compose_questions(camp, 20)]
    assert again == [one.text for one in questions[:20]]
    assert again != [one.text for one in compose_questions(camp, 20, seed=1)]


COUNTED = re.compile(
    r"(?:how many|number of) (?:(lake|hill|tree) )?bookings"
    r"(?! (?:per|by|for)\b)(.*?)(?: are there)?"
)
CONDITIONS = dict(rows(globals(), "CONDITIONS"))


def _condition(text: str, kind: str | None, today: date) -> str | None:
    """SQL of all conditions that a text says; None if there is another one."""
    made = ["1"] if kind is None else [f"cabin = '{kind}'"]
    while text:
        for pattern, sql in CONDITIONS.items():
            if said := re.match(rf"{pattern}(?= |$)", text):
                month = datetime.strptime(said[1], "%B").month if "{month}" in sql else 0
                known = {"this": today.year, "before": today.year - 1, "month": f"{month:02}"}
                made.append(sql.format(*said.groups(), **known))
                text = text[said.end() :]
                break
        else:
            return None
    return " AND ".join(made)


def test_rows_are_those_of_the_question(camp: AskedDatabase) -> None:
    every = [one for seed in range(10) for one in compose_questions(camp, 150, seed)]
    compared = set()
    for one in every:
        if (said := COUNTED.fullmatch(one.text)) is None:
            continue
        where = _condition(said[2], said[1], one.today)
        if where is not None:
            rows = camp.rows.of_sql(f"SELECT count(*) FROM booking WHERE {where}")
            assert rows is not None
            assert one.right[0].lenient(rows[0]), one.text
            compared.add(one.text)
    assert len(compared) >= 12


def test_parts_stand_together(questions: list[AskedQuestion]) -> None:
    texts = " | ".join(one.text for one in questions)
    for part in (
        *("since 20", "last year", "without", "sorted by", "with the highest", "top 3"),
        *("per cabin", "cheapest", "latest", "most common", "percentage", "or hill", "with no"),
    ):
        assert part in texts, part
    assert re.search(r"per cabin (?:in|since|over|under|with)", texts)


def test_what_is_tied_is_not_asked_for(questions: list[AskedQuestion]) -> None:
    """Clients have three or four bookings each, so there is no one with the most."""
    assert "which client has the most bookings" not in [one.text for one in questions]


def test_a_row_is_looked_up_by_its_name(questions: list[AskedQuestion]) -> None:
    towns = {name: town for _, name, town in CLIENTS}
    looked_up = {
        one.text: one.right[0] for one in questions if re.fullmatch(r"town of Client \w", one.text)
    }
    assert looked_up
    for text, right in looked_up.items():
        assert right.exact([(towns[text.removeprefix("town of ")],)])


def test_they_are_measured_where_that_is_asked_for(tmp_path: Path) -> None:
    on = MeasuredOn(blind=True, composed=3)
    sets = {}
    for name, database, asked in _sets(on, tmp_path):
        database.close()
        sets.setdefault(name, []).append(len(asked))
    assert set(sets[COMPOSED]) == {3}
    assert COMPOSED not in [name for name, *_ in _sets(MeasuredOn(typed=("bank",)), tmp_path)]
