"""The shipped questions about films: made again at each first use, always the same.

The questions are those of `partwise_papers.films.generate`. Both splits take what they need from
the same pool and have parts of the same sizes, so that what differs between their figures is what
MCD does: the same words and rules in train and test, put together otherwise. The places of the MCD
split are shipped, as they take longer to find than the questions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from itertools import accumulate, pairwise

from partwise.errors import DataError
from partwise.interface.data import Dataset, Example
from partwise.language.query_graph import QueryGraph
from partwise_papers.films.generate import generate
from partwise_papers.splits.mcd import McdSettings, McdSplit, mcd_split

SEED = 1
POOL = 24_000
"""Questions of which each split takes half."""
MCD_FILE = "mcd.json"

Places = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""Places of the examples of train, dev and test in the pool."""


def make_films(split: str, *, skip_bad: bool = False) -> Dataset[QueryGraph]:
    """One split, of about 9,600, 1,200 and 1,200 questions; no question is in two of its parts;
    raises DataError for an unknown split, or if the package lacks its file."""
    if split not in SPLITS:
        raise DataError(f"films has no split {split!r}; it has {', '.join(SPLITS)}")
    examples = pool()
    train, dev, test = ([examples[place] for place in places] for places in SPLITS[split]())
    return Dataset("films", split, train, dev, test)


@lru_cache
def pool() -> tuple[Example[QueryGraph], ...]:
    """The questions that the splits are made of."""
    return tuple(generate(POOL, SEED))


def read_shipped_mcd_split() -> McdSplit:
    """The MCD split with its divergences and settings; raises DataError if the package lacks its
    file."""
    with as_file(files("partwise_papers.films").joinpath("questions", MCD_FILE)) as path:
        return McdSplit.read(path)


def find_mcd_split() -> McdSplit:
    """The split to be shipped, found again; takes some ten seconds; raises DataError if the pool
    has none."""
    rules = [example.rules for example in pool() if example.rules is not None]
    return mcd_split(rules, McdSettings(test=0.2, dev_share=0.5, seed=SEED))


def _mcd() -> Places:
    split = read_shipped_mcd_split()
    return split.train, split.dev, split.test


def _random() -> Places:
    """Parts as large as those of the MCD split."""
    order = list(range(POOL))
    random.Random(f"films random {SEED}").shuffle(order)
    borders = pairwise(accumulate(map(len, _mcd()), initial=0))
    train, dev, test = (order[start:end] for start, end in borders)
    return train, dev, test


SPLITS: dict[str, Callable[[], Places]] = {"random": _random, "mcd": _mcd}
