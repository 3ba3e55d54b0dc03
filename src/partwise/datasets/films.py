"""The shipped questions about films: made anew at each first use, always the same.

The questions are those of `partwise.domains.films.generate`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache

from partwise.datasets.graphs import GraphDataset, GraphExample
from partwise.domains.films.generate import generate
from partwise.errors import DataError

SEED = 1
SIZE = 12_000
DEV_SHARE = TEST_SHARE = 0.1

Places = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""Places of the examples of train, dev and test."""


def random_split(examples: Sequence[GraphExample]) -> Places:
    """The examples in random order, parted by `DEV_SHARE` and `TEST_SHARE`."""
    order = list(range(len(examples)))
    random.Random(f"films random {SEED}").shuffle(order)
    dev, test = (round(share * len(order)) for share in (DEV_SHARE, TEST_SHARE))
    train = len(order) - dev - test
    return order[:train], order[train : train + dev], order[train + dev :]


SPLITS: dict[str, Callable[[Sequence[GraphExample]], Places]] = {"random": random_split}


def make_films(split: str, *, skip_bad: bool = False) -> GraphDataset:
    """One split of the 12,000 questions; no question is in two of its parts.

    Raises:
        DataError: for an unknown split.
    """
    if split not in SPLITS:
        raise DataError(f"films has no split {split!r}; it has {', '.join(SPLITS)}")
    pool = _pool()
    train, dev, test = ([pool[place] for place in places] for places in SPLITS[split](pool))
    return GraphDataset("films", split, train, dev, test)


@lru_cache
def _pool() -> tuple[GraphExample, ...]:
    return tuple(generate(SIZE, SEED))
