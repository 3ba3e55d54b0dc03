"""Which tables, columns and measures words may name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from bakery import bakery_layer

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.spans.names import LayerNames, Named, Rows, SchemaItem
from partwise.database.spans.text import words_of
from partwise.execution.relational.schema import Column, Schema, Table

PRICE = SchemaItem("column", "bread", "price")


class _Alike:
    """Spans are alike names as one says."""

    def __init__(self, texts: Sequence[str], told: Mapping[tuple[int, int], Mapping[str, float]]):
        self.texts, self.told = texts, told

    def alike(self, start: int, end: int) -> Rows:
        some = self.told.get((start, end), {})
        return np.array([some.get(text, -1.0) for text in self.texts], dtype=np.float32)


def _find(question: str, table: str, column: str = "") -> list[Named]:
    found = LayerNames(bakery_layer()).find(words_of(question))
    return [named for named in found if named.thing[1:] == (table, column)]


@pytest.mark.parametrize("word", ["bread", "breads", "Bread", "pastry", "pastries"])
def test_a_table_is_found_by_its_names_in_singular_and_plural(word: str) -> None:
    (named,) = _find(word, "bread")
    assert named.exact
    assert named.covered == 1


def test_the_label_of_an_item_is_told_from_its_synonyms() -> None:
    (first,), (second,) = _find("store", "store"), _find("shop", "store")
    assert (first.first, second.first) == (True, False)


@pytest.mark.parametrize("word", ["bakr", "bakker", "bakrs"])
def test_a_misspelt_name_is_found_if_it_is_long_enough(word: str) -> None:
    found = _find(word, "baker")
    if len(word) < 5:
        assert not found
    else:
        assert 0.75 <= found[0].typed < 1


def test_a_part_of_a_name_is_less_than_the_whole() -> None:
    found = _find("opening year", "store", "opening_year")
    whole = max(found, key=lambda named: named.end - named.start)
    parts = [named for named in found if (named.start, named.end) == (0, 1)]
    assert whole.exact
    assert (whole.start, whole.end) == (0, 2)
    assert [named.exact for named in parts] == [False]
    assert 0 < parts[0].covered < 1


def test_words_of_like_meaning_name_what_nobody_called_so() -> None:
    names = LayerNames(bakery_layer())
    alike = _Alike(names.texts, {(0, 1): {"price": 0.7, "weight": 0.1}})
    found = names.find(words_of("cost"), alike)
    assert [(x.thing, x.exact, round(x.alike, 3)) for x in found] == [(PRICE, False, 0.7)]
    assert names.find(words_of("cost")) == []


def test_nothing_is_guessed_by_meaning_where_words_are_a_name_or_an_operation() -> None:
    names = LayerNames(bakery_layer())
    alike = _Alike(names.texts, {(start, start + 1): {"price": 0.9} for start in range(2)})
    found = {(x.start, x.thing.column) for x in names.find(words_of("most weight"), alike)}
    assert (1, "weight") in found
    assert (0, "price") not in found


def test_names_and_items_belong_together() -> None:
    names = LayerNames(bakery_layer())
    assert len(names.texts) == len(names.things)
    assert PRICE in names.things
    for item, text in zip(names.things, names.texts, strict=True):
        found = [named for named in names.find(words_of(text)) if named.thing == item]
        # "Name" alone is of whatever a question is about.
        assert text == "name" or any(named.exact for named in found), text


@pytest.mark.parametrize("name", ["state", "value", "kind", "record", "system"])
def test_a_column_may_be_called_by_a_word_that_often_means_nothing(name: str) -> None:
    column = ColumnInfo("x", name, "text")
    table = TableInfo("t", "customer", (column,))
    layer = SemanticLayer("d", Schema((Table("t", (Column("x", "text"),)),)), (table,))
    found = LayerNames(layer).find(words_of(f"customers by {name}"))
    exact = [(named.start, named.thing) for named in found if named.exact]
    assert exact == [(0, SchemaItem("table", "t")), (2, SchemaItem("column", "t", "x"))]
