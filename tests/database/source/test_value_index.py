"""Which stored values are found in questions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import cases, rows
from partwise.database.layer.model import SemanticLayer
from partwise.database.source import value_arrays
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.value_arrays import tokens_of
from partwise.database.source.value_search import (
    MOST_TOKENS,
    PersonName,
    QuestionTokens,
    ValueMatch,
)
from partwise.database.source.values import Collected, ValueIndex
from partwise.errors import DataError

TITLE, BAND, COUNTRY, STATE = (
    *(("album", "title"), ("band", "name"), ("buyer", "country"), ("buyer", "state")),
)
VALUES = dict(rows(globals(), "VALUES"))


def index(**more: Sequence[str]) -> ValueIndex:
    collected = Collected(schema_words={"album", "albums", "title", "band", "country"})
    for place, values in VALUES.items():
        collected.builder.add(place, values)
    collected.builder.add(("clerk", "name"), more.get("full", ()), full=True)
    people = [("clerk", "first"), ("clerk", "last")]
    collected.builder.add_people(people, [one.split() for one in more.get("people", ())])
    collected.builder.add_alias("female", "F", ("clerk", "gender"))
    return ValueIndex.of(collected)


INDEX = index()


def best(question: str, of: ValueIndex = INDEX) -> list[tuple[str, str]]:
    """The words and the text of the sure matches."""
    words = question.split()
    return [
        (" ".join(words[one.start : one.end]), one.text)
        for one in of.find(words)
        if one.score >= 0.75
    ]


def test_words_without_end_cost_no_more_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    usual = value_arrays.deletions
    monkeypatch.setattr(
        value_arrays, "deletions", lambda words: made.append(max(map(len, words))) or usual(words)
    )
    assert best(f"{'x' * 16_000} {'xy' * 8000} gremany") == [("gremany", "Germany")]
    assert max(made) <= value_arrays.LONGEST_FUZZY + 1
    # One letter of this is four words.
    assert len(QuestionTokens(["\ufdfa" * 16_000]).tokens) == MOST_TOKENS


@cases("question, expected")
def test_whole_values(question: str, expected: list[tuple[str, str]]) -> None:
    found = best(question)
    assert [one for one in expected if one not in found] == []
    assert (found == []) == (expected == [])


@cases("question, text")
def test_words_for_places(question: str, text: str) -> None:
    assert text in [found for _, found in best(question)]


def test_what_is_a_value_itself_is_not_misspelt() -> None:
    made = index(full=["The Crunge", "Grunge"])
    assert ("the crunge", "The Crunge") in best("who wrote the crunge", made)
    assert best("songs of the grunge list", made) == [("grunge", "Grunge")]
    # Without the other value the words are taken for misspelt.
    alone = index(full=["The Crunge"])
    assert ("the grunge", "The Crunge") in best("songs of the grunge list", alone)


def test_us_is_who_asks() -> None:
    assert best("tell us all") == []
    assert ("Us", "Us") in best("songs by Us")
    # A code is one in capitals.
    assert best("buyers in brazil") == [("brazil", "Brazil")]
    assert ("IN", "IN") in best("buyers of IN")


def test_what_is_in_quotes_is_one_value() -> None:
    quoted = INDEX.find(["who", "made", '"', "In", "Through", "the", "Out", "Door", '"', "?"])
    assert [one[:3] for one in quoted] == [(3, 8, "In Through the Out Door")]
    assert [one[:3] for one in INDEX.find(["made", "'Nevermind'"])] == [(1, 2, "Nevermind")]
    assert INDEX.find(["“", "through", "”"]) != []
    assert [one for one in INDEX.find(["“", "never", "”"]) if one.score > 0.9] == []
    # Of what is in quotes only a part may be stored.
    assert [one[:3] for one in INDEX.find(["'live", "Nevermind'"])] == [(1, 2, "Nevermind")]


def test_parts_of_long_values() -> None:
    found = INDEX.find(["what", "is", "the", "price", "of", "very", "best", "of", "cats"])
    assert ("The Very Best of Cats", True) in [(one.text, one.score > 0.7) for one in found]
    found = INDEX.find(["who", "made", "Little", "Pill"])
    assert [(one.text, one.start, one.end) for one in found] == [("Jagged Little Pill", 2, 4)]
    assert found[0].score < 0.85


def test_values_that_must_be_given_in_full() -> None:
    collected = Collected()
    collected.builder.add(TITLE, VALUES[TITLE], in_full=True)
    made = ValueIndex.of(collected)
    assert made.find(["who", "made", "Little", "Pill"]) == []
    assert made.find(["albums", "in", "through", "the", "door"]) == []
    assert best("who made Jaged Litle Pill", made) == [("Jaged Litle Pill", "Jagged Little Pill")]
    assert best("very best of cats", made) == [("very best of cats", "The Very Best of Cats")]
    # A column that also has the value, and does not say so, lets parts of it be found.
    collected.builder.add(BAND, VALUES[TITLE][:1])
    assert [one.text for one in ValueIndex.of(collected).find(["Little", "Pill"])] == [
        "Jagged Little Pill"
    ]


def test_words_of_the_schema_are_doubtful() -> None:
    collected = Collected(schema_words={"title"})
    collected.builder.add(TITLE, ["Title"])
    made = ValueIndex.of(collected)
    (low,) = made.find(["every", "title"])
    (high,) = made.find(["every", "Title"])
    assert low.score < 0.7 < high.score


def test_people() -> None:
    made = index(people=["Jane Peacock", "Eduardo Martins"])
    (found,) = [one for one in made.find(["sold", "by", "jane", "peacock"]) if one.people]
    jane = PersonName("clerk", ("first", "last"), ("Jane", "Peacock"))
    assert found == ValueMatch(2, 4, "Jane Peacock", (), 1.0, (jane,))
    (found,) = made.find(["sold", "by", "Eduardo", "Martens"])
    assert (found.text, found.score < 1) == ("Eduardo Martins", True)
    assert ("Peacock Jane", "Jane Peacock") in best("sold by Peacock Jane", made)


def test_full_names_alone() -> None:
    made = index(full=["Jane Peacock"])
    last, first = made.find(["peacock"]), made.find(["jane"])
    assert [one.text for one in (*last, *first)] == ["Jane Peacock"] * 2
    assert first[0].score < last[0].score < 1


def test_saved_and_loaded(tmp_path: Path) -> None:
    INDEX.save(tmp_path / "values")
    loaded = ValueIndex.load(tmp_path / "values")
    words = ["american", "albums", "of", "metalica", "called", "nevermind", "or", "Little", "Pill"]
    assert loaded.find(words) == INDEX.find(words)
    assert len(loaded) == len(INDEX)
    empty = ValueIndex.of(Collected())
    empty.save(tmp_path / "empty")
    assert ValueIndex.load(tmp_path / "empty").find(words) == []


def test_what_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this is no value index"):
        ValueIndex.load(tmp_path)
    INDEX.save(tmp_path / "values")
    (tmp_path / "values" / "groups.json").write_text('{"version": 0, "groups": []}')
    with pytest.raises(DataError, match="version 0; make it again"):
        ValueIndex.load(tmp_path / "values")
    INDEX.save(tmp_path / "values")
    np.save(tmp_path / "values" / "texts.npy", np.array([{}]))
    with pytest.raises(DataError, match="Object arrays cannot be loaded"):
        ValueIndex.load(tmp_path / "values")


WORDS = st.sampled_from(
    ["red", "green", "stone", "river", "hat", "old", "café", "x12", "the", "of", "7"]
)
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(st.lists(PHRASES, min_size=1, max_size=12), st.lists(WORDS, min_size=1, max_size=9))
def test_equal_values_are_all_found(stored: list[str], question: list[str]) -> None:
    collected = Collected()
    collected.builder.add(TITLE, stored)
    found = ValueIndex.of(collected).find(question)
    sure = {(one.start, one.end, one.text) for one in found if one.score == 1}
    little = {"the", "of"}
    expected = {
        (start, end, text)
        for start in range(len(question))
        for end in range(start + 1, len(question) + 1)
        for text in set(stored)
        if tokens_of(text) == tokens_of(" ".join(question[start:end]))
        and not set(question[start:end]) <= little
        and question[start:end] != ["7"]
    }
    assert expected == sure


def database(path: Path) -> SemanticLayer:
    with closing(sqlite3.connect(path)) as made:
        made.executescript(
            "CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, note TEXT, pin TEXT);"
            f"INSERT INTO client VALUES (1, 'Orla', '{'long text ' * 20}', 'zulu')"
        )
    source = connect(path)
    layer = import_database(source, "clients")
    source.close()
    return layer


def test_private_and_long_texts_are_not_in(tmp_path: Path) -> None:
    layer = database(tmp_path / "made.db")
    assert layer.column("client", "pin").private
    source = connect(tmp_path / "made.db")
    made = ValueIndex.build(source, layer)
    assert best("orla zulu", made) == [("orla", "Orla")]
    made.save(tmp_path / "values")
    assert b"zulu" not in (tmp_path / "values" / "texts.npy").read_bytes()
    assert made.left_out == ("client.note: its texts are long",)
    hidden = replace(layer, tables=tuple(replace(one, private=True) for one in layer.tables))
    assert len(ValueIndex.build(source, hidden)) == 0
    source.close()


def test_refreshed_without_training(tmp_path: Path) -> None:
    layer = database(tmp_path / "made.db")
    source = connect(tmp_path / "made.db")
    made = ValueIndex.build(source, layer)
    made.save(tmp_path / "values")
    with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
        connection.execute("INSERT INTO client VALUES (2, 'Bryn', NULL, NULL)")
        connection.commit()
    assert best("bryn", made) == []
    made.refresh(source, layer)
    assert best("bryn", made) == best("bryn", ValueIndex.load(tmp_path / "values"))
    assert best("bryn", made) == [("bryn", "Bryn")]
    source.close()
