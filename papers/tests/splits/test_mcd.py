"""MCD splits: what they promise, on a small made-up pool."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mcd_helpers import shuffled, small_pool

from partwise.errors import DataError
from partwise.interface.data import RuleGraph
from partwise_papers.splits.dbca import CompoundPool, CompoundSettings
from partwise_papers.splits.mcd import McdSettings, McdSplit, mcd_split

POOL = small_pool(600)


@cache
def found() -> McdSplit:
    return mcd_split(POOL, McdSettings(test=0.2, dev_share=0.5, unused=0.3, restarts=2, sweeps=20))


def places(split: McdSplit) -> list[int]:
    return sorted((*split.train, *split.dev, *split.test, *split.unused))


def test_the_parts_are_disjoint_and_complete() -> None:
    assert places(found()) == list(range(600))
    assert len(found().train) == pytest.approx(336, abs=1)
    assert len(found().dev + found().test) == pytest.approx(84, abs=1)
    assert abs(len(found().dev) - len(found().test)) <= 1


def test_atoms_stay_and_compounds_go() -> None:
    pool = CompoundPool.of(POOL)
    measured = pool.divergences(found().train, found().dev + found().test)
    assert measured == found().divergences
    order = random.Random(0).sample(range(600), 420)
    by_chance = pool.divergences(order[84:], order[:84])
    assert measured.atom <= 0.02
    assert measured.compound > by_chance.compound + 0.2


def test_equal_rule_graphs_stay_together() -> None:
    chance = random.Random(0)
    pool = small_pool(150) * 2
    pool = [shuffled(graph, chance) for graph in pool]
    split = mcd_split(pool, McdSettings(test=0.25, unused=0.0, max_atom_divergence=0.1, restarts=1))
    assert not split.unused
    assert {place % 150 for place in split.train}.isdisjoint(place % 150 for place in split.test)


def test_the_same_for_a_seed() -> None:
    def split(seed: int) -> McdSplit:
        return mcd_split(
            POOL[:200], McdSettings(test=40, seed=seed, max_atom_divergence=0.1, restarts=2)
        )

    assert split(3) == split(3)
    assert split(3).train != split(4).train


@pytest.mark.parametrize("target", [0.2, 0.4])
def test_a_target_is_met(target: float) -> None:
    split = mcd_split(POOL, McdSettings(test=100, target_compound_divergence=target, restarts=2))
    assert split.compound_divergence == pytest.approx(target, abs=0.01)
    assert split.atom_divergence <= 0.02


def possible(graphs: list[RuleGraph], **demands: float) -> McdSplit | None:
    """A quick split; None where there is none."""
    try:
        return mcd_split(graphs, McdSettings(sweeps=10, restarts=1, **demands))
    except DataError:
        return None


@settings(max_examples=15)
@given(
    st.integers(30, 80),
    st.integers(0, 9),
    st.sampled_from((0.0, 0.25, 0.5)),
    st.sampled_from((0.2, 0.5)),
)
def test_what_holds_of_every_split(count: int, seed: int, unused: float, share: float) -> None:
    graphs = small_pool(count, seed)
    demands = {"unused": unused, "max_atom_divergence": 0.3, "dev_share": 0.5}
    split = possible(graphs, test=share, seed=seed, **demands)
    assume(split is not None)
    assert split is not None
    assert places(split) == list(range(count))
    pool = CompoundPool.of(graphs)
    assert pool.divergences(split.train, split.dev + split.test) == split.divergences
    assert split.atom_divergence <= 0.3
    asked = {rule for place in split.dev + split.test for rule in graphs[place].rules}
    assert asked <= {rule for place in split.train for rule in graphs[place].rules}
    assert all(0 <= x <= 1 for x in split.divergences)
    assert len(split.dev) + len(split.test) == pytest.approx(share * count * (1 - unused), abs=2)


def test_a_pool_is_used_again() -> None:
    compounds = CompoundSettings(size=3, chain=3)
    pool = CompoundPool.of(POOL, compounds)
    given = {"test": 0.2, "restarts": 1, "sweeps": 5, "max_atom_divergence": 0.1}
    assert mcd_split(POOL, McdSettings(**given), pool) == mcd_split(
        POOL, McdSettings(compounds=compounds, **given)
    )


def test_split_files(tmp_path: Path) -> None:
    path = tmp_path / "mcd1.json"
    found().write(path)
    assert McdSplit.read(path) == found()
    rows = json.loads(path.read_text())
    assert rows["compound_divergence"] == found().compound_divergence
    assert rows["settings"]["unused"] == 0.3
    assert rows["settings"]["compounds"]["size"] == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "its format is not"),
        ({"train": [0, 0]}, "each example once"),
        ({"train": ["0"]}, "not all whole numbers"),
        ({"train": 3}, "no split file"),
        ({"atom_divergence": 2.0}, "not numbers from 0 to 1"),
        ({"compound_divergence": None}, "not numbers from 0 to 1"),
        ({"settings": []}, "settings are no object"),
        ({"odd": 1}, "odd"),
    ],
)
def test_damaged_split_files(tmp_path: Path, change: dict, message: str) -> None:
    path = tmp_path / "split.json"
    found().write(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DataError, match=message):
        McdSplit.read(path)


def test_missing_and_unreadable_split_files(tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    for text in (None, "{", "[]", "3", "{}"):
        if text is not None:
            path.write_text(text)
        with pytest.raises(DataError, match=r"split\.json is no split file"):
            McdSplit.read(path)


def test_impossible_demands_are_errors() -> None:
    with pytest.raises(DataError, match="of 10 examples 5 are to be used, 5 of them to test on"):
        mcd_split(POOL[:10], McdSettings(test=5))
    with pytest.raises(DataError, match="give more examples"):
        mcd_split(POOL[:1], McdSettings(test=0.5))
    with pytest.raises(DataError, match="of 0 examples 0 are to be used"):
        mcd_split([], McdSettings(test=0.5))
    with pytest.raises(DataError, match=r"unused is 1\.0; choose one from 0 to 0\.99"):
        mcd_split(POOL, McdSettings(test=0.2, unused=1.0))
    with pytest.raises(DataError, match="restarts must be 1 or more"):
        mcd_split(POOL, McdSettings(test=0.2, restarts=0))
    with pytest.raises(DataError, match="pool has 20 examples, but there are 600"):
        mcd_split(POOL, McdSettings(test=0.2), CompoundPool.of(POOL[:20]))
    same = [POOL[0]] * 20
    with pytest.raises(DataError, match="no split of 1 different rule graphs into 8 examples"):
        mcd_split(same, McdSettings(test=0.2))
    apart = [RuleGraph(("a", "b"), ((0, 1),))] * 10 + [RuleGraph(("c", "d"), ((0, 1),))] * 10
    with pytest.raises(DataError, match=r"1\.0000, 2 atoms of test not in train, 10 and 10"):
        mcd_split(apart, McdSettings(test=0.5, unused=0.0))
