"""What spans of questions to a tool hire may stand for, and the lexicon that says it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from typing import Any

import pytest

from cases import cases
from partwise.database import phrases
from partwise.database.constants import MOST_DATES, MOST_NOUNS, MOST_PAIRS, ConstantFinder
from partwise.database.domain import DatabaseDomain
from partwise.database.phrases import (
    MATCH,
    ColumnOf,
    Compares,
    Falls,
    Frame,
    Lacks,
    Lasting,
    Number,
    SpanConstant,
)
from partwise.database.schema_algebra import JOINS, SLOTS, UNARY
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.database.spans.names import LayerNames
from partwise.database.spans.operations import affixes, lexicon_rows, operations, phrase_key
from partwise.database.spans.periods import Period, on, year
from partwise.database.spans.text import words_of

RULES = [row.rule.split() for row in (*JOINS, *UNARY)]
KINDS = {kind for rule in RULES for kind in rule} | {slot.kind for slot in SLOTS}

TODAY = date(2025, 6, 1)
SCRIPT = """
CREATE TABLE tool (id INTEGER PRIMARY KEY, name TEXT, weight NUMERIC, price NUMERIC,
                   electric BOOLEAN, bought DATE);
CREATE TABLE customer (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT,
                       birth_date DATE, left_on DATE);
CREATE TABLE loan (id INTEGER PRIMARY KEY, tool_id INTEGER REFERENCES tool,
                   customer_id INTEGER REFERENCES customer, lent DATE, due_date DATE,
                   returned DATE, paid BOOLEAN);
INSERT INTO tool VALUES (1, 'Angle Grinder', 3, 9, 1, '2019-03-02'), (2, 'Ladder', 12, 5, 0,
  '2020-04-01'), (3, 'Cement Mixer', 60, 25, 1, '2021-05-06');
INSERT INTO customer VALUES (1, 'Ida', 'Falk', 'Oslo', '1980-01-02', NULL),
  (2, 'Jon', 'Berg', 'Rome', '1990-02-03', '2024-01-01'), (3, 'Kai', 'Lund', 'Oslo', '2000-03-04',
  NULL);
INSERT INTO loan VALUES (1, 1, 1, '2025-01-01', '2025-01-08', '2025-01-09', 1),
  (2, 2, 2, '2025-02-01', '2025-02-08', NULL, 0), (3, 3, 3, '2025-03-01', '2025-03-08', NULL, 0);
"""
RETURNED, DUE, LEFT = (
    *(ColumnOf("loan", "returned"), ColumnOf("loan", "due_date")),
    ColumnOf("customer", "left_on"),
)
BORN, PAID, WEIGHT = (
    *(ColumnOf("customer", "birth_date"), ColumnOf("loan", "paid"), ColumnOf("tool", "weight")),
)
KEY = Compares(ColumnOf("loan", "id"), "=", Number(2044))
ELECTRIC, MANUAL = (
    Compares(ColumnOf("tool", "electric"), "=", Number(truth)) for truth in (True, False)
)
LATE = Falls(DUE, on(TODAY), "<")
LATE_STILL = Frame(conditions=(Lacks(RETURNED), LATE))
LENT_IN_2024 = Falls(ColumnOf("loan", "lent"), year(2024))
WEEKS = Lasting("week", "lent", "loan", "returned")
DAYS = WEEKS._replace(unit="day")


@pytest.fixture(scope="module")
def constants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConstantFinder]:
    file = tmp_path_factory.mktemp("hire") / "hire.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCRIPT)
    with closing(connect(file)) as source:
        layer = import_database(source, "hire")
        domain = DatabaseDomain(layer, source, ValueIndex.build(source, layer), TODAY)
        yield ConstantFinder(domain, LayerNames(domain.layer))


def found(constants: ConstantFinder, question: str) -> list[SpanConstant]:
    return constants.find(words_of(question), None, TODAY)


@cases("question, span, kind, meaning, role", phrases)
def test_words_stand_for_what_they_say(
    constants: ConstantFinder, question: str, span: str, kind: str, meaning: Any, role: str
) -> None:
    words = words_of(question)
    made = [
        (
            " ".join(word.text for word in words[one.start : one.end]),
            one.kind,
            one.meaning,
            one.role,
        )
        for one in found(constants, question)
    ]
    assert (span, kind, meaning, role) in made


def test_yes_or_no_is_asked_by_the_first_word_alone(constants: ConstantFinder) -> None:
    assert not [one for one in found(constants, "loans that are late") if one.kind == "YES"]


def test_a_state_needs_a_date_or_a_flag(constants: ConstantFinder) -> None:
    states = [one for one in found(constants, "tools priced") if one.role == "state"]
    assert not states


def test_constants_are_of_known_kinds_and_bounded(constants: ConstantFinder) -> None:
    question = "oldest overdue loans in may 2024 that take how long since 2020 and where they are"
    made = found(constants, question)
    assert {one.kind for one in made} <= KINDS
    assert all(len(one.match) in {0, len(MATCH)} for one in made)
    most = max(MOST_DATES, MOST_PAIRS, MOST_NOUNS)
    spans = Counter((one.start, one.end, one.role) for one in made)
    assert max(spans.values()) <= most
    assert len(made) == len(set(made))


def test_the_day_of_asking_counts(constants: ConstantFinder) -> None:
    words = words_of("loans of yesterday")
    (said,) = [one for one in constants.find(words, None, TODAY) if one.kind == "PERIOD"]
    assert said.meaning == Period(date(2025, 5, 31), TODAY)


def test_the_lexicon_has_no_phrase_twice_for_the_same() -> None:
    said = [
        (phrase_key(phrase), meaning)
        for row in lexicon_rows()
        for phrase in row.phrases
        for meaning in row.meanings
    ]
    twice = [one for one, times in Counter(said).items() if times > 1]
    assert not twice


def test_the_lexicon_is_small_and_its_operations_are_known() -> None:
    assert len(lexicon_rows()) <= 250
    composed = {"top", "sign", "ask", "where", "when", "open", "done", "past", "coming"}
    alone = {"people", "elapsed", "part"}
    for some in operations().values():
        for one in some:
            if one.nouns:
                assert one.name in composed
            else:
                assert one.name in alone or one.name.upper() in KINDS
    assert affixes().prefixes
    assert affixes().suffixes
