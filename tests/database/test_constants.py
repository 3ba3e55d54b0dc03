"""What spans of questions to a tool hire may stand for, and the lexicon that says it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from typing import Any

import pytest

from partwise.database.constants import MOST_DATES, MOST_NOUNS, MOST_PAIRS, ConstantFinder
from partwise.database.domain import DatabaseDomain
from partwise.database.phrases import (
    KINDS,
    MATCH,
    ColumnOf,
    Compares,
    Denies,
    Falls,
    Frame,
    Lacks,
    Lasting,
    Number,
    OrderBy,
    PartOf,
    Same,
    SpanConstant,
)
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.database.spans.names import LayerNames
from partwise.database.spans.operations import affixes, lexicon_rows, operations, phrase_key
from partwise.database.spans.periods import Period, on, year
from partwise.database.spans.text import words_of

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


CASES: list[tuple[str, str, str, Any, str]] = [
    # question, words, kind, meaning, role
    ("how many tools", "how many", "COUNT", "", "count"),
    ("how many tools", "tools", "TABLE", "tool", "table"),
    ("weight of each tool", "weight", "COLUMN", WEIGHT, "column"),
    ("wieght of each tool", "wieght", "COLUMN", WEIGHT, "column"),
    ("weight of each tool", "of each", "PER", "", "per"),
    ("loans of the ladder", "ladder", "VALUE", ((ColumnOf("tool", "name"), "Ladder"),), "value"),
    ("tools over 12", "12", "NUMBER", 12, "number"),
    ("tools over 12", "over", "SIGN", ">", "sign >"),
    ("loan 2044", "2044", "CONDITION", KEY, "number as key"),
    ("loans in 2024", "2024", "PERIOD", year(2024), "period year"),
    ("loans in 2024", "2024", "CONDITION", LENT_IN_2024, "period silent"),
    ("tools lent in 2024", "2024", "CONDITION", Falls(DUE, year(2024)), "period silent"),
    ("tools over 12 kg", "kg", "UNIT", ("kg",), "unit"),
    ("Oslo vs Rome", "vs", "VERSUS", "", "versus"),
    ("total price", "total", "AGG", "sum", "agg sum"),
    ("averge price", "averge", "AGG", "average", "agg average"),
    ("price from high to low", "from high to low", "SORT", "desc", "sort desc"),
    ("most common city", "most common", "OFTEN", "desc", "often desc"),
    ("heaviest tool", "heaviest", "ORDER", OrderBy(WEIGHT, True, 1), "superlative desc"),
    ("as many loans as tools", "as many", "SIGN", "=", "sign ="),
    ("difference in weight", "difference in", "DIFFERENCE", "", "difference"),
    ("second heaviest tool", "second", "PLACE", "2", "place 2"),
    ("heaviest tool", "heaviest", "TOP", "desc", "bare superlative desc"),
    ("oldest customer", "oldest", "ORDER", OrderBy(BORN, False, 1), "superlative asc"),
    ("customers younger than Ida", "younger", "COLUMN_SIGN", (">", BORN), "comparative >"),
    ("sturdiest tool", "sturdiest", "TOP", "desc", "superlative unknown"),
    ("where is Ida", "where", "COLUMN", ColumnOf("customer", "city"), "where"),
    ("who has the ladder", "who", "TABLE", "customer", "who"),
    ("loans per month", "month", "COLUMN", PartOf("month", "loan", "lent"), "part month"),
    ("is the ladder paid", "is", "YES", "", "yes"),
    ("electric tools", "electric", "CONDITION", ELECTRIC, "flag true"),
    ("electric tools", "electric", "CONDITION", MANUAL, "flag false"),
    ("non-electric tools", "non-electric", "CONDITION", MANUAL, "state not"),
    ("unpaid loans", "unpaid", "CONDITION", Compares(PAID, "=", Number(False)), "state not"),
    ("unreturned loans", "unreturned", "CONDITION", Lacks(RETURNED), "state not"),
    ("returned loans", "returned", "CONDITION", Denies(Lacks(RETURNED)), "state"),
    ("loans still open", "still open", "CONDITION", Lacks(RETURNED), "open"),
    ("people who are still with us", "still", "CONDITION", Lacks(LEFT), "open"),
    ("former customers", "former", "CONDITION", Denies(Lacks(LEFT)), "done"),
    ("overdue loans", "overdue", "CONDITION", LATE, "past"),
    ("overdue loans", "overdue", "FRAGMENT", LATE_STILL, "past and open"),
    ("overdue loans", "overdue", "CONDITION", Compares(RETURNED, ">", Same(DUE)), "done late"),
    ("upcoming loans", "upcoming", "CONDITION", Falls(DUE, on(TODAY), ">="), "coming"),
    ("how many weeks from lent to returned", "how many weeks", "COLUMN", WEEKS, "elapsed"),
    ("how long until it is returned", "how long", "COLUMN", DAYS, "elapsed"),
    ('tools with "saw" in the name', "saw", "TEXT", "saw", "text"),
    ("loans of Mr Olsen", "Olsen", "TEXT", "Olsen", "text"),
    ("tools that contain the letter a", "a", "TEXT", "a", "text"),
    ("tools starting with la", "starting with", "STARTS", "", "starts"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "span", "kind", "meaning", "role"), CASES)
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
    assert {one.kind for one in made} <= {*KINDS}
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
