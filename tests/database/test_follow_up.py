"""Going on from the last question: edits of its program, and whole conversations of an office."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from bakery import SCHEMA, bakery_domain

from partwise.database.domain import DatabaseDomain
from partwise.database.edits import KINDS, Edits
from partwise.database.inference import DatabaseInference
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational import writing
from partwise.interface.answering import answer
from partwise.interface.prediction import Answer

HERE = Path(__file__).parent
FLOOR = 14
BREADS = '(Rows bread where=(Compare (Field [] kind) = (Value "rye")))'
PRICE = "(Field [] price)"
BAKER = "(Field [(Link bread baker_id baker)] name)"
NAMES = f"(Listing {BREADS} [(Field [] name)])"
WHEAT = '(Compare (Field [] kind) = (Value "wheat"))'
EDITS = (
    # The last program, what the new question means alone, the edit, and what it gives.
    (
        *(NAMES, f"(Listing (Rows bread where={WHEAT}) [(Field [] kind)])", "where"),
        f"(Listing (Rows bread where={WHEAT}) [(Field [] name)])",
    ),
    (
        *(NAMES, f"(Listing (Rows bread) [{PRICE}])", "shown too"),
        f"(Listing {BREADS} [(Field [] name) {PRICE}])",
    ),
    (
        *(NAMES, f"(Figure (Rows bread) (Aggregate average of={PRICE}))", "over"),
        f"(Figure {BREADS} (Aggregate average of={PRICE}))",
    ),
    (
        *(NAMES, "(Listing (Rows baker) [(Field [] town)])", "over"),
        f"(Listing (Rows baker where=(Related [] {BREADS})) [(Field [] town)])",
    ),
    (
        *(NAMES, f"(Listing (Rows bread) [{PRICE}] order=[(Order {PRICE})])", "order"),
        f"(Listing {BREADS} [(Field [] name)] order=[(Order {PRICE})])",
    ),
    (
        *(f"(Figure {BREADS} (Aggregate count))", "(Listing (Rows baker) [(Field [] name)])", "by"),
        f"(Grouping {BREADS} [{BAKER}] [(Aggregate count)])",
    ),
    (
        *(f"(Figure {BREADS} (Aggregate count))", "(Listing (Rows store) [(Field [] name)])"),
        *("rows", f"(Listing {BREADS} [(Field [] name)])"),
    ),
    (
        *(NAMES, "(Listing (Rows store) [(Field [] name)])", "count"),
        f"(Figure {BREADS} (Aggregate count))",
    ),
)


@pytest.mark.parametrize(("last", "new", "kind", "expected"), EDITS)
def test_an_edit_takes_parts_of_the_new_question_over(
    last: str, new: str, kind: str, expected: str
) -> None:
    domain = bakery_domain()
    before, alone, wanted = (writing.read(text, SCHEMA) for text in (last, new, expected))
    edits = Edits(domain.layer).all(before, [alone])
    made = {edit.kind: domain.canonical(edit.program) for edit in edits}
    assert made[kind] == domain.canonical(wanted)
    assert {edit.kind for edit in edits} <= {*KINDS}


def test_what_belongs_to_the_first_rows_is_asked_of_them_alone() -> None:
    domain = bakery_domain()
    first = (
        f"(Listing (Rows bread) [(Field [] name)] order=[(Order {PRICE} descending=true)] limit=1)"
    )
    before = writing.read(first, SCHEMA)
    new = writing.read("(Listing (Rows sale) [(Field [] day)])", SCHEMA)
    (over,) = (x for x in Edits(domain.layer).all(before, [new]) if x.kind == "over")
    days = {row[0] for row in domain.run(over.program).rows}
    dearest = domain.run(before).rows[0][0]
    every = writing.read(
        "(Listing (Rows sale) [(Field [(Link sale bread_id bread)] name) (Field [] day)])", SCHEMA
    )
    assert days == {day for name, day in domain.run(every).rows if name == dearest}


# --- an office -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The office's database."""
    file = tmp_path_factory.mktemp("office") / "office.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript((HERE / "questions" / "office.sql").read_text("utf-8"))
    return file


@pytest.fixture(scope="module")
def office(file: Path) -> Iterator[DatabaseInference]:
    """The shipped parser on it."""
    source = connect(file)
    layer = import_database(source, "office")
    index = ValueIndex.build(source, layer)
    domain = DatabaseDomain(layer, source, index, date(2025, 1, 1))
    yield DatabaseInference.from_pretrained("database", domain)
    source.close()


def talk(parser: DatabaseInference, *questions: str) -> list[Answer[object]]:
    """The answers to questions that are asked one after the other."""
    made: list[Answer[object]] = []
    for question in questions:
        last = made[-1].turn if made else None
        made += answer(parser, [question], after=last)
    return made


def test_conversations_of_an_office(office: DatabaseInference, file: Path) -> None:
    """Of the later turns of the first ten conversations at least so many are right."""
    blocks = (HERE / "conversations.tsv").read_text("utf-8").strip().split("\n\n")
    right = list[bool]()
    with closing(sqlite3.connect(file)) as connection:
        for block in blocks[:10]:
            pairs = [line.split("\t") for line in block.splitlines()]
            answers = talk(office, *(question for question, _ in pairs))
            for (_, sql), told in [*zip(pairs, answers, strict=True)][1:]:
                rows = told.table.rows if told.table is not None else ()
                wanted = connection.execute(sql).fetchall()
                right.append(sorted(map(str, wanted)) == sorted(map(str, rows)))
    assert len(right) == 23
    assert sum(right) >= FLOOR


def test_a_full_question_ends_the_last_one(office: DatabaseInference) -> None:
    first, then = talk(office, "orders over 1000", "how many employees are there?")
    assert not then.prediction.goes_on
    assert then.lines == ("8",)
    (alone,) = talk(office, "how many employees are there?")
    assert alone.text == then.text
    assert first.text != then.text


def test_what_goes_on_says_so_and_is_restated_as_a_whole(office: DatabaseInference) -> None:
    _, then = talk(office, "which customers are in Norway?", "show their emails too")
    assert then.prediction.goes_on
    assert then.explanation is not None
    assert "Norway" in then.explanation.restated
    assert then.to_json()["goes_on"] is True


def test_thanks_are_no_new_question(office: DatabaseInference) -> None:
    first, then = talk(office, "how many customers are there", "thanks!")
    assert first.text == then.text


def test_a_wish_for_a_chart_changes_nothing_else(office: DatabaseInference) -> None:
    plain, drawn = (
        office.parse([question])[0]
        for question in ("employees per city", "Draw a pie chart of employees per city")
    )
    assert (drawn.meaning, drawn.probability) == (plain.meaning, plain.probability)
    assert (drawn.wish, drawn.words, drawn.status) == ("pie", plain.words, plain.status)
    assert drawn.question.startswith("Draw a pie chart")
    first, then = talk(office, "employees per city", "as a line chart")
    assert then.lines == first.lines
    assert then.prediction.goes_on
    assert [x.display().kind for x in (first, then)] == ["bar", "line"]
