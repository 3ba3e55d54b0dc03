"""The shipped questions about films."""

from __future__ import annotations

import pytest

from partwise.datasets.films import SIZE, SPLITS, make_films
from partwise.errors import DataError


def test_the_random_split_has_each_question_once() -> None:
    data = make_films("random")
    assert [len(part) for part in data.parts().values()] == [0.8 * SIZE, 0.1 * SIZE, 0.1 * SIZE]
    sources = [example.source for part in data.parts().values() for example in part]
    assert len(set(sources)) == SIZE
    assert sources != sorted(sources)


def test_a_data_set_may_be_changed_without_changing_the_next() -> None:
    first = make_films("random")
    kept = list(first.train)
    first.train.clear()
    assert make_films("random").train == kept


def test_an_unknown_split_is_an_error() -> None:
    with pytest.raises(DataError, match=f"no split 'none'; it has {', '.join(SPLITS)}"):
        make_films("none")
