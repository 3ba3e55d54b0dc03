"""Which tables, columns, values and operations the words of a question may stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from bakery import TODAY, bakery_labeller, bakery_layer, called, labels_of
from hypothesis import given
from hypothesis import strategies as st

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.label import Label
from partwise.database.reading.labels import Labeller
from partwise.database.source.value_search import ValueMatch
from partwise.database.spans.names import LayerNames, Rows, SchemaItem
from partwise.database.spans.periods import Period
from partwise.database.spans.text import words_of
from partwise.execution.relational.schema import Column, Schema, Table

BREAD = SchemaItem("table", "bread")
PRICE = SchemaItem("column", "bread", "price")


def _of(question: str, name: str) -> list[Label]:
    return [one for one in labels_of(question) if called(one) == name]


@pytest.mark.parametrize("word", ["bread", "breads", "Bread", "pastry", "pastries"])
def test_a_table_is_found_by_its_names_in_singular_and_plural(word: str) -> None:
    (label,) = _of(word, "bread")
    assert label.thing == BREAD
    assert label.match[0] == label.match[1] == 1


def test_the_label_of_a_thing_comes_before_its_synonyms() -> None:
    (first,), (second,) = _of("store", "store"), _of("shop", "store")
    assert (first.match[2], second.match[2]) == (1, 0)


@pytest.mark.parametrize("word", ["bakr", "bakker", "bakrs"])
def test_a_misspelt_name_is_found_if_it_is_long_enough(word: str) -> None:
    found = _of(word, "baker")
    if len(word) < 5:
        assert not found
    else:
        assert found
        assert 0.75 <= found[0].match[3] < 1


def test_a_part_of_a_name_is_less_than_the_whole() -> None:
    whole = max(_of("opening year", "store.opening_year"), key=lambda one: one.end - one.start)
    parts = [one for one in _of("opening", "store.opening_year") if one.end - one.start == 1]
    assert whole.match[0] == 1
    assert [one.match[0] for one in parts] == [0]
    assert (whole.start, whole.end) == (0, 2)
    assert 0 < parts[0].match[1] < 1


def test_a_column_is_found_behind_the_name_of_its_table() -> None:
    both = [one for one in _of("baker town", "baker.town") if one.end - one.start == 2]
    assert both
    assert both[0].match[0] == 1


def test_a_measure_is_found_by_its_names() -> None:
    for word in ("revenue", "turnover"):
        assert [one.kind for one in _of(word, "revenue")] == ["measure"]


@pytest.mark.parametrize(
    "question", ["phone number", "phone", "recipes", "recipe secret", "Sourdough", "0711"]
)
def test_what_is_private_gives_no_label(question: str) -> None:
    things = [one.thing for one in labels_of(question) if one.thing is not None]
    assert all(one.table != "recipe" and one.column != "phone" for one in things)


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("oldest", "dir:asc@baker.born"),
        ("youngest", "dir:desc@baker.born"),
        ("cheapest", "dir:asc@bread.price"),
        ("most expensive", "dir:desc@bread.price"),
        ("heaviest", "dir:desc@bread.weight"),
        ("heavier than", "sign:>@bread.weight"),
        ("cheaper than", "sign:<@bread.price"),
        ("newest", "dir:desc@sale.day"),
        ("best paid", "dir:desc@baker.wage"),
    ],
)
def test_an_adjective_speaks_of_a_column(word: str, label: str) -> None:
    (found,) = [one for one in _of(word, label) if one.end - one.start == len(words_of(word))]
    assert 0 < found.match[5] <= 1


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("bread in Jena", {"store.city"}),
        ("bakers in Jena", {"store.city"}),
        ("bakers whose town is Jena", {"baker.town", "store.city"}),
        ("bakers in Trier", {"baker.town"}),
    ],
)
def test_a_preferred_column_is_meant_where_no_other_is_named(
    question: str, columns: set[str]
) -> None:
    layer = bakery_layer()
    tables = tuple(
        replace(
            table,
            columns=tuple(replace(one, prefer=one.name == "city") for one in table.columns),
        )
        for table in layer.tables
    )
    labeller = Labeller(replace(layer, tables=tables), bakery_labeller().values)
    found = [
        one
        for some in labeller.labels(words_of(question), TODAY)
        for one in some
        if one.kind == "value"
    ]
    assert {f"{one.thing.table}.{one.thing.column}" for one in found if one.thing} == columns
    assert {one.match[6] for one in found} == {1 / len(columns)}


def test_of_the_columns_of_an_adjective_the_likelier_ones_rank_higher() -> None:
    ranks = {called(one): one.match[5] for one in labels_of("oldest") if one.thing is not None}
    assert ranks["dir:asc@baker.born"] > ranks["dir:asc@sale.day"]


def test_who_and_where_ask_for_what_fits() -> None:
    assert [called(one) for one in labels_of("who") if one.op == "who"] == ["baker"]
    where = {called(one) for one in labels_of("where") if one.op == "where"}
    assert where == {"baker.town", "store.city"}


@pytest.mark.parametrize(
    ("question", "label"),
    [("over 3 euros", "3eur"), ("$3", "3usd"), ("500g", "500g"), ("half a week", "0.5week")],
)
def test_a_number_takes_its_unit(question: str, label: str) -> None:
    assert _of(question, label)


def test_a_unit_stands_alone_as_well() -> None:
    assert [called(one) for one in labels_of("in kilos") if one.kind == "unit"] == ["unit:kg"]


def test_texts_in_quotes_are_taken_as_they_were_typed() -> None:
    texts = [one.value for one in labels_of('breads called "Dark  Rye, big"') if one.op != "bare"]
    assert "Dark Rye, big" in texts


def test_words_without_quotes_are_texts_only_where_something_contains_them() -> None:
    assert not [one for one in labels_of("breads with loaf") if one.kind == "text"]
    found = [one.value for one in labels_of("breads that contain loaf") if one.kind == "text"]
    assert "loaf" in found


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("rye", "bread.kind=rye"),
        ("RYE", "bread.kind=rye"),
        ("Ada Moss", "baker.name=Ada Moss"),
        ("ada moss", "baker.name=Ada Moss"),
        ("Baguete", "bread.name=Baguette"),
    ],
)
def test_stored_values_are_found(question: str, label: str) -> None:
    (found,) = [
        one for one in _of(question, label) if one.end - one.start == len(words_of(question))
    ]
    assert found.kind == "value"
    assert 0 < found.match[3] <= 1


def test_a_value_of_several_columns_is_a_label_for_each() -> None:
    found = [one for one in labels_of("Ulm") if one.kind == "value"]
    assert {called(one) for one in found} == {"baker.town=Ulm", "store.city=Ulm"}
    assert {one.match[6] for one in found} == {0.5}


def test_periods_are_counted_from_the_stated_day() -> None:
    (label,) = [one for one in labels_of("last month") if one.kind == "period"]
    assert isinstance(label.value, Period)
    assert (label.value.start.month, label.value.end.month) == (TODAY.month - 1, TODAY.month)


@pytest.mark.parametrize(
    ("phrase", "op"),
    [
        *(("how many", "count"), ("average", "agg:average"), ("at least", "sign:>=")),
        *(("or more", "sign:>="), ("per", "per"), ("without", "not"), ("is there", "yesno")),
        *(("starts with", "starts"), ("in descending order", "sort:desc"), ("most", "dir:desc")),
    ],
)
def test_phrases_say_operations(phrase: str, op: str) -> None:
    whole = [one.op for one in labels_of(phrase) if one.end - one.start == len(words_of(phrase))]
    assert op in whole


class _Meanings:
    """Finds words alike to given texts."""

    def __init__(
        self, texts: Sequence[str], alike: dict[tuple[int, int], dict[str, float]]
    ) -> None:
        self.texts, self.figures = texts, alike

    def alike(self, start: int, end: int) -> Rows:
        """See `Meanings`."""
        known = self.figures.get((start, end), {})
        return np.array([known.get(one, 0.0) for one in self.texts], np.float32)


def test_words_of_like_meaning_name_a_thing_that_nobody_called_so() -> None:
    names = LayerNames(bakery_layer())
    meanings = _Meanings(names.texts, {(0, 1): {"price": 0.7, "weight": 0.1}})
    found = names.find(words_of("cost"), meanings)
    assert [(one.thing, one.exact, round(one.alike, 3)) for one in found] == [(PRICE, False, 0.7)]
    assert names.find(words_of("cost")) == []


def test_nothing_is_guessed_by_meaning_where_words_are_a_name_or_an_operation() -> None:
    labeller = bakery_labeller()
    words = words_of("most weight")
    guessed = {(start, start + 1): {"price": 0.9} for start in range(2)}
    labels = labeller.labels(words, TODAY, _Meanings(labeller.names.texts, guessed))
    columns = {(one.start, one.thing.column) for some in labels for one in some if one.thing}
    assert (1, "weight") in columns
    assert not {(0, "price"), (1, "price")} & columns
    other = labeller.labels(words_of("cost"), TODAY, _Meanings(labeller.names.texts, guessed))
    assert "price" in {one.thing.column for one in other[0] if one.thing}


def test_names_and_things_belong_together() -> None:
    names = LayerNames(bakery_layer())
    assert len(names.texts) == len(names.things)
    assert PRICE in names.things
    for thing, text in zip(names.things, names.texts, strict=True):
        if text == "name":
            # Of whatever the question is about: a label of its own.
            continue
        found = [one for one in names.find(words_of(text)) if one.thing == thing]
        assert any(one.exact for one in found), text


@pytest.mark.parametrize("name", ["state", "value", "kind", "record", "system"])
def test_a_column_may_be_called_by_a_word_that_often_means_nothing(name: str) -> None:
    column = ColumnInfo("x", name, "text")
    table = TableInfo("t", "customer", (column,))
    layer = SemanticLayer("d", Schema((Table("t", (Column("x", "text"),)),)), (table,))
    found = LayerNames(layer).find(words_of(f"customers by {name}"))
    exact = [(one.start, one.thing) for one in found if one.exact]
    assert exact == [(0, SchemaItem("table", "t")), (2, SchemaItem("column", "t", "x"))]


VOCABULARY = st.sampled_from(
    [
        *("bread", "bakers", "oldest", "rye", "Ulm", "Ada", "Moss", "how", "many", "3", "$", "g"),
        *("who", "when", "where", '"', "“", "”", "'", "@", "contains", "last", "month", "half"),
        *("a", "week", "than", "not", "per", "2023", "name", "full", "phone", "secret", ",", "-"),
    ]
)


@given(st.one_of(st.text(max_size=40), st.lists(VOCABULARY, max_size=10).map(" ".join)))
def test_labels_lie_in_the_question_and_show_nothing_private(question: str) -> None:
    words = words_of(question)
    found = bakery_labeller().labels(words, TODAY)
    assert len(found) == len(words)
    for start, some in enumerate(found):
        for one in some:
            assert one.start == start < one.end <= len(words)
            assert one.thing is None or one.thing.table != "recipe"
            assert one.thing is None or one.thing.column != "phone"


def test_different_names_are_those_of_the_table_that_is_said() -> None:
    found = [
        one for one in labels_of("how many different names do bakers have") if one.op == "names"
    ]
    assert [one.thing for one in found] == [SchemaItem("column", "baker", "name")]
    assert not [one for one in labels_of("names of bakers") if one.op == "names"]


class _Named:
    """A finder that takes each "Dawn" for a value of two columns."""

    def find(self, words: Sequence[str]) -> Sequence[ValueMatch]:
        places = [("photo", "title"), ("person", "title")]
        return [
            ValueMatch(at, at + 1, "Dawn", places, 1.0)
            for at, word in enumerate(words)
            if word == "Dawn"
        ]


def _two_tables() -> Labeller:
    columns = (Column("id", "id"), Column("title", "text"), Column("other_details", "text"))
    tables = tuple(Table(name, columns, "id") for name in ("photo", "person"))
    infos = tuple(
        TableInfo(
            one.name,
            one.name,
            (
                ColumnInfo("id", "id", "id"),
                ColumnInfo("title", "title", "text", synonyms=("photos",)),
                ColumnInfo("other_details", "other details", "text"),
            ),
        )
        for one in tables
    )
    return Labeller(SemanticLayer("gallery", Schema(tables), infos), _Named())


@pytest.mark.parametrize(
    ("question", "tables"),
    [
        ("who took the photo Dawn", ["photo"]),
        ('who took the photo called "Dawn"', ["photo"]),
        ("photos Dawn", ["photo", "person"]),
        ("who is Dawn", ["photo", "person"]),
    ],
)
def test_a_value_is_of_the_table_before_it(question: str, tables: list[str]) -> None:
    labels = [one for some in _two_tables().labels(words_of(question), TODAY) for one in some]
    assert [one.thing.table for one in labels if one.kind == "value" and one.thing] == tables


def test_other_details_are_details() -> None:
    labels = [one for some in _two_tables().labels(words_of("details"), TODAY) for one in some]
    whole = [one for one in labels if one.kind == "column" and one.match[0] == 1]
    assert {one.thing.column for one in whole if one.thing} == {"other_details"}


def test_a_synonym_that_is_spelt_like_a_table_gives_way() -> None:
    labels = [one for some in _two_tables().labels(words_of("photos"), TODAY) for one in some]
    assert [one.kind for one in labels if one.match[:1] == (1.0,)] == ["table"]


def test_numbers_of_rows_are_their_ids() -> None:
    (label,) = [one for one in labels_of("bread numbers") if one.start == 0 and one.end == 2]
    assert label.thing == SchemaItem("column", "bread", "id")
    assert not [one for one in labels_of("numbers") if one.kind == "column" and one.match[0] == 1]


def test_a_state_is_said() -> None:
    columns = (Column("id", "id"), Column("state", "text"))
    info = (
        ColumnInfo("id", "id", "id"),
        ColumnInfo("state", "billing state", "text", ("bill state",)),
    )
    layer = SemanticLayer(
        "bills", Schema((Table("b", columns, "id"),)), (TableInfo("b", "bill", info),)
    )
    labels = Labeller(layer, _Named()).labels(words_of("bill"), TODAY)
    (column,) = [one for some in labels for one in some if one.kind == "column"]
    assert column.match[:2] == (0, 0.5)
