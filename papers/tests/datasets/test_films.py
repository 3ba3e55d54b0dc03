"""The shipped questions about films."""

from __future__ import annotations

import pytest

from partwise.errors import DataError
from partwise_papers.datasets.films import POOL, SPLITS, make_films, pool, shipped_mcd_split
from partwise_papers.splits.dbca import CompoundPool, CompoundSettings


@pytest.mark.parametrize("split", SPLITS)
def test_no_question_is_in_two_parts(split: str) -> None:
    data = make_films(split)
    assert (data.name, data.split) == ("films", split)
    sources = [example.source for part in data.parts().values() for example in part]
    assert len(set(sources)) == len(sources)
    train, dev, test = map(len, data.parts().values())
    assert train + dev + test == pytest.approx(POOL / 2, rel=0.02)
    assert dev == pytest.approx(test, abs=1) == pytest.approx(train / 8, rel=0.02)


def test_the_splits_are_of_the_same_sizes() -> None:
    sizes = {tuple(map(len, make_films(split).parts().values())) for split in SPLITS}
    assert len(sizes) == 1


def test_the_shipped_places_are_those_of_the_measured_divergences() -> None:
    split = shipped_mcd_split()
    rules = [example.rules for example in pool() if example.rules is not None]
    found = CompoundPool.of(rules, CompoundSettings(**split.settings["compounds"]))
    assert found.divergences(split.train, split.dev + split.test) == pytest.approx(
        split.divergences, abs=1e-9
    )
    assert split.atom_divergence <= 0.02
    assert split.compound_divergence > 0.6
    random = make_films("random")
    place = {example.source: i for i, example in enumerate(pool())}
    parts = [[place[e.source] for e in part] for part in (random.train, random.dev + random.test)]
    assert found.divergences(*parts).compound < 0.2


def test_a_data_set_may_be_changed_without_changing_the_next() -> None:
    first = make_films("random")
    kept = list(first.train)
    first.train.clear()
    assert make_films("random").train == kept


def test_an_unknown_split_is_an_error() -> None:
    with pytest.raises(DataError, match=f"no split 'none'; it has {', '.join(SPLITS)}"):
        make_films("none")
