"""Splits of maximum compound divergence (MCD): same atoms, other compounds.

Keysers et al. (2020, section 3) grow train and test greedily from nothing and now and then take an
example back; what exactly they do is not published. Here both sides are grown in that way and
then improved by simulated annealing over single moves, several times from different seeds.

The search is compiled. The Chernoff coefficient of totals P and Q is S / (P^alpha Q^(1 - alpha)),
where S is the sum over the columns of p^alpha q^(1 - alpha), so that moving a unit changes only the
terms of its own columns. The amounts must be multiples of one power of two and small enough to be
added and subtracted without rounding: a remnant of 1e-17 to the power 0.1 would count as 0.02.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from partwise.errors import DataError
from partwise.interface.data import RuleGraph
from partwise.interface.files import write_whole
from partwise_papers.splits.compounds import mix
from partwise_papers.splits.dbca import (
    ATOM_ALPHA,
    COMPOUND_ALPHA,
    CompoundPool,
    CompoundSettings,
    Divergences,
    Floats,
    Ints,
    Rows,
)

TRAIN, TEST, OUT = 0, 1, 2
COOL = 0.01
UNKNOWN = 0.01
"""What each atom that is in test but not in train costs, against compound divergence."""
STEP, S11, UNIT = np.uint64(0x9E3779B97F4A7C15), np.uint64(11), 2.0**-53


class Tally(NamedTuple):
    """The atoms, or compounds, of the units and of both sides.

    Attributes:
        starts: (units + 1,) where each unit's entries start.
        columns, values: (entries,) amounts, of all examples of the unit together.
        sums: (2, width) the amounts on either side.
        powers: (2, width) their power alpha.
        totals: (3,) all of train, all of test, and S.
        alpha: the weight of the training side.
    """

    starts: Ints
    columns: Ints
    values: Floats
    sums: Floats
    powers: Floats
    totals: Floats
    alpha: float


class Aim(NamedTuple):
    """What is looked for.

    Attributes:
        wanted: (2,) examples of each side.
        slack: how many more or fewer a side may have.
        atom: the greatest atom divergence.
        compound: the compound divergence to come near to.
        weight: what atom divergence above its limit costs, against compound divergence.
    """

    wanted: Ints
    slack: int
    atom: float
    compound: float
    weight: float


@njit(cache=True, nogil=True, inline="always")
def _uniform(random: Any) -> Any:
    """The next random number, 0 to below 1; `random` is one uint64."""
    random[0] += STEP
    return (mix(random[0]) >> S11) * UNIT


@njit(cache=True, nogil=True)
def _coefficient(total: Any, train: Any, test: Any, alpha: Any) -> Any:
    """The Chernoff coefficient; 1 while a side is empty."""
    if train <= 0 or test <= 0:
        return 1.0
    return total / (train**alpha * test ** (1.0 - alpha))


@njit(cache=True, nogil=True, inline="always")
def _term(tally: Any, column: Any) -> Any:
    """p^alpha q^(1 - alpha) of one column."""
    q = tally.sums[TEST, column]
    if tally.sums[TRAIN, column] <= 0 or q <= 0:
        return 0.0
    return tally.powers[TRAIN, column] * (q / tally.powers[TEST, column])


@njit(cache=True, nogil=True)
def _after(tally: Any, unit: Any, go: Any, to: Any) -> Any:
    """The coefficient if a unit moved from one side to another; nothing is changed."""
    alpha = tally.alpha
    change, mass = 0.0, 0.0
    more_p, more_q = (to == TRAIN) - (go == TRAIN), (to == TEST) - (go == TEST)
    for x in range(tally.starts[unit], tally.starts[unit + 1]):
        column, value = tally.columns[x], tally.values[x]
        mass += value
        change -= _term(tally, column)
        p = tally.sums[TRAIN, column] + value * more_p
        q = tally.sums[TEST, column] + value * more_q
        if p > 0 and q > 0:
            p_alpha = p**alpha if more_p else tally.powers[TRAIN, column]
            q_alpha = q**alpha if more_q else tally.powers[TEST, column]
            change += p_alpha * (q / q_alpha)
    totals = tally.totals
    train, test = totals[TRAIN] + mass * more_p, totals[TEST] + mass * more_q
    return _coefficient(totals[2] + change, train, test, alpha)


@njit(cache=True, nogil=True)
def _add(tally: Any, unit: Any, side: Any, sign: Any) -> None:
    """Put a unit on a side (sign 1) or take it away (-1)."""
    for x in range(tally.starts[unit], tally.starts[unit + 1]):
        column = tally.columns[x]
        tally.totals[2] -= _term(tally, column)
        tally.sums[side, column] += sign * tally.values[x]
        tally.powers[side, column] = tally.sums[side, column] ** tally.alpha
        tally.totals[side] += sign * tally.values[x]
        tally.totals[2] += _term(tally, column)


@njit(cache=True, nogil=True)
def _energy(aim: Any, atom: Any, compound: Any, weight: Any) -> Any:
    """What is made small, from the two coefficients."""
    above = max(0.0, 1.0 - atom - aim.atom)
    return abs(1.0 - compound - aim.compound) + weight * above


@njit(cache=True, nogil=True)
def _energy_after(
    aim: Any, atoms: Any, compounds: Any, weight: Any, unit: Any, go: Any, to: Any
) -> Any:
    """The energy if a unit moved; atoms that are unknown in train already count nothing."""
    energy = _energy(aim, _after(atoms, unit, go, to), _after(compounds, unit, go, to), weight)
    return energy + UNKNOWN * _more_unknown(atoms, unit, go, to)


@njit(cache=True, nogil=True)
def _more_unknown(atoms: Any, unit: Any, go: Any, to: Any) -> Any:
    """By how much a move changes the number of atoms that are in test but not in train."""
    more_p, more_q = (to == TRAIN) - (go == TRAIN), (to == TEST) - (go == TEST)
    change = 0
    for x in range(atoms.starts[unit], atoms.starts[unit + 1]):
        p, q = atoms.sums[TRAIN, atoms.columns[x]], atoms.sums[TEST, atoms.columns[x]]
        value = atoms.values[x]
        change += p + value * more_p <= 0 and q + value * more_q > 0
        change -= p <= 0 and q > 0
    return change


@njit(cache=True, nogil=True)
def _move(atoms: Any, compounds: Any, unit: Any, go: Any, to: Any) -> None:
    """Move a unit from one side to another."""
    if go != OUT:
        _add(atoms, unit, go, -1.0)
        _add(compounds, unit, go, -1.0)
    if to != OUT:
        _add(atoms, unit, to, 1.0)
        _add(compounds, unit, to, 1.0)


@njit(cache=True, nogil=True)
def _current(tally: Any) -> Any:
    """The coefficient, S summed again: many small changes leave a rounding error."""
    totals = tally.totals
    totals[2] = 0.0
    for column in range(tally.sums.shape[1]):
        totals[2] += _term(tally, column)
    return _coefficient(totals[2], totals[TRAIN], totals[TEST], tally.alpha)


@njit(cache=True, nogil=True)
def grow(aim: Any, atoms: Any, compounds: Any, counts: Any, tries: Any, random: Any) -> Any:
    """Grow both sides from nothing until they have what is wanted.

    The side that is further behind takes the best of `tries` units drawn from those left.

    Args:
        counts: (units,) examples of each.
        random: (1,) uint64, the seed.

    Returns:
        (units,) the side of each.
    """
    wanted, slack = aim.wanted, aim.slack
    side, size = np.full(len(counts), OUT, np.int64), np.zeros(2, np.int64)
    free, left = np.arange(len(counts)), len(counts)
    while left:
        to = TRAIN if size[TRAIN] * wanted[TEST] < size[TEST] * wanted[TRAIN] else TEST
        if size[to] >= wanted[to]:
            to = TEST - to
            if size[to] >= wanted[to]:
                break
        best, least = 0, np.inf
        for _ in range(tries):
            place = int(_uniform(random) * left)
            unit = free[place]
            energy = _energy_after(aim, atoms, compounds, aim.weight, unit, OUT, to)
            energy += 10.0 * max(0, size[to] + counts[unit] - wanted[to] - slack)
            if energy < least:
                best, least = place, energy
        unit = free[best]
        left -= 1
        free[best] = free[left]
        side[unit] = to
        size[to] += counts[unit]
        _move(atoms, compounds, unit, OUT, to)
    return side


@njit(cache=True, nogil=True)
def anneal(
    aim: Any,
    atoms: Any,
    compounds: Any,
    counts: Any,
    side: Any,
    sweeps: Any,
    heat: Any,
    random: Any,
) -> None:
    """Move single units within the sizes that are allowed, at first also to the worse.

    In the last tenth nothing gets worse, and the weight of the atom divergence is doubled as long
    as it is above its limit.

    Args:
        side: (units,) the side of each, changed in place.
        sweeps: how often, on average, each unit is tried.
        heat: the first temperature, in mean absolute changes of the energy; the last is `COOL` of
            it.
    """
    size, weight, mean, seen = _sizes(side, counts), aim.weight, 0.0, 0
    spare = size.sum() > aim.wanted.sum()
    for sweep in range(sweeps):
        cold = 10 * (sweep + 1) > 9 * sweeps
        atom = _current(atoms)
        if cold and 1.0 - atom > aim.atom:
            weight *= 2.0
        old = _energy(aim, atom, _current(compounds), weight)
        warm = sweep > 0 and seen > 0 and not cold
        temperature = heat * mean / seen * COOL ** (sweep / sweeps) if warm else 0.0
        for _ in range(len(counts)):
            unit = int(_uniform(random) * len(counts))
            go = side[unit]
            to = int(_uniform(random) * 2)
            to = (to + (to >= go)) if spare else TEST - go
            if not _allows(aim, size, counts[unit], go, to):
                continue
            unknown = UNKNOWN * _more_unknown(atoms, unit, go, to)
            new = _energy_after(aim, atoms, compounds, weight, unit, go, to)
            if sweep == 0:
                mean += abs(new - unknown - old)
                seen += 1
            chance = temperature > 0 and _uniform(random) < np.exp((old - new) / temperature)
            if new <= old or chance:
                _move(atoms, compounds, unit, go, to)
                side[unit] = to
                size[to] += counts[unit]
                size[go] -= counts[unit]
                old = new - unknown


@njit(cache=True, nogil=True)
def _sizes(side: Any, counts: Any) -> Any:
    """(3,) the examples of each side."""
    size = np.zeros(3, np.int64)
    for unit in range(len(counts)):
        size[side[unit]] += counts[unit]
    return size


@njit(cache=True, nogil=True)
def _allows(aim: Any, size: Any, count: Any, go: Any, to: Any) -> Any:
    """Whether both sides keep to their sizes if so many examples move."""
    if to != OUT and size[to] + count > aim.wanted[to] + aim.slack:
        return False
    return go == OUT or size[go] - count >= aim.wanted[go] - aim.slack


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
        """Write it as JSON, one part a line; raises OSError if it cannot be written."""
        rows = {"format": FORMAT, **asdict(self)}
        lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rows.items())
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        write_whole(path, lambda partial: partial.write_text(text, encoding="utf-8"))

    @classmethod
    def read(cls, path: Path) -> McdSplit:
        """Read what `write` wrote; raises DataError for a file that is missing or is no such
        split."""
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
    """What an MCD split should be, and how long it is searched for; raises DataError for values out
    of range.

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
    wanted = _side_sizes(len(rule_graphs), settings.test, settings.unused)
    pool = pool or CompoundPool.of(rule_graphs, settings.compounds)
    target, most = settings.target_compound_divergence, settings.max_atom_divergence
    # The search sums in another order than the measuring: a little stricter, to be sure.
    slack, strict = max(1, round(SLACK * min(wanted))), 0.995 * most
    aim = Aim(wanted, slack, strict, 1.0 if target is None else target, WEIGHT)
    heats = HEATS_SPARE if wanted.sum() < len(rule_graphs) else HEATS_ALL
    sides = [
        _search(pool, aim, settings, heats[restart % len(heats)], restart)
        for restart in range(settings.restarts)
    ]
    side, divergences = _best(pool, sides, aim, most)
    parts = [tuple(np.flatnonzero(side == which).tolist()) for which in range(3)]
    last = list(parts[TEST])
    random.Random(settings.seed).shuffle(last)
    border = round(settings.dev_share * len(last))
    return McdSplit(
        train=parts[TRAIN],
        dev=tuple(sorted(last[:border])),
        test=tuple(sorted(last[border:])),
        unused=parts[OUT],
        atom_divergence=divergences.atom,
        compound_divergence=divergences.compound,
        settings=asdict(replace(settings, compounds=pool.settings)),
    )


def _side_sizes(examples: int, test: int | float, unused: float) -> Ints:
    """How many examples train and test should have."""
    used = examples - round(unused * examples)
    size = test if isinstance(test, int) else round(test * used)
    if not 0 < size < used:
        raise DataError(
            f"of {examples} examples {used} are to be used, {size} of them to test on, and some "
            "to train on; give more examples, or choose a smaller test set or share of unused ones"
        )
    return np.array([used - size, size], np.int64)


def _search(pool: CompoundPool, aim: Aim, settings: McdSettings, heat: float, restart: int) -> Ints:
    """(examples,) the side of each, from one run of the search."""
    counts = pool.units.counts
    atoms = _tally(pool.atoms, counts, ATOM_ALPHA)
    compounds = _tally(pool.compounds, counts, COMPOUND_ALPHA)
    state = np.array([random.Random(f"{settings.seed} {restart}").getrandbits(64)], np.uint64)
    side = grow(aim, atoms, compounds, counts, settings.tries, state)
    anneal(aim, atoms, compounds, counts, side, settings.sweeps, heat, state)
    examples: Ints = side[pool.units.of]
    return examples


def _tally(rows: Rows, counts: Ints, alpha: float) -> Tally:
    each = np.repeat(counts.astype(np.float64), np.diff(rows.starts))
    values = np.round(rows.values * GRAIN) / GRAIN * each
    sums, powers = np.zeros((2, rows.width)), np.zeros((2, rows.width))
    return Tally(rows.starts, rows.columns, values, sums, powers, np.zeros(3), alpha)


def _best(
    pool: CompoundPool, sides: Sequence[Ints], aim: Aim, most: float
) -> tuple[Ints, Divergences]:
    """The split that is nearest to the target among those that meet the demands."""
    closest: tuple[Ints, Divergences] | None = None
    seen = []
    for side in sides:
        train, test = (np.flatnonzero(side == x) for x in (TRAIN, TEST))
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
