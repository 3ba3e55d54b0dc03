"""Splits of maximum compound divergence (MCD): same atoms, other compounds.

Keysers et al. (2020, section 3) grow train and test greedily from nothing and now and then take an
example back; what exactly they do is not published. Here both sides are grown in that way and
then improved by simulated annealing over single moves, several times from different seeds.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from partwise.errors import DataError
from partwise.interface.data import RuleGraph
from partwise.interface.files import write_whole
from partwise_papers.splits import mcd_search
from partwise_papers.splits.dbca import (
    ATOM_ALPHA,
    COMPOUND_ALPHA,
    CompoundPool,
    CompoundSettings,
    Divergences,
    Rows,
)
from partwise_papers.splits.rule_units import Ints

FORMAT = "partwise mcd split 1"
HEATS_SPARE, HEATS_ALL = (0.03, 0.1), (1.0, 2.0)
"""First temperatures, by turns, where examples are left unused and where all are used.

With spare examples what was grown is good and only to be bettered; without, its last and forced
steps are to be undone.
"""
WEIGHT = 12.0
"""What atom divergence above its limit costs, against compound divergence."""
GRAIN = 2.0**24
"""The search rounds weights to multiples of 1 / GRAIN, so that sums of them are exact."""
SLACK = 0.01
"""How far a side's size may be from what is wanted, as a part of the smaller side."""
PARTS = ("train", "dev", "test", "unused")


@dataclass(frozen=True)
class McdSplit:
    """A split of a pool, by the examples' places in it.

    Attributes:
        train, dev, test, unused: places, in order; together each once.
        atom_divergence, compound_divergence: between train and what dev and test are made of.
        settings: what the split was made with.
    """

    train: tuple[int, ...]
    test: tuple[int, ...]
    atom_divergence: float
    compound_divergence: float
    dev: tuple[int, ...] = ()
    unused: tuple[int, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def divergences(self) -> Divergences:
        """Both divergences."""
        return Divergences(self.atom_divergence, self.compound_divergence)

    def write(self, path: Path) -> None:
        """Write it as JSON, one part a line.

        Raises:
            OSError: if it cannot be written.
        """
        rows = {"format": FORMAT, **asdict(self)}
        lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rows.items())
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        write_whole(path, lambda partial: partial.write_text(text, encoding="utf-8"))

    @classmethod
    def read(cls, path: Path) -> McdSplit:
        """Read what `write` wrote.

        Raises:
            DataError: for a file that is missing or is no such split.
        """
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            if rows.pop("format") != FORMAT:
                raise ValueError(f"its format is not {FORMAT!r}")
            fields: dict[str, Any] = {n: tuple(x) if n in PARTS else x for n, x in rows.items()}
            split = cls(**fields)
            split._check()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(
                f"{path} is no split file that McdSplit.write wrote ({error}); make it again"
            ) from error
        return split

    def _check(self) -> None:
        places = [*self.train, *self.dev, *self.test, *self.unused]
        if any(type(place) is not int for place in places):
            raise ValueError("its places are not all whole numbers")
        if sorted(places) != list(range(len(places))):
            raise ValueError("its parts do not have each example once")
        if not all(type(x) is float and 0 <= x <= 1 for x in self.divergences):
            raise ValueError("its divergences are not numbers from 0 to 1")
        if not isinstance(self.settings, dict):
            raise ValueError("its settings are no object")


@dataclass(frozen=True)
class McdSettings:
    """What an MCD split should be, and how long it is searched for.

    Attributes:
        test: examples to test on, dev among them: a number, or a share of what is used.
        max_atom_divergence: no split with a greater one is returned.
        target_compound_divergence: None for the greatest that is found.
        unused: the share of the pool that is in no part. CFQ's splits leave half of theirs out;
            the less is left out, the lower the compound divergence.
        dev_share: the share of the test examples that is set apart as dev, at random.
        tries: how many candidates are compared when a side grows.
        sweeps: how often each rule graph is then tried for a move, on average.
        restarts: how many splits are made; the best is returned.
        compounds: which subgraphs count.

    Raises:
        DataError: for values out of range.
    """

    test: int | float
    seed: int = 0
    max_atom_divergence: float = 0.02
    target_compound_divergence: float | None = None
    unused: float = 0.5
    dev_share: float = 0.0
    tries: int = 100
    sweeps: int = 60
    restarts: int = 6
    compounds: CompoundSettings = field(default_factory=CompoundSettings)

    def __post_init__(self) -> None:
        for name, most in (
            ("max_atom_divergence", 1.0),
            ("target_compound_divergence", 1.0),
            ("unused", 0.99),
            ("dev_share", 0.99),
        ):
            value = getattr(self, name)
            if not 0 <= (value or 0.0) <= most:
                raise DataError(f"{name} is {value}; choose one from 0 to {most}")
        if min(self.tries, self.sweeps, self.restarts) < 1:
            raise DataError("tries, sweeps and restarts must be 1 or more; choose greater ones")


def mcd_split(
    rule_graphs: Sequence[RuleGraph], settings: McdSettings, pool: CompoundPool | None = None
) -> McdSplit:
    """Part a pool so that train and test have the same atoms but other compounds.

    All atoms of test and dev are in train. Equal rule graphs are on one side, so that sizes are met
    up to 1%.

    Args:
        pool: the compounds of these rule graphs, if found before; `settings.compounds` is then not
            used.

    Raises:
        DataError: for a pool that is too small or has unusable rule graphs, and if no split was
            found that meets the demands.
    """
    if pool is not None and len(pool.units.of) != len(rule_graphs):
        raise DataError(
            f"the pool has {len(pool.units.of)} examples, but there are {len(rule_graphs)} rule "
            "graphs; give the pool of these rule graphs, or none"
        )
    wanted = _sizes(len(rule_graphs), settings.test, settings.unused)
    pool = pool or CompoundPool.of(rule_graphs, settings.compounds)
    target, most = settings.target_compound_divergence, settings.max_atom_divergence
    # The search sums in another order than the measuring: a little stricter, to be sure.
    slack, strict = max(1, round(SLACK * min(wanted))), 0.995 * most
    aim = mcd_search.Aim(wanted, slack, strict, 1.0 if target is None else target, WEIGHT)
    heats = HEATS_SPARE if wanted.sum() < len(rule_graphs) else HEATS_ALL
    sides = [
        _searched(pool, aim, settings, heats[restart % len(heats)], restart)
        for restart in range(settings.restarts)
    ]
    side, divergences = _best(pool, sides, aim, most)
    parts = [tuple(np.flatnonzero(side == which).tolist()) for which in range(3)]
    last = list(parts[mcd_search.TEST])
    random.Random(settings.seed).shuffle(last)
    border = round(settings.dev_share * len(last))
    return McdSplit(
        train=parts[mcd_search.TRAIN],
        dev=tuple(sorted(last[:border])),
        test=tuple(sorted(last[border:])),
        unused=parts[mcd_search.OUT],
        atom_divergence=divergences.atom,
        compound_divergence=divergences.compound,
        settings=asdict(replace(settings, compounds=pool.settings)),
    )


def _sizes(examples: int, test: int | float, unused: float) -> Ints:
    """How many examples train and test should have."""
    used = examples - round(unused * examples)
    size = test if isinstance(test, int) else round(test * used)
    if not 0 < size < used:
        raise DataError(
            f"of {examples} examples {used} are to be used, {size} of them to test on, and some "
            "to train on; give more examples, or choose a smaller test set or share of unused ones"
        )
    return np.array([used - size, size], np.int64)


def _searched(
    pool: CompoundPool, aim: mcd_search.Aim, settings: McdSettings, heat: float, restart: int
) -> Ints:
    """(examples,) the side of each, from one run of the search."""
    counts = pool.units.counts
    atoms = _tally(pool.atoms, counts, ATOM_ALPHA)
    compounds = _tally(pool.compounds, counts, COMPOUND_ALPHA)
    state = np.array([random.Random(f"{settings.seed} {restart}").getrandbits(64)], np.uint64)
    side = mcd_search.grow(aim, atoms, compounds, counts, settings.tries, state)
    mcd_search.anneal(aim, atoms, compounds, counts, side, settings.sweeps, heat, state)
    examples: Ints = side[pool.units.of]
    return examples


def _tally(rows: Rows, counts: Ints, alpha: float) -> mcd_search.Tally:
    each = np.repeat(counts.astype(np.float64), np.diff(rows.starts))
    values = np.round(rows.values * GRAIN) / GRAIN * each
    sums, powers = np.zeros((2, rows.width)), np.zeros((2, rows.width))
    return mcd_search.Tally(rows.starts, rows.columns, values, sums, powers, np.zeros(3), alpha)


def _best(
    pool: CompoundPool, sides: Sequence[Ints], aim: mcd_search.Aim, most: float
) -> tuple[Ints, Divergences]:
    """The split that is nearest to the target among those that meet the demands."""
    closest: tuple[Ints, Divergences] | None = None
    seen = []
    for side in sides:
        train, test = (np.flatnonzero(side == x) for x in (mcd_search.TRAIN, mcd_search.TEST))
        if not (len(train) and len(test)):
            continue
        found = pool.divergences(train, test)
        unknown = _unknown(pool, train, test)
        seen.append(
            f"atom divergence {found.atom:.4f}, {unknown} atoms of test not in train, "
            f"{len(train)} and {len(test)} examples"
        )
        fits = max(abs(np.array([len(train), len(test)]) - aim.wanted)) <= aim.slack
        if fits and found.atom <= most and not unknown:
            gap = abs(found.compound - aim.compound)
            if closest is None or gap < abs(closest[1].compound - aim.compound):
                closest = side, found
    if closest is None:
        raise DataError(
            f"no split of {len(pool.units.graphs)} different rule graphs into {aim.wanted[0]} "
            f"examples to train on and {aim.wanted[1]} to test on has an atom divergence of at "
            f"most {most} and all atoms of test in train; there were: "
            f"{'; '.join(seen) or 'none with both parts'}. Give more examples, other sizes, or a "
            "greater max_atom_divergence"
        )
    return closest


def _unknown(pool: CompoundPool, train: Ints, test: Ints) -> int:
    """The number of atoms that are in test but not in train."""
    known, asked = (pool.atoms.total(pool.amounts(part)) for part in (train, test))
    return int(((asked > 0) & (known <= 0)).sum())
